// The page, the dashboards, and a way through to Prometheus, on one loopback port.
import { createServer, request, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const types: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json' };

export interface Site {
  url: string;
  close(): void;
}

/** Serves dist/ and the dashboards by name; /api goes to Prometheus. */
export async function serve(dist: string, dashboards: Map<string, string>, prometheus: string): Promise<Site> {
  const server: Server = createServer((req, res) => {
    const { pathname } = new URL(req.url!, 'http://page');
    if (pathname.startsWith('/api/')) {
      const onward = request(prometheus + req.url, (answer) => { res.writeHead(answer.statusCode!, answer.headers); answer.pipe(res); });
      onward.on('error', (e) => res.writeHead(502).end(e.message));
      return void onward.end();
    }
    const file = dashboards.get(decodeURIComponent(pathname)) ?? join(dist, pathname === '/' ? 'index.html' : pathname);
    readFile(file).then(
      (body) => res.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(body),
      () => res.writeHead(404).end(),
    );
  });
  await new Promise<void>((ok) => server.listen(0, '127.0.0.1', ok));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
