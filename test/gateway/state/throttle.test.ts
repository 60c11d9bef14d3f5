// Messages beyond a session's rate (rule S7): refused with the wait, or held until their turn.

import { describe, expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { Gateway, type GatewayConfig } from '../../../src/gateway/mod.ts';
import { PIECE_ORDERS } from '../../../src/gateway/state/chunked-work.ts';
import { DataFields, fromPrintable, type IndexedMessage, viewOf } from '../../../src/wire/mod.ts';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, SESSION, sessionConfig, summary } from '../desk.ts';

let msgSeqNum = 100;

/** A message that the session found to be too much. */
function throttled(
  desk: Desk,
  text: string,
  excess: 'refuse' | 'hold',
  waitMs: number,
  dataFields = DataFields.STANDARD,
  session = desk.config.sessions[0]!,
): string[] {
  const { beginString, sessionId } = session;
  const at = formatUtcTimestamp(desk.now);
  const [msgType, ...rest] = text.split('|');
  const raw = `${msgType}|34=${msgSeqNum++}|49=OMS|56=XG|52=${at}|60=${at}|${rest.join('|')}`;
  const view = viewOf(fromPrintable(raw, beginString), dataFields)!;
  return desk.answers(() => desk.feed({ kind: 'throttled', sessionId, view, possDup: false, excess, waitMs }));
}

const REPLACE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=2|44=101|';

function working(desk = new Desk()): Desk {
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  return desk;
}

test('S7 answers an order that waited at the kill once its session is configured again', () => {
  const desk = new Desk();
  throttled(desk, LIMIT, 'hold', 40);
  const [session] = desk.config.sessions;
  const start = (sessions: GatewayConfig['sessions']): string[] =>
    desk.answers(() => {
      desk.gateway = new Gateway({ ...desk.config, sessions }, { orders: new Map(desk.records) });
      desk.feed({ kind: 'tick' });
    });
  expect([start([]), start([])]).toEqual([[], []]);
  const recorded = new Map(desk.records);
  expect(summary(start([session!]))).toEqual(['8/8']);
  expect(start([session!])).toEqual([]);

  desk.records.clear();
  for (const [key, record] of recorded) desk.records.set(key, record);
  start([]);
  desk.gateway.applyConfig(session!);
  const up = { kind: 'sessionUp', sessionId: SESSION } as const;
  expect(summary(desk.answers(() => desk.feed(up)))).toEqual(['8/8']);
});

test('S7 refuses waiting orders of a killed process once, also with ended records apart', () => {
  const desk = new Desk(gatewayConfig(), { ended: true });
  throttled(desk, LIMIT, 'hold', 40);
  throttled(desk, LIMIT.replace('38=2', '38=3'), 'hold', 80);
  const starts = [1, 2].map(() =>
    desk.answers(() => {
      desk.restart();
      for (const kind of ['sessionUp', 'sessionUp'] as const) desk.feed({ kind, sessionId: SESSION });
    }),
  );
  expect(starts.map((answers) => answers.map((text) => [11, 38, 150].map((tag) => field(text, tag))))).toEqual([
    [
      ['o-1', '2', '8'],
      ['o-1', '2', '8'],
    ],
    [],
  ]);
  expect([...desk.records.keys()].filter((key) => key.startsWith('held'))).toEqual([]);
});

