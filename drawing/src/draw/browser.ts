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

/** Where the time of looks goes, in milliseconds. */
export interface Spent {
  opening: number; // asking and drawing
  reading: number;
  picture: number;
}

/** A window in which one dashboard after another is opened, so that the page's code is compiled once. */
interface Window {
  open(site: string, uid: string, view: View, at: Moment, picture?: string): Promise<Look>;
  close(): Promise<void>;
}

function listen(page: Page, say: (complaint: string) => void) {
  page.on('pageerror', (e) => say(e.message));
  // An answer that is an error is named by its query in the panel; the browser repeats it.
  page.on('console', (m) => { if (m.type() === 'error' && !m.location().url.includes('/api/v1/')) say(`${m.text()} ${m.location().url}`); });
}

const pause = 100; // milliseconds

/** Reads the page when it has come to rest: tables are laid out anew after the window has got its size. */
async function settled(page: Page): Promise<Seen> {
  let last = '';
  for (let i = 0; i < 60; i++) {
    const seen = await page.evaluate(look);
    const text = JSON.stringify(seen);
    if (text === last) return seen;
    last = text;
    await page.waitForTimeout(pause);
  }
  throw new Error('the page does not come to rest');
}

/** Opens a window; what its looks take is added to spent. */
async function openWindow(browser: Browser, spent: Spent): Promise<Window> {
  const context = await browser.newContext();
  const page = await context.newPage();
  let complaints: string[] = [];
  listen(page, (c) => complaints.push(c));
  const timed = async <T>(part: keyof Spent, work: Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return await work;
    } finally {
      spent[part] += performance.now() - start;
    }
  };

  // Waits until the dashboard is drawn as a view wants it.
  const draw = async (url: string, view: View, at: Moment): Promise<Drawn> => {
    await page.setViewportSize({ width: view.width, height: 1000 });
    await page.clock.setFixedTime(at.to * 1000); // "10 minutes ago" is meant from then
    await page.goto(url);
    await page.waitForFunction(() => window.drawn?.ready, undefined, { timeout: 60_000 });
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: view.width, height });
    return page.evaluate(() => window.drawn);
  };

  return {
    async open(site, uid, view, at, picture) {
      complaints = [];
      const drawn = await timed('opening', draw(address(site, uid, view, at), view, at));
      const seen = await timed('reading', settled(page));
      if (picture) await timed('picture', page.screenshot({ path: picture }));
      return { drawn, seen, complaints };
    },
    close: () => context.close(),
  };
}

/** Windows in which looks wait for their turn. */
export class Windows {
  readonly spent: Spent = { opening: 0, reading: 0, picture: 0 };
  private free: Window[] = [];
  private waiting: Array<(w: Window) => void> = [];

  private constructor(private readonly all: Window[]) {}

  static async open(browser: Browser, count: number): Promise<Windows> {
    const all: Window[] = [];
    const windows = new Windows(all);
    for (let i = 0; i < count; i++) all.push(await openWindow(browser, windows.spent));
    windows.free = [...all];
    return windows;
  }

  /** Opens a dashboard in the next window that is free. */
  async look(...args: Parameters<Window['open']>): Promise<Look> {
    const w = this.free.pop() ?? (await new Promise<Window>((next) => this.waiting.push(next)));
    try {
      return await w.open(...args);
    } finally {
      const next = this.waiting.shift();
      if (next) next(w);
      else this.free.push(w);
    }
  }

  async close() {
    for (const w of this.all) await w.close();
  }
}
