import assert from 'node:assert/strict';
import { test } from 'node:test';
import { says } from './read';

test('a text says a value to the digits that it shows', () => {
  const cases: Array<[string, number, string, boolean]> = [
    ['1.97 GB/s', 1969230769, 'Bps', true],
    ['1.96 GB/s', 1969230769, 'Bps', false],
    ['880 MiB', 922746880, 'bytes', true],
    ['20.8%', 0.2083, 'percentunit', true],
    ['20.8%', 0.2051, 'percentunit', false],
    ['10.8 mins', 645, 's', true],
    ['226 ms', 0.2256, 's', true],
    ['1.33 K', 1330, 'short', true],
    ['3 Mil', 3e6, 'short', true],
    ['400 tok/s', 400.2, 'count:tok/s', true],
    ['16 G', 16e9, 'sishort', true],
    ['71 °C', 71, 'celsius', true],
    ['-3', -3, 'none', true],
    ['3', -3, 'none', false],
    ['No data', 3, 'none', false],
    ['5 GB', 5e9, 'bytes', false],
    ['NaN', NaN, 'short', true],
  ];
  for (const [text, value, unit, want] of cases) assert.equal(says(text, value, unit, 0), want, `${text} says ${value} in ${unit}`);
});

test('an age is read from the moment that is looked at', () => {
  const now = 1_000_000;
  assert.ok(says('10 minutes ago', (now - 600) * 1000, 'dateTimeFromNow', now));
  assert.ok(!says('10 minutes ago', (now - 6000) * 1000, 'dateTimeFromNow', now));
});
