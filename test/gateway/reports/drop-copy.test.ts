// Drop copy sessions on the pure machine: their scope, their words, and their limits.

import { describe, expect, test } from 'vitest';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  exchangeOrder,
  exchangeTrade,
  field,
  gatewayConfig,
  SESSION,
  sessionConfig,
  textOf,
} from '../desk.ts';

const COPY = 'FIX.4.4:XG->COPY';
const OTHER = '111000000000002';

function copySession(more: Partial<GatewaySessionConfig> = {}): GatewaySessionConfig {
  return dropCopyConfig({
    sessionId: COPY,
    accounts: [{ account: 'HOUSE', tradingAccountId: ACCOUNT, credential: 'main' }],
    ...more,
  });
}

/** A desk with a second session for copies; `copies()` returns those since the last call. */
class CopyDesk extends Desk {
  #seen = 0;

  constructor(copy: Partial<GatewaySessionConfig> = {}, order: Partial<GatewaySessionConfig> = {}, ended = false) {
    const accounts = [
      { account: 'ACC1', tradingAccountId: ACCOUNT, credential: 'main' },
      { account: 'ACC2', tradingAccountId: OTHER, credential: 'main' },
    ];
    const config = { ...gatewayConfig(), sessions: [sessionConfig({ accounts, ...order }), copySession(copy)] };
    super(config, { ended });
    this.feed({ kind: 'reconciled', tradingAccountId: OTHER, ok: true });
  }

