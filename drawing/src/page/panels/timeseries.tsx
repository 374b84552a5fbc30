// Lines and bars over time, with the marks of annotations, which Grafana's component leaves to its server.
import { useLayoutEffect } from 'react';
import { FieldType, type DataFrame } from '@grafana/data';
import { LegendDisplayMode, type VizLegendOptions } from '@grafana/schema';
import { TimeSeries } from '@grafana/ui';
import type uPlot from 'uplot';
import type { Mark } from '../annotations';
import { withGaps } from '../gaps';
import type { ViewProps } from './view';

// What is not finite cannot be drawn, and must not stretch the axis.
function finite(frame: DataFrame): DataFrame {
  return {
    ...frame,
    fields: frame.fields.map((f) =>
      f.type === FieldType.number ? { ...f, values: f.values.map((v) => (Number.isFinite(v) ? v : null)) } : f),
  };
}

const defaults: VizLegendOptions = { displayMode: LegendDisplayMode.List, placement: 'bottom', calcs: [], showLegend: true };

export function TimeSeriesView({ panel, data, width, height, ctx, marks }: ViewProps) {
  const legend = { ...defaults, ...panel.options?.legend };
  return (
    <TimeSeries frames={data.map((frame) => withGaps(finite(frame), ctx.range.to.valueOf()))} width={width} height={height} timeRange={ctx.range} timeZone={ctx.timeZone} legend={legend} options={panel.options ?? {}} structureRev={1}>
      {(builder) => <Marks builder={builder} marks={marks} />}
    </TimeSeries>
  );
}

/** Draws a dashed line and a foot for each mark over a plot. */
function Marks({ builder, marks }: { builder: { addHook: (type: 'draw', hook: (u: uPlot) => void) => void }; marks: Mark[] }) {
  useLayoutEffect(() => {
    builder.addHook('draw', (u) => marks.forEach((m) => mark(u, m)));
  }, [builder, marks]);
  return null;
}

function mark(u: uPlot, m: Mark) {
  const { ctx, bbox } = u;
  const x = (time: number) => Math.min(bbox.left + bbox.width, Math.max(bbox.left, Math.round(u.valToPos(time, 'x', true))));
  const left = x(m.from);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = m.color;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.fillRect(left, bbox.top + bbox.height, Math.max(3, x(m.to) - left), 4 * devicePixelRatio);
  ctx.restore();
}
