// Reading numbers as a person does: "1.97 GB/s" is 1.97e9, give or take what was rounded away.
// It knows nothing of the code that writes them.

type Factors = Record<string, number>;

const decimal = (base: string): Factors => ({
  [`n${base}`]: 1e-9, [`µ${base}`]: 1e-6, [`m${base}`]: 1e-3, [base]: 1, [`k${base}`]: 1e3, [`M${base}`]: 1e6, [`G${base}`]: 1e9, [`T${base}`]: 1e12,
});

const binary = (base: string): Factors => ({ [base]: 1, [`Ki${base}`]: 2 ** 10, [`Mi${base}`]: 2 ** 20, [`Gi${base}`]: 2 ** 30, [`Ti${base}`]: 2 ** 40 });

// "1.2 K req/s", "3 Mil"
const counted = (base: string): Factors =>
  Object.fromEntries(Object.entries({ '': 1, K: 1e3, M: 1e6, Mil: 1e6, B: 1e9, Bil: 1e9, T: 1e12, Tri: 1e12 }).flatMap(([k, f]) => [[`${k}${base}`, f], [`${k} ${base}`.trim(), f]]));

const times: Factors = {
  ns: 1e-9, µs: 1e-6, ms: 1e-3, s: 1, min: 60, mins: 60, hour: 3600, hours: 3600, day: 86400, days: 86400, week: 604800, weeks: 604800, year: 31536000, years: 31536000,
};

/** What stands behind the number, and what it multiplies it by, for each unit of Grafana that the dashboards use. */
const suffixes: Record<string, Factors> = {
  none: { '': 1 },
  short: counted(''),
  percentunit: { '%': 0.01 },
  percent: { '%': 1 },
  bytes: binary('B'),
  decbytes: decimal('B'),
  Bps: decimal('B/s'),
  binBps: binary('B/s'),
  s: times,
  ms: Object.fromEntries(Object.entries(times).map(([k, f]) => [k, f * 1e3])),
  reqps: counted('req/s'),
  ops: counted('ops/s'),
  cps: counted('c/s'),
  sishort: decimal(''),
  celsius: { '°C': 1 },
  watt: decimal('W'),
  hertz: decimal('Hz'),
};

const ages: Factors = { second: 1, minute: 60, hour: 3600, day: 86400, month: 2629800, year: 31557600 };

// "a day ago" is half as much to twice as much: months and years are rounded hard.
function saysAge(text: string, age: number): boolean {
  if (text === 'a few seconds ago') return Math.abs(age) < 60;
  const m = /^(an?|\d+) (second|minute|hour|day|month|year)s? ago$/.exec(text);
  if (!m) return false;
  const n = (m[1].startsWith('a') ? 1 : Number(m[1])) * ages[m[2]];
  return age > n * 0.6 && age < n * 1.7;
}

const ownCount = /^count:(.+)$/;

const factorsOf = (unit: string): Factors | undefined => suffixes[unit] ?? (ownCount.test(unit) ? counted(ownCount.exec(unit)![1]) : undefined);

/** Whether there is a way to read a unit. */
export const canRead = (unit: string) => factorsOf(unit) !== undefined || unit === 'dateTimeFromNow';

/** Whether a text says a value in a unit, to the digits that it shows. now: Unix seconds. */
export function says(text: string, value: number, unit: string, now: number): boolean {
  if (unit === 'dateTimeFromNow') return saysAge(text, now - value / 1000);
  const m = /^([-−]?)(\d[\d,]*)(?:\.(\d+))?\s*(.*)$/u.exec(text);
  if (!m) return Number.isNaN(value) && text === 'NaN';
  const factor = factorsOf(unit)?.[m[4]];
  if (factor === undefined) return false;
  const decimals = m[3]?.length ?? 0;
  const shown = Number(`${m[2].replace(/,/g, '')}.${m[3] ?? '0'}`) * (m[1] ? -1 : 1);
  return Math.abs(shown - value / factor) <= 0.5 * 10 ** -decimals * 1.0001 + 1e-9;
}
