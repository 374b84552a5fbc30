// How a panel wants a field shown, read from the dashboard's JSON without Grafana's code.
import type { Panel } from '../page/dashboard';
import { says } from './read';

export interface Wanted {
  unit: string;
  noValue?: string;
  words: Map<string, string>; // text for a number
  ranges: Array<{ from: number; to: number; text: string }>;
}

interface Named {
  name: string; // of the field
  type?: string;
  title: string;
  refId?: string;
}

function matches(matcher: { id: string; options?: any }, field: Named): boolean {
  switch (matcher.id) {
    case 'byName':
      return matcher.options === field.name || matcher.options === field.title;
    case 'byType':
      return matcher.options === (field.type ?? 'number');
    case 'byFrameRefID':
      return matcher.options === field.refId;
    case 'byRegexp': {
      const [, body] = /^\/(.*)\/\w*$/s.exec(matcher.options) ?? ['', matcher.options];
      return new RegExp(body).test(field.name) || new RegExp(body).test(field.title);
    }
  }
  return false;
}

/** The unit, the words and the blank of a field after the panel's overrides. */
export function wanted(panel: Panel, field: Named): Wanted {
  const set: Record<string, any> = { ...panel.fieldConfig?.defaults };
  for (const o of panel.fieldConfig?.overrides ?? []) {
    if (matches(o.matcher, field)) for (const p of o.properties) set[p.id] = p.value;
  }
  const words = new Map<string, string>();
  const ranges: Wanted['ranges'] = [];
  for (const m of set.mappings ?? []) {
    if (m.type === 'value') for (const [value, r] of Object.entries<any>(m.options)) words.set(value, r.text);
    if (m.type === 'range') ranges.push({ from: m.options.from ?? -Infinity, to: m.options.to ?? Infinity, text: m.options.result.text });
  }
  return { unit: set.unit || 'none', noValue: set.noValue, words, ranges };
}

// The word for a number, where the panel has one.
function word(w: Wanted, value: number): string | undefined {
  return w.words.get(String(value)) ?? w.ranges.find((r) => value >= r.from && value <= r.to)?.text;
}

/** Whether a text is how a field says a value. */
export function isSaid(text: string, value: number | undefined, w: Wanted, now: number): boolean {
  if (value === undefined) return text === (w.noValue ?? '') || text === '' || text === '-';
  const mapped = word(w, value);
  if (mapped !== undefined) return text === mapped;
  return says(text, value, w.unit, now);
}
