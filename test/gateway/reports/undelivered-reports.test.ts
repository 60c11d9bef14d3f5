// A session with its file missing at the gateway's start: its orders' events are reported when it is back, each once,
// in order, before later ones.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { PIECE_ORDERS } from '../../../src/gateway/state/chunked-work.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import {
  Desk,
  dropCopyConfig,
  exchangeOrder,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
  summary,
  workingDesk,
} from '../desk.ts';

const OTHER = sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER' });

/** Start the gateway anew with these sessions. */
function restartWith(desk: Desk, sessions: readonly GatewaySessionConfig[]): void {
  Object.assign(desk, { config: { ...desk.config, sessions } });
  desk.restart();
}

const away = (desk: Desk): void => restartWith(desk, [OTHER]);
const back = (desk: Desk, more: Partial<GatewaySessionConfig> = {}): string[] =>
  desk.answers(() => restartWith(desk, [sessionConfig(more), OTHER]));

/** ExecIDs, CumQty and status of the reports. */
const told = (messages: readonly string[]) => messages.map((text) => [17, 14, 39].map((tag) => field(text, tag)));

const fill = (desk: Desk, tradeId: string, quantity: string): string[] => desk.trade({ tradeId, quantity });

/** An order's events while its session is away. */
function day(desk: Desk): string[] {
  return desk.answers(() => {
    fill(desk, '7001', '0.5');
    desk.now += 1_000;
    fill(desk, '7002', '0.25');
    desk.order({ status: 'CANCELLED', statusReasonCode: '6019', quantityFilled: '0.75', publishedAt: desk.now });
  });
}

