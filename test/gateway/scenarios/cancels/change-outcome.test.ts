// The fate of an F or G at the exchange: refused before or after its acknowledgement, unanswered, done under the old
// reference, lost. cancel-replace.test.ts has other answers.

import { expect, test } from 'vitest';
import { ACCOUNT, Desk, exchangeOrder, field, gatewayConfig, LIMIT, summary, workingDesk } from '../../desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';
const REPLACE = '35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|';

test("assigns a refusal after the acknowledgement to its command's request, for any code", () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted(undefined, '9001', '501');
  desk.oms(CANCEL);
  desk.accepted(undefined, '9001', '502');
  const refuse = (requestId: string): string[] => desk.notice({ requestId, errorCode: '3062' });
  expect(refuse('777')).toEqual([]);
  expect(summary(refuse('501'))).toEqual(['9/2']);
  expect(summary(refuse('502'))).toEqual(['9/1']);
  expect(refuse('502')).toEqual([]);
});

test("holds a refusal before the acknowledgement; a foreign command's answers no request", () => {
  const refuse = (desk: Desk, requestId: string): string[] =>
    desk.notice({ requestId, errorCode: '2001', message: 'Bad incoming request' });
  const desk = workingDesk();
  desk.oms(CANCEL);
  // Amended over REST meanwhile, in vain; then the cancel itself is refused, before its own answer is here.
  expect([...refuse(desk, '700'), ...refuse(desk, '501')]).toEqual([]);
  expect(summary(desk.accepted(undefined, null, '501'))).toEqual(['9/1']);
  const other = workingDesk();
  other.oms(CANCEL);
  refuse(other, '700');
  expect(other.accepted(undefined, null, '501')).toEqual([]);
  expect(summary(other.order({ status: 'CANCELLED', statusReasonCode: '6005' }))).toEqual(['4/4']);
});

test.each([CANCEL, `${REPLACE}44=101|`])(
  'O11 looks up the order of an unanswered %s after a refusal of an unknown command',
  (message) => {
    const errorCode = message === CANCEL ? '6043' : '6042';
    const answersOf = (desk: Desk, requestId: string | null = '501'): string[] =>
      summary(
        desk.answers(() => {
          desk.oms(message);
          desk.notice({ requestId, errorCode });
          desk.unknown();
          desk.notice({ requestId, errorCode });
        }),
      ).slice(1);
    const refused = [message === CANCEL ? '9/1' : '9/2'];
    const shared = workingDesk();
    expect(answersOf(shared)).toEqual([]);
    // It was carried out in the end.
    const cancelled = { status: 'CANCELLED', statusReasonCode: '6005' } as const;
    const done = message === CANCEL ? cancelled : { price: '101', publishedAt: shared.now + 1 };
    expect(summary(shared.order(done))).toEqual([message === CANCEL ? '4/4' : '5/0']);
    const asked = workingDesk();
    expect(answersOf(asked)).toEqual([]);
    const outcome = { kind: 'found', order: exchangeOrder({}, asked.now), trades: [], final: true } as const;
    asked.advance(500);
    expect(
      summary(asked.answers(() => asked.feed({ kind: 'lookedUp', lookupId: asked.lookups.at(-1)!.lookupId, outcome }))),
    ).toEqual(refused);
    // A refusal without a command, and any on an exclusive account, concerns the open request.
    expect(answersOf(workingDesk(), null)).toEqual(refused);
    expect(answersOf(workingDesk(gatewayConfig({}, { exclusiveAccounts: [ACCOUNT] })))).toEqual(refused);
  },
);

test.each(['3002', '3032', '3085', '2001'])(
  'O11 a refusal (%s) of another order with the same reference answers no F or G of ours',
  (errorCode) => {
    for (const message of [CANCEL, `${REPLACE}44=101|`]) {
      const desk = workingDesk();
      desk.oms(message);
      desk.accepted(undefined, null, null);
      const clientOrderId = message === CANCEL ? '1' : '2';
      expect(desk.notice({ orderId: '5555', clientOrderId, errorCode })).toEqual([]);
      const done =
        message === CANCEL
          ? ({ status: 'CANCELLED', statusReasonCode: '6005' } as const)
          : { price: '101', clientOrderId, publishedAt: desk.now + 1 };
      expect(summary(desk.order(done))).toEqual([message === CANCEL ? '4/4' : '5/0']);
    }
  },
);

test('recognises an amended order with the old reference by its terms, never by an older frame', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  expect(desk.order({ price: '101', publishedAt: desk.now - 1 })).toEqual([]);
  expect(desk.order({ price: '101', publishedAt: null })).toEqual([]);
  expect(summary(desk.order({ price: '101', publishedAt: desk.now + 1 }))).toEqual(['5/0']);
});

