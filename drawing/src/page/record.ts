// What was drawn, for the checks outside the browser: window.drawn.
import { FieldType, getFieldDisplayName, type DataFrame } from '@grafana/data';

/** A query as it was put to Prometheus. */
export interface Asked {
  refId: string;
  expr: string;
  format: string;
  legend?: string;
  step: number; // 0: an instant, at end
  start: number;
  end: number;
}

export interface DrawnField {
  name: string;
  title: string; // what a person reads
  type: string;
  unit?: string;
  labels?: Record<string, string>;
  values: unknown[];
}

export interface DrawnFrame {
  refId?: string;
  fields: DrawnField[];
}

export interface DrawnPanel {
  key: string; // its id, and the value that it is repeated for
  id: number;
  type: string;
  title: string;
  problems: string[];
  blank?: string; // the text in the place of data
  asked: Asked[];
  frames: DrawnFrame[];
  ready: boolean;
}

export interface Drawn {
  dashboard: string;
  variables: Array<{ name: string; options: string[]; chosen: string[] }>;
  problems: string[]; // of the page, not of one panel
  panels: Record<string, DrawnPanel>;
  ready: boolean;
}

declare global {
  interface Window {
    drawn: Drawn;
  }
}

window.drawn = { dashboard: '', variables: [], problems: [], panels: {}, ready: false };

/** Frames without what cannot leave the browser. */
export function plain(frames: DataFrame[]): DrawnFrame[] {
  return frames.map((frame) => ({
    refId: frame.refId,
    fields: frame.fields.map((f) => ({
      name: f.name, title: getFieldDisplayName(f, frame, frames), type: f.type, unit: f.config.unit, labels: f.labels,
      // JSON has no NaN; as text it stays what it is.
      values: f.type === FieldType.number ? f.values.map((v) => (typeof v === 'number' && !Number.isFinite(v) ? String(v) : v)) : [...f.values],
    })),
  }));
}