describe('a message beyond the rate', () => {
  test('S7 D is answered with 8, G with 9, the rest with j, each with the wait; nothing is remembered', () => {
    const desk = working();
    const [order] = throttled(desk, LIMIT.replace('o-1', 'o-2'), 'refuse', 40);
    expect(summary([order!])).toEqual(['8/8']);
    expect([field(order, 103), field(order, 58)]).toEqual([
      '99',
      'Too many messages: send MsgType(35)=D again in 40 ms',
    ]);
    const [replace, ...more] = throttled(desk, REPLACE, 'refuse', 41);
    expect(more).toEqual([]);
    expect([field(replace, 35), field(replace, 434), field(replace, 39)]).toEqual(['9', '2', '0']);
    expect(field(replace, 58)).toContain('again in 41 ms');
    const [status] = throttled(desk, '35=H|11=o-1|55=BTCUSDC|54=1|', 'refuse', 42);
    expect([field(status, 35), field(status, 380), field(status, 372)]).toEqual(['j', '0', 'H']);
    expect(desk.oms(LIMIT.replace('o-1', 'o-2'))).toEqual([]);
    expect(summary(desk.oms(REPLACE))).toEqual(['E/E']);
  });

  test("D14 S7 refuses a D with the ClOrdID(11) of a working order with that order's status", () => {
    const desk = working();
    const [repeated, ...more] = throttled(desk, `${LIMIT}97=Y|`, 'refuse', 40);
    expect(field(repeated, 58)).toContain('again in 40 ms');
    expect(more).toEqual([]);
    throttled(desk, LIMIT, 'hold', 40);
    const [held] = desk.answers(() => desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' }));
    for (const reject of [repeated, held]) {
      expect([150, 39, 37, 11, 151].map((tag) => field(reject, tag))).toEqual(['8', '0', '9001', 'o-1', '2']);
    }
  });

  test("D14 S7 refuses a D with a waiting order's ClOrdID(11) with 39=A", () => {
    const desk = new Desk();
    throttled(desk, LIMIT, 'hold', 40);
    expect(summary(throttled(desk, LIMIT, 'refuse', 50))).toEqual(['8/A']);
  });

  test('D8 S7 a G that names its order by OrderID(37) alone is refused with its status and its names', () => {
    const desk = working(new Desk(gatewayConfig({ beginString: 'FIXT.1.1' })));
    const [reject] = throttled(desk, REPLACE.replace('41=o-1', '37=9001'), 'refuse', 40);
    expect([35, 39, 37, 41].map((tag) => field(reject, tag))).toEqual(['9', '0', '9001', 'o-1']);
  });

  test('S7 in the venue dialect the numbers are those of the exchange, in FIX.5.0SP2 380=8', () => {
    const venue = working(new Desk(gatewayConfig({ dialect: 'venue' })));
    expect(field(throttled(venue, LIMIT.replace('o-1', 'o-2'), 'refuse', 40)[0], 103)).toBe('3034');
    expect(field(throttled(venue, REPLACE, 'refuse', 40)[0], 102)).toBe('3034');
    const late = new Desk(gatewayConfig({ beginString: 'FIXT.1.1', sessionId: 'FIXT.1.1:XG->OMS' }));
    expect(field(throttled(late, '35=H|11=o-1|55=BTCUSDC|54=1|', 'refuse', 42)[0], 380)).toBe('8');
  });

  test('S7 a held order goes out at its turn, in the order in which it came, and passes the limits again', () => {
    const desk = new Desk();
    expect(throttled(desk, LIMIT, 'hold', 100)).toEqual([]);
    expect(throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 200)).toEqual([]);
    expect(throttled(desk, LIMIT.replace('o-1', 'o-3').replace('38=2', '38=1000'), 'hold', 200)).toEqual([]);
    expect(desk.submitted).toHaveLength(0);
    desk.advance(100);
    expect(desk.submitted.map(({ command }) => command.kind === 'createOrder' && command.clientOrderId)).toEqual(['1']);
    const answers = desk.advance(100);
    expect(desk.submitted).toHaveLength(2);
    expect(summary(answers)).toEqual(['8/8']);
    expect([field(answers[0], 11), field(answers[0], 103)]).toEqual(['o-3', '13']);
  });

  test.each([
    [900, 40],
    [40, 900],
  ])('S7 of two sessions each has its turn when it comes, in %s and in %s ms', (...waits) => {
    const second = sessionConfig({ sessionId: 'FIX.4.4:XG->OMS2' });
    const sessions = [sessionConfig(), second];
    const desk = new Desk(gatewayConfig({}, { sessions }));
    for (const [i, session] of sessions.entries()) {
      throttled(desk, LIMIT, 'hold', waits[i]!, DataFields.STANDARD, session);
    }
    desk.advance(40);
    const isSent = sessions.map(({ sessionId }) => desk.gateway.findOrder(sessionId, 'o-1') !== null);
    expect(isSent).toEqual(waits.map((wait) => wait === 40));
    desk.advance(860);
    expect(desk.submitted).toHaveLength(2);
  });

  test('S7 D12 a q, an AF and an H mean no replacement that waits as an order of its own', () => {
    const desk = working();
    throttled(desk, REPLACE, 'hold', 40);
    expect(desk.oms('35=AF|584=m-1|585=7|').map((text) => [11, 911].map((tag) => field(text, tag)))).toEqual([
      ['o-1', '1'],
    ]);
    const told = desk.oms('35=q|11=q-1|530=7|');
    expect([summary(told), field(told[0], 533)]).toEqual([['r/'], '1']);
    // It is answered at its turn, as any that comes while the order is being cancelled.
    expect(summary(desk.advance(40))).toEqual(['9/2']);
    expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'cancelOrder']);
  });

  test('S7 O4 a held order that has become too old is refused at its turn (103=8)', () => {
    const desk = new Desk(gatewayConfig({ staleOrderMs: 50 }));
    throttled(desk, LIMIT, 'hold', 100);
    const [answer] = desk.advance(100);
    expect([field(answer, 39), field(answer, 103)]).toEqual(['8', '8']);
    expect(field(answer, 58)).toMatch(/ms old and came as PossDup.*, or waited for its turn/);
    expect(desk.submitted).toHaveLength(0);
  });

  test('S7 an order is cancelled while it waits: it never goes out, and its ClOrdID is used up', () => {
    const desk = new Desk();
    throttled(desk, `${LIMIT}50=trader|`, 'hold', 100);
    const [answer] = desk.oms('35=F|50=boss|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    expect(summary([answer!])).toEqual(['4/4']);
    expect([11, 41, 14, 151, 57].map((tag) => field(answer, tag))).toEqual(['f-1', 'o-1', '0', '0', 'boss']);
    expect(desk.advance(200)).toEqual([]);
    expect(desk.submitted).toHaveLength(0);
    // So is that of the F, for orders too.
    const used = (): void => {
      for (const clOrdID of ['o-1', 'f-1']) {
        expect(summary(desk.oms(LIMIT.replace('o-1', clOrdID)))).toEqual(['8/4']);
        expect(summary(desk.oms(`35=H|11=${clOrdID}|55=BTCUSDC|54=1|`))).toEqual(['I/4']);
      }
    };
    used();
    expect(desk.answers(() => desk.restart())).toEqual([]);
    used();
    expect(desk.submitted).toHaveLength(0);
  });

  test.each([
    ['sent', '0'],
    ['refused', '8'],
  ])('D15 an AF that waits for the exchange reports a waiting order as it is then: %s meanwhile', (end, status) => {
    const desk = working(new Desk(gatewayConfig({ statusFromExchange: true })));
    throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 100);
    expect(desk.oms('35=AF|584=m-1|585=7|')).toEqual([]);
    if (end === 'refused') desk.feed({ kind: 'journal', healthy: false });
    desk.advance(100);
    if (end === 'sent') {
      desk.accepted(undefined, '9002');
      desk.order({ orderId: '9002', clientOrderId: '2' });
    }
    const outcome = { kind: 'failed', message: 'no answer' } as const;
    const answers = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId: desk.lookups[0]!.lookupId, outcome }));
    expect(answers.map((text) => [11, 39, 911].map((tag) => field(text, tag)))).toEqual([
      ['o-1', '0', '2'],
      ['o-2', status, '2'],
    ]);
  });

  test('S7 AF lists matching waiting orders after the sent ones', () => {
    const desk = working();
    throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 100);
    const answers = desk.oms('35=AF|584=m-1|585=7|54=1|');
    expect(answers.map((text) => [field(text, 11), field(text, 39), field(text, 911), field(text, 912)])).toEqual([
      ['o-1', '0', '2', 'N'],
      ['o-2', 'A', '2', 'Y'],
    ]);
    expect(field(answers[1], 58)).toBe('It waits for its turn and was not sent yet');
    expect(desk.oms('35=AF|584=m-2|585=7|54=2|').map((text) => field(text, 911))).toEqual(['0']);
  });

  test.each([
    ['530=7|1=ACC1|', ['o-1', 'o-2', 'o-3']],
    ['530=7|1=ACC2|', ['o-4']],
    ['530=7|54=2|', ['o-2']],
    ['530=1|55=ETHUSDC|', ['o-3']],
    ['530=1|55=BTCUSDC|1=ACC1|54=1|', ['o-1']],
  ])('S7 D12 q and AF select waiting orders by account, symbol and side: %s', (q, named) => {
    const other = '111000000000002';
    const accounts = [
      { account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'main' },
      { account: 'ACC2', tradingAccountId: other, credential: 'main' },
    ];
    const desk = new Desk(gatewayConfig({ accounts }));
    desk.feed({ kind: 'reconciled', tradingAccountId: other, ok: true });
    throttled(desk, LIMIT, 'hold', 100);
    throttled(desk, LIMIT.replace('o-1', 'o-2').replace('54=1', '54=2'), 'hold', 100);
    throttled(desk, LIMIT.replace('o-1', 'o-3').replace('BTCUSDC', 'ETHUSDC'), 'hold', 100);
    throttled(desk, LIMIT.replace('o-1', 'o-4').replace('ACC1', 'ACC2'), 'hold', 100);
    const status = desk.oms(`35=AF|584=m-1|${q.replace('530=', '585=')}`);
    expect(status.map((text) => field(text, 11))).toEqual(named);
    const [r, ...ended] = desk.oms(`35=q|11=q-1|${q}`);
    expect(field(r, 533)).toBe(`${named.length}`);
    expect(ended.map((text) => `${summary([text])[0]} ${field(text, 11)}`)).toEqual(named.map((id) => `4/4 ${id}`));
    desk.advance(100);
    expect(desk.submitted).toHaveLength(4 - named.length);
  });

  test('S7 H sees a waiting order as pending, q cancels it, a second D with its ClOrdID is a duplicate', () => {
    const desk = new Desk();
    throttled(desk, LIMIT, 'hold', 100);
    expect(summary(desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|'))).toEqual(['I/A']);
    const [second] = desk.oms(LIMIT);
    // With the status of the one that waits: it may yet work (FIX 4.4 vol. 4 App. D, F.1.b).
    expect([field(second, 150), field(second, 39), field(second, 103)]).toEqual(['8', 'A', '6']);
    expect(summary(desk.oms(`${LIMIT}97=Y|`))).toEqual(['I/A']);
    const answers = desk.oms('35=q|11=q-1|530=7|');
    expect(answers.map((text) => field(text, 35))).toEqual(['r', '8']);
    expect([field(answers[0], 533), field(answers[1], 150)]).toEqual(['1', '4']);
    desk.advance(200);
    expect(desk.submitted).toHaveLength(0);
  });

  test('T3 a waiting GTX order enters only the auction it was sent for, by its phase', () => {
    const GTX = LIMIT.replace('59=1', '59=5');
    const waiting = (): Desk => {
      const desk = new Desk();
      desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
      desk.phase({});
      throttled(desk, GTX, 'hold', 1_000);
      throttled(desk, LIMIT.replace('o-1', 'plain'), 'hold', 1_000);
      return desk;
    };
    const lockdown = { phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN', createAuctionOrderEnabled: false } as const;
    const late = waiting();
    late.phase(lockdown);
    const [refused] = late.advance(1_000);
    expect([field(refused, 150), field(refused, 103)]).toEqual(['8', '2']);
    expect(field(refused, 58)).toContain('LOCKDOWN');
    const crossed = waiting();
    crossed.phase(lockdown);
    crossed.phase({ phase: 'CROSS', eventType: 'AUCTION_CROSS_COMPLETED' });
    const [ended] = crossed.phase({ auctionId: 'A-2' });
    expect([150, 39, 11, 378, 37].map((tag) => field(ended, tag))).toEqual(['4', '4', 'o-1', '8', 'NONE']);
    expect(crossed.oms(GTX).map((text) => field(text, 103))).toEqual(['6']);
    for (const desk of [late, crossed]) {
      desk.advance(1_000);
      expect(desk.submitted.map(({ command }) => command)).toMatchObject([{ timeInForce: 'GTC' }]);
    }
    const restarted = waiting();
    restarted.phase(lockdown);
    restarted.restart();
    const answers = restarted.advance(1_000);
    expect(summary(answers.length > 0 ? answers : restarted.sent)).toEqual(['8/8', '8/8']);
    expect(restarted.submitted).toEqual([]);
    const inTime = waiting();
    inTime.phase({ startTime: inTime.now + 1 });
    inTime.advance(1_000);
    expect(inTime.submitted).toHaveLength(2);
  });

  test('S7 two orders with one ClOrdID wait: the first goes out, the second is the duplicate', () => {
    const desk = new Desk();
    throttled(desk, LIMIT, 'hold', 100);
    throttled(desk, LIMIT.replace('38=2', '38=3'), 'hold', 200);
    expect(desk.advance(100)).toEqual([]);
    expect(desk.last().command).toMatchObject({ kind: 'createOrder', quantity: '2' });
    expect(desk.advance(100).map((text) => field(text, 103))).toEqual(['6']);
    expect(desk.submitted).toHaveLength(1);
  });

  test.each(['35=F|41=o-1|11=f-1|1=ACC1|55=BTCUSDC|54=1|', '35=q|11=q-1|530=7|'])(
    "D14 S7 U4 a waiting D with a working order's ClOrdID(11) is none itself: %s cancels the working one",
    (cancel) => {
      const desk = working();
      throttled(desk, `${LIMIT}97=Y|`, 'hold', 100);
      throttled(desk, LIMIT.replace('38=2', '38=3'), 'hold', 200);
      const [status] = desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|');
      expect([39, 37].map((tag) => field(status, tag))).toEqual(['0', '9001']);
      expect(desk.oms('35=AF|584=m-1|585=7|').map((text) => [39, 37, 911].map((tag) => field(text, tag)))).toEqual([
        ['0', '9001', '1'],
      ]);
      expect(desk.oms(LIMIT).map((text) => [150, 39, 37].map((tag) => field(text, tag)))).toEqual([['8', '0', '9001']]);
      const [answer] = desk.oms(cancel);
      expect([35, 37, 533].map((tag) => field(answer, tag))).toEqual(
        cancel.startsWith('35=F') ? ['8', '9001', null] : ['r', field(answer, 37), '1'],
      );
      expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
      desk.accepted();
      desk.restart();
      const [end] = desk.order({ status: 'CANCELLED', statusReasonCode: '6005', publishedAt: 9e12 });
      expect([150, 39, 37].map((tag) => field(end, tag))).toEqual(['4', '4', '9001']);
    },
  );

  test('S7 of two waiting orders with one ClOrdID(11) the first counts for AF and q', () => {
    const desk = new Desk();
    throttled(desk, LIMIT, 'hold', 100);
    throttled(desk, LIMIT.replace('BTCUSDC', 'ETHUSDC'), 'hold', 200);
    expect(desk.oms('35=AF|584=m-1|585=7|').map((text) => field(text, 55))).toEqual(['BTCUSDC']);
    expect(field(desk.oms('35=q|11=q-1|530=1|55=ETHUSDC|')[0], 533)).toBe('0');
    expect(summary(desk.advance(200))).toEqual(['8/A']);
    expect(desk.submitted.map(({ command }) => command)).toMatchObject([{ kind: 'createOrder', symbol: 'BTCUSDC' }]);
  });

  test('S7 an F by ClOrdID(11) means the order, not the target of a replacement with that id', () => {
    const desk = working();
    desk.oms(LIMIT.replace('o-1', 'g-1'));
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2' });
    throttled(desk, REPLACE, 'hold', 100);
    const answers = desk.oms('35=F|11=f-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
    expect(answers.map((text) => [150, 37].map((tag) => field(text, tag)))).toEqual([['6', '9002']]);
    expect(desk.advance(100).map((text) => [35, 102].map((tag) => field(text, tag)))).toEqual([['9', '6']]);
  });

  test('S7 refuses an F with wrong terms or a used ClOrdID for a waiting order, which stays', () => {
    const desk = working();
    throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 100);
    const refused = [
      ['11=f-1|55=ETHUSDC|54=1', '99'],
      ['11=f-1|55=BTCUSDC|54=2', '99'],
      ['11=f-1|55=BTCUSDC|1=ACC2', '1'],
      ['11=f-1|55=BTCUSDC|37=9001', '1'],
      ['11=o-1|55=BTCUSDC', '6'],
      ['11=o-2|55=BTCUSDC', '6'],
    ];
    for (const [said, reason] of refused) {
      const [reject] = desk.oms(`35=F|41=o-2|${said}|`);
      expect([said, summary([reject!]), field(reject, 39), field(reject, 102)]).toEqual([said, ['9/1'], 'A', reason]);
    }
    expect(summary(desk.oms('35=F|41=o-2|11=f-1|1=ACC1|55=BTCUSDC|54=1|37=NONE|'))).toEqual(['4/4']);
    desk.advance(200);
    expect(desk.submitted).toHaveLength(1);
  });

  test("O9 S7 another firm's F (115) cancels a waiting order, with a report to each", () => {
    const desk = new Desk();
    throttled(desk, `${LIMIT}50=trader|115=FIRM|`, 'hold', 100);
    const f = '35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|50=other|115=OTHER|';
    const answers = desk.oms(f);
    expect(answers.map((text) => [57, 128, 11, 41, 150, 39, 151, 378].map((tag) => field(text, tag)))).toEqual([
      ['other', 'OTHER', 'f-1', 'o-1', '4', '4', '0', null],
      ['trader', 'FIRM', 'o-1', null, '4', '4', '0', '8'],
    ]);
    desk.advance(200);
    expect(desk.submitted).toEqual([]);
    expect(field(desk.oms(f)[0], 102)).toBe('6');
  });

  test('S7 U4 answers a repeated F with 97=Y by the status, and cancels no waiting order', () => {
    const desk = working();
    expect(summary(desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|'))).toEqual(['6/6']);
    throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 100);
    const again = desk.oms('35=F|11=f-1|41=o-2|1=ACC1|55=BTCUSDC|54=1|97=Y|');
    expect([summary(again), field(again[0], 11), desk.submitted.length]).toEqual([['I/6'], 'o-1', 2]);
    desk.advance(200);
    expect(desk.last().command).toMatchObject({ kind: 'createOrder' });
  });

  test("S7 an F by a waiting replacement's id drops that one and cancels the order", () => {
    const desk = working();
    throttled(desk, REPLACE, 'hold', 100);
    throttled(desk, REPLACE.replace('41=o-1', '41=g-1').replace('11=g-1', '11=g-2'), 'hold', 200);
    const answers = desk.oms('35=F|11=f-1|41=g-2|1=ACC1|55=BTCUSDC|54=1|');
    expect(answers.map((text) => [35, 11, 41, 150, 434].map((tag) => field(text, tag)))).toEqual([
      ['9', 'g-2', 'o-1', null, '2'],
      ['9', 'g-1', 'o-1', null, '2'],
      ['8', 'f-1', 'o-1', '6', null],
    ]);
    // Each is answered once: not at its turn as well, nor by the next process.
    expect(desk.advance(300)).toEqual([]);
    expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'cancelOrder']);
    expect(desk.answers(() => desk.restart())).toEqual([]);
  });

  test.each([
    ['a used ClOrdID', '11=o-1', '9/6'],
    ['another side', '11=f-1|54=2', '9/99'],
    ['another account', '11=f-1|1=ACC2', '9/1'],
    ['97=Y of one that came before', '11=o-1|97=Y', 'I/0'],
  ])("S7 an F with %s by a waiting replacement's id cancels neither: the replacement leaves", (_, said, answer) => {
    const desk = working();
    throttled(desk, REPLACE, 'hold', 100);
    const answers = desk.oms(`35=F|41=g-1|55=BTCUSDC|${said}|`);
    const told = answers.map((text) => (field(text, 35) === '9' ? `9/${field(text, 102)}` : `I/${field(text, 39)}`));
    expect([told, answers.map((text) => field(text, 434))]).toEqual([[answer], [answer.startsWith('9') ? '1' : null]]);
    desk.advance(100);
    expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'amendOrder']);
  });

  test('S7 an F or H may mean an order by a replacement that waits and names it by OrderID(37) alone', () => {
    const desk = working(new Desk(gatewayConfig({ beginString: 'FIXT.1.1' })));
    throttled(desk, REPLACE.replace('41=o-1', '37=9001'), 'hold', 100);
    const [status] = desk.oms('35=H|11=g-1|55=BTCUSDC|54=1|');
    expect([150, 39, 11, 37].map((tag) => field(status, tag))).toEqual(['I', '0', 'o-1', '9001']);
    const answers = desk.oms('35=F|11=f-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
    expect(answers.map((text) => [35, 11, 150].map((tag) => field(text, tag)))).toEqual([
      ['9', 'g-1', null],
      ['8', 'f-1', '6'],
    ]);
    desk.advance(100);
    expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'cancelOrder']);
  });

  test("D15 S7 answers an H by a waiting replacement's id with its order", () => {
    const desk = working();
    throttled(desk, REPLACE, 'hold', 100);
    throttled(desk, REPLACE.replace('41=o-1', '41=g-1').replace('11=g-1', '11=g-2'), 'hold', 200);
    throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 300);
    throttled(desk, REPLACE.replace('41=o-1', '41=o-2').replace('11=g-1', '11=g-3'), 'hold', 400);
    const asked = ['g-1', 'g-2', 'g-3'].map((id) => desk.oms(`35=H|11=${id}|55=BTCUSDC|54=1|`)[0]);
    expect(asked.map((text) => [39, 11, 37].map((tag) => field(text, tag)))).toEqual([
      ['0', 'o-1', '9001'],
      ['0', 'o-1', '9001'],
      ['A', 'o-2', 'NONE'],
    ]);
  });

  test('S7 so it is where the order waits too', () => {
    const desk = new Desk();
    throttled(desk, LIMIT, 'hold', 100);
    throttled(desk, REPLACE, 'hold', 200);
    expect(summary(desk.oms('35=F|11=f-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|'))).toEqual(['9/2', '4/4']);
    desk.advance(300);
    expect(desk.submitted).toEqual([]);
  });

  const LIST =
    '35=E|66=L-1|394=3|68=3|73=3|11=l-1|67=1|1=ACC1|55=BTCUSDC|54=1|38=1|40=2|44=100|' +
    '11=l-2|67=2|1=ACC1|55=ETHUSDC|54=1|38=1|40=2|44=100|11=l-3|67=3|1=ACC1|55=BTCUSDC|54=2|38=1|40=2|44=100|';

  test('S7 orders of a list are cancelled while it waits, by F or q, and never go out; the others do', () => {
    const desk = new Desk();
    expect(throttled(desk, LIST, 'hold', 100)).toEqual([]);
    expect(summary(desk.oms('35=H|11=l-2|55=ETHUSDC|54=1|'))).toEqual(['I/A']);
    expect(desk.oms('35=AF|584=m-1|585=7|').map((text) => field(text, 11))).toEqual(['l-1', 'l-2', 'l-3']);
    expect(desk.oms(LIMIT.replace('o-1', 'l-1')).map((text) => field(text, 39))).toEqual(['A']);
    const [cancelled] = desk.oms('35=F|41=l-1|11=f-1|1=ACC1|55=BTCUSDC|54=1|');
    expect([150, 39, 41, 66].map((tag) => field(cancelled, tag))).toEqual(['4', '4', 'l-1', 'L-1']);
    const [r, report] = desk.oms('35=q|11=q-1|530=1|55=ETHUSDC|');
    expect([field(r, 533), field(report, 150), field(report, 11)]).toEqual(['1', '4', 'l-2']);
    const [status] = desk.advance(100);
    expect(desk.submitted.map(({ command }) => command)).toMatchObject([{ kind: 'createOrder', side: 'SELL' }]);
    expect([35, 431, 73].map((tag) => field(status, tag))).toEqual(['N', '3', '3']);
    expect(status?.split('|').filter((part) => part.startsWith('39='))).toEqual(['39=4', '39=4', '39=A']);
    desk.restart();
    expect(summary(desk.oms('35=H|11=l-1|55=BTCUSDC|54=1|'))).toEqual(['I/4']);
  });

  test('S7 O2 a waiting list with all orders cancelled is done at its turn, each with its ExecID', () => {
    const desk = new Desk();
    throttled(desk, LIST, 'hold', 100);
    const ended = desk.oms('35=q|11=q-1|530=7|');
    expect(ended.map((text) => field(text, 35))).toEqual(['r', '8', '8', '8']);
    expect(new Set(ended.map((text) => field(text, 17))).size).toBe(4);
    const answers = desk.advance(100);
    expect(desk.submitted).toEqual([]);
    expect(answers.map((text) => [field(text, 35), field(text, 431)])).toEqual([
      ['N', '3'],
      ['N', '6'],
    ]);
  });

  test("O5 S7 a list with a waiting order's ClOrdID(11) makes none for it, and its last N omits it", () => {
    const desk = new Desk();
    throttled(desk, LIMIT, 'hold', 40);
    const entry = (clOrdID: string, n: number) =>
      `11=${clOrdID}|67=${n}|1=ACC1|55=BTCUSDC|54=1|38=${n}|40=2|44=100|59=1|`;
    const answers = desk.oms(`35=E|66=L-1|394=3|68=2|73=2|${entry('o-1', 1)}${entry('o-2', 2)}`);
    expect(answers.at(-1)).toContain('73=2|11=o-1|14=0|39=8|151=0|84=0|6=0|103=6|11=o-2|14=0|39=A|');
    desk.accepted(undefined, '9001');
    const cancelled = { status: 'CANCELLED', statusReasonCode: '6019', quantity: '2' } as const;
    const end = desk.order({ clientOrderId: '1', ...cancelled });
    expect(summary(end)).toEqual(['0/0', '4/4', 'N/']);
    expect([field(end.at(-1), 66), field(end.at(-1), 431)]).toEqual(['L-1', '6']);
    desk.advance(50);
    expect(desk.submitted.at(-1)?.command).toMatchObject({ kind: 'createOrder', clientOrderId: '2' });
  });

  test('S7 spreads thousands due at one moment over several turns, in order', () => {
    const limits = { ...sessionConfig().limits, openOrdersMax: 10_000 };
    const desk = new Desk(gatewayConfig({ limits }));
    const clOrdIDs = Array.from({ length: 2 * PIECE_ORDERS + 1 }, (_, i) => `n-${i}`);
    for (const clOrdID of clOrdIDs) throttled(desk, LIMIT.replace('o-1', clOrdID), 'hold', 40);
    desk.now += 40;
    const sent = [0, 1, 2].map(() => {
      const from = desk.submitted.length;
      expect(desk.gateway.deadline()).toBeLessThanOrEqual(desk.now);
      desk.feed({ kind: 'tick' });
      return desk.submitted.length - from;
    });
    expect(sent).toEqual([PIECE_ORDERS, PIECE_ORDERS, 1]);
    expect([...desk.gateway.orders()].map(({ clOrdID }) => clOrdID)).toEqual(clOrdIDs);
  });

  test.each(['session end', 'shutdown', 'restart'])('C1 S7 on %s rejects waiting orders, which never leave', (end) => {
    const desk = working();
    throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 100);
    throttled(desk, REPLACE, 'hold', 100);
    const answers = desk.answers(() => {
      if (end === 'session end') desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
      else if (end === 'shutdown') desk.feed({ kind: 'shutdown' });
      else desk.restart();
    });
    expect(summary(answers)).toEqual(['8/8', '9/2']);
    for (const answer of answers) expect(field(answer, 58)).toContain('It waited for its turn and was not sent');
    desk.advance(200);
    expect(desk.submitted.filter(({ command }) => command.kind !== 'cancelOrder')).toHaveLength(1);
    desk.restart();
    desk.advance(200);
    expect(summary(desk.oms(LIMIT.replace('o-1', 'o-2').replace('11=', '97=Y|11=')))).toEqual(['I/8']);
  });

  test.each([
    ['session end', '0'],
    ['shutdown', '0'],
    ['restart', '0'],
    ['an F of the last', '0'],
    ['the rate', 'A'],
  ])("D8 C1 S7 refuses on %s a G for a waiting one or order with the order's status, not 39=8", (end, status) => {
    const desk = end === 'the rate' ? new Desk() : working();
    if (end === 'the rate') throttled(desk, LIMIT, 'hold', 50);
    throttled(desk, REPLACE, 'hold', 100);
    const second = REPLACE.replace('41=o-1', '41=g-1').replace('11=g-1', '11=g-2');
    const answers = desk.answers(() => {
      throttled(desk, second, end === 'the rate' ? 'refuse' : 'hold', 200);
      if (end === 'session end') desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
      else if (end === 'shutdown') desk.feed({ kind: 'shutdown' });
      else if (end === 'restart') desk.restart();
      else if (end === 'an F of the last') desk.oms('35=F|11=f-1|41=g-2|1=ACC1|55=BTCUSDC|54=1|');
    });
    const told = answers.filter((text) => field(text, 35) === '9');
    expect(told.map((text) => [11, 39].map((tag) => field(text, tag)))).toContainEqual(['g-2', status]);
    expect(told.every((text) => field(text, 39) === status && field(text, 434) === '2')).toBe(true);
    expect(told).toHaveLength(end === 'the rate' ? 1 : 2);
  });

  test("C1 S7 reads messages that waited over a restart with their session's data fields", () => {
    const desk = new Desk();
    const sealed = LIMIT.replace('11=', '5101=8|5102=a|11=forged|11=').replace(
      '5101=8',
      `5101=${'a|11=forged'.length}`,
    );
    throttled(desk, sealed, 'hold', 100, new DataFields([[5101, 5102]]));
    const [answer] = desk.answers(() => desk.restart());
    expect([field(answer, 11), field(answer, 39)]).toEqual(['o-1', '8']);
  });

  test("S13 S7 refuses a message that waited over a restart by its own ClOrdID, not an entry's", () => {
    const desk = new Desk();
    // The session's dictionary has a group of one entry, 20101 and 11, before the order's own fields.
    const outline = { depthsOf: ({ tags, fieldCount }: IndexedMessage) => deepBehind(tags, 20_100, 2, fieldCount) };
    const hedged = LIMIT.replace('35=D|', '35=D|20100=1|20101=H|11=hedge|');
    throttled(desk, hedged, 'hold', 100, new DataFields([], outline));
    const [answer] = desk.answers(() => desk.restart());
    expect([field(answer, 11), field(answer, 39)]).toEqual(['o-1', '8']);
  });
});

