// Dashboards in files.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Dashboard } from '../page/dashboard';

export interface File {
  file: string;
  dashboard: Dashboard;
}

/** Every dashboard in a folder and below it. */
export function filesIn(dir: string): File[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.json')).sort();
  return names.map((f) => ({ file: join(dir, f), dashboard: JSON.parse(readFileSync(join(dir, f), 'utf8')) }));
}
