// Tables of two labels: a row for each value of one, a column for each value of the other.
import type { Panel } from '../page/dashboard';
import type { DrawnFrame } from '../page/record';
import { isSaid, wanted } from './config';
import type { SeenTable } from './seen';

/** A sample's labels and its value. */
export interface Cell {
  metric: Record<string, string>;
  value: number;
}

/** The labels that make rows and columns, if a panel is such a table. */
export function matrixOf(panel: Panel): { row: string; column: string } | undefined {
  const o = panel.transformations?.find((t) => t.id === 'groupingToMatrix')?.options;
  return o && { row: o.rowField, column: o.columnField };
}

/** Each sample is in the cell of its two labels, in the frame and on the page, and no other cell holds a number. */
export function compareMatrix(panel: Panel, cells: Cell[], frame: DrawnFrame, table: SeenTable | undefined, now: number): string[] {
  const { row, column } = matrixOf(panel)!;
  const [corner, ...columns] = frame.fields;
  const out: string[] = [];
  let numbers = 0;
  for (const { metric, value } of cells) {
    const at = corner.values.findIndex((v) => String(v) === metric[row]);
    const field = columns.find((f) => f.name === metric[column]);
    if (field?.values[at] !== value) out.push(`${metric[row]}, ${metric[column]}: shows ${field?.values[at]} where Prometheus says ${value}`);
    const text = table?.rows.find((r) => r[0] === metric[row])?.[table.head.indexOf(field?.title ?? '')];
    const w = wanted(panel, { name: field?.name ?? '', title: field?.title ?? '' });
    if (text === undefined || !isSaid(text, value, w, now)) out.push(`${metric[row]}, ${metric[column]}: says ${JSON.stringify(text)} where Prometheus says ${value}`);
  }
  for (const f of columns) numbers += f.values.filter((v) => typeof v === 'number').length;
  return numbers === cells.length ? out : [...out, `shows ${numbers} numbers where Prometheus gives ${cells.length}`];
}
