// From a panel's targets to the frames that its component draws.
import {
  applyFieldOverrides, getValueFormats, MappingType, transformDataFrame, type DataFrame, type DataTransformerConfig, type FieldConfigSource, type GrafanaTheme2,
  type InterpolateFunction, type TimeRange, type ValueMapping,
} from '@grafana/data';
import { measureText } from '@grafana/ui';
import { lastValueFrom } from 'rxjs';
import type { Panel, Target } from './dashboard';
import { frames, type Answer } from './frames';
import { expression, type Choices } from './interpolate';
import { timing } from './interval';
import { instant, overTime } from './prometheus';
import type { Asked } from './record';
import { fieldRegistry, isTransformer } from './registry';

/** What a panel needs to know of the page. */
export interface Context {
  range: TimeRange;
  choices: Choices;
  theme: GrafanaTheme2;
  timeZone: string;
  replace: InterpolateFunction;
  vars: Record<string, string>; // of the page: $__from and its kin
}

async function run(t: Target, p: Panel, width: number, ctx: Context): Promise<{ answers: Answer[]; asked: Asked[] }> {
  const at = timing(ctx.range, p.maxDataPoints ?? width, t.interval || p.interval);
  const expr = expression(t.expr, ctx.choices, at.vars);
  const common = { refId: t.refId, expr, format: t.format ?? 'time_series', legend: t.legendFormat };
  const answers: Answer[] = [];
  const asked: Asked[] = [];
  if (t.range || !t.instant) {
    answers.push({ target: t, samples: await overTime(expr, at.from, at.to, at.step), step: at.step });
    asked.push({ ...common, step: at.step, start: at.from, end: at.to });
  }
  if (t.instant) {
    const end = ctx.range.to.valueOf() / 1000;
    answers.push({ target: t, samples: await instant(expr, end), step: 0 });
    asked.push({ ...common, step: 0, start: end, end });
  }
  return { answers, asked };
}

const cellFont = 14; // pixels
const cellPadding = 13; // pixels, both sides and the line

/** Every unit that a panel names. */
export function units(p: Panel): string[] {
  const overrides = (p.fieldConfig?.overrides ?? []).flatMap((o) => o.properties.filter((x) => x.id === 'unit').map((x) => x.value as string));
  return [p.fieldConfig?.defaults?.unit, ...overrides].filter((u): u is string => Boolean(u));
}

const knownUnits = new Set(getValueFormats().flatMap((g) => g.submenu?.map((u) => u.value!) ?? []));

// Forms with a text of their own that Grafana knows: "count:tok/s".
const ownUnit = /^(prefix|suffix|time|si|count|currency|bool):./;

// The words of a column that is as wide as it is, and no wider.
function words(p: Panel): string[] {
  return (p.fieldConfig?.overrides ?? []).flatMap(({ properties }) => {
    const of = (id: string) => properties.find((x) => x.id === id)?.value;
    const width: number | undefined = of('custom.width');
    if (p.type !== 'table' || width === undefined) return [];
    const texts = ((of('mappings') ?? []) as ValueMapping[]).flatMap((m) => (m.type === MappingType.ValueToText ? Object.values(m.options).map((r) => r.text ?? '') : []));
    return texts.filter((t) => measureText(t, cellFont).width + cellPadding > width)
      .map((t) => `cut off: the word ${JSON.stringify(t)} is wider than its column of ${width} pixels`);
  });
}

/** Mistakes that can be seen without data. */
export function mistakes(p: Panel): string[] {
  return [
    ...units(p).filter((u) => !knownUnits.has(u) && !ownUnit.test(u)).map((u) => `unknown unit ${JSON.stringify(u)}`),
    ...words(p),
    ...(p.transformations ?? []).filter((t) => !isTransformer(t.id)).map((t) => `unknown transformation ${JSON.stringify(t.id)}`),
  ];
}

function customPaths(config: FieldConfigSource): string[] {
  const set = config.overrides.flatMap((o) => o.properties.map((x) => x.id)).filter((id) => id.startsWith('custom.'));
  return [...Object.keys((config.defaults.custom as object) ?? {}), ...set.map((id) => id.slice('custom.'.length))];
}

/** Asks, transforms and dresses the data of a panel of a width in pixels. */
export async function load(p: Panel, width: number, ctx: Context): Promise<{ data: DataFrame[]; asked: Asked[] }> {
  const runs = await Promise.all((p.targets ?? []).filter((t) => !t.hide).map((t) => run(t, p, width, ctx)));
  let data = frames(runs.flatMap((r) => r.answers));
  const transformations = (p.transformations ?? []).filter((t: DataTransformerConfig) => !t.disabled);
  if (transformations.length > 0 && data.length > 0) {
    data = await lastValueFrom(transformDataFrame(transformations, data, { interpolate: ctx.replace }));
  }
  return { data: dressed(data, p, ctx), asked: runs.flatMap((r) => r.asked) };
}

/** Frames with the panel's field options, overrides, links and colors. */
export function dressed(data: DataFrame[], p: Panel, ctx: Context): DataFrame[] {
  const fieldConfig = p.fieldConfig ?? { defaults: {}, overrides: [] };
  return applyFieldOverrides({
    data, fieldConfig, fieldConfigRegistry: fieldRegistry(customPaths(fieldConfig)), replaceVariables: ctx.replace, theme: ctx.theme, timeZone: ctx.timeZone,
  });
}
