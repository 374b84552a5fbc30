// Grafana's typefaces, as this machine has them: they are not part of the components.
import { execFileSync } from 'node:child_process';

const found = new Map<string, string>();

/** The file of the typeface that the page asks for by the name of Grafana's file, say "Inter-Medium.woff2". */
export function fontFile(name: string): string {
  const style = /^Inter-(\w+)\./.exec(name)?.[1] ?? 'Regular';
  const pattern = name.startsWith('Inter') ? `Inter:style=${style.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}` : 'Roboto Mono';
  if (!found.has(pattern)) found.set(pattern, execFileSync('fc-match', ['-f', '%{file}', pattern], { encoding: 'utf8' }));
  return found.get(pattern)!;
}

/** Whether text is as wide here as in Grafana. */
export const hasTypeface = () => execFileSync('fc-match', ['-f', '%{family}', 'Inter'], { encoding: 'utf8' }).includes('Inter');
