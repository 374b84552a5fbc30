// Whether a panel shows what Prometheus says: its queries are put again, and the answers are
// compared with the frames that the panel drew and with the texts on it.
import type { Panel } from '../page/dashboard';
import type { Asked, DrawnField, DrawnFrame, DrawnPanel } from '../page/record';
import { compareBuckets, compareHeat } from './buckets';
import { compareMatrix, matrixOf } from './matrix';
import { canRead } from './read';
import type { LegendLine, SeenTable } from './seen';
import { isSaid, wanted } from './config';

interface Series {
  asked: Asked;
  metric: Record<string, string>;
  points: Map<number, number>; // milliseconds
}

// Bodies by query: dark and light ask the same.
const answers = new Map<string, Promise<any>>();

function answer(prometheus: string, path: string, params: URLSearchParams): Promise<any> {
  const key = `${prometheus} ${path} ${params}`;
  let body = answers.get(key);
  if (!body) answers.set(key, (body = fetch(`${prometheus}/api/v1/${path}`, { method: 'POST', body: params }).then((r) => r.json())));
  return body;
}

/** Puts a query to Prometheus as the panel did. */
async function ask(prometheus: string, asked: Asked): Promise<Series[]> {
  const path = asked.step > 0 ? 'query_range' : 'query';
  const when = asked.step > 0 ? { start: asked.start, end: asked.end, step: asked.step } : { time: asked.end };
  const params = new URLSearchParams(Object.entries({ query: asked.expr, ...when }).map(([k, v]) => [k, String(v)]));
  const body = await answer(prometheus, path, params);
  if (body.status !== 'success') throw new Error(`query ${asked.refId}: ${body.error}`);
  const { resultType, result } = body.data;
  const list = resultType === 'scalar' ? [{ metric: {}, value: result }] : result;
  const value = (s: string) => (s === '+Inf' ? Infinity : s === '-Inf' ? -Infinity : Number(s));
  return list.map((s: any) => ({ asked, metric: s.metric, points: new Map((s.values ?? [s.value]).map(([t, v]: [number, string]) => [t * 1000, value(v)])) }));
}

const same = (a: unknown, b: number) => (typeof a === 'number' ? Object.is(a, b) || a === b : String(a) === String(b));

const named = (metric: Record<string, string>) => JSON.stringify(Object.fromEntries(Object.entries(metric).filter(([k]) => k !== '__name__').sort()));

const timesOf = (frame: DrawnFrame) => frame.fields.find((f) => f.type === 'time')!.values as number[];

// topk and bottomk choose among equals by chance, so another answer may have others.
const chosenFew = /^(topk|bottomk)\((\d+),([\s\S]*)\)$/;

/** Of a query that keeps the highest or lowest: every point is one of all the series, and none that was left out is better. */
async function compareFew(prometheus: string, asked: Asked, frames: DrawnFrame[]): Promise<string[]> {
  const [, pick, count, inner] = chosenFew.exec(asked.expr)!;
  const all = new Map((await ask(prometheus, { ...asked, expr: inner })).map((s) => [named(s.metric), s]));
  const out: string[] = [];
  const drawnAt = new Map<number, number[]>();
  for (const f of frames) {
    const s = all.get(named(f.fields[1].labels ?? {}));
    if (!s) { out.push(`draws ${f.fields[1].title} of query ${asked.refId}, which Prometheus does not give`); continue; }
    timesOf(f).forEach((t, i) => {
      const value = s.points.get(t) ?? NaN;
      drawnAt.set(t, [...(drawnAt.get(t) ?? []), value]);
      if (!same(f.fields[1].values[i], value)) out.push(`${f.fields[1].title}: draws ${f.fields[1].values[i]} where Prometheus says ${value}`);
    });
  }
  const order = (a: number, b: number) => (pick === 'topk' ? b - a : a - b);
  for (const t of new Set([...all.values()].flatMap((s) => [...s.points.keys()]))) {
    const best = [...all.values()].flatMap((s) => s.points.get(t) ?? []).filter((v) => !Number.isNaN(v)).sort(order).slice(0, Number(count));
    const drawn = (drawnAt.get(t) ?? []).filter((v) => !Number.isNaN(v)).sort(order);
    if (String(best) !== String(drawn)) out.push(`query ${asked.refId} at ${t / 1000}: draws ${drawn} where the best are ${best}`);
  }
  return out.slice(0, 3);
}

/** Every series is one frame with its points, and there is no other. */
function compareSeries(found: Series[], frames: DrawnFrame[]): string[] {
  const out: string[] = [];
  const left = new Set(frames);
  for (const s of found) {
    const own = [...left].find((f) => f.refId === s.asked.refId && named(f.fields[1].labels ?? {}) === named(s.metric) && f.fields[0].values.length === s.points.size);
    if (!own) { out.push(`query ${s.asked.refId} gives ${named(s.metric)}, which is not drawn`); continue; }
    left.delete(own);
    const wrong = timesOf(own).findIndex((t, i) => !s.points.has(t) || !same(own.fields[1].values[i], s.points.get(t)!));
    if (wrong >= 0) out.push(`${own.fields[1].title}: draws ${own.fields[1].values[wrong]} where Prometheus says ${s.points.get(timesOf(own)[wrong])}`);
  }
  for (const f of left) out.push(`draws ${f.fields[1]?.title} of query ${f.refId}, which Prometheus does not give`);
  return out;
}

