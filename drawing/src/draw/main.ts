// Draws every dashboard of a folder and says what is wrong with them. Exits with 1 if anything is.
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBrowser, Windows, type Spent } from './browser';
import { allPanels, blankOf, check, type Blanks, type Finding } from './checks';
import { filesIn, type File } from './files';
import { startFleet } from './fleet';
import { hasTypeface } from './fonts';
import { renewGallery } from './gallery';
import { schemaMistakes } from './schema';
import { selfCheck, type Bench } from './selfcheck';
import type { Seen } from './seen';
import { serve } from './serve';
import { choiceViews, pictures, type View } from './views';

const atOnce = 2; // windows: a look is drawn while another one's numbers are compared

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
    gallery: { type: 'string' }, // folder of the small pictures for the docs, renewed
    quick: { type: 'boolean', default: false }, // one look at each, and nothing else
    choose: { type: 'string', multiple: true, default: [] }, // variable=value, instead of what choices.json has
  },
});

interface Result {
  findings: Finding[];
  panels: number;
  blanks: number;
  looks: number;
}

interface Tools extends Bench {
  site: string;
  out: string;
  boxes: Map<string, Seen['boxes']>; // by uid, as they stand on the dark page
  blanks: Record<string, Blanks>;
  choices: Record<string, Record<string, string[]>>; // by uid and variable: what is chosen unless a look is about it
  uids: Set<string>;
}

/** Looks at one dashboard from all sides. */
async function drawOne({ dashboard: d }: File, t: Tools): Promise<Result> {
  const result: Result = { findings: [], panels: 0, blanks: 0, looks: 0 };
  const look = async (view: View) => {
    const chosen = { ...t.choices[d.uid], ...view.chosen };
    const seen = await t.windows.look(t.site, d.uid, { ...view, chosen }, t.at, view.picture ? join(t.out, `${d.uid}-${view.name}.png`) : undefined);
    result.findings.push(...(await check(d, view, seen, t.prometheus, t.blanks[d.uid] ?? {}, t.uids)));
    result.looks++;
    if (view === pictures[0]) t.boxes.set(d.uid, seen.seen.boxes);
    return seen.drawn;
  };
  const first = await look(pictures[0]);
  result.panels = Object.keys(first.panels).length;
  const panels = new Map(allPanels(d.panels).map((p) => [p.id, p]));
  result.blanks = Object.values(first.panels).filter((p) => blankOf(panels.get(p.id)!, p) !== undefined).length;
  if (flags.quick) return result;
  await Promise.all([...pictures.slice(1), ...choiceViews(first.variables)].map(look));
  return result;
}

/** What is chosen on each dashboard: of --choose on all of them, else of choices.json. */
function choicesOf(asked: string[], file: string, files: File[]): Tools['choices'] {
  if (asked.length === 0) return JSON.parse(readFileSync(file, 'utf8'));
  const own: Record<string, string[]> = {};
  for (const [name, value] of asked.map((a) => a.split('=', 2))) own[name] = [...(own[name] ?? []), value];
  return Object.fromEntries(files.map((f) => [f.dashboard.uid, own]));
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

const schemaFindings = (files: File[]): Finding[] =>
  [...schemaMistakes(home, files)].flatMap(([file, whats]) => whats.map((what) => ({ dashboard: file, view: 'schema', panel: '', what })));

/** Draws the files; returns how many things are wrong. */
async function drawAll(files: File[], t: Tools): Promise<number> {
  const checkItself = flags.quick ? { problems: [], foundOut: 0 } : selfCheck(t);
  const results = await Promise.all(files.map((f) => drawOne(f, t)));
  const self = await checkItself;
  const findings = [...results.flatMap((r) => r.findings), ...(flags.quick ? [] : schemaFindings(files))];
  print(findings);
  self.problems.forEach((p) => console.log(`the checks themselves: ${p}`));
  const sum = (of: (r: Result) => number) => results.reduce((n, r) => n + of(r), 0);
  const count = (is: (f: Finding) => boolean) => findings.filter(is).length;
  const blank = (f: Finding) => /blank/.test(f.what);
  console.log(`pictures in ${t.out}`);
  console.log(
    `dashboards ${results.length}, panels ${sum((r) => r.panels)}, looks ${sum((r) => r.looks)}: ${count((f) => !blank(f))} errors, ${count(blank)} unexpected blanks, ` +
    `${sum((r) => r.blanks)} honest blanks; ${self.foundOut} panels broken on purpose found out, ${self.problems.length} not`,
  );
  return findings.length + self.problems.length;
}

const since = (begun: number, end = performance.now()) => Math.round((end - begun) / 1000);

const seconds = (spent: Spent) => Object.entries(spent).map(([part, ms]) => `${part} ${Math.round(ms / 1000)} s`).join(', ');

async function main(): Promise<number> {
  const files = filesIn(flags.dashboards!);
  const chosen = files.filter((f) => new RegExp(flags.only!).test(f.dashboard.uid));
  if (chosen.length === 0) throw new Error(`no dashboard in ${flags.dashboards} has a uid that matches ${JSON.stringify(flags.only)}`);
  if (!hasTypeface()) console.log('warning: Inter is not installed (fonts-inter): texts are not as wide as in Grafana');
  const out = flags.out ? resolve(flags.out) : mkdtempSync(join(tmpdir(), 'llmfleet-pictures-'));
  mkdirSync(out, { recursive: true });
  const begun = performance.now();
  const fleet = await startFleet(repository);
  const closing: Array<() => unknown> = [() => fleet.close()];
  try {
    const site = await serve(join(home, 'dist'), files, fleet.url);
    closing.push(() => site.close());
    const browser = await openBrowser(flags.chromium!);
    closing.push(() => browser.close());
    const to = fleet.begin + Number(flags.at);
    const drawing = performance.now();
    const windows = await Windows.open(browser, flags.quick ? 1 : atOnce);
    const boxes: Tools['boxes'] = new Map();
    const wrong = await drawAll(chosen, {
      windows, boxes, home, site: site.url, prometheus: fleet.url, at: { from: to - Number(flags.range), to }, out,
      blanks: JSON.parse(readFileSync(join(home, 'blanks.json'), 'utf8')), choices: choicesOf(flags.choose!, join(home, 'choices.json'), files), uids: new Set(files.map((f) => f.dashboard.uid)),
    });
    console.log(`${since(begun)} s, ${since(begun, drawing)} of them before the first look; in both windows together, ${seconds(windows.spent)}`);
    if (flags.gallery) await renewGallery(browser, out, resolve(flags.gallery), boxes);
    return wrong;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

process.exitCode = (await main()) > 0 ? 1 : 0;
