import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Panel } from '../page/dashboard';
import type { DrawnFrame } from '../page/record';
import { compareBuckets, compareHeat, type Bound } from './buckets';

// At 10 s two fell below 0.1 and one between 0.1 and 1; at 20 s one above 1.
const bounds: Bound[] = [
  { le: '0.1', points: new Map([[10, 2], [20, 0]]) },
  { le: '1.0', points: new Map([[10, 3], [20, 0]]) },
  { le: '+Inf', points: new Map([[10, 3], [20, 1]]) },
];

const frame = (columns: Record<string, Array<number | null>>, times = [10, 20]): DrawnFrame => ({
  refId: 'A',
  fields: [
    { name: 'Time', title: 'Time', type: 'time', values: times },
    ...Object.entries(columns).map(([name, values]) => ({ name, title: name, type: 'number', values })),
  ],
}) as DrawnFrame;

const right = { '0.1': [2, 0], '1.0': [1, 0], '+Inf': [0, 1] };

test('buckets that hold what lies between their bounds have no difference', () => {
  assert.deepEqual(compareBuckets(bounds, frame(right)), []);
});

test('a wrong bucket, a lost one, one too many and a lost moment are each found', () => {
  assert.match(compareBuckets(bounds, frame({ ...right, '1.0': [3, 0] }))[0], /bucket 1.0: draws 3 where Prometheus says 1/);
  assert.match(compareBuckets(bounds, frame({ '0.1': [2, 0], '+Inf': [1, 1] }))[0], /bucket 1.0: draws undefined/);
  assert.match(compareBuckets(bounds, frame({ ...right, '2.5': [0, 0] }))[0], /the bucket 2.5, which Prometheus does not give/);
  assert.match(compareBuckets(bounds, frame({ '0.1': [2], '1.0': [1], '+Inf': [0] }, [10]))[0], /draws 1 moments where Prometheus gives 2/);
  assert.match(compareBuckets(bounds, undefined)[0], /draws no buckets/);
});

const panel = { id: 1, type: 'heatmap', gridPos: { x: 0, y: 0, w: 1, h: 1 }, fieldConfig: { defaults: { unit: 'short' }, overrides: [] } } as unknown as Panel;

test('cells that are not on the page, and a scale that ends elsewhere, are found', () => {
  assert.deepEqual(compareHeat(panel, frame(right), [2, 1, 1], ['0.1', '0', '2'], 20), []);
  assert.match(compareHeat(panel, frame(right), [2, 1], ['0', '2'], 20)[0], /shows 2 cells, .* where 3 have something/);
  assert.match(compareHeat(panel, frame(right), [2, 1, 1], ['0', '5'], 20)[0], /no end of the scale at 2/);
});
