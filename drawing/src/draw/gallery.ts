// The few pictures that the README and the docs show, small enough to be kept with them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

interface Picture {
  from: string; // screenshot, without .png
  name: string; // file, without .webp
  height: number; // pixels from the top
}

const chosen: Picture[] = [
  { from: 'llmfleet-capacity-dark', name: 'fleet', height: 880 },
  { from: 'llmfleet-cards-light', name: 'cards', height: 1120 },
  { from: 'llmfleet-capacity-phone-dark', name: 'phone', height: 1230 },
];

const largest = 150_000; // bytes

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

/** Renews the pictures in a folder from the screenshots in another. */
export async function renewGallery(browser: Browser, screenshots: string, folder: string) {
  mkdirSync(folder, { recursive: true });
  for (const p of chosen) {
    const data = await small(browser, join(screenshots, `${p.from}.png`), p.height);
    if (data.length > largest) throw new Error(`picture ${p.name}: ${data.length} bytes, more than ${largest}`);
    writeFileSync(join(folder, `${p.name}.webp`), data);
    console.log(`${join(folder, p.name)}.webp: ${data.length} bytes`);
  }
}
