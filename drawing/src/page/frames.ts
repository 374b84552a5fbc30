// Prometheus's answers as data frames, in the form in which Grafana's panels get them.
import { FieldType, toDataFrame, type DataFrame } from '@grafana/data';
import { number, type Sample } from './prometheus';
import type { Target } from './dashboard';

/** One query's answer. */
export interface Answer {
  target: Target;
  samples: Sample[];
  step: number; // seconds; 0: an instant
}

const pointsOf = (s: Sample) => s.values ?? (s.value ? [s.value] : []);

function labelText(metric: Record<string, string>): string {
  const { __name__ = '', ...labels } = metric;
  const inside = Object.entries(labels).map(([k, v]) => `${k}="${v}"`).join(', ');
  return inside || !__name__ ? `${__name__}{${inside}}` : __name__;
}

/** The name of a series: {{label}} of the legend's format, or all its labels. */
export function legend(format: string | undefined, metric: Record<string, string>): string {
  if (!format || format === '__auto') return labelText(metric);
  return format.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, label) => metric[label] ?? '');
}

/** A frame for each series, with the step, so that a gap is seen as one. */
function series({ target, samples, step }: Answer): DataFrame[] {
  return samples.map((s) => {
    const { __name__, ...labels } = s.metric;
    const name = legend(target.legendFormat, s.metric);
    return toDataFrame({
      refId: target.refId, name,
      fields: [
        { name: 'Time', type: FieldType.time, values: pointsOf(s).map((p) => p[0] * 1000), config: step ? { interval: step * 1000 } : {} },
        { name: 'Value', type: FieldType.number, labels, values: pointsOf(s).map((p) => number(p[1])), config: { displayNameFromDS: name } },
      ],
    });
  });
}

/** One frame with a row for each sample and a column for each label. */
function table({ target, samples }: Answer, valueName: string): DataFrame {
  const names = [...new Set(samples.flatMap((s) => Object.keys(s.metric).sort()))];
  const rows = samples.flatMap((s) => pointsOf(s).map(([time, value]) => ({ metric: s.metric, time, value })));
  return toDataFrame({
    refId: target.refId,
    fields: [
      { name: 'Time', type: FieldType.time, values: rows.map((r) => r.time * 1000) },
      ...names.map((n) => ({ name: n, type: FieldType.string, values: rows.map((r) => r.metric[n] ?? ''), config: { filterable: true } })),
      { name: valueName, type: FieldType.number, values: rows.map((r) => number(r.value)) },
    ],
  });
}

/** A frame of buckets: one row for each moment, one column for each upper edge, counts of the bucket alone. */
function heatmap({ target, samples, step }: Answer): DataFrame[] {
  const odd = samples.find((s) => s.metric.le === undefined);
  if (odd) throw new Error(`a heatmap's query ${target.refId} gives ${labelText(odd.metric)}, which has no bucket edge le`);
  const sorted = [...samples].sort((a, b) => number(a.metric.le) - number(b.metric.le));
  const times = [...new Set(sorted.flatMap((s) => pointsOf(s).map((p) => p[0])))].sort((a, b) => a - b);
  if (times.length === 0) return [];
  const below = times.map(() => 0);
  return [toDataFrame({
    refId: target.refId, meta: { type: 'heatmap-rows' as any },
    fields: [
      { name: 'Time', type: FieldType.time, values: times.map((t) => t * 1000), config: { interval: step * 1000 } },
      ...sorted.map((s) => {
        const at = new Map(pointsOf(s).map((p) => [p[0], number(p[1])]));
        const values = times.map((t, i) => {
          const total = at.get(t);
          if (total === undefined) return null;
          const own = Math.max(0, total - below[i]);
          below[i] = total;
          return own;
        });
        return { name: s.metric.le, type: FieldType.number, labels: { le: s.metric.le }, values };
      }),
    ],
  })];
}

/** All answers of a panel as frames. Values of tables are named after their query where there are several. */
export function frames(answers: Answer[]): DataFrame[] {
  const tables = answers.filter((a) => a.target.format === 'table');
  const out = answers.flatMap((a) => {
    switch (a.target.format) {
      case 'table':
        return [table(a, tables.length > 1 ? `Value #${a.target.refId}` : 'Value')];
      case 'heatmap':
        return heatmap(a);
    }
    return series(a);
  });
  return out.every((f) => f.length === 0) ? [] : out;
}

