// Entry: reads the dashboard and the choices that the address names, and draws the page.
//
//   /?dashboard=/dashboards/x.json&theme=dark&from=now-30m&to=now&var-backend=a
import { createRoot } from 'react-dom/client';
import { ThemeContext, createTheme, dateTime, locationUtil, rangeUtil, type TimeRange } from '@grafana/data';
import { initPluginTranslations } from '@grafana/i18n';
import { GlobalStyles } from '@grafana/ui';
import { marksOf } from './annotations';
import type { Dashboard } from './dashboard';
import { timing } from './interval';
import { Page } from './Page';
import './record';
import { register } from './registry';
import { resolve } from './variables';

const timeZone = 'utc';

function rangeOf(from: string, to: string): TimeRange {
  const at = (s: string) => (/^\d+$/.test(s) ? dateTime(Number(s)) : s);
  return rangeUtil.convertRawToRange({ from: at(from), to: at(to) }, timeZone);
}

// Links are made by Grafana's own code, which asks its server for these.
function initLinks(range: TimeRange) {
  locationUtil.initialize({
    config: { appSubUrl: '' } as any,
    getVariablesUrlParams: () => ({}),
    getTimeRangeForUrl: () => ({ from: String(range.from.valueOf()), to: String(range.to.valueOf()) }) as any,
  });
}

/** Waits until every panel has its data and the browser has painted it. */
function whenReady() {
  const all = Object.values(window.drawn.panels);
  if (all.length === 0 || !all.every((p) => p.ready)) return void setTimeout(whenReady, 50);
  void document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn.ready = true; })));
}

async function draw() {
  const params = new URLSearchParams(location.search);
  await initPluginTranslations('llmfleet', []);
  register();
  const dashboard: Dashboard = await (await fetch(params.get('dashboard')!)).json();
  window.drawn.dashboard = dashboard.title;
  const range = rangeOf(params.get('from') ?? dashboard.time?.from ?? 'now-6h', params.get('to') ?? dashboard.time?.to ?? 'now');
  initLinks(range);
  const theme = createTheme({ colors: { mode: params.get('theme') === 'light' ? 'light' : 'dark' } });
  const width = document.documentElement.clientWidth - 32;
  const at = timing(range, width);
  const [from, to] = [String(range.from.valueOf()), String(range.to.valueOf())];
  const vars = { ...at.vars, __url_time_range: `from=${from}&to=${to}`, __from: from, __to: to };
  const { choices, resolved } = await resolve(dashboard, params, vars, at.from, at.to);
  window.drawn.variables = resolved.map((r) => ({ name: r.model.name, options: r.options, chosen: r.chosen }));
  const marks = (await Promise.all((dashboard.annotations?.list ?? []).map((a) => marksOf(a, choices, range, theme)))).flat();
  createRoot(document.getElementById('root')!).render(
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <Page {...{ dashboard, choices, resolved, marks, width }} page={{ range, theme, timeZone, vars }} />
    </ThemeContext.Provider>,
  );
  whenReady();
}

draw().catch((e: Error) => {
  window.drawn.problems.push(e.message);
  window.drawn.ready = true;
});
