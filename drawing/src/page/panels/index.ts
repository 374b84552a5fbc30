// The kinds of panels that can be drawn.
import type { ComponentType } from 'react';
import { AlertListView } from './alertlist';
import { GaugeView } from './gauge';
import { HeatmapView } from './heatmap';
import { BarGaugeView, StatView } from './single';
import { TableView } from './table';
import { TextView } from './text';
import { TimelineView } from './timeline';
import { TimeSeriesView } from './timeseries';
import type { ViewProps } from './view';

export const views: Record<string, ComponentType<ViewProps>> = {
  alertlist: AlertListView,
  bargauge: BarGaugeView,
  gauge: GaugeView,
  heatmap: HeatmapView,
  'state-timeline': TimelineView,
  stat: StatView,
  'status-history': TimelineView,
  table: TableView,
  text: TextView,
  timeseries: TimeSeriesView,
};

/** Kinds that ask Prometheus nothing by targets of their own. */
export const withoutData = new Set(['alertlist', 'text']);

/** Kinds that write what they say in the place of data by themselves, as large as a value. */
export const singles = new Set(['bargauge', 'gauge', 'stat']);
