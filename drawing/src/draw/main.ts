// Draws every dashboard of a folder and says what is wrong with them. Exits with 1 if anything is.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import type { Dashboard } from '../page/dashboard';
import { open, openBrowser, type Moment } from './browser';
import { check, type Blanks, type Finding } from './checks';
import { startFleet } from './fleet';
import { hasTypeface } from './fonts';
import { serve } from './serve';
import { choiceViews, pictures, type View } from './views';

const home = join(dirname(fileURLToPath(import.meta.url)), '..');
const repository = resolve(home, '..');

const { values: flags } = parseArgs({
  options: {
    dashboards: { type: 'string', default: join(repository, 'gen/bundle/grafana/dashboards') },
    out: { type: 'string' }, // folder of the pictures; a temporary one otherwise
    only: { type: 'string', default: '' }, // regular expression of uids
    at: { type: 'string', default: '1110' }, // second of the demo: all its incidents are on
    range: { type: 'string', default: '1110' }, // seconds before that
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    quick: { type: 'boolean', default: false }, // one look at each
  },
});

interface File {
  file: string;
  dashboard: Dashboard;
}

function filesIn(dir: string): File[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.json')).sort();
  return names.map((f) => ({ file: join(dir, f), dashboard: JSON.parse(readFileSync(join(dir, f), 'utf8')) }));
}

interface Result {
  findings: Finding[];
  panels: number;
  blanks: number;
  looks: number;
}

interface Tools {
  browser: Browser;
  site: string;
  prometheus: string;
  at: Moment;
  out: string;
  blanks: Record<string, Blanks>;
  uids: Set<string>;
}

/** Looks at one dashboard from all sides. */
async function drawOne({ file, dashboard: d }: File, t: Tools): Promise<Result> {
  const result: Result = { findings: [], panels: 0, blanks: 0, looks: 0 };
  const look = async (view: View) => {
    const picture = view.picture ? join(t.out, `${d.uid}-${view.name}.png`) : undefined;
    const seen = await open(t.browser, t.site, `/dashboards/${basename(file)}`, view, t.at, picture);
    const findings = await check(d, view, seen, t.prometheus, t.blanks[d.uid] ?? {}, t.uids);
    result.findings.push(...findings);
    result.looks++;
    return seen.drawn;
  };
  const first = await look(pictures[0]);
  result.panels = Object.keys(first.panels).length;
  result.blanks = Object.values(first.panels).filter((p) => p.blank !== undefined).length;
  if (flags.quick) return result;
  for (const view of [...pictures.slice(1), ...choiceViews(first.variables)]) await look(view);
  return result;
}

/** Says each thing once, with the views in which it was seen. */
function print(findings: Finding[]) {
  const views = new Map<string, string[]>();
  for (const f of findings) {
    const line = `${f.dashboard}: ${f.panel ? `${JSON.stringify(f.panel)}: ` : ''}${f.what}`;
    views.set(line, [...(views.get(line) ?? []), f.view]);
  }
  for (const [line, seen] of views) console.log(`${line} [${seen.slice(0, 4).join(', ')}${seen.length > 4 ? `, ${seen.length - 4} more` : ''}]`);
}

async function main(): Promise<number> {
  const files = filesIn(flags.dashboards!);
  const chosen = files.filter((f) => new RegExp(flags.only!).test(f.dashboard.uid));
  if (chosen.length === 0) throw new Error(`no dashboard in ${flags.dashboards} has a uid that matches ${JSON.stringify(flags.only)}`);
  if (!hasTypeface()) console.log('warning: Inter is not installed (fonts-inter): texts are not as wide as in Grafana');
  const out = flags.out ? resolve(flags.out) : mkdtempSync(join(tmpdir(), 'llmfleet-pictures-'));
  mkdirSync(out, { recursive: true });
  const fleet = await startFleet(repository);
  try {
    const site = await serve(join(home, 'dist'), new Map(files.map((f) => [`/dashboards/${basename(f.file)}`, f.file])), fleet.url);
    const browser = await openBrowser(flags.chromium!);
    const to = fleet.begin + Number(flags.at);
    const tools: Tools = {
      browser, site: site.url, prometheus: fleet.url, at: { from: to - Number(flags.range), to }, out,
      blanks: JSON.parse(readFileSync(join(home, 'blanks.json'), 'utf8')), uids: new Set(files.map((f) => f.dashboard.uid)),
    };
    const results: Result[] = [];
    try {
      for (const f of chosen) results.push(await drawOne(f, tools));
    } finally {
      await browser.close();
      site.close();
    }
    const sum = (of: (r: Result) => number) => results.reduce((n, r) => n + of(r), 0);
    const findings = results.flatMap((r) => r.findings);
    print(findings);
    const wrong = new Set(findings.map((f) => `${f.dashboard} ${f.panel}`)).size;
    const panels = sum((r) => r.panels);
    console.log(`dashboards ${results.length}, looks ${sum((r) => r.looks)}, pictures in ${out}`);
    console.log(`panels ${panels - wrong}/${panels} drawn without a finding, ${findings.length} findings, ${sum((r) => r.blanks)} honest blanks`);
    return findings.length > 0 ? 1 : 0;
  } finally {
    fleet.close();
  }
}

process.exitCode = await main();
