// An OrderCancelRequest(F) that comes too late at the exchange: refused because the order is closed already, it is
// answered with how it was closed. cancel-of-ended.test.ts has q and unrequested cancels.

import { describe, expect, test } from 'vitest';
import type { ExchangeOrder, ExchangeTrade, LookupOutcome } from '../../../../src/exchange/mod.ts';
import { type Desk, exchangeOrder, exchangeTrade, field, summary, workingDesk } from '../../desk.ts';

const CANCEL = '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|';

describe('D8 an F that the exchange refuses because the order is closed already', () => {
  /** The F was refused by its answer, or by a notice behind it; it has no answer yet. */
  const refused = (byNotice: boolean): Desk => {
    const desk = workingDesk();
    desk.oms(CANCEL);
    if (byNotice) desk.accepted(undefined, '9001', 'r-1');
    const answers = byNotice
      ? desk.notice({ requestId: 'r-1', errorCode: '3032' })
      : desk.refused(400, '3032', 'Order is either closed or rejected');
    expect(answers).toEqual([]);
    return desk;
  };
  const lookedUp = (desk: Desk, outcome: LookupOutcome): string[] => {
    const told = desk.advance(0);
    return [
      ...told,
      ...desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId: desk.lookups.at(-1)!.lookupId, outcome })),
    ];
  };
  const found = (desk: Desk, more: Partial<ExchangeOrder> = {}, trades: readonly ExchangeTrade[] = []) =>
    ({ kind: 'found', order: exchangeOrder({ publishedAt: null, ...more }, desk.now), trades }) as const;
  const filled = { status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2' } as const;
  const of = (text: string | undefined) => [11, 41, 39, 102].map((tag) => field(text, tag));

  test.each([false, true])('has its 9 with the final status, from either source first (a notice: %s)', (byNotice) => {
    for (const end of [
      (desk: Desk) => desk.trade({ quantity: '2' }),
      (desk: Desk) => lookedUp(desk, found(desk, filled, [exchangeTrade({ quantity: '2' }, desk.now)])),
      (desk: Desk) => {
        desk.restart();
        return lookedUp(desk, found(desk, filled, [exchangeTrade({ quantity: '2' }, desk.now)]));
      },
    ]) {
      const desk = refused(byNotice);
      const told = end(desk);
      expect(summary(told)).toEqual(['F/6', '9/1']);
      expect(of(told.at(-1))).toEqual(['c-1', 'o-1', '2', '0']);
      desk.advance(60_000);
      expect([desk.gateway.settled(), desk.alarms]).toEqual([true, []]);
    }
    const expired = refused(byNotice).order({ status: 'CLOSED', statusReasonCode: '6004' });
    expect(summary(expired)).toEqual(['C/C', '9/1']);
    expect(of(expired.at(-1))).toEqual(['c-1', 'o-1', 'C', '0']);
    const cancelled = refused(byNotice).order({ status: 'CANCELLED', statusReasonCode: '3020' });
    expect(summary(cancelled)).toEqual(['4/4']);
    expect(of(cancelled[0])).toEqual(['c-1', 'o-1', '4', null]);
  });

  test.each([false, true])(
    'has its 9 at once where the order works all the same, or cannot be asked for (a notice: %s)',
    (byNotice) => {
      for (const outcome of [(desk: Desk) => found(desk), () => ({ kind: 'failed', message: 'no answer' }) as const]) {
        const desk = refused(byNotice);
        const told = lookedUp(desk, outcome(desk));
        expect(summary(told)).toEqual(['9/1']);
        expect(of(told[0])).toEqual(['c-1', 'o-1', '0', '0']);
        expect(field(told[0], 58)).toContain('3032');
        // The next one goes out.
        expect(summary(desk.oms(CANCEL.replace('c-1', 'c-2')))).toEqual(['6/6']);
        expect(desk.last().command.kind).toBe('cancelOrder');
      }
    },
  );

  test('is not answered by a look-up that had begun before: that one may show the order as it was', () => {
    const desk = workingDesk();
    desk.oms(CANCEL);
    desk.unknown();
    desk.advance(500);
    desk.oms(CANCEL.replace('c-1', 'c-2'));
    const early = found(desk);
    desk.now += 1;
    expect(desk.refused(400, '3032', 'Order is either closed or rejected')).toEqual([]);
    const { lookupId } = desk.lookups.at(-1)!;
    expect(desk.answers(() => desk.feed({ kind: 'lookedUp', lookupId, outcome: early }))).toEqual([]);
    desk.advance(10_000);
    const told = lookedUp(desk, found(desk, filled, [exchangeTrade({ quantity: '2' }, desk.now)]));
    expect(summary(told)).toEqual(['F/6', '9/1', '9/1']);
    // Of the first the second is still open (FIX 4.4 vol. 4 App. D: pending cancel goes before filled).
    expect(told.slice(1).map((text) => field(text, 39))).toEqual(['6', '2']);
  });
});
