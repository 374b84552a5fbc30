import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPanels, missing } from './checks';

const panel = (id: number, type: string, panels?: any[]) => ({ id, type, title: `panel ${id}`, gridPos: { x: 0, y: 0, w: 1, h: 1 }, panels }) as any;

test('a panel of a folded row that is not on the page is missed', () => {
  const panels = allPanels([panel(1, 'stat'), panel(2, 'row', [panel(3, 'table'), panel(4, 'table')])]);
  const drawn = { panels: { '1': { id: 1 }, '4:a': { id: 4 } } } as any;
  assert.deepEqual(missing(panels, drawn), ['panel 3 "panel 3" is not drawn']);
});
