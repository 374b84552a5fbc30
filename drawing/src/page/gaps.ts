// Gaps in lines and bars. Prometheus leaves out the steps at which a series has no value, and the panel must
// not draw across them. Grafana's component looks for them in the first series only, since all share one mark
// of being done (nullThresholdApplied), so that is done here before it gets them.
import type { DataFrame } from '@grafana/data';

/** A frame with an empty point one step after each last one before a gap, and after its last one of all. */
export function withGaps(frame: DataFrame, end: number): DataFrame {
  const time = frame.fields.find((f) => f.config.interval); // times alone have a step
  const step = time?.config.interval;
  if (!time || !step || frame.length === 0) return frame;
  const times: number[] = [];
  const rows: Array<number | undefined> = []; // where a point came from; undefined: it is empty
  time.values.forEach((t: number, row: number) => {
    times.push(t);
    rows.push(row);
    if ((time.values[row + 1] ?? end) - t > step) {
      times.push(t + step);
      rows.push(undefined);
    }
  });
  return {
    ...frame,
    length: times.length,
    fields: frame.fields.map((f) =>
      f === time
        ? { ...f, values: times, state: { ...f.state, nullThresholdApplied: true } }
        : { ...f, values: rows.map((row) => (row === undefined ? null : f.values[row])) }),
  };
}
