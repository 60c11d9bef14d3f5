// A host and a port in one text.

import { expect, test } from 'vitest';
import { hasPasswordBehindHost, hostPort, httpUrl, namesSeveralHosts } from '../../src/base/host-port.ts';

test('puts an IPv6 address in brackets before its port', () => {
  expect(hostPort('::1', 9876)).toBe('[::1]:9876');
  expect(hostPort('fe80::1%eth0', 1)).toBe('[fe80::1%eth0]:1');
  expect([hostPort('127.0.0.1', 9876), hostPort('fix.example', 443)]).toEqual(['127.0.0.1:9876', 'fix.example:443']);
});

test("calls a listener on all addresses by this machine's: no browser opens 0.0.0.0", () => {
  expect([httpUrl('0.0.0.0', 8480), httpUrl('::', 8480)]).toEqual(['http://127.0.0.1:8480', 'http://[::1]:8480']);
  expect([httpUrl('10.1.2.3', 80), httpUrl('localhost', 80)]).toEqual(['http://10.1.2.3:80', 'http://localhost:80']);
});

test('splits an address at commas between hosts, but not inside a password or after the host', () => {
  for (const several of [
    'postgresql://me:pw@one,two/x',
    'postgres://one:1,two:2/x',
    'postgresql://me:p,w@one,two:5432/x',
  ]) {
    expect([several, namesSeveralHosts(several)]).toEqual([several, true]);
  }
  for (const one of [
    'postgresql://me:p,w@one:5432/x',
    'postgresql://one/a,b',
    'postgresql://one?options=a,b',
    '/run/a,b',
  ]) {
    expect([one, namesSeveralHosts(one)]).toEqual([one, false]);
  }
});

test("takes an @ after the host as part of an unescaped password, except in a user's database name", () => {
  for (const [address, is] of [
    ['postgresql://me:pw@one:5432/my@base', false],
    ['postgresql://me@one/my@base?sslmode=verify-full', false],
    ['postgres:///my@base?host=/run/postgresql', false],
    ['socket:/run/a@b?db=x', false],
    ['postgresql://one/x?user=me@here', false],
    ['postgresql://me:12/pw@one:5432/x', true],
    ['postgresql://me:p@w/pw@one:5432/x', true],
    ['postgresql://me:p@w?pw@one:5432/x', true],
    ['postgresql://me:p@w#pw@one:5432/x', true],
    ['postgresql://me:12/pw@one', true],
  ] as const) {
    expect([address, hasPasswordBehindHost(new URL(address))]).toEqual([address, is]);
  }
});
