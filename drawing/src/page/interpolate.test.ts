import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expression, replacer, type Choices } from './interpolate';

const all = { values: ['a', 'b'], all: true, allValue: '.*', several: true };
const chosen = (...values: string[]) => ({ values, all: false, allValue: '.*', several: true });

test('a choice stands in an expression as Grafana writes it', () => {
  const cases: Array<[string, Choices, string]> = [
    ['up{x=~"$x"}', { x: all }, 'up{x=~".*"}'],
    ['up{x=~"$x"}', { x: { ...all, allValue: undefined } }, 'up{x=~"(a|b)"}'],
    ['up{x=~"$x"}', { x: chosen('a') }, 'up{x=~"a"}'],
    ['up{x=~"${x}|"}', { x: chosen('a', 'b') }, 'up{x=~"(a|b)|"}'],
    ['up{x=~"[[x]]"}', { x: chosen('0000:03:00.0') }, 'up{x=~"0000:03:00\\\\.0"}'],
    ['up{x="$x"}', { x: { values: ['a"b'], all: false, several: false } }, 'up{x="a\\"b"}'],
    ['up{x=~"${x:pipe}"}', { x: chosen('a', 'b') }, 'up{x=~"a|b"}'],
  ];
  for (const [text, choices, want] of cases) assert.equal(expression(text, choices, {}), want);
});

test('times stand in an expression, and a name that nobody gives is an error', () => {
  assert.equal(expression('rate(x[$__rate_interval])', {}, { __rate_interval: '60s' }), 'rate(x[60s])');
  assert.throws(() => expression('x[$__nothing]', {}, {}), /unknown variable \$__nothing/);
});

test('links take cells of their row, choices and the range along', () => {
  const problems: string[] = [];
  const replace = replacer({ datasource: chosen('p'), gpu: all }, { __url_time_range: 'from=1&to=2' }, (p) => problems.push(p));
  const frame = { fields: [{ name: 'backend', values: ['a', 'b'], config: {} }] };
  const scoped = { __dataContext: { value: { frame, field: frame.fields[0], rowIndex: 1 } } } as any;
  assert.equal(
    replace('/d/x?var-backend=${__data.fields.backend}&${datasource:queryparam}&${gpu:queryparam}&${__url_time_range}', scoped),
    '/d/x?var-backend=b&var-datasource=p&var-gpu=%24__all&from=1&to=2',
  );
  assert.deepEqual(problems, []);
  replace('${nobody}');
  assert.match(problems[0], /unknown variable \$\{nobody\}/);
});
