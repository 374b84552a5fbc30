// Variables in texts: what Grafana puts in the place of $name, ${name}, ${name:format} and [[name]].
import type { DataFrame, Field, FormattedValue, InterpolateFunction, ScopedVars } from '@grafana/data';

/** What was chosen for a variable: the options, and whether they are all there are. */
export interface Choice {
  values: string[];
  all: boolean;
  allValue?: string; // written instead of all the options
  several: boolean; // the variable can have several values, so each is a regular expression
}

export type Choices = Record<string, Choice>;

const pattern = /\$(\w+)|\[\[(\w+?)(?::(\w+))?\]\]|\$\{(\w+)((?:\.[^:}]+)?)(?::([^}]+))?\}/g;

const quoted = (v: string) => v.replace(/\\/g, '\\\\').replace(/"/g, '\\"');

// Escaped once for the regular expression and once for the string that holds it.
const escaped = (v: string) => v.replace(/\\/g, '\\\\\\\\').replace(/[$^*{}[\]'+?.()|]/g, '\\\\$&');

/** A choice as it stands in PromQL. */
export function inPromQL(c: Choice): string {
  if (c.all && c.allValue !== undefined) return c.allValue;
  if (!c.several) return quoted(c.values[0] ?? '');
  const parts = c.values.map(escaped);
  return parts.length === 1 ? parts[0] : `(${parts.join('|')})`;
}

function formatted(name: string, c: Choice, format: string | undefined): string {
  const values = c.all && c.allValue !== undefined ? [c.allValue] : c.values;
  switch (format) {
    case 'queryparam':
      return (c.all ? ['$__all'] : c.values).map((v) => `var-${name}=${encodeURIComponent(v)}`).join('&');
    case 'pipe':
      return values.join('|');
    case 'csv':
    case 'raw':
      return values.join(',');
    case 'percentencode':
      return encodeURIComponent(values.join(','));
    case 'regex':
      return values.length === 1 ? values[0] : `(${values.join('|')})`;
    case undefined:
    case 'text':
      return c.all ? 'All' : c.values.join(' + ');
  }
  throw new Error(`variable \${${name}:${format}}: no such format here`);
}

/** Puts values in the place of variables in an expression. A name that nobody gives is an error. */
export function expression(text: string, choices: Choices, vars: Record<string, string>): string {
  return text.replace(pattern, (written, a, b, formatB, c, _path, formatC) => {
    const name = a ?? b ?? c;
    if (name in vars) return vars[name];
    if (!(name in choices)) throw new Error(`unknown variable ${written}`);
    const format = formatB ?? formatC;
    return format ? formatted(name, choices[name], format) : inPromQL(choices[name]);
  });
}

interface DataContext {
  frame: DataFrame;
  field: Field;
  rowIndex?: number;
}

const whole = (v: FormattedValue) => `${v.prefix ?? ''}${v.text}${v.suffix ?? ''}`;

// ${__data.fields.NAME} is a cell of the row, ${__field.labels.NAME} a label, ${__value.text} the cell itself.
function fromData(name: string, path: string, ctx: DataContext): string | undefined {
  const keys = path.slice(1).split('.');
  const row = ctx.rowIndex ?? 0;
  if (name === '__data' && keys[0] === 'fields') {
    const want = keys.slice(1).join('.').replace(/^"|"$/g, '');
    const field = ctx.frame.fields.find((f) => f.name === want || f.state?.displayName === want || f.config.displayName === want);
    return field && String(field.values[row] ?? '');
  }
  if (name === '__field' && keys[0] === 'labels') return ctx.field.labels?.[keys[1]] ?? '';
  if (name === '__field' && keys[0] === 'name') return ctx.field.config.displayName ?? ctx.field.name;
  if (name === '__value') {
    const value = ctx.field.values[row];
    return keys[0] === 'text' && ctx.field.display ? whole(ctx.field.display(value)) : String(value);
  }
  return undefined;
}

/** The function by which Grafana's own code asks for texts: titles, links, names. */
export function replacer(choices: Choices, vars: Record<string, string>, report: (problem: string) => void): InterpolateFunction {
  return (text: string, scoped?: ScopedVars, format?: any) =>
    (text ?? '').replace(pattern, (written, a, b, formatB, c, path, formatC) => {
      const name = a ?? b ?? c;
      const ctx = scoped?.__dataContext?.value as DataContext | undefined;
      const own = ctx && fromData(name, path ?? '', ctx);
      const how = formatB ?? formatC ?? (typeof format === 'string' ? format : undefined);
      if (own !== undefined) return how === 'percentencode' ? encodeURIComponent(own) : own;
      if (scoped && name in scoped) return String(scoped[name]?.value);
      if (name in vars) return vars[name];
      if (name in choices) return formatted(name, choices[name], how);
      report(`unknown variable ${written} in ${JSON.stringify(text)}`);
      return written;
    });
}
