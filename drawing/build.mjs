// Bundles the page and the tool that opens it into dist/.
import { build } from 'esbuild';
import { copyFile, mkdir } from 'node:fs/promises';

await mkdir('dist', { recursive: true });
await copyFile('src/page/index.html', 'dist/index.html');
await build({
  entryPoints: { page: 'src/page/main.tsx' }, outdir: 'dist', bundle: true, format: 'iife', platform: 'browser', target: 'es2022', minify: true, jsx: 'automatic', logLevel: 'error',
  define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
  loader: { '.svg': 'dataurl', '.png': 'dataurl', '.woff': 'dataurl', '.woff2': 'dataurl', '.ttf': 'dataurl' },
});
await build({
  entryPoints: { draw: 'src/draw/main.ts' }, outdir: 'dist', outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', platform: 'node', target: 'node18', packages: 'external',
  logLevel: 'error', sourcemap: 'inline',
});