  copies(): string[] {
    const all = this.effects.flatMap((effect) =>
      effect.kind === 'send' && effect.sessionId !== SESSION ? [textOf(effect.draft)] : [],
    );
    const fresh = all.slice(this.#seen);
    this.#seen = all.length;
    return fresh;
  }

  newOrder(more = ''): void {
    this.oms(`35=D|11=c-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=60000|${more}`);
  }
}

const LIMIT = { orderId: '501', symbol: 'BTCUSDC', type: 'LMT', timeInForce: 'GTC', quantity: '2', price: '60000' };
const BY_REST = { ...LIMIT, orderId: '9001', clientOrderId: '77', tradingAccountId: ACCOUNT, side: 'BUY' } as const;

describe('S9 a drop copy session', () => {
  test('receives every report of an order with 797=Y, its ExecID and its own names', () => {
    const desk = new CopyDesk({ symbolAliases: { 'BTC/USDC': 'BTCUSDC' } });
    desk.newOrder('50=trader|115=FIRM|453=1|448=desk|447=D|452=11|');
    const reference = desk.last().command.kind === 'createOrder' ? '1' : '';
    desk.accepted(undefined, '501');
    desk.order({ ...LIMIT, clientOrderId: reference, status: 'OPEN' });
    desk.trade({ orderId: '501', tradeId: '7', price: '60000', quantity: '0.5', clientOrderId: reference });
    const at = formatUtcTimestamp(desk.now);
    const own = desk.sent.filter((text) => text.includes('|11=c-1|') && !text.includes('|797=Y|'));
    expect(own).toHaveLength(2);
    const copies = desk.copies();
    expect(copies).toHaveLength(2);
    expect(copies[1]).toBe(
      '35=8|57=trader|37=501|11=c-1|453=1|448=desk|447=D|452=11|17=501-7-F|797=Y|150=F|39=1|1=HOUSE|55=BTC/USDC|54=1|' +
        `38=2|40=2|44=60000|59=1|32=0.5|31=60000|151=1.5|14=0.5|6=60000|60=${at}|381=30000|851=1|`,
    );
    const execIDs = (texts: readonly string[]) => texts.map((text) => /\|17=([^|]*)/.exec(text)?.[1]);
    expect(execIDs(copies)).toEqual(execIDs(own));
  });

  test('receives orders refused here, but no status answers or OrderCancelRejects', () => {
    const desk = new CopyDesk();
    desk.oms('35=D|11=r-1|1=ACC1|55=BTCUSDC|54=1|38=1000|40=2|44=60000|');
    expect(desk.copies()).toEqual([expect.stringMatching(/11=r-1\|.*797=Y\|150=8\|39=8\|/)]);
    expect(desk.oms('35=H|11=r-1|55=BTCUSDC|54=1|')).toHaveLength(1);
    expect(desk.oms('35=F|11=r-2|41=none|1=ACC1|55=BTCUSDC|54=1|')).toEqual([expect.stringMatching(/^35=9\|/)]);
    expect(desk.copies()).toEqual([]);
  });

  test("receives an order refused here by its market, under the drop copy's name for that", () => {
    const words = { symbols: ['BTCUSDC'], symbolAliases: { BITCOIN: 'BTCUSDC' } };
    const desk = new CopyDesk(words, { symbolAliases: { XBT: 'BTCUSDC' } });
    desk.oms('35=D|11=r-1|1=ACC1|55=XBT|54=1|38=1000|40=2|44=60000|');
    expect(field(desk.sent[0], 55)).toBe('XBT');
    expect(desk.copies().map((text) => [field(text, 150), field(text, 55)])).toEqual([['8', 'BITCOIN']]);
  });

  test('receives its accounts, symbols and sessions only', () => {
    const of = (copy: Partial<GatewaySessionConfig>, text: string): number => {
      const desk = new CopyDesk(copy);
      desk.oms(text);
      return desk.copies().length;
    };
    const refused = (account: string, symbol = 'BTCUSDC'): string =>
      `35=D|11=r-1|1=${account}|55=${symbol}|54=1|38=1000|40=2|44=60000|`;
    expect(of({}, refused('ACC1'))).toBe(1);
    expect(of({}, refused('ACC2'))).toBe(0);
    expect(of({ symbols: ['ETHUSDC'] }, refused('ACC1'))).toBe(0);
    expect(of({ symbols: ['ETHUSDC'] }, refused('ACC1', 'ETHUSDC'))).toBe(1);
    expect(of({ dropCopy: { sessionIds: [], elsewhere: true } }, refused('ACC1'))).toBe(0);
    expect(of({ dropCopy: { sessionIds: [SESSION], elsewhere: false } }, refused('ACC1'))).toBe(1);
  });

  test('receives every session made from a template that it names', () => {
    const template = 'FIX.4.4:XG->*';
    for (const [sessionIds, copies] of [
      [[template], 1],
      [['FIX.4.4:OTHER->*'], 0],
    ] as const) {
      const desk = new CopyDesk({ dropCopy: { sessionIds, elsewhere: false } }, { madeFrom: template });
      desk.oms('35=D|11=r-1|1=ACC1|55=BTCUSDC|54=1|38=1000|40=2|44=60000|');
      expect(desk.copies()).toHaveLength(copies);
    }
  });

  test('hears of it in its own version and dialect', () => {
    const desk = new CopyDesk({ beginString: 'FIX.4.2' });
    desk.newOrder('453=1|448=desk|447=D|452=11|');
    desk.accepted(undefined, '501');
    desk.order({ ...LIMIT, clientOrderId: '1', status: 'OPEN' });
    desk.trade({ orderId: '501', tradeId: '7', price: '60000', quantity: '0.5', clientOrderId: '1' });
    const fill = desk.copies().at(-1)!;
    expect(fill).toContain('|20=0|150=1|39=1|');
    expect(fill).not.toMatch(/\|(797|453)=/);
  });

  test.each([
    ['standard', ['E', '5']],
    ['venue', ['5']],
  ] as const)(
    'D1 hears in %s of a replacement by 150=%s, as the exchange’s own FIX has no pending replace',
    (dialect, execTypes) => {
      const desk = new CopyDesk({ dialect });
      desk.newOrder();
      desk.accepted(undefined, '501');
      desk.order({ ...LIMIT, clientOrderId: '1' });
      desk.copies();
      desk.oms('35=G|11=g-1|41=c-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=60001|');
      desk.order({ ...LIMIT, clientOrderId: '2', price: '60001', publishedAt: desk.now + 1 });
      expect(desk.copies().map((text) => field(text, 150))).toEqual(execTypes);
    },
  );

  test.each(['standard', 'venue'] as const)(
    'D9 receives in %s the completion by a fill that its own session learns by the 9 to an F',
    (dialect) => {
      const desk = new CopyDesk({ dialect });
      desk.newOrder();
      desk.accepted(undefined, '501');
      desk.order({ ...LIMIT, clientOrderId: '1' });
      desk.oms('35=F|11=f-1|41=c-1|1=ACC1|55=BTCUSDC|54=1|');
      desk.trade({ orderId: '501', tradeId: '6', price: '60000', quantity: '0.5', clientOrderId: '1' });
      const from = desk.sent.length;
      desk.trade({ orderId: '501', tradeId: '7', price: '60000', quantity: '1.5', clientOrderId: '1' });
      expect(desk.copies().map((text) => `${field(text, 150)}/${field(text, 39)}`)).toEqual([
        '0/0',
        '6/6',
        'F/6',
        'F/2',
      ]);
      expect(desk.sent.slice(from).map((text) => `${field(text, 35)}/${field(text, 39)}`)).toEqual([
        '8/6',
        '8/2',
        '9/2',
      ]);
    },
  );

  test('D9 copies the completion by a replacement that its own session learns by the 9 to a pending F', () => {
    const desk = new CopyDesk();
    desk.newOrder();
    desk.accepted(undefined, '501');
    desk.order({ ...LIMIT, clientOrderId: '1' });
    desk.oms('35=G|11=g-1|41=c-1|1=ACC1|55=BTCUSDC|54=1|38=0.5|40=2|44=60000|');
    desk.oms('35=F|11=f-1|41=c-1|1=ACC1|55=BTCUSDC|54=1|');
    desk.trade({ orderId: '501', tradeId: '7', price: '60000', quantity: '0.5', clientOrderId: '1' });
    desk.copies();
    const from = desk.sent.length;
    const amended = { ...LIMIT, clientOrderId: '2', quantity: '0.5', quantityFilled: '0.5', publishedAt: desk.now + 1 };
    desk.order({ ...amended, status: 'CLOSED', statusReasonCode: '6002' });
    const own = desk.sent.slice(from).filter((text) => !text.includes('|797=Y|'));
    expect(own.map((text) => `${field(text, 35)}/${field(text, 39)}`)).toEqual(['8/6', '9/2']);
    expect(desk.copies().map((text) => `${field(text, 150)}/${field(text, 39)}`)).toEqual(['5/2']);
  });

  test.each(['a refusal', 'the end of the order'])(
    'D9 hears by its status that an order was filled before a G to a larger quantity, as %s says',
    (says) => {
      for (const [beginString, execType] of [
        ['FIX.4.4', 'I'],
        ['FIX.4.2', '2'],
      ] as const) {
        const desk = new CopyDesk({ beginString });
        desk.newOrder();
        desk.accepted(undefined, '501');
        desk.order({ ...LIMIT, clientOrderId: '1' });
        desk.oms('35=G|11=g-1|41=c-1|1=ACC1|55=BTCUSDC|54=1|38=3|40=2|44=60000|');
        desk.trade({ orderId: '501', tradeId: '7', price: '60000', quantity: '2', clientOrderId: '1' });
        desk.copies();
        const ended = { ...LIMIT, clientOrderId: '1', status: 'CLOSED', statusReasonCode: '6002' } as const;
        if (says === 'a refusal')
          desk.refused(400, '3032', 'Order is either closed or rejected', desk.last().commandId);
        else desk.order({ ...ended, quantityFilled: '2', publishedAt: desk.now + 1 });
        expect(desk.copies().map((text) => [150, 39, 17, 14, 151].map((tag) => field(text, tag)))).toEqual([
          [execType, '2', '501-I-2', '2', '0'],
        ]);
      }
    },
  );

  test('a reason that its version does not have becomes the nearest it has', () => {
    const desk = new CopyDesk({ beginString: 'FIX.4.2' }, { dialect: 'venue' });
    desk.oms('35=D|11=r-1|1=ACC1|55=BTCUSDC|54=1|38=1000|40=2|44=60000|');
    expect(desk.sent[0]).toContain('|103=13|');
    expect(desk.copies()[0]).toContain('|103=0|');
  });

  test.each([
    ['venue', 'standard', '2013', '11'],
    ['standard', 'venue', '11', '2013'],
  ] as const)(
    'D1 S9 copies a rejection in its own dialect: %s to %s, 103=%s there and 103=%s here',
    (owner, dialect, own, copied) => {
      const desk = new CopyDesk({ dialect }, { dialect: owner });
      desk.newOrder();
      desk.refused(400, '2013', 'Order type not supported');
      expect(
        field(
          desk.sent.find((text) => !text.includes('|797=Y|')),
          103,
        ),
      ).toBe(own);
      expect(field(desk.copies()[0], 103)).toBe(copied);
    },
  );

  test('D1 D9 copies a pending replace in standard without 39=E if its own session has no 150=E', () => {
    const desk = new CopyDesk({}, { dialect: 'venue' });
    desk.newOrder();
    desk.accepted(undefined, '501');
    desk.order({ ...LIMIT, clientOrderId: '1' });
    const from = desk.sent.length;
    desk.oms('35=G|11=g-1|41=c-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=60001|');
    desk.trade({ orderId: '501', tradeId: '7', price: '60000', quantity: '0.5', clientOrderId: '1' });
    const told = desk.copies().map((text) => [150, 39, 11, 41].map((tag) => field(text, tag)));
    expect(told).toEqual([
      ['0', '0', 'c-1', null],
      ['E', 'E', 'g-1', 'c-1'],
      ['F', 'E', 'c-1', null],
    ]);
    const own = desk.sent.slice(from).filter((text) => !text.includes('|797=Y|'));
    expect(own.map((text) => `${field(text, 150)}/${field(text, 39)}`)).toEqual(['F/1']);
  });

  test.each([
    ['FIX.4.2', 'standard', 'D', '4'],
    ['FIX.4.4', 'standard', 'D', '8'],
    ['FIX.4.4', 'venue', '7', null],
    ['FIXT.1.1', 'standard', 'L', null],
  ] as const)('D5 receives a triggered stop in %s %s as 150=%s with 378=%s, from any session', (...expected) => {
    const [beginString, dialect, execType, reason] = expected;
    const copy = { beginString, dialect };
    const stop = { ...BY_REST, clientOrderId: '1', type: 'STOP_LIMIT', stopPrice: '59000.00', status: 'OPEN' } as const;
    const triggered = (desk: CopyDesk): (string | null)[] => {
      desk.order(stop);
      desk.order({ ...stop, type: 'LMT', publishedAt: desk.now + 1 });
      const text = desk.copies().at(-1)!;
      expect(text).toContain('|58=Stop triggered: StopPx(99)=59000 was');
      return [field(text, 150), field(text, 378)];
    };
    expect(triggered(new CopyDesk(copy))).toEqual([execType, reason]);
    for (const owner of [{ beginString: 'FIX.4.2' }, { dialect: 'venue' }, { beginString: 'FIXT.1.1' }] as const) {
      const desk = new CopyDesk(copy, owner);
      desk.oms('35=D|11=c-1|21=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=4|44=60000|99=59000|');
      expect(triggered(desk)).toEqual([execType, reason]);
    }
  });

  test("reports by 378 in its own version why an order ended, independent of the order's version", () => {
    const ended = (beginString: string, disconnect: boolean): string | null => {
      const desk = new CopyDesk({ beginString: 'FIXT.1.1' }, { beginString });
      desk.newOrder('21=1|');
      desk.order({ ...LIMIT, clientOrderId: '1', status: 'OPEN' });
      if (disconnect) desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
      const statusReasonCode = disconnect ? '6005' : '6019';
      desk.order({ ...LIMIT, clientOrderId: '1', status: 'CANCELLED', statusReasonCode });
      return field(desk.copies().at(-1), 378);
    };
    for (const beginString of ['FIX.4.2', 'FIX.4.4', 'FIXT.1.1']) {
      expect([ended(beginString, false), ended(beginString, true)]).toEqual(['8', '12']);
    }
  });

  test.each(['D', 'E', 'F', 'G', 'H', 'q', 'AF'])(
    'is answered with j when it sends %s, and nothing is done',
    (type) => {
      const desk = new CopyDesk();
      const answer = desk.oms(`35=${type}|11=x-1|41=c-1|1=HOUSE|55=BTCUSDC|54=1|38=1|40=2|44=60000|`, {
        sessionId: COPY,
      });
      expect(answer).toEqual([expect.stringMatching(new RegExp(`^35=j\\|57=ADMIN\\|45=1\\|372=${type}\\|.*380=6\\|`))]);
      expect(desk.submitted).toEqual([]);
    },
  );

  test('requests missed reports with DropCopyRequest(UDC)', () => {
    const desk = new CopyDesk();
    expect(desk.oms('35=UDC|17=501-7-F|', { sessionId: COPY })).toEqual([]);
    expect(desk.effects.at(-1)).toEqual({ kind: 'repeat', sessionId: COPY, afterExecID: '501-7-F' });
    desk.oms('35=UDC|', { sessionId: COPY });
    expect(desk.effects.at(-1)).toEqual({ kind: 'repeat', sessionId: COPY, afterExecID: null });
  });

  test('needs no limits, and its end cancels nothing', () => {
    const desk = new CopyDesk();
    desk.newOrder();
    desk.accepted(undefined, '501');
    const before = desk.submitted.length;
    desk.feed({ kind: 'sessionUp', sessionId: COPY });
    desk.feed({ kind: 'sessionDown', sessionId: COPY, end: 'disconnect' });
    expect(desk.submitted).toHaveLength(before);
  });
});

describe('O11 an order entered elsewhere', () => {
  test('goes to drop copies alone, from New to its end, each report once', () => {
    const desk = new CopyDesk();
    desk.order({ ...BY_REST, status: 'OPEN' });
    desk.order({ ...BY_REST, status: 'OPEN' });
    desk.trade({ orderId: '9001', tradeId: '8', price: '60000', quantity: '0.5', clientOrderId: '77' });
    desk.trade({ orderId: '9001', tradeId: '8', price: '60000', quantity: '0.5', clientOrderId: '77' });
    desk.order({ ...BY_REST, quantityFilled: '0.5', status: 'CANCELLED', statusReasonCode: '6005' });
    desk.order({ ...BY_REST, quantityFilled: '0.5', status: 'CANCELLED', statusReasonCode: '6005' });
    const copies = desk.copies();
    expect(copies.map((text) => /150=(.)\|39=(.)/.exec(text)?.slice(1).join(''))).toEqual(['00', 'F1', '44']);
    expect(copies[1]).toContain('37=9001|11=77|17=9001-8-F|797=Y|');
    expect(copies[1]).toContain('|1=HOUSE|');
    expect(desk.sent).toEqual(copies);
  });

  test('is never cancelled from here, whatever the exchange says of it after its end', () => {
    const desk = new CopyDesk();
    desk.order({ ...BY_REST, status: 'OPEN' });
    desk.order({ ...BY_REST, status: 'CANCELLED', statusReasonCode: '6019', publishedAt: desk.now + 10 });
    desk.order({ ...BY_REST, status: 'OPEN', publishedAt: desk.now + 20 });
    desk.order({ ...BY_REST, status: 'OPEN', publishedAt: null });
    desk.advance(60_000);
    expect(desk.submitted).toEqual([]);
  });

  test("assigns fills to our session's order that lacked its reference, over a restart too", () => {
    const desk = new CopyDesk({}, {}, true);
    const own = (act: () => unknown): string[] => {
      const told = desk.answers(act).filter((text) => !text.includes('|797=Y|'));
      return told.map((text) => [150, 39, 14].map((tag) => field(text, tag)).join(' '));
    };
    const unnamed = { ...LIMIT, clientOrderId: null } as const;
    const fill = { orderId: '501', clientOrderId: null, price: '60000', quantity: '0.5' } as const;
    desk.newOrder();
    expect(own(() => desk.order(unnamed))).toEqual([]);
    expect(own(() => desk.trade({ ...fill, tradeId: '7' }))).toEqual([]);
    desk.accepted(undefined, '501');
    desk.advance(0);
    const order = exchangeOrder({ ...unnamed, quantityFilled: '0.5', publishedAt: null }, desk.now);
    const trades = [exchangeTrade({ ...fill, tradeId: '7' }, desk.now)];
    const { lookupId } = desk.lookups.at(-1)!;
    const answer = { kind: 'lookedUp', lookupId, outcome: { kind: 'found', order, trades } } as const;
    expect(own(() => desk.feed(answer))).toEqual(['0 0 0', 'F 1 0.5']);
    desk.restart();
    expect(own(() => desk.trade({ ...fill, tradeId: '8' }))).toEqual(['F 1 1']);
    const filled = { ...unnamed, quantityFilled: '1', publishedAt: desk.now + 1 } as const;
    expect(own(() => desk.order({ ...filled, status: 'CANCELLED', statusReasonCode: '6019' }))).toEqual(['4 4 1']);
    expect([...desk.gateway.orders({ openOnly: true })]).toEqual([]);
    // Whatever was said twice has one ExecID.
    const told = desk.copies().filter((text) => field(text, 32) !== null);
    expect(new Set(told.map((text) => field(text, 17))).size).toBe(2);
  });

  test('counts the trades that come before the order itself, and asks for those that do not come', () => {
    const desk = new CopyDesk();
    desk.trade({ orderId: '9001', tradeId: '8', price: '60000', quantity: '0.5', clientOrderId: null });
    desk.order({ ...BY_REST, quantityFilled: '2', status: 'CLOSED' });
    expect(desk.copies().map((text) => /150=(.)/.exec(text)?.[1])).toEqual(['0', 'F']);
    desk.advance(2_500);
    expect(desk.lookups.at(-1)).toMatchObject({ orderId: '9001', clientOrderId: '' });
    desk.trade({ orderId: '9001', tradeId: '9', price: '60000', quantity: '1.5', clientOrderId: null });
    expect(desk.copies().at(-1)).toContain('|150=F|39=2|');
  });

  test('O2 copies both sides of a self-match under one tradeId, also with trades before orders', () => {
    const desk = new CopyDesk();
    const fill = { tradeId: '8', price: '60000', quantity: '2', clientOrderId: null } as const;
    desk.trade({ ...fill, orderId: '9001', side: 'BUY' });
    desk.trade({ ...fill, orderId: '9002', side: 'SELL' });
    desk.order({ ...BY_REST, quantityFilled: '2', status: 'CLOSED' });
    desk.order({ ...BY_REST, orderId: '9002', side: 'SELL', quantityFilled: '2', status: 'CLOSED' });
    expect(desk.copies().map((text) => /17=([^|]*)/.exec(text)?.[1])).toEqual([
      '9001-0',
      '9001-8-F',
      '9002-0',
      '9002-8-F',
    ]);
  });

  test('a liquidation has no ClOrdID and 544=3', () => {
    const desk = new CopyDesk();
    desk.order({ ...BY_REST, isLiquidation: true, status: 'OPEN' });
    const [copy] = desk.copies();
    expect(copy).toMatch(/^35=8\|37=9001\|17=/);
    expect(copy).toContain('|544=3|');
  });

  test('is not repeated after a restart, open or ended', () => {
    const desk = new CopyDesk({}, {}, true);
    desk.order({ ...BY_REST, status: 'OPEN' });
    desk.order({ ...BY_REST, orderId: '9002', status: 'OPEN' });
    desk.order({ ...BY_REST, orderId: '9002', status: 'CANCELLED', statusReasonCode: '6005' });
    expect(desk.copies()).toHaveLength(3);
    desk.restart();
    desk.order({ ...BY_REST, status: 'OPEN' });
    desk.order({ ...BY_REST, orderId: '9002', status: 'CANCELLED', statusReasonCode: '6005' });
    expect(desk.copies()).toEqual([]);
    desk.order({ ...BY_REST, status: 'CANCELLED', statusReasonCode: '6005' });
    expect(desk.copies()).toEqual([expect.stringContaining('|150=4|39=4|')]);
  });

  test('is external: an order session cannot count, cancel or find it', () => {
    const desk = new CopyDesk({}, { cancelOnDisconnect: { on: 'both', graceMs: 0, scope: 'account' } });
    desk.order({ ...BY_REST, status: 'OPEN' });
    expect(desk.gateway.counts()).toMatchObject({ new: 0, ended: 0 });
    expect(desk.oms('35=F|11=f-1|41=77|1=ACC1|55=BTCUSDC|54=1|')).toEqual([expect.stringContaining('|102=1|')]);
    desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', name: '', who: 'a', why: 'test' });
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(desk.submitted).toEqual([]);
  });

  test('is reported once beyond the limit, and again after there was room', () => {
    const desk = new CopyDesk();
    const open = (from: number, count: number): void => {
      for (let i = from; i < from + count; i++) desk.order({ ...BY_REST, orderId: `${i}`, status: 'OPEN' });
    };
    const told = (): number => desk.alarmNames().filter((name) => name === 'drop-copy-incomplete').length;
    open(1, 50_000);
    expect(told()).toBe(0);
    open(50_001, 3);
    open(50_001, 3);
    expect(told()).toBe(1);
    expect(desk.copies()).toHaveLength(50_000);
    const ended = { status: 'CANCELLED', statusReasonCode: '6019', publishedAt: desk.now + 10 } as const;
    for (let i = 1; i <= 6_000; i++) desk.order({ ...BY_REST, ...ended, orderId: `${i}` });
    open(60_001, 6_001);
    expect(told()).toBe(2);
  });

  test('is not followed at all where no drop copy wants it', () => {
    const desk = new CopyDesk({ dropCopy: { sessionIds: null, elsewhere: false } });
    expect(desk.order({ ...BY_REST, status: 'OPEN' })).toEqual([]);
    expect([...desk.gateway.orders()]).toEqual([]);
    expect(desk.records.size).toBe(0);
  });
});

test('S9 the refusal of a repeated D is copied with the status of the order', () => {
  const desk = new CopyDesk();
  desk.newOrder();
  desk.order({});
  desk.copies();
  const from = desk.sent.length;
  desk.newOrder();
  const sent = desk.sent.slice(from).map((text) => [field(text, 150), field(text, 39), field(text, 103)]);
  expect(sent).toEqual([
    ['8', '0', '6'],
    ['8', '0', '6'],
  ]);
  expect(desk.copies().map((text) => field(text, 103))).toEqual(['6']);
  // A D that is refused for itself is an order, and copied.
  desk.oms('35=D|11=c-2|1=ACC1|55=BTCUSDC|54=1|38=0|40=2|44=60000|');
  expect(desk.copies().map((text) => field(text, 150))).toEqual(['8']);
});
