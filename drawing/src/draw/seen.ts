// What a person would see, read out of the page: these functions run in the browser.

/** Text that does not fit where it stands. */
export interface Cut {
  panel: string; // key; "": outside of all panels
  text: string;
  how: 'cut off' | 'beyond the edge';
}

/** One line of a graph's legend. */
export interface LegendLine {
  name: string;
  values: string[]; // "Last *: 20.8%"
}

/** A table as it stands: titles, and rows of texts. */
export interface SeenTable {
  head: string[];
  rows: string[][];
}

export interface Seen {
  texts: Record<string, string[]>; // lines of the panel's content
  legends: Record<string, LegendLine[]>;
  tables: Record<string, SeenTable>;
  cells: Record<string, number[]>; // what the cells of a heatmap say that they hold
  links: Record<string, string[]>; // where links lead
  cuts: Cut[];
  boxes: Array<{ top: number; bottom: number }>; // of the panels and rows, in pixels of the page
}

/** Reads the page. It must stand alone: the browser gets its text. */
export function look(): Seen {
  const seen: Seen = { texts: {}, legends: {}, tables: {}, cells: {}, links: {}, cuts: [], boxes: [] };
  const lines = (el: Element) => (el as HTMLElement).innerText.split('\n').map((s) => s.trim()).filter(Boolean);

  // The boxes that clip a text: itself and what it stands in, as far as the panel.
  const clippers = (el: Element) => {
    const out: Array<{ box: DOMRect; scrolls: boolean; x: boolean; y: boolean }> = [];
    for (let e: Element | null = el; e && e !== document.body; e = e.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(e);
      if (overflowX !== 'visible' || overflowY !== 'visible') {
        const own = e.getBoundingClientRect();
        const scrolls = /auto|scroll/.test(overflowX + overflowY);
        out.push({ box: own, scrolls, x: overflowX !== 'visible', y: overflowY !== 'visible' && !/auto|scroll/.test(overflowY) });
      }
      if (e.hasAttribute('data-panel')) break;
    }
    return out;
  };

  const slack = 1.5; // pixels, for what is rounded
  const cutOf = (node: Text, panel: string) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (text.width === 0 || getComputedStyle(node.parentElement!).visibility === 'hidden') return;
    let inScroll = false; // beyond a box that scrolls down, nothing tells whether it is cut
    for (const { box, scrolls, x, y } of clippers(node.parentElement!)) {
      const beyondX = text.right > box.right + slack || text.left < box.left - slack;
      const room = text.height / 4; // a line is taller than its letters
      const beyondY = text.bottom > box.bottom + room || text.top < box.top - room;
      if ((x && beyondX) || (y && beyondY && !inScroll)) {
        seen.cuts.push({ panel, text: node.data.trim(), how: scrolls || inScroll ? 'beyond the edge' : 'cut off' });
        return;
      }
      inScroll ||= scrolls;
    }
  };

  const walker = document.createTreeWalker(document.getElementById('root')!, NodeFilter.SHOW_TEXT);
  for (let n = walker.nextNode() as Text | null; n; n = walker.nextNode() as Text | null) {
    const parent = n.parentElement!;
    if (n.data.trim() && parent.tagName !== 'STYLE') cutOf(n, parent.closest('[data-panel]')?.getAttribute('data-panel') ?? '');
  }

  for (const box of document.querySelectorAll('[data-panel], .row-title')) {
    const { top, bottom } = box.getBoundingClientRect();
    seen.boxes.push({ top: top + scrollY, bottom: bottom + scrollY });
  }

  for (const panel of document.querySelectorAll('[data-panel]')) {
    const key = panel.getAttribute('data-panel')!;
    seen.links[key] = [...panel.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '');
    const content = panel.querySelector('[data-testid="data-testid panel content"]');
    if (!content) continue;
    seen.texts[key] = lines(content);
    seen.legends[key] = [...content.querySelectorAll('[data-testid^="data-testid VizLegend series"]')].map((el) => {
      const [name, ...values] = lines(el.closest('tr') ?? el);
      return { name, values };
    });
    seen.cells[key] = [...content.querySelectorAll<HTMLElement>('[data-count]')].map((el) => Number(el.dataset.count));
    const grid = content.querySelector('[role="grid"]');
    if (!grid) continue;
    const rows = [...grid.querySelectorAll('[role="row"]')].map((r) => [...r.querySelectorAll('[role="columnheader"], [role="gridcell"]')].map((c) => (c as HTMLElement).innerText.trim()));
    seen.tables[key] = { head: rows[0], rows: rows.slice(1) };
  }
  return seen;
}
