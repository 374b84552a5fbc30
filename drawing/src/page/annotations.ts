// Marks on the graphs: moments and spans that a query names.
import { rangeUtil, type GrafanaTheme2, type TimeRange } from '@grafana/data';
import type { AnnotationQuery } from './dashboard';
import { legend } from './frames';
import { expression, type Choices } from './interpolate';
import { timing } from './interval';
import { overTime } from './prometheus';

/** A mark: milliseconds, and what it says. */
export interface Mark {
  from: number;
  to: number;
  title: string;
  color: string;
}

const defaultStep = '60s';

/** Points that follow each other at the step are one mark; a value of 0 is none. */
export async function marksOf(a: AnnotationQuery, choices: Choices, range: TimeRange, theme: GrafanaTheme2): Promise<Mark[]> {
  if (!a.enable || !a.expr) return [];
  const at = timing(range, 1e6, a.step ?? defaultStep);
  const step = Math.max(rangeUtil.intervalToMs(a.step ?? defaultStep) / 1000, at.step);
  const found = await overTime(expression(a.expr, choices, at.vars), at.from, at.to, step);
  const out: Mark[] = [];
  for (const s of found) {
    const times = (s.values ?? []).filter(([, v]) => Number(v) !== 0).map(([t]) => t);
    times.forEach((t, i) => {
      if (i > 0 && t - times[i - 1] <= step) out[out.length - 1].to = t * 1000;
      else out.push({ from: t * 1000, to: t * 1000, title: legend(a.titleFormat, s.metric), color: theme.visualization.getColorByName(a.iconColor) });
    });
  }
  return out;
}
