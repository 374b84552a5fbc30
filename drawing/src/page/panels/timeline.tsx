// State timelines and status histories: one band for each series, colored and named by its state.
import { FieldType, dateTimeFormat, formattedValueToString, getFieldDisplayName, type DataFrame, type Field } from '@grafana/data';
import { VizLegend, VizLayout, measureText } from '@grafana/ui';
import type { ViewProps } from './view';

interface Band {
  from: number;
  to: number;
  text: string;
  color: string;
}

interface Lane {
  name: string;
  bands: Band[];
}

function shown(field: Field, value: unknown): { text: string; color: string } {
  const d = field.display!(value);
  return { text: formattedValueToString(d), color: d.color ?? 'transparent' };
}

// A state lasts until the next value; after a gap longer than the step it ends with its own step.
function bands(time: Field, field: Field, end: number, merge: boolean): Band[] {
  const step = (time.config.interval as number) ?? 0;
  const out: Band[] = [];
  time.values.forEach((from: number, i: number) => {
    const value = field.values[i];
    if (value === null || value === undefined) return;
    const next = time.values[i + 1] ?? end;
    const to = step > 0 && next - from > 1.5 * step ? from + step : next;
    const last = out[out.length - 1];
    const s = shown(field, value);
    if (merge && last && last.to >= from && last.text === s.text && last.color === s.color) last.to = to;
    else out.push({ from, to, ...s });
  });
  return out;
}

function lanes(data: DataFrame[], end: number, merge: boolean): Lane[] {
  return data.flatMap((frame) => {
    const time = frame.fields.find((f) => f.type === FieldType.time);
    return time ? frame.fields.filter((f) => f !== time).map((f) => ({ name: getFieldDisplayName(f, frame, data), bands: bands(time, f, end, merge) })) : [];
  });
}

const axisHeight = 22;
const fontSize = 12;
const wide = (text: string) => measureText(text, fontSize).width;

export function TimelineView({ panel, data, width, height, ctx }: ViewProps) {
  const { from, to } = { from: ctx.range.from.valueOf(), to: ctx.range.to.valueOf() };
  const merge = panel.type === 'state-timeline' && (panel.options?.mergeValues ?? true);
  const all = lanes(data, to, merge);
  const states = [...new Map(all.flatMap((l) => l.bands.map((b) => [b.text, b]))).values()];
  const legend = panel.options?.legend?.showLegend === false ? null : (
    <VizLayout.Legend placement="bottom">
      <VizLegend placement="bottom" items={states.map((s) => ({ label: s.text, color: s.color, yAxis: 1 }))} displayMode={'list' as any} />
    </VizLayout.Legend>
  );
  const names = Math.min(width / 3, Math.max(...all.map((l) => wide(l.name))) + 12);
  return (
    <VizLayout width={width} height={height} legend={legend}>
      {(w: number, h: number) => {
        const lane = (h - axisHeight) / all.length;
        const x = (t: number) => names + ((Math.min(to, Math.max(from, t)) - from) / (to - from)) * (w - names);
        return (
          <div style={{ position: 'relative', width: w, height: h, fontSize }} className="timeline">
            {all.map((l, i) => (
              <div key={l.name}>
                <div className="lane-name" style={{ position: 'absolute', top: i * lane, width: names - 8, height: lane, lineHeight: `${lane}px`, overflow: 'hidden', whiteSpace: 'nowrap' }}>{l.name}</div>
                {l.bands.map((b) => {
                  const room = x(b.to) - x(b.from);
                  const text = room > wide(b.text) + 8 ? b.text : '';
                  return <div key={b.from} title={b.text} style={{ position: 'absolute', left: x(b.from), width: room, top: i * lane + 2, height: lane - 4, lineHeight: `${lane - 4}px`, background: b.color, color: ctx.theme.colors.getContrastText(b.color === 'transparent' ? ctx.theme.colors.background.primary : b.color), overflow: 'hidden', textAlign: 'center' }}>{text}</div>;
                })}
              </div>
            ))}
            <Axis from={from} to={to} x={x} top={h - axisHeight} timeZone={ctx.timeZone} count={Math.max(2, Math.floor(w / 120))} />
          </div>
        );
      }}
    </VizLayout>
  );
}

/** Times below a drawing of ours. */
export function Axis({ from, to, x, top, timeZone, count }: { from: number; to: number; x: (t: number) => number; top: number; timeZone: string; count: number }) {
  const minute = 60_000;
  const every = Math.max(minute, Math.ceil((to - from) / count / minute) * minute);
  const ticks = [];
  for (let t = Math.ceil(from / every) * every; t <= to - every / 4; t += every) ticks.push(t);
  return <>{ticks.map((t) => <span key={t} style={{ position: 'absolute', left: x(t), top, fontSize: 12, whiteSpace: 'nowrap' }}>{dateTimeFormat(t, { format: 'HH:mm', timeZone })}</span>)}</>;
}
