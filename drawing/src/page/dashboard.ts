// The parts of a classic dashboard that are drawn. What is not here is not read.
import type { FieldConfigSource, DataTransformerConfig } from '@grafana/data';

export interface Target {
  refId: string;
  expr: string;
  instant?: boolean;
  range?: boolean;
  format?: string;
  legendFormat?: string;
  interval?: string;
  hide?: boolean;
}

export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Link {
  title: string;
  url?: string;
  includeVars?: boolean;
  keepTime?: boolean;
  targetBlank?: boolean;
}

export interface Panel {
  id: number;
  type: string;
  title?: string;
  description?: string;
  transparent?: boolean;
  gridPos: Place;
  targets?: Target[];
  options?: Record<string, any>;
  fieldConfig?: FieldConfigSource;
  transformations?: DataTransformerConfig[];
  links?: Link[];
  maxDataPoints?: number;
  interval?: string;
  repeat?: string;
  repeatDirection?: 'h' | 'v';
  maxPerRow?: number;
  collapsed?: boolean;
  panels?: Panel[];
}

export interface Option {
  text: string;
  value: string;
}

export interface VariableModel {
  name: string;
  type: string;
  label?: string;
  hide?: number;
  query?: string | { query: string };
  regex?: string;
  sort?: number;
  multi?: boolean;
  includeAll?: boolean;
  allValue?: string;
  current?: { text?: string | string[]; value?: string | string[] };
}

export interface AnnotationQuery {
  name: string;
  enable: boolean;
  hide?: boolean;
  iconColor: string;
  expr?: string;
  step?: string;
  tagKeys?: string;
  titleFormat?: string;
  textFormat?: string;
  builtIn?: number;
}

export interface Dashboard {
  uid: string;
  title: string;
  time?: { from: string; to: string };
  panels: Panel[];
  links?: Link[];
  templating?: { list: VariableModel[] };
  annotations?: { list: AnnotationQuery[] };
}
