// Market data through the dispatcher, the real machines and a journal in memory: numbers are recorded without bytes. A
// counterparty that does not read delays only its own market data, and reports pass it.

import { beforeEach, expect, test } from 'vitest';
import { CommitQueue } from '../../src/engine/sessions/commit-queue.ts';
import { Deadlines } from '../../src/engine/sessions/deadlines.ts';
import { Dispatcher } from '../../src/engine/sessions/dispatcher.ts';
import type { SessionSlot } from '../../src/engine/sessions/session-slot.ts';
import type { MarketDataEvent } from '../../src/exchange/mod.ts';
import { Gateway, type GatewayInput } from '../../src/gateway/mod.ts';
import { GatewayApplication } from '../../src/runtime/gateway-application.ts';
import { MarketDataPace } from '../../src/runtime/market-data-pace.ts';
import { type OutboundMessage, Session } from '../../src/session/mod.ts';
import { type JournalEntry, openMemoryJournal } from '../../src/store/mod.ts';
import { fromPrintable, MessageDraft, toPrintable, viewOf } from '../../src/wire/mod.ts';
import { ACCOUNT, gatewayConfig, market, T0 } from '../gateway/desk.ts';
import { acceptAll, sessionConfig } from '../support/session/session-machine.ts';

const SESSION = 'FIX.4.4:XGATE->OMS';
const SUBSCRIBE = '35=V|262=m|263=1|264=0|265=0|267=1|269=0|146=1|55=BTCUSDC';

let sent: string[];
let buffered: number;
let follows: string[];
let commits: CommitQueue;
let dispatcher: Dispatcher<GatewayInput>;
let slot: SessionSlot;
let entries: () => Promise<JournalEntry[]>;
let msgSeqNum: number;

function message(body: string): void {
  const [msgType, ...rest] = body.split('|');
  const head = `${msgType}|49=OMS|56=XGATE|34=${msgSeqNum++}|52=20260105-12:00:00.000`;
  const view = viewOf(fromPrintable([head, ...rest, ''].join('|'), 'FIX.4.4'))!;
  const authentication = { kind: msgType === '35=A' ? ('accepted' as const) : ('notLogon' as const) };
  dispatcher.sessionInput(slot, { kind: 'message', view, authentication });
}

function book(price: string): void {
  const bids = [{ price, quantity: '1' }];
  const event: MarketDataEvent = {
    kind: 'book',
    depth: 'l2',
    book: { symbol: 'BTCUSDC', sequence: 1n, bids, asks: [], updatedAt: null },
  };
  dispatcher.applicationInput({ kind: 'marketData', event });
}

