// The checks, checked: dashboards that are broken on purpose must be found out, a sound one must not.
import { join } from 'node:path';
import type { Panel } from '../page/dashboard';
import type { Moment, Windows } from './browser';
import { check, type Finding } from './checks';
import { filesIn, type File } from './files';
import { schemaMistakes } from './schema';
import { serve } from './serve';
import { pictures } from './views';

export interface Bench {
  windows: Windows;
  prometheus: string;
  at: Moment;
  home: string;
}

async function findingsOf({ dashboard: d }: File, site: string, b: Bench, uids: Set<string>): Promise<Finding[]> {
  const look = await b.windows.look(site, d.uid, pictures[0], b.at);
  const found = await check(d, pictures[0], look, b.prometheus, {}, uids);
  for (const p of d.panels.filter((x) => x.type === 'text')) {
    const text = look.seen.texts[p.id].join(' ');
    if (text !== p.description) found.push({ dashboard: d.uid, view: '', panel: p.title!, what: `says ${JSON.stringify(text)}, not ${JSON.stringify(p.description)}` });
  }
  return found;
}

/** What should have been found and was not: each panel's description is a regular expression of its finding. */
function missed(panels: Panel[], findings: Finding[]): string[] {
  return panels.filter((p) => !findings.some((f) => f.panel === p.title && new RegExp(p.description!).test(f.what)))
    .map((p) => `panel ${JSON.stringify(p.title)} is broken on purpose, and nothing says ${p.description}`);
}

/** Draws the fixtures. Returns what the checks did not notice, or noticed in vain, and how many panels they found out. */
export async function selfCheck(b: Bench): Promise<{ problems: string[]; foundOut: number }> {
  const files = filesIn(join(b.home, 'fixtures'));
  const uids = new Set(files.map((f) => f.dashboard.uid));
  const schema = schemaMistakes(b.home, files);
  const problems: string[] = [];
  let foundOut = 0;
  for (const f of files) {
    const site = await serve(join(b.home, 'dist'), files, b.prometheus, f.dashboard.uid === 'lies');
    try {
      const findings = await findingsOf(f, site.url, b, uids);
      for (const m of schema.get(f.file) ?? []) findings.push({ dashboard: f.dashboard.uid, view: '', panel: 'Schema', what: `schema: ${m}` });
      if (f.dashboard.uid === 'sound') {
        problems.push(...findings.map((x) => `nothing is wrong with ${JSON.stringify(x.panel)} of ${f.file}, and the checks say: ${x.what}`));
        continue;
      }
      const lost = missed(f.dashboard.panels, findings);
      problems.push(...lost);
      foundOut += f.dashboard.panels.length - lost.length;
    } finally {
      site.close();
    }
  }
  return { problems, foundOut };
}
