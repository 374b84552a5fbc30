// Where each panel stands: Grafana's grid of 24 columns, one column on a phone; rows unfolded, repeats written out.
import type { Panel, Place } from './dashboard';
import type { Choices } from './interpolate';

const columns = 24;
const cell = 30; // pixels of height
const gap = 8;
const phone = 769; // pixels; narrower screens stack the panels

/** A panel with its place in pixels and the choices that a repeat narrows. */
export interface Placed {
  key: string;
  panel: Panel;
  choices: Choices;
  box: { left: number; top: number; width: number; height: number };
}

interface Item {
  key: string;
  panel: Panel;
  choices: Choices;
  at: Place;
}

const narrowed = (choices: Choices, name: string, value: string): Choices => ({
  ...choices, [name]: { ...choices[name], all: false, values: [value] },
});

// The copies of one repeated panel, side by side or below each other.
function copies(p: Panel, choices: Choices, key: string): Item[] {
  if (!p.repeat || p.type === 'row') return [{ key, panel: p, choices, at: p.gridPos }];
  const values = choices[p.repeat]?.values ?? [];
  const down = p.repeatDirection === 'v';
  const perRow = Math.min(values.length, p.maxPerRow ?? 4);
  const w = down ? p.gridPos.w : columns / perRow;
  return values.map((value, i) => ({
    key: `${key}:${value}`, panel: p, choices: narrowed(choices, p.repeat!, value),
    at: down
      ? { ...p.gridPos, y: p.gridPos.y + i * p.gridPos.h }
      : { ...p.gridPos, w, x: (i % perRow) * w, y: p.gridPos.y + Math.floor(i / perRow) * p.gridPos.h },
  }));
}

const bottom = (items: Item[]) => Math.max(...items.map((i) => i.at.y + i.at.h));

/** Rows with the panels that belong to them; what stands before the first row has none. */
function sections(panels: Panel[]): Array<{ row?: Panel; panels: Panel[] }> {
  const out: Array<{ row?: Panel; panels: Panel[] }> = [{ panels: [] }];
  for (const p of panels) {
    if (p.type === 'row') out.push({ row: p, panels: [...(p.panels ?? [])] });
    else out[out.length - 1].panels.push(p);
  }
  return out;
}

/** Everything that the repeats and folded rows make of the panels, with places on the grid. */
function unfolded(panels: Panel[], choices: Choices): Item[] {
  const out: Item[] = [];
  let shift = 0;
  for (const { row, panels: own } of sections(panels)) {
    const values = row?.repeat ? choices[row.repeat].values : [undefined];
    for (const value of values) {
      const inside = value === undefined ? choices : narrowed(choices, row!.repeat!, value);
      const suffix = value === undefined ? '' : `@${value}`;
      const start = row ? row.gridPos.y : 0;
      const items: Item[] = row ? [{ key: `${row.id}${suffix}`, panel: row, choices: inside, at: row.gridPos }] : [];
      let more = 0; // rows of the grid that repeats add
      for (const p of own) {
        const made = copies(p, inside, `${p.id}${suffix}`).map((i) => ({ ...i, at: { ...i.at, y: i.at.y + more } }));
        items.push(...made);
        if (made.length > 0) more += Math.max(0, bottom(made) - (p.gridPos.y + more + p.gridPos.h));
      }
      out.push(...items.map((i) => ({ ...i, at: { ...i.at, y: i.at.y + shift } })));
      // A folded row keeps no room for its panels, and each copy of a row needs its own.
      const taken = items.length > 0 ? bottom(items) - start : 0;
      const kept = row?.collapsed ? 1 : taken - more;
      shift += value === undefined || value === values[values.length - 1] ? taken - kept : taken;
    }
  }
  return out;
}

/** Places all panels on a page of a width in pixels. */
export function place(panels: Panel[], choices: Choices, width: number): { placed: Placed[]; height: number } {
  const items = unfolded(panels, choices).sort((a, b) => a.at.y - b.at.y || a.at.x - b.at.x);
  let y = 0;
  const placed = items.map(({ key, panel, choices: own, at }) => {
    const height = at.h * (cell + gap) - gap;
    if (width < phone) {
      const box = { left: 0, top: y, width, height };
      y += height + gap;
      return { key, panel, choices: own, box };
    }
    const unit = (width + gap) / columns;
    const box = { left: at.x * unit, top: at.y * (cell + gap), width: at.w * unit - gap, height };
    y = Math.max(y, box.top + height + gap);
    return { key, panel, choices: own, box };
  });
  return { placed, height: y };
}
