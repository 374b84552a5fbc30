import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutBelow } from './gallery';

test('a picture ends below the last panel that is whole within it', () => {
  const boxes = [{ top: 0, bottom: 300 }, { top: 308, bottom: 600 }, { top: 308, bottom: 900 }, { top: 908, bottom: 1400 }];
  assert.equal(cutBelow(boxes), 912, 'at 600 a panel beside would be cut');
});
