// Monitoring of the bridge: requests by caller, with their answers, and listeners.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { ACCOUNT, eventually, GATEWAY, runningGateway } from '../running-gateway.ts';

const BRIDGE = `bridge:
  enabled: true
  port: 0
  limits: { streamsPerCallerMax: 1 }
  callers:
    - { name: desk, token: "file:secrets/desk.token", tradingAccounts: ["${ACCOUNT}"], functions: [market-data, stream] }
`;

test('measures bridge requests and listeners by caller, unknown ones under an empty name', async () => {
  const gateway = await runningGateway({ 'gateway.yaml': GATEWAY + BRIDGE });
  const { url } = gateway.engine.bridge!;
  const token = readFileSync(join(gateway.stateDirectory, 'secrets', 'desk.token'), 'utf8').trim();
  const get = async (path: string, bearer = token): Promise<number> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${bearer}` } })).status;
  const measured = async (): Promise<string[]> => {
    const headers = { authorization: `Bearer ${gateway.token}` };
    const text = await (await fetch(new URL('/metrics', gateway.url), { headers })).text();
    return text.split('\n').filter((line) => /^crossgate_bridge_(?!.*bucket|.*_sum)/.test(line));
  };
  // There before the first one: what begins with 1 has not increased.
  expect(await measured()).toEqual([
    'crossgate_bridge_requests_in_flight{caller="desk"} 0',
    'crossgate_bridge_streams{caller="desk"} 0',
    'crossgate_bridge_listeners_dropped_total{caller="desk"} 0',
  ]);
  await eventually('markets', async () => (await get('/trading-api/v1/markets')) === 200);
  expect(await get('/trading-api/v1/nothing')).toBe(404);
  expect(await get('/trading-api/v1/orders', 'a-token-of-nobody-at-all-1')).toBe(404);
  expect(await get('/trading-api/v2/orders', 'a-token-of-nobody-at-all-1')).toBe(401);
  await eventually('the private stream', async () => gateway.engine.administration.health().ready);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/trading-api/v1/private-data`, {
    headers: { authorization: `Bearer ${token}` },
  });
  onTestFinished(() => socket.terminate());
  await new Promise((resolve) => socket.once('open', resolve));
  const lines = await measured();
  for (const line of [
    /^crossgate_bridge_requests_total\{caller="desk",status="200"\} [1-9]/,
    /^crossgate_bridge_requests_total\{caller="",status="404"\} 2$/,
    /^crossgate_bridge_requests_total\{caller="",status="401"\} 1$/,
    /^crossgate_bridge_request_seconds_count\{caller="desk"\} [1-9]/,
    /^crossgate_bridge_streams\{caller="desk"\} 1$/,
  ]) {
    expect(
      lines.filter((one) => line.test(one)),
      String(line),
    ).toHaveLength(1);
  }
  // More messages than a listener may send.
  for (let i = 0; i < 200; i++) socket.ping();
  await eventually('the end of the listener', async () =>
    (await measured()).includes('crossgate_bridge_listeners_dropped_total{caller="desk"} 1'),
  );
  expect(await measured()).toContain('crossgate_bridge_streams{caller="desk"} 0');
});