function deepBehind(tags: Int32Array, counter: number, fields: number, fieldCount: number): Uint8Array {
  const depths = new Uint8Array(fieldCount);
  const first = tags.indexOf(counter) + 1;
  return depths.fill(1, first, first + fields);
}

test('C1 S7 behind our own Logout no order begins to wait', () => {
  const desk = new Desk();
  desk.feed({ kind: 'sessionLeaving', sessionId: SESSION, by: 'us' });
  const [answer] = throttled(desk, LIMIT, 'hold', 40);
  expect(field(answer, 58)).toBe('It waited for its turn and was not sent: the session is being logged out');
  // Nor is one taken behind the counterparty's own, which may come before ours went out.
  desk.feed({ kind: 'sessionLeaving', sessionId: SESSION, by: 'counterparty' });
  const [late] = desk.oms(LIMIT.replace('o-1', 'o-2'));
  expect(field(late, 58)).toBe('The session is being logged out and takes no orders');
  desk.advance(60_000);
  expect(desk.submitted).toEqual([]);
});

test("C1 S7 after the counterparty's Logout takes an order of the gap, but queues none", () => {
  const desk = new Desk();
  throttled(desk, LIMIT, 'hold', 40);
  const leaving = { kind: 'sessionLeaving', sessionId: SESSION, by: 'counterparty' } as const;
  expect(summary(desk.answers(() => desk.feed(leaving)))).toEqual(['8/8']);
  const [late] = throttled(desk, LIMIT.replace('o-1', 'o-2'), 'hold', 40);
  expect([field(late, 11), field(late, 150)]).toEqual(['o-2', '8']);
  expect(field(late, 58)).toBe('It waited for its turn and was not sent: the session ended');
  desk.advance(60_000);
  expect(desk.submitted).toEqual([]);
  desk.oms(LIMIT.replace('o-1', 'o-3'));
  expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder']);
});
