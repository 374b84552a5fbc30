import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Panel } from './dashboard';
import { place } from './place';

const panel = (id: number, x: number, y: number, w: number, h: number, more: Partial<Panel> = {}): Panel => ({ id, type: 'stat', gridPos: { x, y, w, h }, ...more });

const row = (id: number, y: number, more: Partial<Panel> = {}): Panel => panel(id, 0, y, 24, 1, { type: 'row', ...more });

const cell = 38; // pixels from one line of the grid to the next

const tops = (panels: Panel[], width = 1392, values: string[] = []) =>
  Object.fromEntries(place(panels, { v: { values, all: true, several: true } }, width).placed.map((p) => [p.key, [Math.round(p.box.left), p.box.top / cell]]));

test('panels stand on the grid', () => {
  assert.deepEqual(tops([panel(1, 0, 0, 12, 4), panel(2, 12, 0, 12, 4), panel(3, 0, 4, 24, 4)]), { 1: [0, 0], 2: [700, 0], 3: [0, 4] });
});

test('a phone stacks panels in the order in which they are read', () => {
  assert.deepEqual(tops([panel(2, 12, 0, 12, 4), panel(1, 0, 0, 12, 4), panel(3, 0, 4, 24, 2)], 358), { 1: [0, 0], 2: [0, 4], 3: [0, 8] });
});

test('a repeated panel pushes down what is below it', () => {
  const repeated = panel(2, 0, 1, 24, 3, { repeat: 'v', repeatDirection: 'h', maxPerRow: 2 });
  assert.deepEqual(tops([row(1, 0), repeated, panel(3, 0, 4, 24, 4)], 1392, ['a', 'b', 'c']), {
    1: [0, 0], '2:a': [0, 1], '2:b': [700, 1], '2:c': [0, 4], 3: [0, 7],
  });
});

test('a folded row is unfolded and pushes down the next', () => {
  const folded = row(1, 0, { collapsed: true, panels: [panel(2, 0, 1, 24, 5)] });
  assert.deepEqual(tops([folded, row(3, 1), panel(4, 0, 2, 24, 4)]), { 1: [0, 0], 2: [0, 1], 3: [0, 6], 4: [0, 7] });
});

test('a repeated row brings its panels along', () => {
  assert.deepEqual(tops([row(1, 0, { repeat: 'v' }), panel(2, 0, 1, 24, 2), row(3, 3)], 1392, ['a', 'b']), {
    '1@a': [0, 0], '2@a': [0, 1], '1@b': [0, 3], '2@b': [0, 4], 3: [0, 6],
  });
});
