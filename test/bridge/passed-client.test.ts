// The client of a request where a process in front owns the port: the header that names it counts beside the token of that process only.

import { expect, test } from 'vitest';
import { BridgeClients, clientNamedIn, headersNaming } from '../../src/bridge/passed-client.ts';

const TOKEN = 'token-of-this-start';
const PEER = '::ffff:127.0.0.1';

function headersOf(rawHeaders: readonly string[]): Record<string, string> {
  return Object.fromEntries(rawHeaders.flatMap((name, k) => (k % 2 === 0 ? [[name, rawHeaders[k + 1]!]] : [])));
}

test.each([
  { address: '203.0.113.7', isSecure: true },
  { address: '2001:db8::7', isSecure: false },
  { address: 'fe80::7%eth0', isSecure: true },
])('the client %j that the process in front names is the one of the request', (client) => {
  const headers = headersOf(headersNaming(client, TOKEN));
  expect(new BridgeClients(TOKEN, false).of({ headers, ip: PEER })).toEqual(client);
  expect(clientNamedIn(headersOf(headersNaming(client, null)))).toEqual(client);
});

test.each([
  ['without a token', null],
  ['with another token', 'token-of-that-start'],
  ['with a longer token', `${TOKEN}x`],
  ['with half of the token', 'token-of'],
])('a client that is named %s counts for nothing', (_, token) => {
  const headers = headersOf(headersNaming({ address: '203.0.113.7', isSecure: true }, token));
  const clients = new BridgeClients(TOKEN, false);
  expect(clients.of({ headers, ip: PEER })).toEqual({ address: '127.0.0.1', isSecure: false });
  expect(clients.isPassedOn(headers)).toBe(false);
});

test('a bridge that owns its port believes no header', () => {
  const headers = headersOf(headersNaming({ address: '203.0.113.7', isSecure: false }, TOKEN));
  const clients = new BridgeClients(null, true);
  expect(clients.of({ headers, ip: '198.51.100.1' })).toEqual({ address: '198.51.100.1', isSecure: true });
  expect(clients.of({ headers: { ...headers, 'x-crossgate-front': '' }, ip: '198.51.100.1' }).isSecure).toBe(true);
});

test.each(['', 'https', 'https ', 'ftp 203.0.113.7', 'https 203.0.113.7, https 192.0.2.1', 'https host.example'])(
  'the client "%s" is none, and the request is of its peer',
  (text) => {
    const headers = { 'x-crossgate-front': TOKEN, 'x-crossgate-client': text };
    expect(clientNamedIn(headers)).toBeNull();
    expect(new BridgeClients(TOKEN, false).of({ headers, ip: PEER }).address).toBe('127.0.0.1');
  },
);
