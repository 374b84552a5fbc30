// Heatmaps: whether each bucket holds what its bound has more than the bound below.
import type { Panel } from '../page/dashboard';
import type { DrawnFrame } from '../page/record';
import { isSaid, wanted } from './config';

/** What Prometheus gives for one bound, by milliseconds. */
export interface Bound {
  le: string;
  points: Map<number, number>;
}

const number = (le: string) => (le === '+Inf' ? Infinity : Number(le));

const near = (a: unknown, b: number) => typeof a === 'number' && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

/** What differs between the frame of a heatmap and Prometheus: values, moments and bounds that are lost or invented. */
export function compareBuckets(bounds: Bound[], frame: DrawnFrame | undefined): string[] {
  const moments = new Set(bounds.flatMap((b) => [...b.points.keys()]));
  if (!frame) return moments.size > 0 ? ['draws no buckets where Prometheus gives some'] : [];
  const times = frame.fields.find((f) => f.type === 'time')!.values as number[];
  const fields = frame.fields.filter((f) => f.type === 'number');
  const out: string[] = [];
  for (const f of fields) if (!bounds.some((b) => b.le === f.name)) out.push(`draws the bucket ${f.name}, which Prometheus does not give`);
  if (times.length !== moments.size) out.push(`draws ${times.length} moments where Prometheus gives ${moments.size}`);
  const sorted = [...bounds].sort((a, b) => number(a.le) - number(b.le));
  times.forEach((t, row) => {
    let below = 0;
    for (const b of sorted) {
      const total = b.points.get(t);
      const drawn = fields.find((f) => f.name === b.le)?.values[row];
      if (total === undefined) {
        if (drawn !== undefined && drawn !== null) out.push(`bucket ${b.le}: draws ${drawn} where Prometheus says nothing`);
        continue;
      }
      const own = Math.max(0, total - below);
      if (!near(drawn, own)) out.push(`bucket ${b.le}: draws ${drawn} where Prometheus says ${own}`);
      below = total;
    }
  });
  return out.slice(0, 3);
}

/** What differs between the cells on the page and the frame: each that is not empty is there, and the scale ends at the fullest. */
export function compareHeat(panel: Panel, frame: DrawnFrame | undefined, cells: number[], texts: string[], now: number): string[] {
  if (!frame) return [];
  const fields = frame.fields.filter((f) => f.type === 'number');
  const full = fields.flatMap((f) => f.values.filter((v): v is number => typeof v === 'number' && v > 0)).sort((a, b) => a - b);
  const seen = [...cells].sort((a, b) => a - b);
  const out: string[] = [];
  if (seen.length !== full.length || seen.some((c, i) => !near(c, full[i]))) out.push(`shows ${seen.length} cells, whose sum is ${sum(seen)}, where ${full.length} have something, and their sum is ${sum(full)}`);
  const most = full.at(-1) ?? 0;
  const w = wanted(panel, { name: 'Value', title: '', refId: frame.refId });
  if (!texts.some((t) => isSaid(t, most, w, now))) out.push(`shows ${JSON.stringify(texts)}, and no end of the scale at ${most}`);
  return out;
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
