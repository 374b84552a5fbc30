// A dashboard opened in Chromium.
import { chromium, type Browser, type Page } from 'playwright-core';
import type { Drawn } from '../page/record';
import { look, type Seen } from './seen';
import type { View } from './views';

// No network but loopback, no sandbox (which root cannot have), no graphics card.
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

export interface Look {
  drawn: Drawn;
  seen: Seen;
  complaints: string[]; // of the browser
}

export const openBrowser = (path: string): Promise<Browser> => chromium.launch({ executablePath: path, args: flags });

/** The moment at which the dashboards are looked at, in Unix seconds. */
export interface Moment {
  from: number;
  to: number;
}

function address(site: string, uid: string, view: View, at: Moment): string {
  const params = new URLSearchParams({ dashboard: `/dashboards/${uid}`, theme: view.theme, from: String(at.from * 1000), to: String(at.to * 1000) });
  for (const [name, values] of Object.entries(view.chosen)) values.forEach((v) => params.append(`var-${name}`, v));
  return `${site}/?${params}`;
}

function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (e) => complaints.push(e.message));
  // An answer that is an error is named by its query in the panel; the browser repeats it.
  page.on('console', (m) => { if (m.type() === 'error' && !m.location().url.includes('/api/v1/')) complaints.push(`${m.text()} ${m.location().url}`); });
  return complaints;
}

const pause = 150; // milliseconds

/** Reads the page when it has come to rest: tables are laid out anew after the window has got its size. */
async function settled(page: Page): Promise<Seen> {
  let last = '';
  for (let i = 0; i < 40; i++) {
    const seen = await page.evaluate(look);
    const text = JSON.stringify(seen);
    if (text === last) return seen;
    last = text;
    await page.waitForTimeout(pause);
  }
  throw new Error('the page does not come to rest');
}

/** Opens a dashboard as a view wants it, waits until it is drawn, and reads it; picture: where to put a screenshot. */
export async function open(browser: Browser, site: string, uid: string, view: View, at: Moment, picture?: string): Promise<Look> {
  const page = await browser.newPage({ viewport: { width: view.width, height: 1000 } });
  try {
    const complaints = listen(page);
    await page.clock.setFixedTime(at.to * 1000); // "10 minutes ago" is meant from then
    await page.goto(address(site, uid, view, at));
    await page.waitForFunction(() => window.drawn?.ready, undefined, { timeout: 60_000 });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: view.width, height });
    const drawn = await page.evaluate(() => window.drawn);
    const seen = await settled(page);
    if (picture) await page.screenshot({ path: picture });
    return { drawn, seen, complaints };
  } finally {
    await page.close();
  }
}
