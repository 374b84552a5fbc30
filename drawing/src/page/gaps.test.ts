import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataFrame } from '@grafana/data';
import { withGaps } from './gaps';

const frame = (times: number[], step = 15) =>
  ({
    length: times.length,
    fields: [
      { name: 'Time', type: 'time', values: times, config: step ? { interval: step } : {} },
      { name: 'Value', type: 'number', values: times.map((t) => t * 2), config: {} },
    ],
  }) as unknown as DataFrame;
const points = (f: DataFrame) => f.fields[0].values.map((t: number, i: number) => [t, f.fields[1].values[i]]);

test('a gap ends a line one step after its last point', () => {
  const cases: Array<[string, number[], number, Array<[number, number | null]>]> = [
    ['none', [0, 15, 30], 30, [[0, 0], [15, 30], [30, 60]]],
    ['between points', [0, 15, 60], 60, [[0, 0], [15, 30], [30, null], [60, 120]]],
    ['two of them', [0, 45, 90], 90, [[0, 0], [15, null], [45, 90], [60, null], [90, 180]]],
    ['at the end of the range', [0, 15], 90, [[0, 0], [15, 30], [30, null]]],
    ['less than a step before the end', [0, 15], 29, [[0, 0], [15, 30]]],
    ['no points', [], 90, []],
  ];
  for (const [name, times, end, want] of cases) assert.deepEqual(points(withGaps(frame(times), end)), want, name);
});

test('a frame without a step has no gaps', () => {
  assert.deepEqual(points(withGaps(frame([0, 60], 0), 90)), [[0, 0], [60, 120]]);
});