describe.each([false, true])(
  'O2 S11 reports that a session missed without configuration (ended orders leave memory: %s)',
  (ended) => {
    function working(): Desk {
      const desk = new Desk(gatewayConfig(), { ended });
      desk.oms(LIMIT);
      desk.accepted(undefined, '9001');
      desk.order({});
      desk.sent.length = 0;
      return desk;
    }

    test('O3 D10 come with fees and AvgPx(6), known once the markets are', () => {
      const day = (desk: Desk): string[] =>
        desk.answers(() => {
          desk.trade({ tradeId: '7001', quantity: '0.7', price: '100.1', baseFee: '0.0001' });
          desk.trade({ tradeId: '7002', quantity: '0.2', price: '100.2', baseFee: '0.0002' });
        });
      const whole = day(working());
      expect(whole.map((text) => [6, 137, 138].map((tag) => field(text, tag)))).toEqual([
        ['100.1', '0.0001', 'BTC'],
        ['100.12222', '0.0002', 'BTC'],
      ]);
      const desk = working();
      away(desk);
      day(desk);
      expect(back(desk)).toEqual(whole);
    });

    test('come when it is back, as originally, once', () => {
      const present = working();
      const whole = day(present);
      expect(summary(whole)).toEqual(['F/1', 'F/1', '4/4']);
      const desk = working();
      away(desk);
      expect(day(desk)).toEqual([]);
      away(desk);
      expect(back(desk)).toEqual(whole);
      expect(back(desk)).toEqual([]);
      expect(desk.answers(() => desk.advance(60_000))).toEqual([]);
    });

    test('come before later ones, and when it returns at run time', () => {
      const desk = working();
      away(desk);
      fill(desk, '7001', '0.5');
      desk.gateway.applyConfig(sessionConfig());
      expect(told(fill(desk, '7002', '0.25'))).toEqual([
        ['9001-7001-F', '0.5', '1'],
        ['9001-7002-F', '0.75', '1'],
      ]);
      expect(told(fill(desk, '7003', '0.25'))).toEqual([['9001-7003-F', '1', '1']]);
      expect(back(desk)).toEqual([]);
    });

    test('come in chunks if many, followed by a fill of the moment', () => {
      const desk = working();
      away(desk);
      const count = PIECE_ORDERS + 20;
      for (let i = 1; i <= count; i++) fill(desk, `${i}`, '0.001');
      const first = back(desk);
      expect(first).toHaveLength(PIECE_ORDERS);
      const now = fill(desk, '7003', '0.25');
      expect(now).toEqual([]);
      const rest = desk.answers(() => desk.advance(100));
      expect([...first, ...rest].map((text) => field(text, 17))).toEqual([
        ...Array.from({ length: count }, (_, i) => `9001-${i + 1}-F`),
        '9001-7003-F',
      ]);
      expect(told(fill(desk, '7004', '0.25')).map(([execID]) => execID)).toEqual(['9001-7004-F']);
    });

    test('sends the ListStatus(N) of a list that ends meanwhile after the 8 of its last order', () => {
      const desk = new Desk(gatewayConfig(), { ended });
      desk.oms('35=E|66=list-1|394=3|68=1|73=1|11=o-1|67=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|');
      desk.accepted(undefined, '9001');
      desk.order({});
      away(desk);
      for (let i = 1; i <= PIECE_ORDERS + 20; i++) fill(desk, `${i}`, '0.001');
      back(desk);
      const filled = (0.001 * (PIECE_ORDERS + 20)).toFixed(3);
      desk.order({ status: 'CANCELLED', statusReasonCode: '6019', quantityFilled: filled, publishedAt: desk.now + 1 });
      desk.advance(100);
      expect(desk.sent.slice(-2).map((text) => [35, 39, 431].map((tag) => field(text, tag)))).toEqual([
        ['8', '4', null],
        ['N', '4', '6'],
      ]);
      expect(desk.sent.filter((text) => field(text, 35) === 'N' && field(text, 431) === '6')).toHaveLength(1);
    });

    test("O1 and a fill after a list's end adds one more N with 431=6, after its 8", () => {
      const desk = new Desk(gatewayConfig(), { ended });
      desk.oms('35=E|66=list-1|394=3|68=1|73=1|11=o-1|67=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|');
      desk.accepted(undefined, '9001');
      desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: desk.now });
      away(desk);
      expect([...fill(desk, '7001', '0.5'), ...fill(desk, '7002', '0.25')]).toEqual([]);
      away(desk);
      expect(back(desk).map((text) => [35, 39, 14, 431].map((tag) => field(text, tag)))).toEqual([
        ['8', '4', '0.5', null],
        ['8', '4', '0.75', null],
        ['N', '4', '0.75', '6'],
      ]);
      expect(back(desk)).toEqual([]);
      expect(fill(desk, '7002', '0.25'), 'told before').toEqual([]);
    });

    test('killed during delivery, it receives the rest', () => {
      const desk = working();
      away(desk);
      const count = PIECE_ORDERS + 20;
      for (let i = 1; i <= count; i++) fill(desk, `${i}`, '0.001');
      const first = back(desk);
      const rest = back(desk);
      expect(new Set([...first, ...rest].map((text) => field(text, 17))).size).toBe(count);
      expect(first.length + rest.length).toBe(count);
    });
  },
);

test('U4 include the 9 to a pending F, and the N of a list', () => {
  const desk = workingDesk();
  desk.oms('35=F|11=c-1|41=o-1|55=BTCUSDC|54=1|');
  away(desk);
  desk.advance(0);
  const order = exchangeOrder({}, desk.now);
  const outcome = { kind: 'found', order, trades: [], final: true } as const;
  desk.feed({ kind: 'lookedUp', lookupId: desk.lookups.at(-1)!.lookupId, outcome });
  const missed = back(desk);
  expect(summary(missed)).toEqual(['9/1']);
  expect([field(missed[0], 11), field(missed[0], 41), field(missed[0], 39)]).toEqual(['c-1', 'o-1', '0']);

  const list = new Desk();
  list.oms('35=E|66=L-1|394=3|68=1|73=1|11=o-1|67=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|');
  list.accepted(undefined, '9001');
  list.order({});
  away(list);
  list.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: list.now + 1 });
  const ended = back(list);
  expect(summary(ended)).toEqual(['4/4', 'N/']);
  expect([field(ended[1], 66), field(ended[1], 429)]).toEqual(['L-1', '5']);
});

