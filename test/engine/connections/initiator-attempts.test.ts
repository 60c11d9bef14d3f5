// When and where an initiator connects again: the pauses and the addresses of attempts that come to nothing, on timers that
// are played.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { FairTurns } from '../../../src/engine/connections/fair-turns.ts';
import { FixInitiator, type FixInitiatorOptions } from '../../../src/engine/connections/initiator.ts';
import { FIX_LIMITS } from '../../../src/engine/library/fix-engine-options.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import { WEEKDAYS } from '../../../src/session/mod.ts';
import { DataFields, MessageView } from '../../../src/wire/mod.ts';
import { freePort } from '../../support/network/free-port.ts';

const CONNECT_TIMEOUT_MS = 60_000;
const LOGON_TIMEOUT_MS = 50_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const SLOT = { sessionId: 'FIX.4.4:US->HUB', machine: { dataFields: DataFields.STANDARD }, enabled: true };

function connectTo(ports: readonly number[], reconnectFirstMs = 1000) {
  return {
    addresses: ports.map((port) => ({ host: '127.0.0.1', port })),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    reconnectFirstMs,
    reconnectLargestMs: 8000,
    tls: null,
  };
}

/** Let so many attempts fail. @returns the ports that were tried, and the pause after each */
async function fail(attempts: number, ports: readonly number[], now: () => number, onConnected = () => {}) {
  const tried: number[] = [];
  const pauses: number[] = [];
  let failed = Promise.withResolvers<void>();
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const sessions = { beginChunk: () => {}, endChunk: () => {}, record: () => {}, sessionInput: () => {} };
  const initiator = new FixInitiator({
    readSecrets: () => {},
    sessions: sessions as unknown as FixInitiatorOptions['sessions'],
    limits: FIX_LIMITS,
    view: new MessageView(),
    turns: new FairTurns(),
    log: (_level, text, fields) => {
      if (text === 'connected') {
        setImmediate(onConnected);
        return;
      }
      if (text.startsWith('connection closed')) slot.wire = null;
      tried.push(Number(String(fields?.place ?? fields?.remote).split(':')[1]));
      // The pause is set before the next turn.
      setImmediate(failed.resolve);
    },
    alarm: () => {},
    now,
  });
  const connect = connectTo(ports);
  const slot = { ...SLOT, wire: null } as unknown as SessionSlot;
  const session = { logonTimeoutMs: LOGON_TIMEOUT_MS };
  initiator.start(slot, { session, connect } as unknown as Parameters<FixInitiator['start']>[1]);
  for (let attempt = 0; attempt < attempts; attempt++) {
    failed = Promise.withResolvers<void>();
    vi.advanceTimersToNextTimer();
    await failed.promise;
    pauses.push(Number(timers.mock.lastCall?.[1]));
  }
  initiator.stop();
  return { tried, pauses };
}

test('the first pause is reconnectFirstMs, and each is twice the one before', async () => {
  const { pauses } = await fail(5, [await freePort()], () => 0);
  for (const [n, base] of [1000, 2000, 4000, 8000, 8000].entries()) {
    expect(pauses[n]).toBeGreaterThanOrEqual(base * 0.75);
    expect(pauses[n]).toBeLessThan(base * 1.25);
  }
});

test('an address that is given up only after a minute is followed by the next all the same', async () => {
  const ports = [await freePort(), await freePort()];
  let clock = 0;
  const { tried, pauses } = await fail(4, ports, () => {
    clock += CONNECT_TIMEOUT_MS;
    return clock;
  });
  expect(tried).toEqual([ports[0], ports[1], ports[0], ports[1]]);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(6000);
});

test('so is one that takes the connection and lets the Logon wait for its whole time', async () => {
  const taken: Socket[] = [];
  const servers = [1, 2].map(() => createServer((socket) => void taken.push(socket)).listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  onTestFinished(() => servers.forEach((server) => void server.close()));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  const reset = (): void => {
    if (taken.length === 0) setImmediate(reset);
    for (const socket of taken.splice(0)) socket.resetAndDestroy();
  };
  let clock = 0;
  const passes = (ms: number) => () => {
    clock += ms;
    return clock;
  };
  expect((await fail(3, ports, passes(LOGON_TIMEOUT_MS + 5000), reset)).tried).toEqual([ports[0], ports[1], ports[0]]);
  // A connection that held begins at the first address again, with the first pause.
  const { tried, pauses } = await fail(3, ports, passes(LOGON_TIMEOUT_MS + 30_000), reset);
  expect(tried).toEqual([ports[0], ports[0], ports[0]]);
  for (const pause of pauses) expect(pause).toBeLessThan(1250);
});

test('a session that opens in a few seconds is connected when it does, however long the first pause is', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const initiator = new FixInitiator({
    readSecrets: () => {},
    sessions: {} as FixInitiatorOptions['sessions'],
    limits: FIX_LIMITS,
    view: new MessageView(),
    turns: new FairTurns(),
    log: () => {},
    alarm: () => {},
    now: () => Date.parse('2026-01-05T07:59:55Z'),
  });
  const window = { days: WEEKDAYS, from: '08:00', to: '17:00', toDay: null };
  const schedule = { timeZone: 'UTC', windows: [window], holidays: [], resets: [] };
  const setup = { session: { logonTimeoutMs: LOGON_TIMEOUT_MS, schedule }, connect: connectTo([1], 8000) };
  const slot = { ...SLOT, wire: null } as unknown as SessionSlot;
  initiator.start(slot, setup as unknown as Parameters<FixInitiator['start']>[1]);
  vi.advanceTimersToNextTimer();
  initiator.stop();
  expect(timers.mock.lastCall?.[1]).toBe(5000);
});
