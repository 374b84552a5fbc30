// Whether a dashboard keeps to the types that Grafana publishes, its enumerations included.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

/** What the compiler says of dashboards that are written out as values of Grafana's types: by file. */
export function schemaMistakes(home: string, files: Array<{ file: string; dashboard: unknown }>): Map<string, string[]> {
  const dir = join(home, 'dist/schema');
  mkdirSync(dir, { recursive: true });
  const written = new Map(files.map(({ file, dashboard }) => {
    const path = join(dir, `${basename(file, '.json')}.ts`);
    writeFileSync(path, `import type { ClassicDashboard } from '../../src/draw/classic';\nexport const dashboard: ClassicDashboard =\n${JSON.stringify(dashboard, null, 2)};\n`);
    return [path, file];
  }));
  const program = ts.createProgram([...written.keys()], {
    strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022, types: [],
  });
  const out = new Map<string, string[]>();
  for (const d of ts.getPreEmitDiagnostics(program)) {
    const file = d.file && written.get(d.file.fileName);
    const at = d.file && d.start !== undefined ? d.file.text.slice(d.start, d.start + (d.length ?? 0)).split('\n')[0] : '';
    const what = `${at}: ${ts.flattenDiagnosticMessageText(d.messageText, ' ').replace(/\s+/g, ' ').slice(0, 300)}`;
    const key = file ?? d.file?.fileName ?? '';
    out.set(key, [...new Set(out.get(key)), what]);
  }
  return out;
}
