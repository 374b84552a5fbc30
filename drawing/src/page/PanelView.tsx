// One panel: its frame, its data, and what is said in the place of data that is not there.
import { Component, useEffect, useState, type ReactNode } from 'react';
import type { DataFrame } from '@grafana/data';
import { Icon, PanelChrome } from '@grafana/ui';
import type { Mark } from './annotations';
import { load, mistakes, type Context } from './data';
import { replacer } from './interpolate';
import { timing } from './interval';
import { singles, views, withoutData } from './panels';
import type { Placed } from './place';
import { plain, type DrawnPanel } from './record';

interface Props {
  placed: Placed;
  page: Omit<Context, 'choices' | 'replace'>;
  marks: Mark[];
}

/** Starts the record of a panel; a mistake that needs no data is in it at once. */
function recordOf({ key, panel }: Placed): DrawnPanel {
  const record: DrawnPanel = { key, id: panel.id, type: panel.type, title: panel.title ?? '', problems: mistakes(panel), asked: [], frames: [], ready: false };
  if (!views[panel.type]) record.problems.push(`panels of type ${JSON.stringify(panel.type)} cannot be drawn`);
  return record;
}

export function PanelView({ placed, page, marks }: Props) {
  const { panel, choices, box, key } = placed;
  const [record] = useState(() => (window.drawn.panels[key] = recordOf(placed)));
  const vars = { ...page.vars, ...timing(page.range, box.width, panel.interval).vars };
  const replace = replacer(choices, vars, (p) => { if (!record.problems.includes(p)) record.problems.push(p); });
  const ctx: Context = { ...page, choices, replace };
  const title = (record.title = replace(panel.title ?? '', {}, 'text'));
  return (
    <div style={{ position: 'absolute', ...box }} data-panel={key}>
      <PanelChrome
        width={box.width} height={box.height} title={title} description={panel.description && replace(panel.description, {}, 'text')}
        displayMode={panel.transparent ? 'transparent' : 'default'} padding={panel.type === 'table' ? 'none' : 'md'}
        titleItems={panel.links?.length ? <a href={replace(panel.links[0].url ?? '')} style={{ padding: '0 8px' }} aria-label="Panel links"><Icon name="external-link-alt" size="sm" /></a> : undefined}
      >
        {(width: number, height: number) => <Caught record={record}><Body {...{ placed, record, ctx, marks, width, height }} /></Caught>}
      </PanelChrome>
    </div>
  );
}

interface BodyProps {
  placed: Placed;
  record: DrawnPanel;
  ctx: Context;
  marks: Mark[];
  width: number;
  height: number;
}

function Body({ placed: { panel }, record, ctx, marks, width, height }: BodyProps) {
  const [data, setData] = useState<DataFrame[]>();
  const [failed, setFailed] = useState<string>();
  useEffect(() => {
    const fail = (e: Error) => { record.problems.push(e.message); setFailed(e.message); };
    load(panel, width, ctx)
      .then(({ data: found, asked }) => { record.asked = asked; record.frames = plain(found); setData(found); })
      .catch(fail)
      .finally(() => { record.ready = true; });
  }, []);
  if (failed) return <p style={{ color: ctx.theme.colors.error.text }}>{failed}</p>;
  const View = views[panel.type];
  if (!data || !View) return null;
  if (!withoutData.has(panel.type) && data.every((f) => f.length === 0)) {
    record.blank = panel.fieldConfig?.defaults?.noValue ?? 'No data';
    if (!singles.has(panel.type)) return <Blank text={record.blank} />;
  }
  return <View panel={panel} data={data} width={width} height={height} ctx={ctx} marks={marks} />;
}

function Blank({ text }: { text: string }) {
  return <div style={{ height: '100%', display: 'flex', alignItems: 'center', justifyContent: 'center', textAlign: 'center' }} className="blank">{text}</div>;
}

/** Keeps the exception of one panel from taking the page away. */
class Caught extends Component<{ record: DrawnPanel; children: ReactNode }, { failed?: string }> {
  state: { failed?: string } = {};

  static getDerivedStateFromError(e: Error) {
    return { failed: String(e.message) };
  }

  componentDidCatch(e: Error) {
    this.props.record.problems.push(`drawing it: ${e.message}`);
    this.props.record.ready = true;
  }

  render() {
    return this.state.failed ? <p>{this.state.failed}</p> : this.props.children;
  }
}
