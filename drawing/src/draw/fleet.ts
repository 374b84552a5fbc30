// The demo fleet in a real Prometheus: played once, its storage opened by a server.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Fleet {
  url: string;
  begin: number; // second 0 of the play, in Unix seconds
  close(): void;
}

function play(repository: string, dir: string) {
  execFileSync('go', ['run', './cmd/llmfleet', 'demo', '--once', '--export', dir], { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The first moment of the blocks in a storage folder. */
function beginOf(dir: string): number {
  const blocks = readdirSync(dir, { withFileTypes: true }).filter((e) => e.isDirectory());
  return Math.min(...blocks.map((b) => JSON.parse(readFileSync(join(dir, b.name, 'meta.json'), 'utf8')).minTime as number)) / 1000;
}

async function freePort(): Promise<number> {
  const s = createServer();
  await new Promise<void>((ok) => s.listen(0, '127.0.0.1', ok));
  const { port } = s.address() as AddressInfo;
  await new Promise((ok) => s.close(ok));
  return port;
}

async function ready(url: string): Promise<void> {
  for (let i = 0; i < 150; i++) {
    const ok = await fetch(`${url}/-/ready`).then((r) => r.ok, () => false);
    if (ok) return;
    await new Promise((next) => setTimeout(next, 100));
  }
  throw new Error(`prometheus at ${url} did not get ready within 15 s`);
}

/** Plays the demo into a folder of its own and starts a Prometheus on it; close ends and removes both. */
export async function startFleet(repository: string): Promise<Fleet> {
  const work = mkdtempSync(join(tmpdir(), 'llmfleet-drawing-'));
  const storage = join(work, 'storage');
  play(repository, storage);
  const begin = beginOf(storage);
  const config = join(work, 'prometheus.yml');
  writeFileSync(config, 'global: {}\n'); // nothing is scraped: the storage holds it all
  const port = await freePort();
  const server = spawn('prometheus', [
    `--config.file=${config}`, `--storage.tsdb.path=${storage}`, '--storage.tsdb.retention.time=100y', `--web.listen-address=127.0.0.1:${port}`, '--log.level=error',
  ], { stdio: ['ignore', 'inherit', 'inherit'] });
  const close = () => { server.kill(); rmSync(work, { recursive: true, force: true }); };
  const url = `http://127.0.0.1:${port}`;
  try {
    await Promise.race([ready(url), new Promise<never>((_, no) => server.once('error', no))]);
  } catch (e) {
    close();
    throw e;
  }
  return { url, begin, close };
}
