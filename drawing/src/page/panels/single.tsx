// Big numbers and bars: one for each value.
import type React from 'react';
import { VizOrientation, getDisplayValueAlignmentFactors, type DisplayValueAlignmentFactors, type FieldDisplay } from '@grafana/data';
import {
  BarGaugeDisplayMode, BarGaugeNamePlacement, BarGaugeValueMode, BigValueColorMode, BigValueGraphMode, BigValueJustifyMode, BigValueTextMode,
} from '@grafana/schema';
import { BarGauge, BigValue, VizRepeater, type VizRepeaterRenderValueProps } from '@grafana/ui';
import { values, type ViewProps } from './view';

/** One value and the room that it has. */
export type One = VizRepeaterRenderValueProps<FieldDisplay, DisplayValueAlignmentFactors>;

/** Lays out one drawing for each value of a panel. */
export function repeated(props: ViewProps, grid: boolean, one: (v: One) => React.JSX.Element) {
  const { panel, width, height, data } = props;
  return (
    <VizRepeater<FieldDisplay, DisplayValueAlignmentFactors>
      getValues={() => values(props)} getAlignmentFactors={getDisplayValueAlignmentFactors} renderValue={one} source={data} renderCounter={0}
      width={width} height={height} autoGrid={grid} orientation={panel.options?.orientation ?? VizOrientation.Auto} itemSpacing={8}
    />
  );
}

export function StatView(props: ViewProps) {
  const o = props.panel.options ?? {};
  return repeated(props, true, ({ value, width, height, count, alignmentFactors }) => (
    <BigValue
      value={value.display} sparkline={value.sparkline} width={width} height={height} count={count} theme={props.ctx.theme} text={o.text}
      colorMode={o.colorMode ?? BigValueColorMode.Value} graphMode={o.graphMode ?? BigValueGraphMode.Area} justifyMode={o.justifyMode ?? BigValueJustifyMode.Auto}
      textMode={o.textMode ?? BigValueTextMode.Auto} alignmentFactors={alignmentFactors} disableWideLayout={!(o.wideLayout ?? true)}
    />
  ));
}

export function BarGaugeView(props: ViewProps) {
  const o = props.panel.options ?? {};
  return repeated(props, false, ({ value, width, height, orientation, alignmentFactors }) => (
    <BarGauge
      value={value.display} field={value.field} display={value.colIndex === undefined ? undefined : value.view?.getFieldDisplayProcessor(value.colIndex)} width={width} height={height} theme={props.ctx.theme}
      orientation={orientation} text={o.text} displayMode={o.displayMode ?? BarGaugeDisplayMode.Gradient} showUnfilled={o.showUnfilled ?? true}
      valueDisplayMode={o.valueMode ?? BarGaugeValueMode.Color} namePlacement={o.namePlacement ?? BarGaugeNamePlacement.Auto}
      itemSpacing={8} lcdCellWidth={12} alignmentFactors={alignmentFactors}
    />
  ));
}
