// How far apart the points of a query are, and what the variables about time stand for.
import { rangeUtil, type TimeRange } from '@grafana/data';

// The interval of the scrapes, which the data source's file names (jsonData.timeInterval).
export const scrapeInterval = 15;

// Prometheus refuses more points than this in one answer.
const mostPoints = 11000;

export interface Timing {
  from: number; // seconds, a multiple of step
  to: number;
  step: number; // seconds
  vars: Record<string, string>;
}

/** The step of a query in a panel of a width, and the values of $__interval and its kin. */
export function timing(range: TimeRange, points: number, minInterval?: string): Timing {
  const least = minInterval ? rangeUtil.intervalToMs(minInterval) / 1000 : scrapeInterval;
  const from = range.from.valueOf() / 1000;
  const to = range.to.valueOf() / 1000;
  const wanted = rangeUtil.calculateInterval(range, Math.max(1, Math.floor(points)), `${least}s`).intervalMs / 1000;
  const step = Math.max(wanted, Math.ceil((to - from) / mostPoints));
  const rate = Math.max(step + scrapeInterval, 4 * scrapeInterval);
  const length = Math.round(to - from);
  return {
    from: Math.floor(from / step) * step,
    to: Math.floor(to / step) * step,
    step,
    vars: {
      __interval: `${step}s`,
      __interval_ms: String(step * 1000),
      __rate_interval: `${rate}s`,
      __range: `${length}s`,
      __range_s: String(length),
      __range_ms: String(length * 1000),
    },
  };
}