// Transformations after which a row still is the labels and values of samples.
const comparable = new Set(['merge', 'organize', 'filterFieldsByName', 'sortBy', 'limit', 'groupingToMatrix']);

const valueField = (frame: DrawnFrame, refId: string, single: boolean): DrawnField | undefined =>
  frame.fields.find((f) => f.name === `Value #${refId}`) ?? (single ? frame.fields.find((f) => f.name === 'Value') : undefined);

const agrees = (frame: DrawnFrame, row: number, metric: Record<string, string>) =>
  frame.fields.every((f) => f.type !== 'string' || !(f.name in metric) || f.values[row] === metric[f.name]);

/** Each sample is in a row that has its labels, and each cell with a number is a sample. */
function compareTable(found: Series[], frame: DrawnFrame, single: boolean): string[] {
  const out: string[] = [];
  const rows = frame.fields[0]?.values.length ?? 0;
  for (const refId of new Set(found.map((s) => s.asked.refId))) {
    const field = valueField(frame, refId, single);
    const own = found.filter((s) => s.asked.refId === refId);
    for (const s of own) {
      const there = Array.from({ length: rows }, (_, i) => i).filter((i) => agrees(frame, i, s.metric));
      const value = [...s.points.values()][0];
      if (there.length === 0) out.push(`query ${refId} gives ${named(s.metric)}, which no row has`);
      else if (field && !there.some((i) => same(field.values[i], value))) out.push(`${field.title} of ${named(s.metric)}: shows ${field.values[there[0]]} where Prometheus says ${value}`);
    }
    field?.values.forEach((v, i) => {
      if (v !== null && v !== undefined && !own.some((s) => agrees(frame, i, s.metric) && same(v, [...s.points.values()][0]))) out.push(`${field.title}: shows ${v}, which query ${refId} does not give`);
    });
  }
  return out;
}

async function compareFrames(prometheus: string, panel: Panel, drawn: DrawnPanel): Promise<{ found: Series[]; out: string[] }> {
  const odd = (panel.transformations ?? []).filter((t) => !comparable.has(t.id) && !t.disabled);
  if (odd.length > 0) return { found: [], out: [`numbers cannot be compared after the transformation ${JSON.stringify(odd[0].id)}`] };
  const few = drawn.asked.filter((a) => chosenFew.test(a.expr) && a.format === 'time_series' && a.step > 0);
  const whole = drawn.asked.filter((a) => !few.includes(a));
  const found = (await Promise.all(whole.map((a) => ask(prometheus, a)))).flat();
  const rest = drawn.frames.filter((f) => !few.some((a) => a.refId === f.refId));
  const out = (await Promise.all(few.map((a) => compareFew(prometheus, a, drawn.frames.filter((f) => f.refId === a.refId))))).flat();
  const format = whole[0]?.format;
  if (found.length === 0) return { found, out: rest.some((f) => f.fields[0]?.values.length) ? [...out, 'draws numbers where Prometheus gives none'] : out };
  if (format === 'heatmap') return { found, out: [...out, ...compareBuckets(found.map((x) => ({ le: x.metric.le, points: x.points })), rest[0])] };
  if (matrixOf(panel)) return { found, out }; // compared with its texts
  if (format === 'table') return { found, out: [...out, ...compareTable(found, rest[0], drawn.asked.length === 1)] };
  return { found, out: [...out, ...compareSeries(found, rest)] };
}

const nameOf = (s: Series) => (s.asked.legend ? s.asked.legend.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, l) => s.metric[l] ?? '') : '');

const lastOf = (s: Series) => [...s.points.values()].filter((v) => !Number.isNaN(v)).at(-1);

/** Each value of a stat, bars or dial stands on it, and no other number does. */
function compareTexts(panel: Panel, found: Series[], texts: string[], now: number): string[] {
  const out: string[] = [];
  const left = [...texts];
  const take = (fits: (text: string) => boolean) => { const i = left.findIndex(fits); return i >= 0 ? left.splice(i, 1)[0] : undefined; };
  for (const s of found) {
    const name = nameOf(s);
    const w = wanted(panel, { name: 'Value', title: name, refId: s.asked.refId });
    const value = lastOf(s);
    if (panel.options?.textMode === 'name') { if (take((t) => t === name) === undefined) out.push(`does not show the name ${JSON.stringify(name)}`); continue; }
    take((t) => t === name);
    if (take((t) => isSaid(t, value, w, now)) === undefined) out.push(`shows ${JSON.stringify(texts)} where Prometheus says ${name} ${value}`);
  }
  const extra = left.filter((t) => /^\d/.test(t));
  return extra.length > 0 && found.length > 0 ? [...out, `shows ${JSON.stringify(extra)}, which Prometheus does not say`] : out;
}

