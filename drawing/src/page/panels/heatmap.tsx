// Heatmaps of buckets over time: how many fell into which bucket.
import { FieldType, colorManipulator, formattedValueToString, getValueFormat, type DataFrame, type Field, type GrafanaTheme2 } from '@grafana/data';
import { measureText } from '@grafana/ui';
import { Axis } from './timeline';
import type { ViewProps } from './view';

const axisHeight = 22;
const legendHeight = 24;
const fontSize = 12;
const edgeGap = 8; // pixels between an edge and the cells

/** From no color to full color; a root, since counts differ by orders of magnitude. */
function shade(share: number, fill: string, theme: GrafanaTheme2): string {
  return share <= 0 ? 'transparent' : colorManipulator.alpha(theme.visualization.getColorByName(fill), 0.15 + 0.85 * Math.sqrt(share));
}

function edge(field: Field, unit: string | undefined): string {
  const le = Number(field.name === '+Inf' ? Infinity : field.name);
  if (Number.isNaN(le)) return field.name;
  return le === Infinity ? '+Inf' : formattedValueToString(getValueFormat(unit)(le));
}

function parts(frame: DataFrame): { time: Field; buckets: Field[] } | undefined {
  const time = frame.fields.find((f) => f.type === FieldType.time);
  const buckets = frame.fields.filter((f) => f.type === FieldType.number);
  return time && buckets.length > 0 ? { time, buckets } : undefined;
}

export function HeatmapView({ panel, data, width, height, ctx }: ViewProps) {
  const found = data[0] && parts(data[0]);
  if (!found) throw new Error('a heatmap needs a query of the format "heatmap"');
  const { time, buckets } = found;
  const o = panel.options ?? {};
  const fill = o.color?.mode === 'opacity' ? o.color.fill : 'dark-orange';
  const most = Math.max(...buckets.flatMap((b) => b.values.map((v) => (Number.isFinite(v) ? v : 0))));
  const { from, to } = { from: ctx.range.from.valueOf(), to: ctx.range.to.valueOf() };
  const step = (time.config.interval as number) ?? 15_000;
  const edges = buckets.map((b) => edge(b, o.yAxis?.unit));
  const edgeWidth = Math.max(...edges.map((e) => measureText(e, fontSize).width)) + edgeGap;
  const h = (height - axisHeight - legendHeight) / buckets.length;
  const x = (t: number) => edgeWidth + ((Math.min(to, Math.max(from, t)) - from) / (to - from)) * (width - edgeWidth);
  const every = Math.max(1, Math.ceil(16 / h)); // of the edges, so many as can be read
  const count = getValueFormat(panel.fieldConfig?.defaults?.unit);
  return (
    <div style={{ position: 'relative', width, height, fontSize }} className="heatmap">
      {buckets.map((b, i) => {
        const top = (buckets.length - 1 - i) * h;
        return (
          <div key={b.name}>
            {i % every === 0 && <span style={{ position: 'absolute', top, width: edgeWidth - edgeGap / 2, textAlign: 'right', whiteSpace: 'nowrap', overflow: 'hidden' }}>{edges[i]}</span>}
            {b.values.map((v, j) => (v > 0 ? (
              <div key={time.values[j]} data-count={v} style={{ position: 'absolute', left: x(time.values[j] - step), width: Math.max(1, x(time.values[j]) - x(time.values[j] - step) - 1), top, height: Math.max(1, h - 1), background: shade(v / most, fill, ctx.theme) }} />
            ) : null))}
          </div>
        );
      })}
      <Axis from={from} to={to} x={x} top={height - axisHeight - legendHeight} timeZone={ctx.timeZone} count={Math.max(2, Math.floor(width / 120))} />
      <div style={{ position: 'absolute', left: edgeWidth, top: height - legendHeight + 4, display: 'flex', gap: 6, alignItems: 'center' }}>
        <span>0</span>
        <div style={{ width: 120, height: 10, background: `linear-gradient(to right, transparent, ${shade(1, fill, ctx.theme)})` }} />
        <span>{formattedValueToString(count(most))}</span>
      </div>
    </div>
  );
}
