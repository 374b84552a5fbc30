// What every kind of panel gets.
import type { DataFrame, FieldDisplay } from '@grafana/data';
import { getFieldDisplayValues } from '@grafana/data';
import type { Mark } from '../annotations';
import type { Panel } from '../dashboard';
import type { Context } from '../data';

export interface ViewProps {
  panel: Panel;
  data: DataFrame[];
  width: number;
  height: number;
  ctx: Context;
  marks: Mark[]; // annotations
}

/** The single values of a panel, reduced as its options say. */
export function values({ panel, data, ctx }: ViewProps): FieldDisplay[] {
  return getFieldDisplayValues({
    data,
    fieldConfig: panel.fieldConfig ?? { defaults: {}, overrides: [] },
    reduceOptions: { calcs: ['lastNotNull'], values: false, ...panel.options?.reduceOptions },
    replaceVariables: ctx.replace,
    theme: ctx.theme,
    sparkline: (panel.options?.graphMode ?? 'none') !== 'none',
    timeZone: ctx.timeZone,
  });
}

/** A field's value as a person reads it. */
export interface Shown {
  text: string;
  color?: string;
}
