// The choices at the top of the page: what there is to choose from, and what is chosen.
import { naturalOrder } from './order';
import { expression, type Choices } from './interpolate';
import { instant, labelValues } from './prometheus';
import type { Dashboard, VariableModel } from './dashboard';

const allValue = '$__all';

/** How a variable came out; for the page's head and for the checks. */
export interface Resolved {
  model: VariableModel;
  options: string[];
  chosen: string[]; // ['$__all']: all
}

const ask = (v: VariableModel) => (typeof v.query === 'object' ? v.query.query : (v.query ?? ''));

async function optionsOf(v: VariableModel, before: Choices, vars: Record<string, string>, from: number, to: number): Promise<string[]> {
  switch (v.type) {
    case 'datasource':
      return ['llmfleet'];
    case 'custom':
    case 'interval':
      return ask(v).split(',').map((s) => s.trim());
    case 'constant':
    case 'textbox':
      return [ask(v)];
    case 'query':
      return sorted(v, await query(v, expression(ask(v), before, vars), from, to));
  }
  throw new Error(`variable ${v.name}: type ${v.type} cannot be drawn`);
}

async function query(v: VariableModel, text: string, from: number, to: number): Promise<string[]> {
  const values = /^label_values\((?:(.+),\s*)?([\w]+)\s*\)$/s.exec(text.trim());
  if (values) return labelValues(values[2], values[1], from, to);
  const result = /^query_result\((.+)\)$/s.exec(text.trim());
  if (!result) throw new Error(`variable ${v.name}: query ${JSON.stringify(text)} cannot be run`);
  return (await instant(result[1], to)).map(({ metric: { __name__ = '', ...labels }, value }) => {
    const inside = Object.entries(labels).map(([k, val]) => `${k}="${val}"`).join(',');
    return `${__name__}{${inside}} ${value?.[1]} ${(value?.[0] ?? 0) * 1000}`;
  });
}

function sorted(v: VariableModel, found: string[]): string[] {
  let options = found;
  if (v.regex) {
    const [, body, flags] = /^\/(.*)\/(\w*)$/s.exec(v.regex) ?? ['', v.regex, ''];
    const re = new RegExp(body, flags.replace('g', ''));
    options = options.flatMap((o) => { const m = re.exec(o); return m ? [m[1] ?? m[0]] : []; });
  }
  options = [...new Set(options)];
  const sort = v.sort ?? 0;
  if (sort === 0) return options;
  options.sort(naturalOrder);
  return sort % 2 === 0 ? options.reverse() : options;
}

function chosenOf(v: VariableModel, options: string[], wanted: string[]): string[] {
  if (wanted.length > 0) return wanted;
  const current = [v.current?.value ?? []].flat();
  if (current.includes(allValue)) return [allValue];
  const known = current.filter((c) => options.includes(c));
  if (known.length > 0) return known;
  return v.includeAll ? [allValue] : options.slice(0, 1);
}

/** Resolves the variables in the order of the dashboard, since a later one may use an earlier one. */
export async function resolve(
  d: Dashboard, wanted: URLSearchParams, vars: Record<string, string>, from: number, to: number,
): Promise<{ choices: Choices; resolved: Resolved[] }> {
  const choices: Choices = {};
  const resolved: Resolved[] = [];
  for (const model of d.templating?.list ?? []) {
    const options = await optionsOf(model, choices, vars, from, to);
    const chosen = chosenOf(model, options, wanted.getAll(`var-${model.name}`));
    const all = chosen.includes(allValue);
    choices[model.name] = {
      all, values: all ? options : chosen, allValue: model.allValue, several: Boolean(model.multi || model.includeAll),
    };
    resolved.push({ model, options, chosen });
  }
  return { choices, resolved };
}
