// Bundles the tests beside the code and runs them.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync('dist/test', { recursive: true, force: true });
const tests = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.test.ts')).map((f) => `src/${f}`);
await build({ entryPoints: tests, outdir: 'dist/test', outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', platform: 'node', target: 'node18', logLevel: 'error', sourcemap: 'inline', external: ['@grafana/*', 'typescript'] });
process.exitCode = spawnSync(process.execPath, ['--test', '--test-reporter=dot', ...tests.map((t) => t.replace(/^src/, 'dist/test').replace(/\.ts$/, '.mjs'))], { stdio: 'inherit' }).status;
