// Long answers of the admin API: who gets them compressed, and that they are the same.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Compression } from '../../../src/ops/admin/compressed-answers.ts';
import { type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

interface Answer {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function asked(gateway: RunningGateway, path: string, accepts?: string, method = 'GET'): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${gateway.token}`,
    ...(accepts === undefined ? {} : { 'accept-encoding': accepts }),
  };
  const asking = request(new URL(path, gateway.url), { method, headers }).end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  return { headers: answer.headers, body: await buffer(answer) };
}

/** As many that the overview is some ten thousand characters. */
function manySessions(): Record<string, string> {
  const names = Array.from({ length: 30 }, (_, index) => `OMS${index}`);
  return Object.fromEntries(names.map((name) => [`${name}.yaml`, sessionFile(name)]));
}

test("compresses the console's data for a browser to less than a fifth, unchanged", async () => {
  const gateway = await runningGateway(manySessions());
  for (const path of ['/api/overview', '/api/sessions', '/api/configuration', '/metrics']) {
    const plain = await asked(gateway, path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers.vary).toBe('accept-encoding');
    const { headers, body } = await asked(gateway, path, 'gzip, deflate, br, zstd');
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(headers['content-type']).toBe(plain.headers['content-type']);
    expect(headers['content-length']).toBe(`${body.length}`);
    expect(body.length).toBeLessThan(plain.body.length / 5);
    expect(gunzipSync(body).toString()).toContain('OMS29');
  }
  const shown = JSON.parse(gunzipSync((await asked(gateway, '/api/sessions', 'gzip')).body).toString());
  expect(shown).toEqual((await gateway.ask('/api/sessions')).body);
});

test('compresses no answer without Accept-Encoding, and no short one', async () => {
  const gateway = await runningGateway(manySessions());
  const coding = async (path: string, accepts: string): Promise<string> =>
    (await asked(gateway, path, accepts)).headers['content-encoding'] ?? 'none';
  for (const accepts of ['', 'identity', 'br', 'gzip;q=0', 'GZIP; q=0.000', '*;q=1, gzip;q=0', 'gzipped', 'gzip;q=x'])
    expect([accepts, await coding('/api/sessions', accepts)]).toEqual([accepts, 'none']);
  for (const accepts of ['gzip', 'GZip', 'x-gzip', '*', 'br;q=1, gzip;q=0.1', 'identity;q=0.5,gzip ; q=0.5'])
    expect([accepts, await coding('/api/sessions', accepts)]).toEqual([accepts, 'gzip']);
  const short = await asked(gateway, '/api/kill-switches', 'gzip');
  expect(short.headers['content-encoding']).toBeUndefined();
  expect(JSON.parse(short.body.toString())).toEqual({ killSwitches: [] });
});

test('HEAD is answered with the headers of GET and nothing else', async () => {
  const gateway = await runningGateway(manySessions());
  const [whole, head] = [
    await asked(gateway, '/api/sessions', 'gzip'),
    await asked(gateway, '/api/sessions', 'gzip', 'HEAD'),
  ];
  expect(head.body.length).toBe(0);
  const without = ({ date: _, ...headers }: Answer['headers']): object => headers;
  expect(without(head.headers)).toEqual(without(whole.headers));
});

test('an answer that several pages get is compressed once', async () => {
  const compression = new Compression();
  const text = 'the overview '.repeat(1000);
  const first = compression.of(text);
  expect(compression.of(`${text}`)).toBe(first);
  expect(gunzipSync(await first).toString()).toBe(text);
  const other = compression.of(`${text}, a second later`);
  expect(gunzipSync(await other).toString()).toBe(`${text}, a second later`);
});