// A browser shows several spaces as one.
const asRead = (text: string) => text.trim().replace(/\s+/g, ' ');

/** The figures in a legend are the last ones of the lines, which were compared before. */
function compareLegend(panel: Panel, drawn: DrawnPanel, legend: LegendLine[], now: number): string[] {
  const at = ((panel.options?.legend?.calcs ?? []) as string[]).indexOf('lastNotNull');
  const last = (f: DrawnFrame) => f.fields[1].values.filter((v) => typeof v === 'number').at(-1) as number | undefined;
  return legend.flatMap((line) => {
    const own = drawn.frames.filter((f) => asRead(f.fields[1].title) === line.name);
    if (own.length === 0) return [`the legend names ${JSON.stringify(line.name)}, which is not drawn`];
    const text = line.values[at]?.replace(/^[^:]*: /, '');
    if (at < 0 || text === undefined) return [];
    const fits = own.some((f) => isSaid(text, last(f), wanted(panel, { name: 'Value', title: line.name, refId: f.refId }), now));
    return fits ? [] : [`the legend says ${JSON.stringify(text)} for ${line.name} where Prometheus says ${own.map(last).join(' or ')}`];
  });
}

/** The texts of a table's cells are the samples that have the labels of the row. */
function compareCells(panel: Panel, drawn: DrawnPanel, found: Series[], table: SeenTable, now: number): string[] {
  const out: string[] = [];
  const frame = drawn.frames[0];
  const columns = table.head.map((title) => frame.fields.find((f) => f.title === title));
  const blank = (f: DrawnField) => wanted(panel, { name: f.name, title: f.title }).noValue ?? '';
  for (const row of table.rows) {
    const labels = columns.flatMap((f, i) => (f?.type === 'string' ? [[f.name, row[i] === blank(f) ? '' : row[i]]] : []));
    columns.forEach((f, i) => {
      if (f?.type !== 'number') return;
      const refId = /^Value #(.+)$/.exec(f.name)?.[1] ?? drawn.asked[0].refId;
      const own = found.filter((s) => s.asked.refId === refId && labels.every(([l, v]) => !(l in s.metric) || s.metric[l] === v));
      const w = wanted(panel, { name: f.name, title: f.title });
      const fits = own.length === 0 ? isSaid(row[i], undefined, w, now) : own.some((s) => isSaid(row[i], lastOf(s), w, now)) || isSaid(row[i], undefined, w, now) && hasMoreLabels(frame, own);
      if (!fits) out.push(`row ${JSON.stringify(row.slice(0, 3))}, ${f.title}: shows ${JSON.stringify(row[i])} where Prometheus says ${own.map(lastOf).join(' or ') || 'nothing'}`);
    });
  }
  if (table.rows.length !== (frame.fields[0]?.values.length ?? 0)) out.push(`shows ${table.rows.length} rows of ${frame.fields[0]?.values.length}`);
  return out;
}

// Whether a sample has a label that the table has a column for and another sample of the query lacks: its row may be another one.
const hasMoreLabels = (frame: DrawnFrame, own: Series[]) => own.some((s) => frame.fields.some((f) => f.type === 'string' && !(f.name in s.metric)));

/** All that differs between a panel and Prometheus. */
export async function compare(prometheus: string, panel: Panel, drawn: DrawnPanel, seen: { texts: string[]; legend: LegendLine[]; table?: SeenTable; cells?: number[] }): Promise<string[]> {
  const units = [...new Set(drawn.frames.flatMap((f) => f.fields.filter((x) => x.type === 'number').map((x) => x.unit || 'none')))];
  const unread = units.filter((u) => !canRead(u)).map((u) => `unit ${JSON.stringify(u)}: read.ts cannot read it yet, so the numbers are not compared`);
  const { found, out: differences } = await compareFrames(prometheus, panel, drawn);
  const out = [...differences, ...unread];
  if (unread.length > 0 || drawn.blank !== undefined) return out;
  const now = drawn.asked[0]?.end ?? 0;
  switch (panel.type) {
    case 'stat':
    case 'gauge':
    case 'bargauge':
      return [...out, ...compareTexts(panel, found, seen.texts, now)];
    case 'timeseries':
      return [...out, ...compareLegend(panel, drawn, seen.legend, now)];
    case 'heatmap':
      return [...out, ...compareHeat(panel, drawn.frames[0], seen.cells ?? [], seen.texts, now)];
    case 'table':
      if (matrixOf(panel)) return [...out, ...compareMatrix(panel, found.map((s) => ({ metric: s.metric, value: lastOf(s)! })), drawn.frames[0], seen.table, now)];
      return [...out, ...(seen.table ? compareCells(panel, drawn, found, seen.table, now) : ['no table is drawn'])];
  }
  return out;
}
