// A stranger's page in a desk's browser: DNS rebinding gets no answer, and a stream's cookie works for pages of the
// bridge and of listed origins only.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { isOwnHost } from '../../src/base/host-names.ts';
import { type Desk, FULL_TOKEN, startDesk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
});
afterAll(() => desk.close());

/** Status and problem code of a GET that names that Host. */
function answerAt(host: string, path = '/openapi.json'): Promise<{ status: number; code?: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${FULL_TOKEN}` };
    const sent = request(desk.bridge.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
        resolve({ status: response.statusCode ?? 0, ...(code === undefined ? {} : { code }) });
      });
    });
    sent.on('error', reject).end();
  });
}

const statusAt = async (host: string, path?: string): Promise<number> => (await answerAt(host, path)).status;
const codeAt = async (host: string): Promise<string | undefined> => (await answerAt(host)).code;

test('a request under a name that is none of the bridge is refused with 421, as after DNS rebinding', async () => {
  expect(await statusAt('attacker.example')).toBe(421);
  expect(await statusAt('attacker.example', '/trading-api/v1/markets')).toBe(421);
  expect(await statusAt('attacker.example:8460')).toBe(421);
  expect(await statusAt('bridge.example.com.attacker.example')).toBe(421);
  expect(await statusAt('firm.example')).toBe(421);
  expect(await codeAt('attacker.example')).toBe('host-unknown');
  const { port } = new URL(desk.bridge.url);
  for (const host of [`127.0.0.1:${port}`, 'localhost', '[::1]', 'BRIDGE.example.com', 'desk.firm.example:443']) {
    expect([host, await statusAt(host)]).toEqual([host, 200]);
  }
});

test.each([
  ['127.0.0.1.attacker.example', false],
  ['localhost.attacker.example', false],
  ['localhost.', true],
  ['', false],
  ['user@localhost', false],
  ['a b', false],
  ['[::ffff:1.2.3.4]:1', true],
])('the Host "%s" is the own one: %s', (host, own) => {
  expect(isOwnHost(host, [])).toBe(own);
});

/** Whether a stream opens, or the status of the refusal. */
function opens(headers: Record<string, string>): Promise<'open' | 'origin-forbidden' | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${desk.bridge.url.replace('http', 'ws')}/trading-api/v1/private-data`, { headers });
    socket.on('open', () => {
      resolve('open');
      socket.close();
    });
    socket.on('unexpected-response', (_request, response) => {
      response.setEncoding('utf8').on('data', (body: string) => {
        const { code } = JSON.parse(body) as { code: string };
        resolve(code === 'origin-forbidden' ? code : (response.statusCode ?? 0));
      });
    });
    socket.on('error', reject);
  });
}

describe('a stream that a cookie authenticates', () => {
  const cookie = `JWT_COOKIE=${FULL_TOKEN}`;

  test('opens for a program, for a page of the bridge and for a listed origin, and for no other page', async () => {
    expect(await opens({ cookie })).toBe('open');
    expect(await opens({ cookie, origin: desk.bridge.url })).toBe('open');
    expect(await opens({ cookie, origin: 'https://DESK.example.com' })).toBe('open');
    for (const origin of ['https://attacker.example', 'null', 'http://127.0.0.1:1', 'https://desk.example.com.evil']) {
      expect([origin, await opens({ cookie, origin })]).toEqual([origin, 'origin-forbidden']);
    }
  });

  test('needs no origin where the token is borne in Authorization, which no browser sends by itself', async () => {
    const authorization = `Bearer ${FULL_TOKEN}`;
    expect(await opens({ authorization, origin: 'https://attacker.example' })).toBe('open');
  });
});