/** Wait until something holds; looked at whenever the event loop comes round. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

const said = (msgType: string): string[] => sent.filter((text) => text.includes(`|35=${msgType}|`));
const pricesSaid = (): string[] => said('W').map((text) => /\|270=([^|]*)\|/.exec(text)?.[1] ?? 'none');

/** Departures are examined as soon as the event loop comes round: then the output is free, if it is. */
const looked = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(async () => {
  const taken: string[] = [];
  sent = taken;
  buffered = 0;
  follows = [];
  msgSeqNum = 1;
  const journal = openMemoryJournal();
  entries = async () => {
    const all: JournalEntry[] = [];
    for await (const entry of journal.entries()) all.push(entry);
    return all;
  };
  const marketData = { symbolsPerRequestMax: 10, subscriptionsMax: 10 };
  const gateway = new Gateway(gatewayConfig({ sessionId: SESSION, marketData }), { orders: new Map() });
  commits = new CommitQueue({ journal, pendingMax: 100, onHealth: () => {}, onPressure: () => {} });
  // Late events of the last test must not reach this one.
  const own = (): Dispatcher<GatewayInput> => made;
  const input = (one: GatewayInput): void => own().applicationInput(one);
  const application = new GatewayApplication({
    gateway,
    outside: {
      submit: () => {},
      user: () => {},
      bridge: () => {},
      lookup: () => {},
      ask: () => {},
      manage: () => {},
      alarm: () => {},
    },
    log: () => {},
    now: () => T0,
    durabilityOf: (sessionId) => own().slots.get(sessionId)?.durability,
    input,
    marketData: {
      follow: ({ kind, topic, subject }) => void follows.push(`${kind} ${topic} ${subject}`),
      followPrice: () => {},
      pace: new MarketDataPace({ slotOf: (sessionId) => own().slots.get(sessionId), input }),
    },
  });
  const loadOutbound = (
    { sessionId }: SessionSlot,
    effect: { readonly requestId: number; readonly series: number; readonly from: number; readonly to: number },
  ): void => {
    const { requestId, series, from, to } = effect;
    void journal.loadOutbound(sessionId, series, from, to).then((messages: OutboundMessage[]) => {
      dispatcher.sessionInput(slot, { kind: 'outboundLoaded', requestId, messages });
    });
  };
  const made = new Dispatcher<GatewayInput>({
    application,
    recorder: application,
    commits,
    deadlines: new Deadlines(),
    now: () => T0,
    log: () => {},
    afterTurn: () => {},
    outside: { loadOutbound, sessionChanged: () => {}, alarm: () => {} },
  });
  dispatcher = made;
  slot = {
    sessionId: SESSION,
    machine: new Session(sessionConfig({ sessionId: SESSION }), acceptAll, null),
    durability: 'process',
    wire: {
      send: (bytes) => taken.push(toPrintable(bytes)),
      close: () => {},
      get bufferedBytes() {
        return buffered;
      },
    },
    enabled: true,
    retired: false,
  };
  dispatcher.addSession(slot);
  dispatcher.applicationInput({ kind: 'markets', markets: [market('BTCUSDC')] });
  dispatcher.applicationInput({ kind: 'feed', credential: 'primary', feed: 'private', live: true });
  dispatcher.applicationInput({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  dispatcher.sessionInput(slot, { kind: 'connected', remote: 'test' });
  message('35=A|98=0|108=30');
  message(SUBSCRIBE);
  book('1.0');
  await until(() => said('W').length === 1);
  await looked();
});

test('D4 of market data the number and the type are recorded before the bytes leave, the bytes never', async () => {
  expect(follows).toEqual(['follow l2Orderbook BTCUSDC']);
  await commits.idle();
  const records = (await entries()).map(({ record }) => record);
  const numbered = records.filter((record) => record.kind === 'outbound');
  expect(numbered.map(({ msgType, msgSeqNum: number, resendable }) => [msgType, number, resendable])).toEqual([
    ['A', 1, false],
    ['W', 2, false],
  ]);
  expect(numbered[1]!.raw).toHaveLength(0);
  expect(records.some((record) => record.kind === 'exchangeInput' && record.json.includes('"marketData"'))).toBe(false);
});

test('D4 while the counterparty does not read, only the latest waits; a report goes out at once', async () => {
  buffered = 1_000_000;
  book('2.0');
  await until(() => said('W').length === 2);
  for (let i = 3; i <= 100; i++) book(`${i}.0`);
  const clOrdID = 'never-mind';
  message(`35=F|11=${clOrdID}|41=nothing|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00.000`);
  await until(() => said('9').length === 1);
  expect(pricesSaid()).toEqual(['1.0', '2.0']);
  buffered = 0;
  await until(() => said('W').length === 3);
  expect(pricesSaid()).toEqual(['1.0', '2.0', '100.0']);
  expect(sent.map((text) => Number(/\|34=(\d+)\|/.exec(text)![1]))).toEqual([1, 2, 3, 4, 5]);
});

test('D4 a batch that is not recorded yet keeps the next one waiting', async () => {
  for (let i = 2; i <= 50; i++) book(`${i}.0`);
  await until(() => pricesSaid().includes('50.0'));
  // Between the first and the last those that were made while a batch was on its way were left out.
  expect(said('W').length).toBeLessThan(10);
});

test('S11 a ResendRequest gets a gap fill for market data, followed by a full refresh', async () => {
  message(SUBSCRIBE.replace('262=m|263=1|264=0|265=0', '262=n|263=1|264=0|265=1'));
  await until(() => said('W').length === 2);
  await looked();
  book('6.0');
  await until(() => said('X').length === 1);
  await looked();
  message('35=2|7=1|16=0');
  await until(() => said('4').length === 1);
  expect(said('4')[0]).toMatch(/\|34=1\|.*\|36=6\|/);
  book('7.0');
  await until(() => said('W').filter((text) => text.includes('|262=n|')).length === 2);
  expect(said('W').at(-1)).toContain('|262=n|55=BTCUSDC|268=1|269=0|270=7.0|');
});

test('S11 after the gap fill for market data the whole comes at once, though no market says anything new', async () => {
  const before = said('W').length;
  message('35=2|7=1|16=0');
  await until(() => said('4').length === 1);
  await until(() => said('W').length > before);
  expect(said('W').at(-1)).toContain('|262=m|55=BTCUSDC|268=1|269=0|270=1.0|');
  // Said once, not for ever.
  await looked();
  await looked();
  expect(said('W')).toHaveLength(before + 1);
});

test("data after either side's Logout consumes no number", async () => {
  message('35=5');
  const { nextSenderMsgSeqNum } = slot.machine.numbers;
  book('9.0');
  await commits.idle();
  expect(slot.machine.numbers.nextSenderMsgSeqNum).toBe(nextSenderMsgSeqNum);
  dispatcher.sessionInput(slot, { kind: 'send', draft: new MessageDraft('W'), perishable: true });
  expect(slot.machine.numbers.nextSenderMsgSeqNum).toBe(nextSenderMsgSeqNum);
  await commits.idle();
  expect(follows.at(-1)).toBe('unfollow l2Orderbook BTCUSDC');
});
