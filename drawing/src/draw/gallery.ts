// The pictures that the README and the docs show, one of each dashboard, small enough to be kept with them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Seen } from './seen';

const largest = 150_000; // bytes
const tallest = 1000; // pixels; what is below is not the answer of ten seconds
const margin = 12; // pixels below the last panel

/** Where a page can be cut without cutting a panel: the lowest place within the first screens. */
export function cutBelow(boxes: Seen['boxes']): number {
  const whole = (y: number) => !boxes.some((b) => b.top < y && b.bottom > y);
  return Math.max(0, ...boxes.map((b) => b.bottom).filter((y) => y + margin <= tallest && whole(y))) + margin;
}

/** Cuts the top out of a screenshot and encodes it as WebP; the browser does both. */
async function small(browser: Browser, png: string, height: number): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    const data = await page.evaluate(async ({ source, cut }) => {
      const bitmap = await createImageBitmap(await (await fetch(source)).blob());
      const canvas = new OffscreenCanvas(bitmap.width, Math.min(cut, bitmap.height));
      canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })).arrayBuffer());
      return Array.from(bytes);
    }, { source: `data:image/png;base64,${readFileSync(png).toString('base64')}`, cut: height });
    return Buffer.from(data);
  } finally {
    await page.close();
  }
}

/** Renews the picture of each dashboard in a folder from the dark screenshots in another. boxes: by uid. */
export async function renewGallery(browser: Browser, screenshots: string, folder: string, boxes: Map<string, Seen['boxes']>) {
  mkdirSync(folder, { recursive: true });
  for (const [uid, own] of boxes) {
    const data = await small(browser, join(screenshots, `${uid}-dark.png`), cutBelow(own));
    if (data.length > largest) throw new Error(`picture ${uid}: ${data.length} bytes, more than ${largest}`);
    const file = join(folder, `${uid}.webp`);
    writeFileSync(file, data);
    console.log(`${file}: ${data.length} bytes`);
  }
}
