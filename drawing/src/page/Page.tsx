// The whole page: the choices, the links, the rows, the panels.
import { Icon } from '@grafana/ui';
import type { GrafanaTheme2 } from '@grafana/data';
import type { Mark } from './annotations';
import type { Dashboard } from './dashboard';
import type { Context } from './data';
import { PanelView } from './PanelView';
import { place, type Placed } from './place';
import type { Resolved } from './variables';
import { replacer, type Choices } from './interpolate';

interface Props {
  dashboard: Dashboard;
  choices: Choices;
  resolved: Resolved[];
  marks: Mark[];
  page: Omit<Context, 'choices' | 'replace'>;
  width: number;
}

export function Page({ dashboard, choices, resolved, marks, page, width }: Props) {
  const { placed, height } = place(dashboard.panels, choices, width);
  return (
    <div style={{ background: page.theme.colors.background.canvas, color: page.theme.colors.text.primary, padding: 16, width: width + 32 }}>
      <h1 style={{ fontSize: 18, margin: '0 0 8px' }}>{dashboard.title}</h1>
      <Head resolved={resolved} dashboard={dashboard} theme={page.theme} />
      <div style={{ position: 'relative', width, height }}>
        {placed.map((p) => (p.panel.type === 'row' ? <Row key={p.key} placed={p} /> : <PanelView key={p.key} placed={p} page={page} marks={marks} />))}
      </div>
    </div>
  );
}

function Head({ resolved, dashboard, theme }: { resolved: Resolved[]; dashboard: Dashboard; theme: GrafanaTheme2 }) {
  const box = { border: `1px solid ${theme.colors.border.medium}`, borderRadius: 2, padding: '4px 8px', background: theme.components.input.background };
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8, margin: '0 0 12px', fontSize: 13 }}>
      {resolved.filter((r) => r.model.hide !== 2).map(({ model, chosen }) => (
        <span key={model.name} style={box}><b>{model.label ?? model.name}</b> {chosen.map((c) => (c === '$__all' ? 'All' : c)).join(' + ')}</span>
      ))}
      {(dashboard.links ?? []).map((l) => <a key={l.title} href={l.url} style={box}><Icon name="apps" size="sm" /> {l.title}</a>)}
    </div>
  );
}

function Row({ placed: { box, panel, choices } }: { placed: Placed }) {
  const title = replacer(choices, {}, () => undefined)(panel.title ?? '', {}, 'text');
  return <div className="row-title" style={{ position: 'absolute', ...box, display: 'flex', alignItems: 'center', gap: 6, fontWeight: 500, overflow: 'hidden' }}><Icon name="angle-down" /><span>{title}</span></div>;
}