describe('O7 U4 a session that is not configured when its F or q on an order of another session is answered', () => {
  const ASKER = sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER', reach: 'accounts' });
  const asking = (text: string): Desk => {
    const desk = workingDesk(gatewayConfig({}, { sessions: [sessionConfig(), ASKER] }));
    desk.oms(text, { sessionId: ASKER.sessionId });
    restartWith(desk, [sessionConfig()]);
    desk.advance(0);
    desk.sent.length = 0;
    return desk;
  };
  const again = (desk: Desk): string[] => desk.answers(() => restartWith(desk, [sessionConfig(), ASKER]));
  const CANCEL = '35=F|11=c-1|41=NONE|37=9001|55=BTCUSDC|54=1|50=desk|';

  test.each([CANCEL, '35=q|11=c-1|530=7|50=desk|'])('include the cancel of the order when it is back: %s', (text) => {
    const desk = asking(text);
    const ended = { status: 'CANCELLED', statusReasonCode: '6005', publishedAt: desk.now + 1 } as const;
    expect(summary(desk.order(ended))).toEqual(['4/4']);
    const told = again(desk);
    expect(summary(told)).toEqual(['4/4']);
    expect([11, 37, 57].map((tag) => field(told[0], tag))).toEqual(['c-1', '9001', 'desk']);
    expect(told[0]).not.toContain('o-1');
    expect(again(desk)).toEqual([]);
  });

  test('include its refusal', () => {
    const desk = asking(CANCEL);
    const { lookupId } = desk.lookups.at(-1)!;
    const outcome = { kind: 'found', order: exchangeOrder({}, desk.now), trades: [], final: true } as const;
    expect(desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }))).toEqual([]);
    const told = again(desk);
    expect(summary(told)).toEqual(['9/1']);
    expect([11, 37, 39, 57].map((tag) => field(told[0], tag))).toEqual(['c-1', '9001', '0', 'desk']);
    expect(told[0]).not.toContain('o-1');
  });
});

test.each([1, PIECE_ORDERS + 20])(
  'S7 come (%i fills) before the refusal of a G that waited when the process ended',
  (count) => {
    const desk = workingDesk();
    const view = viewOf(
      fromPrintable(
        '35=G|34=9|49=OMS|56=XG|52=20260105-12:00:00|11=g-1|41=o-1|55=BTCUSDC|54=1|40=2|44=101|',
        'FIX.4.4',
      ),
    )!;
    desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 40 });
    away(desk);
    for (let i = 1; i <= count; i++) fill(desk, `${i}`, '0.001');
    const told = [...back(desk), ...desk.answers(() => desk.advance(100))];
    expect(summary(told)).toEqual([...Array.from({ length: count }, () => 'F/1'), '9/2']);
    expect(field(told.at(-1), 39)).toBe('1');
    expect([...back(desk), ...desk.answers(() => desk.advance(100))]).toEqual([]);
  },
);

test('D1 are written by the present settings', () => {
  const desk = workingDesk();
  away(desk);
  fill(desk, '7001', '0.5');
  const [report] = back(desk, { dialect: 'venue' });
  expect([field(report, 17), field(report, 1057)]).toEqual(['9001-7001-F', 'N']);
});

test('S9 omits reports from before a drop copy was configured, and continues with later ones', () => {
  const copy = dropCopyConfig();
  const desk = new Desk({ ...gatewayConfig(), sessions: [sessionConfig(), copy] });
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  restartWith(desk, [sessionConfig()]);
  fill(desk, '7001', '0.5');
  expect(desk.answers(() => restartWith(desk, [sessionConfig(), copy]))).toEqual([]);
  const copied = fill(desk, '7002', '0.25').filter((text) => field(text, 797) === 'Y');
  expect(told(copied)).toEqual([['9001-7002-F', '0.75', '1']]);
});

test('O11 keep no external orders', () => {
  const copy = { ...sessionConfig(), sessionId: 'FIX.4.4:XG->COPY', kind: 'dropCopy' as const };
  const desk = new Desk(
    gatewayConfig(
      {},
      {
        sessions: [
          OTHER,
          { ...copy, dropCopy: { sessionIds: null, elsewhere: true }, cancelOnDisconnect: { on: 'off', graceMs: 0 } },
        ],
      },
    ),
  );
  desk.order({ orderId: '9900', clientOrderId: null });
  desk.trade({ orderId: '9900', clientOrderId: null });
  expect(desk.sent.length).toBeGreaterThan(0);
  expect([...desk.records.keys()].filter((key) => key.startsWith('untold'))).toEqual([]);
});
