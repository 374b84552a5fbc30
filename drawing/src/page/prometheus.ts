// Prometheus's HTTP API, through the server that hands out this page.

export interface Sample {
  metric: Record<string, string>;
  value?: [number, string];
  values?: Array<[number, string]>;
}

async function get(path: string, params: Record<string, string | number>): Promise<any> {
  const form = new URLSearchParams(Object.entries(params).map(([k, v]) => [k, String(v)]));
  const answer = await fetch(`/api/v1/${path}?${form}`);
  const body = await answer.json();
  if (body.status !== 'success') throw new Error(`${params.query ?? params['match[]'] ?? path}: ${body.error}`);
  const said = [...(body.warnings ?? []), ...(body.infos ?? [])];
  if (said.length > 0) throw new Error(`${params.query}: ${said.join('; ')}`);
  return body.data;
}

export async function instant(query: string, time: number): Promise<Sample[]> {
  const data = await get('query', { query, time });
  if (data.resultType === 'scalar') return [{ metric: {}, value: data.result }];
  return data.result;
}

export async function overTime(query: string, start: number, end: number, step: number): Promise<Sample[]> {
  return (await get('query_range', { query, start, end, step })).result;
}

export async function labelValues(label: string, match: string | undefined, start: number, end: number): Promise<string[]> {
  return get(`label/${label}/values`, { ...(match ? { 'match[]': match } : {}), start, end });
}

/** Prometheus writes what JSON cannot hold as words. */
export function number(text: string): number {
  switch (text) {
    case '+Inf':
      return Infinity;
    case '-Inf':
      return -Infinity;
  }
  return Number(text);
}
