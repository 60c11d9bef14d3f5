// A session that reaches other sessions' orders on its accounts (rule O7), on the pure machine: the receivers and
// contents of reports, in any order of events, and over a restart.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import {
  ACCOUNT,
  Desk,
  dropCopyConfig,
  field,
  gatewayConfig,
  LIMIT,
  SESSION,
  sessionConfig,
  summary,
  textOf,
} from '../desk.ts';

const RISK = 'FIX.4.4:XG->RISK';
const ELSEWHERE_ACCOUNT = '111000000000009';
const CANCELLED = { status: 'CANCELLED', statusReasonCode: '6005', statusReason: 'User cancelled' } as const;

/** An OMS with its order, and a risk desk beside it that trades the same account under another name. */
function desks(more: Partial<GatewaySessionConfig> = {}, options: { ended?: boolean } = {}): Desk {
  const config = gatewayConfig();
  const risk = sessionConfig({
    sessionId: RISK,
    accounts: [{ account: 'HOUSE', tradingAccountId: ACCOUNT, credential: 'main' }],
    symbolAliases: { XBT: 'BTCUSDC' },
    reach: 'accounts',
    ...more,
  });
  return new Desk({ ...config, sessions: [...config.sessions, risk] }, options);
}

function working(more: Partial<GatewaySessionConfig> = {}, options: { ended?: boolean } = {}): Desk {
  const desk = desks(more, options);
  desk.oms(`${LIMIT}50=trader|526=mine|`);
  desk.accepted(undefined, '9001');
  desk.order({});
  return desk;
}

/** A session's messages while `act` ran. */
function told(desk: Desk, sessionId: string, act: () => unknown): string[] {
  const from = desk.effects.length;
  act();
  const sent = desk.effects.slice(from).filter((effect) => effect.kind === 'send');
  return sent.filter((effect) => effect.sessionId === sessionId).map(({ draft }) => textOf(draft));
}

const risk = (desk: Desk, text: string, possDup = false): string[] => desk.oms(text, { sessionId: RISK, possDup });
const F = '35=F|11=r-1|41=NONE|37=9001|1=HOUSE|55=XBT|54=1|50=night|';

