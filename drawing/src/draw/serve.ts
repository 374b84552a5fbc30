// The page, the dashboards, and a way through to Prometheus, on one loopback port.
import { readFile } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import { fontFile } from './fonts';
import { icon } from './icons';

const types: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

export interface Site {
  url: string;
  close(): void;
}

function passOn(prometheus: string, req: IncomingMessage, res: ServerResponse) {
  const onward = request(prometheus + req.url, (answer) => {
    res.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', (e) => res.writeHead(502).end(e.message));
  onward.end();
}

function fileOf(pathname: string, dist: string, dashboards: Map<string, string>): string {
  if (pathname.startsWith('/public/fonts/')) return fontFile(basename(pathname));
  return dashboards.get(decodeURIComponent(pathname)) ?? join(dist, pathname === '/' ? 'index.html' : basename(pathname));
}

/** Serves the page in dist and dashboards by their path; /api goes to Prometheus. */
export async function serve(dist: string, dashboards: Map<string, string>, prometheus: string): Promise<Site> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url!, 'http://page');
    if (pathname.startsWith('/api/')) return passOn(prometheus, req, res);
    if (pathname.startsWith('/public/build/img/icons/')) return void res.writeHead(200, { 'content-type': 'image/svg+xml' }).end(icon(basename(pathname, '.svg')));
    const file = fileOf(pathname, dist, dashboards);
    readFile(file).then(
      (body) => res.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body),
      () => res.writeHead(404).end(),
    );
  });
  await new Promise<void>((ok) => server.listen(0, '127.0.0.1', ok));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => { server.closeAllConnections(); server.close(); } };
}
