// A classic dashboard as JSON, by the types of @grafana/schema: each kind of panel with its own options.
import type * as g from '@grafana/schema';
import type * as bargauge from '@grafana/schema/dist/esm/raw/composable/bargauge/panelcfg/x/BarGaugePanelCfg_types.gen';
import type * as heatmap from '@grafana/schema/dist/esm/raw/composable/heatmap/panelcfg/x/HeatmapPanelCfg_types.gen';
import type * as stat from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type * as timeline from '@grafana/schema/dist/esm/raw/composable/statetimeline/panelcfg/x/StateTimelinePanelCfg_types.gen';
import type * as history from '@grafana/schema/dist/esm/raw/composable/statushistory/panelcfg/x/StatusHistoryPanelCfg_types.gen';
import type * as table from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type * as text from '@grafana/schema/dist/esm/raw/composable/text/panelcfg/x/TextPanelCfg_types.gen';
import type * as timeseries from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

/** How a type looks in JSON: enumerations are their values, and Grafana fills in what is left out. */
type Json<T> = T extends string ? `${T}`
  : T extends number | boolean | null | undefined ? T
  : T extends Array<infer U> ? Array<Json<U>>
  : T extends object ? { [K in keyof T]?: Json<T[K]> }
  : T;

/** A query of the Prometheus data source; its own types are not among those that Grafana publishes under Apache-2.0. */
interface Target {
  refId: string;
  expr: string;
  datasource: { type: 'prometheus'; uid: string };
  editorMode?: 'code' | 'builder';
  instant?: boolean;
  range?: boolean;
  exemplar?: boolean;
  format?: 'time_series' | 'table' | 'heatmap';
  legendFormat?: string;
  interval?: string;
  intervalFactor?: number;
  hide?: boolean;
}

type Shared = Omit<Json<g.Panel>, 'type' | 'options' | 'fieldConfig' | 'targets'> & { id: number; gridPos: g.GridPos; title?: string };

interface Config<Custom> {
  defaults: Omit<Json<g.FieldConfig>, 'custom'> & { custom?: Json<Custom> };
  overrides: Array<{ matcher: { id: string; options?: unknown }; properties: Array<{ id: string; value?: unknown }> }>;
}

type Kind<Type extends string, Options, Custom> = Shared & { type: Type; options: Json<Options>; fieldConfig: Config<Custom>; targets: Target[] };

// Grafana 10 to 12 read the footer here; later it is a field's own.
interface OldFooter {
  footer: { reducer: string[]; countRows: boolean; show: boolean; fields: string[]; enablePagination: boolean };
}

type AnyPanel =
  | Kind<'bargauge', bargauge.Options, never>
  | Kind<'heatmap', heatmap.Options, heatmap.FieldConfig>
  | Kind<'stat', stat.Options, never>
  | Kind<'state-timeline', timeline.Options, timeline.FieldConfig>
  | Kind<'status-history', history.Options, history.FieldConfig>
  | Kind<'table', table.Options & OldFooter, g.TableFieldOptions>
  | Kind<'timeseries', timeseries.Options, g.GraphFieldConfig>
  | (Shared & { type: 'text'; options: Json<text.Options>; fieldConfig?: Config<never>; targets?: never[] })
  | (Shared & { type: 'alertlist' | 'gauge'; options: Record<string, unknown>; fieldConfig?: Config<never>; targets?: Target[] });

type Row = Omit<Json<g.RowPanel>, 'panels' | 'type' | 'id'> & { type: 'row'; id: number; panels: AnyPanel[] };

/** An annotation of the Prometheus data source has fields of its own. */
type Annotation = Json<g.AnnotationQuery> & { expr?: string; step?: string; titleFormat?: string; textFormat?: string; tagKeys?: string; useValueForTime?: string };

/** A whole dashboard, as it stands in a file. */
export type ClassicDashboard = Omit<Json<g.Dashboard>, 'panels' | 'annotations' | 'templating'> & {
  uid: string;
  panels: Array<AnyPanel | Row>;
  annotations?: { list: Annotation[] };
  templating?: { list: Array<Omit<Json<g.VariableModel>, 'query'> & { query?: string | Record<string, unknown>; definition?: string }> };
};
