import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Panel } from '../page/dashboard';
import type { DrawnPanel } from '../page/record';
import { compare } from './numbers';

const answers: Record<string, unknown[]> = {
  all: [{ metric: { b: 'x' }, values: [[10, '1'], [20, '5']] }, { metric: { b: 'y' }, values: [[10, '2'], [20, '4']] }, { metric: { b: 'z' }, values: [[10, '2'], [20, '3']] }],
};

const server = createServer(async (req, res) => {
  let body = '';
  for await (const chunk of req) body += chunk;
  res.end(JSON.stringify({ status: 'success', data: { resultType: 'matrix', result: answers[new URLSearchParams(body).get('query')!.trim()] } }));
});
let url = '';
before(async () => {
  await new Promise<void>((ok) => server.listen(0, '127.0.0.1', ok));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const graph = { id: 1, type: 'timeseries', gridPos: { x: 0, y: 0, w: 1, h: 1 } } as Panel;

function drawn(expr: string, series: Record<string, Array<[number, number]>>): DrawnPanel {
  return {
    key: '1', id: 1, type: 'timeseries', title: '', problems: [], ready: true,
    asked: [{ refId: 'A', expr, format: 'time_series', legend: '{{b}}', step: 10, start: 10, end: 20 }],
    frames: Object.entries(series).map(([b, points]) => ({
      refId: 'A',
      fields: [
        { name: 'Time', title: 'Time', type: 'time', values: points.map((p) => p[0] * 1000) },
        { name: 'Value', title: b, type: 'number', labels: { b }, values: points.map((p) => p[1]) },
      ],
    })),
  };
}

const differences = (d: DrawnPanel) => compare(url, graph, d, { texts: [], legend: [] });

test('what is drawn as it was answered has no difference', async () => {
  assert.deepEqual(await differences(drawn('all', { x: [[10, 1], [20, 5]], y: [[10, 2], [20, 4]], z: [[10, 2], [20, 3]] })), []);
});

test('a wrong value, a lost series and one too many are each found', async () => {
  assert.match((await differences(drawn('all', { x: [[10, 1], [20, 6]], y: [[10, 2], [20, 4]], z: [[10, 2], [20, 3]] })))[0], /x: draws 6 where Prometheus says 5/);
  assert.match((await differences(drawn('all', { x: [[10, 1], [20, 5]], y: [[10, 2], [20, 4]] })))[0], /"z".*not drawn/);
  assert.match((await differences(drawn('all', { x: [[10, 1], [20, 5]], y: [[10, 2], [20, 4]], z: [[10, 2], [20, 3]], w: [[10, 1]] })))[0], /draws w/);
});

test('of the highest, equal ones may stand for each other', async () => {
  for (const tie of ['y', 'z']) assert.deepEqual(await differences(drawn('topk(1, all)', { x: [[20, 5]], [tie]: [[10, 2]] })), []);
  assert.match((await differences(drawn('topk(1, all)', { x: [[10, 1], [20, 5]] })))[0], /draws 1 where the best are 2/);
});
