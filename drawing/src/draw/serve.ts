// The page, the dashboards, and a way through to Prometheus, on one loopback port.
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import type { File } from './files';
import { fontFile } from './fonts';
import { icon } from './icons';

const types: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

export interface Site {
  url: string;
  close(): void;
}

// Every value of an answer, one too high.
const higher = (body: string) => body.replace(/(\[\d+(?:\.\d+)?,)"(\d[\d.e+-]*)"\]/g, (_, time, value) => `${time}"${Number(value) + 1}"]`);

/** A way through to Prometheus that asks each thing once: the storage does not change while it is looked at. */
function passing(prometheus: string, lie: boolean) {
  const answers = new Map<string, Promise<{ status: number; body: string }>>();
  const ask = async (url: string) => {
    const answer = await fetch(prometheus + url);
    const body = await answer.text();
    return { status: answer.status, body: lie ? higher(body) : body };
  };
  return (url: string, res: ServerResponse) => {
    let answer = answers.get(url);
    if (!answer) answers.set(url, (answer = ask(url)));
    answer.then(
      ({ status, body }) => res.writeHead(status, { 'content-type': 'application/json' }).end(body),
      (e: Error) => res.writeHead(502).end(e.message),
    );
  };
}

function fileOf(pathname: string, dist: string, dashboards: File[]): string {
  if (pathname.startsWith('/public/fonts/')) return fontFile(basename(pathname));
  const uid = /^\/dashboards\/(.+)$/.exec(pathname)?.[1];
  return dashboards.find((f) => f.dashboard.uid === uid)?.file ?? join(dist, pathname === '/' ? 'index.html' : basename(pathname));
}

/**
 * Serves the page in dist and dashboards by their uid; /api goes to Prometheus. With lie, the page gets other
 * numbers than Prometheus gave: the checks must see it.
 */
export async function serve(dist: string, dashboards: File[], prometheus: string, lie = false): Promise<Site> {
  const pass = passing(prometheus, lie);
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url!, 'http://page');
    if (pathname.startsWith('/api/')) return pass(req.url!, res);
    if (pathname.startsWith('/public/build/img/icons/')) return void res.writeHead(200, { 'content-type': 'image/svg+xml' }).end(icon(basename(pathname, '.svg')));
    const file = fileOf(pathname, dist, dashboards);
    readFile(file).then(
      (body) => res.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', 'cache-control': 'max-age=3600' }).end(body),
      () => res.writeHead(404).end(),
    );
  });
  await new Promise<void>((ok) => server.listen(0, '127.0.0.1', ok));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => { server.closeAllConnections(); server.close(); } };
}