describe('O7 a request reaches orders of other sessions on its accounts by setting', () => {
  test('O7 an F by OrderID(37) cancels: 6 and 4 to the requester, unsolicited 4 with 378 to the owner', () => {
    const desk = working();
    const pending = risk(desk, F);
    expect(summary(pending)).toEqual(['6/6']);
    expect(pending[0]).toMatch(/57=night\|37=9001\|11=r-1\|17=9001-6-1\|.*\|1=HOUSE\|55=XBT\|/);
    expect(desk.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
    desk.accepted();
    const both = split(desk, () => desk.order(CANCELLED));
    expect(summary(both.risk)).toEqual(['4/4']);
    const [answer] = both.risk;
    expect([field(answer, 11), field(answer, 41), field(answer, 378)]).toEqual(['r-1', null, null]);
    expect(summary(both.oms)).toEqual(['4/4']);
    expect([field(both.oms[0], 11), field(both.oms[0], 41)]).toEqual(['o-1', null]);
    expect(field(both.oms[0], 378)).toBe('8');
    // Nothing that the owner wrote reaches the other session, and nothing of that session the owner.
    for (const text of [...pending, ...both.risk]) expect(text).not.toMatch(/o-1|mine|trader|ACC1/);
    expect(both.oms[0]).not.toMatch(/r-1|night|HOUSE|XBT/);
    expect(desk.order(CANCELLED)).toEqual([]);
  });

  test.each([
    ['4/4', CANCELLED],
    ['9/1', { status: 'CLOSED', statusReasonCode: '6004' }],
  ] as const)(
    "O7 answers an F (%s) without the owner's fields, also when the order is no longer in reach",
    (answer, end) => {
      const desk = working();
      risk(desk, F);
      desk.accepted();
      desk.gateway.applyConfig({ ...desk.config.sessions[1]!, reach: 'session' });
      const { risk: answers } = split(desk, () => desk.order(end));
      expect(summary(answers)).toEqual([answer]);
      expect(answers[0]).not.toMatch(/o-1|mine|trader|ACC1/);
      expect([1, 11, 37].map((tag) => field(answers[0], tag))).toEqual(['HOUSE', 'r-1', '9001']);
    },
  );

  test('O7 a refused or late F of another session is answered with 9 to that session alone', () => {
    const desk = working();
    risk(desk, F);
    const refused = split(desk, () => desk.refused(400, '3002', 'Order not found'));
    expect([summary(refused.risk), refused.oms]).toEqual([['9/1'], []]);
    expect(refused.risk[0]).toMatch(/^35=9\|57=night\|37=9001\|11=r-1\|41=NONE\|39=0\|1=HOUSE\|/);

    risk(desk, F.replace('r-1', 'r-2'));
    const filled = split(desk, () => desk.trade({ quantity: '2.0' }));
    expect([summary(filled.oms), summary(filled.risk)]).toEqual([['F/2'], ['9/1']]);
    expect(field(filled.risk[0], 58)).toBe('Too late: order OrderID(37)=9001 is filled');
    expect(summary(risk(desk, F.replace('r-1', 'r-3')))).toEqual(['9/1']);
  });

  test('O7 without the setting, on another account, or entered elsewhere, an order is unknown (102=1, 103=5)', () => {
    const far = [{ account: 'HOUSE', tradingAccountId: ELSEWHERE_ACCOUNT, credential: 'main' }];
    for (const more of [{ reach: 'session' as const }, { accounts: far }, { symbols: ['ETHUSDC'] }]) {
      const desk = working(more);
      const [answer] = risk(desk, F);
      expect([field(answer, 35), field(answer, 102), field(answer, 37)]).toEqual(['9', '1', 'NONE']);
      const [status] = risk(desk, '35=H|11=x|37=9001|55=XBT|54=1|');
      expect([field(status, 39), field(status, 103)]).toEqual(['8', '5']);
      const [report] = risk(desk, '35=q|11=q-1|530=7|');
      expect(field(report, 533)).toBe('0');
      expect(desk.submitted).toHaveLength(1);
    }
    const copied = desks();
    copied.gateway.applyConfig(dropCopyConfig());
    copied.order({ orderId: '8001', clientOrderId: '77' });
    expect(field(risk(copied, F.replace('9001', '8001'))[0], 102)).toBe('1');
  });

  test('O7 the ClOrdID(11) of another session finds nothing, and one of its own is used once', () => {
    const desk = working();
    expect(field(risk(desk, '35=F|11=r-1|41=o-1|1=HOUSE|55=XBT|54=1|')[0], 102)).toBe('1');
    risk(desk, F);
    // Used on one session, free on the other.
    expect(field(risk(desk, F)[0], 102)).toBe('6');
    expect(field(risk(desk, LIMIT.replace('11=o-1|1=ACC1', '11=r-1|1=HOUSE'))[0], 103)).toBe('6');
    expect(field(risk(desk, F.replace('r-1', 'r-2'))[0], 102)).toBe('3');
    expect(summary(desk.oms(LIMIT.replace('o-1', 'r-1')))).toEqual([]);
    expect(summary(risk(desk, F, true))).toEqual(['I/0']);
    expect(desk.submitted.map(({ command }) => command.kind)).toEqual(['createOrder', 'cancelOrder', 'createOrder']);
  });

  test('O7 a G on the order of another session is refused with the reason, and its ClOrdID(11) is used up', () => {
    const desk = working({ replaceByCancelAndNew: true });
    const [answer] = risk(desk, '35=G|11=r-1|41=NONE|37=9001|1=HOUSE|55=XBT|54=1|40=2|38=3|44=100|');
    expect([field(answer, 35), field(answer, 434), field(answer, 102), field(answer, 39)]).toEqual([
      '9',
      '2',
      '99',
      '0',
    ]);
    expect(field(answer, 58)).toMatch(/^OrderID\(37\)=9001 was entered by another session: it can be cancelled here/);
    expect(desk.submitted).toHaveLength(1);
    expect(field(risk(desk, F)[0], 102)).toBe('6');
  });

  test('O7 the owner may cancel as well: one end, each answered in its own words', () => {
    const desk = working();
    risk(desk, F);
    expect(summary(desk.oms('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|'))).toEqual(['6/6']);
    const both = split(desk, () => desk.order(CANCELLED));
    expect([summary(both.oms), summary(both.risk)]).toEqual([['4/4'], ['4/4']]);
    expect([field(both.oms[0], 11), field(both.oms[0], 41), field(both.oms[0], 378)]).toEqual(['c-1', 'o-1', null]);
    expect(field(both.risk[0], 11)).toBe('r-1');
  });

  test('O7 a q cancels the orders of all sessions on its accounts; r counts them, owners get 378', () => {
    const desk = working();
    risk(desk, LIMIT.replace('11=o-1|1=ACC1|55=BTCUSDC', '11=own|1=HOUSE|55=XBT'));
    desk.accepted(undefined, '9002');
    desk.order({ orderId: '9002', clientOrderId: '2' });
    const [r] = risk(desk, '35=q|11=q-1|530=1|55=XBT|1=HOUSE|');
    expect([field(r, 531), field(r, 533)]).toEqual(['1', '2']);
    expect(desk.submitted.slice(2).map(({ command }) => command.kind)).toEqual(['cancelOrder', 'cancelOrder']);
    const own = split(desk, () => desk.order({ orderId: '9002', clientOrderId: '2', ...CANCELLED }));
    expect([own.oms, summary(own.risk), field(own.risk[0], 11)]).toEqual([[], ['4/4'], 'own']);
    const others = split(desk, () => desk.order(CANCELLED));
    expect([summary(others.oms), field(others.oms[0], 378)]).toEqual([['4/4'], '8']);
    expect([summary(others.risk), field(others.risk[0], 11), field(others.risk[0], 37)]).toEqual([
      ['4/4'],
      'q-1',
      '9001',
    ]);
    expect(field(others.risk[0], 58)).toMatch(/OrderMassCancelRequest\(q\) ClOrdID\(11\)=q-1/);
  });

  test.each([
    [SESSION, RISK],
    [RISK, SESSION],
  ])('O7 a q also cancels an order that another session is cancelling (F of %s)', (by, other) => {
    const desk = working();
    desk.oms(by === RISK ? F : '35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|', { sessionId: by });
    const { commandId } = desk.last();
    // Its own is answered, and asked for once.
    const again = desk.oms('35=q|11=q-1|530=7|', { sessionId: by });
    expect([desk.last().commandId, field(again[0], 533)]).toEqual([commandId, '0']);
    const [r] = desk.oms('35=q|11=q-2|530=7|', { sessionId: other });
    expect([field(r, 35), field(r, 531), field(r, 533)]).toEqual(['r', '7', '1']);
    expect(desk.last().commandId).not.toBe(commandId);
    expect(told(desk, by, () => desk.refused(429, null, 'too many', commandId)).map((text) => field(text, 35))).toEqual(
      ['9'],
    );
    desk.accepted();
    const end = told(desk, other, () => desk.order(CANCELLED));
    expect(summary(end)).toEqual(['4/4']);
    expect(field(end[0], 58)).toContain('Cancelled by OrderMassCancelRequest(q) ClOrdID(11)=q-2');
  });

  test('O7 answers failed cancels of a q by 9 to its sender, with an alarm if they stay open', () => {
    const desk = working();
    risk(desk, '35=q|11=q-1|530=7|');
    const { oms, risk: asker } = split(desk, () => desk.refused(400, '3085', 'not now'));
    expect(oms).toEqual([]);
    expect(asker.map((text) => [35, 37, 11, 41, 39, 434, 1].map((tag) => field(text, tag)))).toEqual([
      ['9', '9001', 'q-1', 'NONE', '0', '1', 'HOUSE'],
    ]);
    expect(desk.alarmNames()).toEqual(['cancel-incomplete']);
    // The order's history names the refused requester.
    const { timeline } = desk.gateway.findOrder(SESSION, 'o-1')!;
    expect(timeline.at(-1)![1]).toContain(`9 434=1 to ${RISK} Refused by the exchange`);
  });

  test('O7 an order that fills before the q of another session can cancel it: 9 with 102=0 and 39=2', () => {
    const desk = working();
    risk(desk, '35=q|11=q-1|530=7|');
    const { oms, risk: asker } = split(desk, () => desk.trade({ quantity: '2' }));
    expect(summary(oms)).toEqual(['F/2']);
    expect(asker.map((text) => [35, 11, 39, 102].map((tag) => field(text, tag)))).toEqual([['9', 'q-1', '2', '0']]);
    expect(desk.alarmNames()).toEqual([]);
  });

  test("O7 H and AF answer 150=I for other sessions' orders, by 37, in the requester's names", () => {
    const desk = working();
    desk.trade({});
    const [status] = risk(desk, '35=H|11=any|37=9001|55=XBT|54=1|790=s-1|');
    expect(summary([status!])).toEqual(['I/1']);
    expect([field(status, 14), field(status, 151), field(status, 11), field(status, 790)]).toEqual([
      '0.5',
      '1.5',
      null,
      's-1',
    ]);
    risk(desk, LIMIT.replace('11=o-1|1=ACC1|55=BTCUSDC', '11=own|1=HOUSE|55=XBT'));
    const all = risk(desk, '35=AF|584=m-1|585=1|55=XBT|1=HOUSE|');
    expect(all.map((text) => [field(text, 11), field(text, 37), field(text, 911), field(text, 912)])).toEqual([
      ['own', 'NONE', '2', 'N'],
      [null, '9001', '2', 'Y'],
    ]);
    expect(desk.oms('35=AF|584=m-1|585=7|')).toHaveLength(1);
  });

  test.each(['in order', 'shuffled', 'twice'])(
    "O7 over a restart, the exchange's events %s: each end is reported once",
    (how) => {
      const orders = how === 'shuffled' ? permutations([0, 1, 2]) : [[0, 1, 2]];
      for (const order of orders) {
        for (const restartAt of [0, 1, 2, 3]) {
          const desk = working({}, { ended: true });
          risk(desk, F);
          const { commandId } = desk.last();
          const from = desk.effects.length;
          const words = [
            () => desk.trade({ quantity: '0.5' }),
            () => desk.order({ quantityFilled: '0.5', ...CANCELLED }),
            () => desk.accepted(commandId),
          ];
          for (const [i, word] of order.entries()) {
            if (i === restartAt) desk.restart();
            words[word]!();
            if (how === 'twice') words[word]!();
          }
          if (restartAt === 3) desk.restart();
          desk.advance(60_000);
          const sent = desk.effects.slice(from).filter((effect) => effect.kind === 'send');
          const of = (id: string): string[] =>
            sent.filter(({ sessionId }) => sessionId === id).map(({ draft }) => textOf(draft));
          expect(summary(of(SESSION)), `${order} restart at ${restartAt}`).toEqual(['F/1', '4/4']);
          expect(summary(of(RISK)), `${order} restart at ${restartAt}`).toEqual(['4/4']);
          expect(field(of(RISK)[0], 14)).toBe('0.5');
          expect(field(risk(desk, F)[0], 102)).toBe('6');
        }
      }
    },
  );
});

function split(desk: Desk, act: () => unknown): { oms: string[]; risk: string[] } {
  let toRisk: string[] = [];
  const oms = told(desk, SESSION, () => {
    toRisk = told(desk, RISK, act);
  });
  return { oms, risk: toRisk };
}

function permutations(of: readonly number[]): number[][] {
  if (of.length <= 1) return [[...of]];
  return of.flatMap((first) => permutations(of.filter((one) => one !== first)).map((rest) => [first, ...rest]));
}
