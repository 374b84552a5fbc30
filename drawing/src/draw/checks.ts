// What is wrong with a drawn dashboard, one sentence for each.
import type { Dashboard, Panel } from '../page/dashboard';
import type { DrawnPanel } from '../page/record';
import type { Look } from './browser';
import { compare } from './numbers';
import type { Cut } from './seen';
import { desktop, type View } from './views';

/** One thing that is wrong. */
export interface Finding {
  dashboard: string;
  view: string;
  panel: string; // title; "": the page
  what: string;
}

/** The honest blanks of a dashboard at the moment it is looked at: what a panel says, by its id. */
export type Blanks = Record<string, string>;

/** The panels of a dashboard, those in folded rows included. */
export function allPanels(panels: Panel[]): Panel[] {
  return panels.flatMap((p) => [p, ...allPanels(p.panels ?? [])]);
}

/** What a panel says in the place of data: its text, or the reasons in its legend. */
export function blankOf(panel: Panel, drawn: DrawnPanel): string | undefined {
  if (drawn.blank !== undefined) return drawn.blank;
  if (panel.type !== 'timeseries') return undefined;
  // Queries for one moment say in the legend why there is no line.
  const lines = new Set(drawn.asked.filter((a) => a.step > 0).map((a) => a.refId));
  const hasLine = drawn.frames.some((f) => lines.has(f.refId ?? '') && f.fields.some((x) => x.type === 'number' && x.values.some((v) => v !== null && v !== 'NaN')));
  return hasLine ? undefined : drawn.frames.map((f) => f.fields[1]?.title).join('; ');
}

function blank(panel: Panel, drawn: DrawnPanel, view: View, blanks: Blanks): string[] {
  const text = blankOf(panel, drawn);
  const expected = blanks[panel.id];
  if (Object.keys(view.chosen).length > 0) {
    return text === undefined || (text !== 'No data' && text !== '') ? [] : ['is blank and does not say why: give it a text for that'];
  }
  if (text === expected) return [];
  if (text === undefined) return [`has data, and blanks.json says that it would be blank: ${JSON.stringify(expected)}`];
  return [expected === undefined ? `unexpected blank: ${JSON.stringify(text)}` : `is blank and says ${JSON.stringify(text)}, not ${JSON.stringify(expected)}`];
}

function links(hrefs: string[], uids: Set<string>): string[] {
  return hrefs.flatMap((href) => {
    const uid = /^\/d\/([^?/]+)/.exec(href)?.[1];
    if (/\$\{|\$__/.test(href)) return [`a link has a variable that nothing fills: ${href}`];
    if (uid && !uids.has(uid)) return [`a link leads to the dashboard ${JSON.stringify(uid)}, which is not there`];
    if (/[?&]var-\w+=(&|$)/.test(href)) return [`a link makes an empty choice: ${href}`];
    return [];
  });
}

/** The texts of each panel that do not fit, as one sentence for each way in which they do not. */
function cuts(all: Cut[], view: View): Map<string, string[]> {
  const out = new Map<string, string[]>();
  const add = (panel: string, how: Cut['how']) => {
    const texts = [...new Set(all.filter((c) => c.panel === panel && c.how === how).map((c) => JSON.stringify(c.text)))];
    if (texts.length === 0) return;
    const more = texts.length > 3 ? ` and ${texts.length - 3} more` : '';
    out.set(panel, [...(out.get(panel) ?? []), `${how}: ${texts.slice(0, 3).join(', ')}${more}`]);
  };
  for (const panel of new Set(all.map((c) => c.panel))) {
    add(panel, 'cut off');
    if (view.width >= desktop) add(panel, 'beyond the edge'); // a phone scrolls tables sideways
  }
  return out;
}

// A label that the queries leave in the table gets a column, whether or not anybody placed it.
function strays(panel: Panel, drawn: DrawnPanel): string[] {
  const placed = panel.transformations?.find((t) => t.id === 'organize')?.options?.indexByName;
  if (panel.type !== 'table' || !placed) return [];
  return drawn.frames.flatMap((f) => f.fields).filter((f) => !(f.name in placed)).map((f) => `a column that nobody asked for: ${JSON.stringify(f.name)}`);
}

/** The panels, those of folded rows too, of which nothing is on the page. */
export function missing(panels: Iterable<Panel>, drawn: Look['drawn']): string[] {
  const there = new Set(Object.values(drawn.panels).map((p) => p.id));
  return [...panels].filter((p) => p.type !== 'row' && !there.has(p.id)).map((p) => `panel ${p.id} ${JSON.stringify(p.title)} is not drawn`);
}

/** All findings of one look at a dashboard. uids: of all dashboards. */
export async function check(d: Dashboard, view: View, { drawn, seen, complaints }: Look, prometheus: string, blanks: Blanks, uids: Set<string>): Promise<Finding[]> {
  const out: Finding[] = [];
  const report = (panel: string, whats: string[]) => out.push(...[...new Set(whats)].map((what) => ({ dashboard: d.uid, view: view.name, panel, what })));
  const panels = new Map(allPanels(d.panels).map((p) => [p.id, p]));
  report('', [...drawn.problems, ...complaints.map((c) => `the browser says: ${c}`)]);
  if (drawn.problems.length === 0) report('', missing(panels.values(), drawn));
  for (const p of Object.values(drawn.panels)) {
    const panel = panels.get(p.id)!;
    report(p.title, p.problems);
    if (p.problems.length > 0) continue;
    if (panel.targets?.length) report(p.title, blank(panel, p, view, blanks));
    report(p.title, strays(panel, p));
    report(p.title, links(seen.links[p.key] ?? [], uids));
    report(p.title, await compare(prometheus, panel, p, { texts: seen.texts[p.key] ?? [], legend: seen.legends[p.key] ?? [], table: seen.tables[p.key], cells: seen.cells[p.key] }));
  }
  for (const [panel, whats] of cuts(seen.cuts, view)) report(drawn.panels[panel]?.title ?? '', whats);
  return out;
}
