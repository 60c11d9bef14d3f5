// Work too large for one turn, such as cancels or statuses of very many orders, goes in chunks. Other counterparties
// are served in between, and the end of the process at any chunk loses and doubles nothing.

import { describe, expect, test } from 'vitest';
import { PIECE_ORDERS } from '../../../src/gateway/state/chunked-work.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import {
  ACCOUNT,
  Desk,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
  summary,
  T0,
  textOf,
} from '../desk.ts';

const OTHER = 'FIX.4.4:XG->OTHER';
const COUNT = 2 * PIECE_ORDERS + 50;

/** A desk on which this many orders work. */
function working(
  count = COUNT,
  more: Parameters<typeof gatewayConfig>[1] = {},
  ended = false,
  other: Parameters<typeof sessionConfig>[0] = {},
): Desk {
  const limits = { ...sessionConfig().limits, openOrdersMax: 10_000 };
  const sessions = [sessionConfig({ limits }), sessionConfig({ ...other, sessionId: OTHER })];
  const desk = new Desk(gatewayConfig({}, { sessions, ...more }), { ended });
  for (let i = 1; i <= count; i++) {
    desk.oms(LIMIT.replace('o-1', `o-${i}`));
    desk.accepted(undefined, `${9000 + i}`);
    desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}` });
  }
  desk.sent.length = 0;
  desk.submitted.length = 0;
  desk.effects.length = 0;
  return desk;
}

/** ExchangeOrder ids of the cancels sent. */
const cancelled = ({ submitted }: Desk): (string | null)[] =>
  submitted.map(({ command }) => (command.kind === 'cancelOrder' ? command.orderId : command.kind));
const allIds = Array.from({ length: COUNT }, (_, i) => `${9001 + i}`);

/** One tick, as the machine asks for it. */
function tick(desk: Desk): string[] {
  const at = desk.gateway.deadline();
  expect(at, 'the rest is not done in the same moment').toBeGreaterThan(desk.now);
  desk.now = at!;
  return desk.answers(() => desk.feed({ kind: 'tick' }));
}

describe('a q over many orders', () => {
  test('S7 U4 chunks the work behind its r: others are served, each order is cancelled once, in order', () => {
    const desk = working();
    const [report, ...more] = desk.oms('35=q|11=q-1|530=7|');
    expect([field(report, 35), field(report, 533), more]).toEqual(['r', `${COUNT}`, []]);
    expect(cancelled(desk)).toEqual(allIds.slice(0, PIECE_ORDERS));
    expect(desk.gateway.settled()).toBe(false);
    expect(summary(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|', { sessionId: OTHER }))).toEqual(['I/8']);
    tick(desk);
    expect(cancelled(desk)).toHaveLength(2 * PIECE_ORDERS);
    tick(desk);
    expect(cancelled(desk)).toEqual(allIds);
    desk.advance(100);
    expect(cancelled(desk)).toEqual(allIds);
    expect(desk.records.has(`${SESSION}|o-${COUNT}`)).toBe(true);
    expect([...desk.records.values()].filter((record) => record.includes('"kind":"cancels"'))).toHaveLength(2);
  });

  test('D12 reports events of an order before its chunk once, and drops its cancel', () => {
    const desk = working();
    desk.oms('35=q|11=q-1|530=7|');
    const last = { orderId: `${9000 + COUNT}`, clientOrderId: `${COUNT}` };
    expect(summary(desk.oms(`35=G|11=g|41=o-${COUNT}|55=BTCUSDC|54=1|38=2|40=2|44=101|`))).toEqual(['9/2']);
    const filled = desk.answers(() => {
      desk.trade({ ...last, quantity: '2.00000000', quoteAmount: '200.0' });
      desk.order({ ...last, status: 'CLOSED', quantityFilled: '2.00000000' });
    });
    expect(summary(filled)).toEqual(['F/2']);
    expect(desk.advance(100)).toEqual([]);
    expect(cancelled(desk)).toEqual(allIds.slice(0, -1));
  });

  test.each([false, true])(
    'U4 after a kill cancels no ended order of a later chunk, and leaves no chunk (ended apart: %s)',
    (ended) => {
      const desk = working(COUNT, {}, ended);
      desk.oms('35=q|11=q-1|530=7|');
      const [closed, filled] = [COUNT, COUNT - 1];
      const last = { orderId: `${9000 + closed}`, clientOrderId: `${closed}` };
      desk.order({ ...last, status: 'CANCELLED', statusReasonCode: '6005' });
      desk.trade({ orderId: `${9000 + filled}`, clientOrderId: `${filled}` });
      desk.restart();
      desk.lookups.length = 0;
      desk.advance(1_000);
      const asked = new Set(desk.lookups.map(({ orderId }) => orderId));
      expect(asked).toEqual(new Set(allIds.filter((id) => id !== last.orderId)));
      // The look-ups send the remaining commands again; the chunk itself is done.
      const open = [...desk.records.values()].filter((record) => record.includes('"kind":"cancels"'));
      expect(open.filter((record) => !record.includes('"orders":[]'))).toEqual([]);
      if (ended) expect(open).toEqual([]);
    },
  );

  test('U2 U4 killed between its pieces, no cancel of it is forgotten: each order is looked up, and answered', () => {
    const desk = working();
    desk.oms('35=q|11=q-1|530=7|');
    tick(desk);
    const late = `o-${COUNT}`;
    desk.order({ orderId: '9001', clientOrderId: '1', status: 'CANCELLED', statusReasonCode: '6005' });
    desk.restart();
    expect(desk.gateway.findOrder(SESSION, late)?.pending).toHaveLength(1);
    desk.lookups.length = 0;
    desk.advance(1_000);
    const asked = new Set(desk.lookups.map(({ orderId }) => orderId));
    expect(asked).toEqual(new Set(allIds.slice(1)));
    const { lookupId } = desk.lookups.find(({ orderId }) => orderId === `${9000 + COUNT}`)!;
    const order = exchangeOrder({ orderId: `${9000 + COUNT}`, clientOrderId: `${COUNT}` }, desk.now);
    const outcome = { kind: 'found', order, trades: [], final: true } as const;
    const answers = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
    expect([summary(answers), field(answers[0], 11)]).toEqual([['9/1'], 'q-1']);
    expect(desk.oms('35=q|11=q-1|530=7|').map((text) => field(text, 532))).toEqual(['99']);
    // Recorded work needs no chunk any more.
    desk.restart();
    expect(desk.gateway.findOrder(SESSION, late)?.pending).toEqual([]);
    expect(desk.gateway.findOrder(SESSION, 'o-2')?.pending).toHaveLength(1);
  });

  test("D11 O7 after a kill answers a later chunk's order to the sender of the q, in its names", () => {
    for (const isOther of [false, true]) {
      const desk = working(COUNT, {}, false, { reach: 'accounts' });
      desk.oms('35=q|11=q-1|530=7|50=night|', isOther ? { sessionId: OTHER } : {});
      desk.restart();
      desk.lookups.length = 0;
      desk.advance(1_000);
      const [refused, ended] = [COUNT - 1, COUNT];
      const { lookupId } = desk.lookups.find(({ orderId }) => orderId === `${9000 + refused}`)!;
      const order = exchangeOrder({ orderId: `${9000 + refused}`, clientOrderId: `${refused}` }, desk.now);
      const from = desk.effects.length;
      const outcome = { kind: 'found', order, trades: [], final: true } as const;
      desk.feed({ kind: 'lookedUp', lookupId, outcome });
      const cancelled = { status: 'CANCELLED', statusReasonCode: '6005' } as const;
      desk.order({ orderId: `${9000 + ended}`, clientOrderId: `${ended}`, ...cancelled });
      const sent = desk.effects.slice(from).filter((effect) => effect.kind === 'send');
      const told = sent.map(({ sessionId, draft }) => [sessionId, textOf(draft)] as const);
      const shown = told.map(([id, text]) => [
        id,
        ...summary([text]),
        field(text, 11),
        field(text, 41),
        field(text, 57),
      ]);
      expect(shown).toEqual(
        isOther
          ? [
              [OTHER, '9/1', 'q-1', 'NONE', 'night'],
              [SESSION, '4/4', `o-${ended}`, null, null],
              [OTHER, '4/4', 'q-1', null, 'night'],
            ]
          : [
              [SESSION, '9/1', 'q-1', `o-${refused}`, 'night'],
              [SESSION, '4/4', `o-${ended}`, null, null],
            ],
      );
    }
  });

  test('U4 after a kill does not repeat a recorded cancel of a later chunk', () => {
    const desk = working();
    desk.oms('35=q|11=q-1|530=7|');
    const late = { orderId: `${9000 + COUNT}`, clientOrderId: `${COUNT}` };
    desk.trade({ ...late, quantity: '0.5' });
    desk.restart();
    desk.advance(1_000);
    expect(desk.gateway.findOrder(SESSION, `o-${COUNT}`)?.pending).toHaveLength(1);
  });

  test('C1 C3 chunks the end of a session, a kill switch, and the answer to one command for many', () => {
    const desk = working();
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(cancelled(desk)).toHaveLength(PIECE_ORDERS);
    desk.advance(10);
    expect(cancelled(desk)).toEqual(allIds);
    const killed = working();
    const who = { scope: 'all', name: '', who: 'anna', why: 'drill' } as const;
    killed.feed({ kind: 'killSwitch', action: 'throw', ...who });
    expect(cancelled(killed)).toHaveLength(PIECE_ORDERS);
    killed.advance(10);
    expect(cancelled(killed)).toEqual(allIds);
    const exclusive = working(COUNT, { exclusiveAccounts: [ACCOUNT] });
    exclusive.oms('35=q|11=q-1|530=7|');
    expect(cancelled(exclusive)).toEqual(['cancelAll']);
    exclusive.advance(10);
    const from = exclusive.effects.length;
    exclusive.refused(404, '3002', 'no');
    expect(cancelled(exclusive)).toHaveLength(1 + PIECE_ORDERS);
    expect(exclusive.effects.length - from).toBeLessThan(3 * PIECE_ORDERS);
    exclusive.advance(10);
    expect(cancelled(exclusive)).toEqual(['cancelAll', ...allIds]);
  });
});

describe('an AF over many orders', () => {
  const named = (reports: readonly string[]): (string | null)[] => reports.map((text) => field(text, 11));
  const clOrdIDs = allIds.map((_, i) => `o-${i + 1}`);

  test('D15 is answered in pieces, in order, the last one marked as such; a second one is refused meanwhile', () => {
    const desk = working();
    const reports = desk.oms('35=AF|584=a-1|585=7|');
    expect(reports).toHaveLength(PIECE_ORDERS);
    expect(
      summary(desk.oms('35=D|11=n-1|1=ACC1|55=BTCUSDC|54=1|38=200|40=2|44=100|59=1|', { sessionId: OTHER })),
    ).toEqual(['8/8']);
    const [busy] = desk.oms('35=AF|584=a-2|585=7|');
    expect([field(busy, 35), field(busy, 58)]).toEqual([
      'j',
      'An OrderMassStatusRequest(AF) is being answered: ask again behind its LastRptRequested(912)=Y',
    ]);
    desk.order({
      orderId: `${9000 + COUNT}`,
      clientOrderId: `${COUNT}`,
      status: 'CANCELLED',
      statusReasonCode: '6005',
    });
    reports.push(...tick(desk), ...tick(desk));
    expect(named(reports)).toEqual(clOrdIDs);
    expect(new Set(reports.map((text) => field(text, 911)))).toEqual(new Set([`${COUNT}`]));
    expect(reports.filter((text) => field(text, 912) === 'Y')).toEqual([reports.at(-1)]);
    expect(summary(reports.slice(-1)), 'as it is when it is told').toEqual(['I/4']);
    expect(desk.advance(100)).toEqual([]);
    expect(desk.oms('35=AF|584=a-3|585=7|')).toHaveLength(PIECE_ORDERS);
  });

  test.each(['live', 'logged out'])(
    'U4 killed between its pieces, the next process sends the rest, and nothing twice (%s)',
    (how) => {
      const desk = working();
      const reports = desk.oms('35=AF|584=a-1|585=7|50=desk|');
      reports.push(...tick(desk));
      if (how !== 'live') desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
      desk.sent.length = 0;
      desk.restart();
      desk.advance(50);
      reports.push(...desk.sent.filter((text) => field(text, 150) === 'I'));
      expect(named(reports)).toEqual(clOrdIDs);
      expect(new Set(reports.map((text) => field(text, 57)))).toEqual(new Set(['desk']));
      desk.restart();
      expect(desk.answers(() => desk.advance(50)).filter((text) => field(text, 150) === 'I')).toEqual([]);
    },
  );

  test('D15 S7 sends the reports that its 911 announces, despite a waiting list dropped meanwhile', () => {
    const desk = working(PIECE_ORDERS);
    const entry = (n: number) => `11=l-${n}|67=${n}|1=ACC1|55=BTCUSDC|54=1|38=1|40=2|44=100|59=1|`;
    const raw = `35=E|34=900|49=OMS|56=XG|52=20260105-12:00:00|66=L-1|394=3|68=2|73=2|${entry(1)}${entry(2)}`;
    const view = viewOf(fromPrintable(raw, 'FIX.4.4'))!;
    desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 1_000 });
    const reports = desk.oms('35=AF|584=a-1|585=7|');
    const [dropped] = desk.answers(() => desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' }));
    expect([field(dropped, 35), field(dropped, 372)]).toEqual(['j', 'E']);
    reports.push(...desk.advance(50).filter((text) => field(text, 584) === 'a-1'));
    expect(reports).toHaveLength(PIECE_ORDERS + 2);
    const shown = (text: string) => [11, 39, 103, 911, 912].map((tag) => field(text, tag)).join();
    expect(reports.slice(-2).map(shown)).toEqual([`l-1,8,5,${PIECE_ORDERS + 2},N`, `l-2,8,5,${PIECE_ORDERS + 2},Y`]);
    expect(desk.oms('35=AF|584=a-2|585=7|')).toHaveLength(PIECE_ORDERS);
  });
});

describe('a phase of an auction with many orders', () => {
  const T3 = { lockdownTime: T0 + 3_600_000, scheduledCrossTime: T0 + 3_700_000 } as const;
  const LATER = { ...T3, eventType: 'AUCTION_CROSS_POSTPONED', scheduledCrossTime: T0 + 3_800_000 } as const;

  function auction(): Desk {
    const limits = { ...sessionConfig().limits, openOrdersMax: 10_000 };
    const desk = new Desk(gatewayConfig({ limits }));
    desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    desk.phase(T3);
    for (let i = 1; i <= COUNT; i++) {
      desk.oms(LIMIT.replace('o-1', `o-${i}`).replace('59=1', '59=5'));
      desk.accepted(undefined, `${9000 + i}`);
      desk.order({ orderId: `${9000 + i}`, clientOrderId: `${i}`, timeInForce: 'GTX' });
    }
    desk.submitted.length = 0;
    return desk;
  }
  const named = (reports: readonly string[]): (string | null)[] => reports.map((text) => field(text, 11));
  const clOrdIDs = allIds.map((_, i) => `o-${i + 1}`);

  test('T3 chunks a postponement, once per order, also if repeated or after a kill', () => {
    const desk = auction();
    const told = desk.phase(LATER);
    expect(named(told)).toEqual(clOrdIDs.slice(0, PIECE_ORDERS));
    // Later events of the same auction revoke nothing.
    desk.phase({ ...T3, scheduledCrossTime: LATER.scheduledCrossTime, phase: 'LOCKDOWN' });
    told.push(...tick(desk), ...desk.advance(100));
    expect(summary(told)).toEqual(clOrdIDs.map(() => 'D/0'));
    expect(named(told)).toEqual(clOrdIDs);

    const killed = auction();
    const before = killed.phase(LATER);
    killed.restart();
    killed.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
    before.push(...killed.phase(LATER), ...killed.advance(100));
    expect(named(before)).toEqual(clOrdIDs);
  });

  test('T3 orders of an auction that is over are cancelled in pieces, and not one that ended meanwhile', () => {
    const desk = auction();
    desk.phase({ ...T3, auctionId: 'A-2', startTime: T0 + 1 });
    expect(cancelled(desk)).toHaveLength(PIECE_ORDERS);
    const last = { orderId: `${9000 + COUNT}`, clientOrderId: `${COUNT}`, timeInForce: 'GTX' } as const;
    desk.order({ ...last, status: 'CLOSED', statusReasonCode: '6021' });
    desk.advance(100);
    expect(cancelled(desk)).toEqual(allIds.slice(0, -1));
  });
});

describe('orders that fall due at the same moment', () => {
  test('U2 are asked for in pieces, each once', () => {
    const desk = working();
    desk.restart();
    desk.lookups.length = 0;
    desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    desk.feed({ kind: 'tick' });
    expect(desk.lookups).toHaveLength(PIECE_ORDERS);
    tick(desk);
    expect(desk.lookups).toHaveLength(2 * PIECE_ORDERS);
    tick(desk);
    expect(desk.lookups.map(({ orderId }) => orderId)).toHaveLength(COUNT);
    expect(new Set(desk.lookups.map(({ orderId }) => orderId))).toEqual(new Set(allIds));
  });

  test('a clock that is set back in between stops no piece', () => {
    const desk = working();
    desk.oms('35=q|11=q-1|530=7|');
    desk.now -= 3_600_000;
    desk.feed({ kind: 'tick' });
    desk.advance(10);
    expect(cancelled(desk)).toEqual(allIds);
    desk.restart();
    desk.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    desk.now -= 3_600_000;
    desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|');
    expect(desk.gateway.deadline()).toBeLessThanOrEqual(desk.now + 10);
  });
});
