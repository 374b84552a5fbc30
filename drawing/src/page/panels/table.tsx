// Tables, joined by the panel's transformations.
import { cacheFieldDisplayNames } from '@grafana/data';
import { TableNG } from '@grafana/ui/unstable';
import type { ViewProps } from './view';

export function TableView({ panel, data, width, height, ctx }: ViewProps) {
  const o = panel.options ?? {};
  cacheFieldDisplayNames(data);
  const frame = data[o.frameIndex ?? 0] ?? data[0];
  return (
    <TableNG
      data={frame} width={width} height={height} noHeader={o.showHeader === false} sortBy={o.sortBy} cellHeight={o.cellHeight} timeRange={ctx.range}
      fieldConfig={panel.fieldConfig} transparent={panel.transparent} structureRev={1} showTypeIcons={o.showTypeIcons} enableVirtualization={false}
      noValue={panel.fieldConfig?.defaults?.noValue} frozenColumns={o.frozenColumns?.left} enablePagination={o.enablePagination}
    />
  );
}