test('recognises an amended order by its new reference, though the exchange changed it at once', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  const shown = { price: '101', quantity: '1.5', clientOrderId: '2', publishedAt: desk.now + 1 };
  expect(summary(desk.order(shown))).toEqual(['5/0', 'D/0']);
});

test('a frame with only price and quantity does not prove a G to post-only carried out', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}40=p|`);
  expect(desk.order({ publishedAt: desk.now + 1 })).toEqual([]);
  expect(summary(desk.order({ clientOrderId: '2', type: 'POST_ONLY', publishedAt: desk.now + 2 }))).toEqual(['5/0']);
});

test("reports changes by the exchange during an open G as Restated, apart from the G's refusal", () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted(undefined, null, 'r-1');
  const [restated] = desk.order({ price: '100.0', quantity: '1.5', publishedAt: desk.now + 1 });
  expect([150, 39, 38, 44, 151].map((tag) => field(restated, tag))).toEqual(['D', 'E', '1.5', '100', '1.5']);
  const [refused] = desk.notice({ requestId: 'r-1', errorCode: '3031' });
  expect([35, 39].map((tag) => field(refused, tag))).toEqual(['9', '0']);
  // The same with a G that is carried out after all, also under the old reference.
  const other = workingDesk();
  other.oms(`${REPLACE}44=101|`);
  other.order({ quantity: '1.5', publishedAt: other.now + 1 });
  const [replaced] = other.order({ price: '101', quantity: '1.5', publishedAt: other.now + 2 });
  expect([150, 39, 38, 44].map((tag) => field(replaced, tag))).toEqual(['5', '0', '1.5', '101']);
});

test('an amendment in the same millisecond as the last event is 150=5, never a 9', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted(undefined, null, 'r-1');
  expect(summary(desk.order({ price: '101' }))).toEqual(['5/0']);
});

test('looks up an amendment first seen with a change of the exchange, and then answers it', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted(undefined, null, 'r-1');
  const shown = { price: '101', quantity: '1.5', publishedAt: desk.now + 1 };
  expect(summary(desk.order(shown))).toEqual(['D/E']);
  expect(summary(lookedUpFor(desk, 15_000, shown))).toEqual(['5/0']);
});

test("reports a change in the millisecond of the order's acceptance once as Restated", () => {
  const desk = workingDesk();
  expect(summary(desk.order({ quantity: '1.5', statusReasonCode: '6011' }))).toEqual(['D/0']);
  expect(desk.order({ quantity: '1.5', statusReasonCode: '6011' })).toEqual([]);
  expect(desk.order({ publishedAt: desk.now - 1 })).toEqual([]);
  const [again] = desk.order({ quantity: '1', statusReasonCode: '6011', publishedAt: desk.now + 1 });
  // Rule O2: another change is another execution.
  expect([field(again, 150), field(again, 38), field(again, 17)]).toEqual(['D', '1', '9001-D-2']);
});

/** Answer every look-up within `ms` by the order as it is on the exchange, or as `more` says. */
function lookedUpFor(desk: Desk, ms: number, more: Parameters<typeof exchangeOrder>[0] = {}): string[] {
  return desk.answers(() => {
    const end = desk.now + ms;
    let answered = desk.lookups.length;
    while (desk.now < end) {
      desk.advance(500);
      for (const { lookupId } of desk.lookups.slice(answered)) {
        answered++;
        const order = exchangeOrder({ publishedAt: null, ...more }, desk.now);
        desk.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades: [] } });
      }
    }
  });
}

test('answers 9 to an acknowledged F or G with a lost refusal after an unchanged look-up', () => {
  for (const [request, responseTo] of [
    [CANCEL, '1'],
    [`${REPLACE}44=101|`, '2'],
  ] as const) {
    const desk = workingDesk();
    desk.oms(request);
    desk.accepted();
    expect(lookedUpFor(desk, 9_500)).toEqual([]);
    const answers = lookedUpFor(desk, 20_000);
    expect(summary(answers)).toEqual([`9/${responseTo}`]);
    expect(field(answers[0], 39)).toBe('0');
    expect(summary(desk.oms(CANCEL.replace('c-1', 'c-2')))).toEqual(['6/6']);
  }
});

test('answers Replaced to an acknowledged G that a look-up shows done, also by the old reference', () => {
  const desk = workingDesk();
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted();
  expect(summary(lookedUpFor(desk, 30_000, { price: '101' }))).toEqual(['5/0']);
  // An answered request is pending no more.
  desk.advance(600_000);
  expect(desk.alarms).toEqual([]);
  for (const [type, told] of [
    ['LMT', '9/2'],
    ['POST_ONLY', '5/0'],
  ] as const) {
    const other = workingDesk();
    other.oms(`${REPLACE}40=p|44=101|`);
    other.accepted();
    // The present terms prove nothing, nor does the new price alone that the G was carried out.
    expect(other.order({ publishedAt: other.now + 1 })).toEqual([]);
    expect(summary(lookedUpFor(other, 30_000, { price: '101', type }))).toEqual([told]);
  }
});

test('accepts later events after a looked-up G, though our clock is an hour ahead', () => {
  const desk = new Desk();
  const published = { publishedAt: desk.now - 3_600_000 };
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order(published);
  desk.oms(`${REPLACE}44=101|`);
  desk.accepted();
  expect(summary(lookedUpFor(desk, 30_000, { price: '101' }))).toEqual(['5/0']);
  // Published before the replacement, heard behind the look-up: the terms that it replaced are no news.
  expect(desk.order({ publishedAt: published.publishedAt + 1 })).toEqual([]);
  expect(desk.order({ price: '101', publishedAt: published.publishedAt + 2 })).toEqual([]);
  const [restated] = desk.order({ price: '100', publishedAt: published.publishedAt + 3 });
  expect([field(restated, 150), field(restated, 44)]).toEqual(['D', '100']);
});

test('an acknowledged F survives a restart with its time of acknowledgement', () => {
  const desk = workingDesk();
  desk.oms(CANCEL);
  desk.accepted();
  desk.restart();
  expect(lookedUpFor(desk, 9_500)).toEqual([]);
  expect(summary(lookedUpFor(desk, 20_000))).toEqual(['9/1']);
});

test.each([
  ['sent since the exchange was asked', false],
  ['that has no answer yet', true],
])('U3 an F %s is not refused by that answer: it may still be carried out', (_, isFirst) => {
  const desk = workingDesk();
  const [first, second] = ['f-1', 'f-2'].map((clOrdID) => `35=F|11=${clOrdID}|41=o-1|1=ACC1|55=BTCUSDC|54=1|`);
  const found = (): string[] => {
    const order = exchangeOrder({ publishedAt: null }, desk.now);
    const { lookupId } = desk.lookups.at(-1)!;
    const outcome = { kind: 'found', order, trades: [], final: true } as const;
    return desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome })).map((text) => field(text, 11) ?? '');
  };
  if (isFirst) {
    // A q that another one overtakes: its command is under way.
    desk.oms('35=q|11=q-1|530=7|');
    desk.oms(first!);
    desk.unknown();
    desk.advance(500);
    expect(found()).toEqual(['f-1']);
  } else {
    desk.oms(first!);
    desk.unknown();
    desk.advance(500);
    desk.oms(second!);
    desk.unknown();
    expect(found()).toEqual(['f-1']);
  }
});

test('a refusal that names the order by our reference alone answers the F all the same', () => {
  const desk = workingDesk();
  desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.accepted(undefined, null, 'r-1');
  expect(summary(desk.notice({ orderId: null, requestId: 'r-1', errorCode: '3036' }))).toEqual(['9/1']);
});

test('D8 answers an F refused for an ended order if the exchange no longer finds it', () => {
  const desk = workingDesk();
  desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
  expect(desk.refused(400, '3032', 'closed')).toEqual([]);
  desk.advance(0);
  const { lookupId } = desk.lookups.at(-1)!;
  const outcome = { kind: 'absent', final: true } as const;
  const answers = desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome }));
  expect([summary(answers), field(answers[0], 102)]).toEqual([['9/1'], '1']);
  expect(desk.alarmNames()).toEqual(['order-not-found']);
});

test('U1 alarms for an order that works though refused, and continues', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const { commandId } = desk.last();
  desk.order({});
  expect(desk.refused(400, '3005', 'Insufficient balance', commandId)).toEqual([]);
  expect(desk.alarmNames()).toEqual(['refusal-contradicted']);
  expect(summary(desk.trade({}))).toEqual(['F/1']);
});

test.each([false, true])(
  'U2 D6 keeps unknown orders pending over a restart and cancels unwanted ones (ended apart: %s)',
  (ended) => {
    const desk = new Desk(gatewayConfig(), { ended });
    desk.oms(LIMIT);
    desk.restart();
    expect(summary(desk.advance(1_000))).toEqual(['A/A']);
    // The next process knows of that answer too.
    desk.restart();
    expect(summary(desk.advance(2_000))).toEqual([]);
    const { lookupId } = desk.lookups.at(-1)!;
    const outcome = { kind: 'absent', final: true } as const;
    expect(summary(desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome })))).toEqual(['8/8']);
    desk.order({});
    expect(desk.last().command.kind).toBe('cancelOrder');
    desk.refused(429, null, 'too many');
    desk.restart();
    const before = desk.submitted.length;
    desk.advance(0);
    expect(desk.submitted.slice(before).map(({ command }) => command)).toMatchObject([
      { kind: 'cancelOrder', orderId: '9001' },
    ]);
  },
);
