// Market maker protection over FIX on the pure machine: state, freezes, resets, refusals.

import { describe, expect, test } from 'vitest';
import type { CommandOutcome, DataAnswer, MmpConfiguration } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { ACCOUNT, Desk, field, gatewayConfig } from '../desk.ts';

const mmp = (more: Partial<MmpConfiguration> = {}): MmpConfiguration => ({
  underlyingAssetSymbol: 'BTC',
  windowTimeInSeconds: '10',
  frozenTimeInSeconds: '0',
  quantityLimit: '5',
  deltaLimit: null,
  isActive: true,
  ...more,
});
const state = (...configurations: MmpConfiguration[]): DataAnswer => ({ kind: 'mmp', configurations });
const deskOf = (more: Partial<GatewaySessionConfig> = {}): Desk => new Desk(gatewayConfig(more));
const RESET = '35=UMQ|20200=r|20201=1|1=ACC1|311=BTC|';

function managed(desk: Desk, outcome: CommandOutcome): string[] {
  const { commandId } = desk.managed.at(-1)!;
  return desk.answers(() => desk.feed({ kind: 'managed', commandId, outcome }));
}

describe('MMPRequest(UMQ) for the state', () => {
  test.each(['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'])('is answered with each protection in %s', (beginString) => {
    const desk = deskOf({ beginString });
    expect(desk.oms('35=UMQ|20200=m|20201=0|1=ACC1|50=me|')).toEqual([]);
    expect(desk.asked.at(-1)!.question).toEqual({ kind: 'mmp', tradingAccountId: ACCOUNT });
    expect(
      desk.answered(state(mmp(), mmp({ underlyingAssetSymbol: 'ETH', isActive: false, deltaLimit: '2' }))),
    ).toEqual([
      '35=UMR|57=me|20200=m|20208=0|1=ACC1|20202=2|311=BTC|20207=Y|20203=10|20204=0|20205=5|' +
        '311=ETH|20207=N|20203=10|20204=0|20205=5|20206=2|',
    ]);
  });

  test('reports a freeze, its end, and a protection that is gone, until 263=2', () => {
    const desk = deskOf();
    desk.oms('35=UMQ|20200=m|20201=0|1=ACC1|263=1|');
    desk.answered(state(mmp()));
    desk.trade({ orderId: '77', clientOrderId: null });
    desk.advance(500);
    const [frozen] = desk.answered(state(mmp({ isActive: false })));
    expect([325, 20207].map((tag) => field(frozen, tag))).toEqual(['Y', 'N']);
    desk.advance(30_000);
    expect(field(desk.answered(state(mmp()))[0], 20207)).toBe('Y');
    desk.advance(30_000);
    expect(desk.answered(state(mmp()))).toEqual([]);
    desk.advance(30_000);
    expect(field(desk.answered(state())[0], 20202)).toBe('0');
    desk.oms('35=UMQ|20200=m|20201=0|263=2|');
    desk.advance(60_000);
    expect(desk.asked).toHaveLength(5);
  });

  test('is narrowed to an underlying asset, and says so if the exchange cannot be asked', () => {
    const desk = deskOf();
    desk.oms('35=UMQ|20200=m|20201=0|1=ACC1|311=ETH|');
    expect(field(desk.answered(state(mmp()))[0], 20202)).toBe('0');
    desk.oms('35=UMQ|20200=n|20201=0|1=ACC1|');
    expect(desk.answered({ kind: 'failed', message: 'HTTP 503' })).toEqual([
      expect.stringMatching(/^35=UMR\|.*20208=1\|1=ACC1\|58=The exchange could not be asked: HTTP 503\|/),
    ]);
  });
});

describe('MMPRequest(UMQ) for a reset', () => {
  const accepted: CommandOutcome = { kind: 'accepted', orderId: null, clientOrderId: null, requestId: '5' };

  test('U4 sends one command per MMPReqID, recorded first, and reports its outcome', () => {
    const desk = deskOf();
    const effects = desk.answers(() => desk.oms(RESET));
    expect(effects).toEqual([]);
    expect(desk.effects.slice(-2).map(({ kind }) => kind)).toEqual(['persistOrder', 'manage']);
    expect(desk.managed.at(-1)).toMatchObject({
      credential: 'main',
      command: { kind: 'resetMMP', tradingAccountId: ACCOUNT, underlyingAssetSymbol: 'BTC' },
    });
    expect(managed(desk, accepted)).toEqual([expect.stringMatching(/^35=UMR\|.*20200=r\|20208=0\|1=ACC1\|58=/)]);
    expect(desk.oms(RESET, { possDup: true })).toEqual([expect.stringMatching(/20208=1\|.*was used before/)]);
    desk.restart();
    expect(desk.oms(RESET)).toEqual([expect.stringMatching(/20208=1\|.*was used before/)]);
    expect(desk.managed).toHaveLength(1);
  });

  test('U1 a refusal has the words of the exchange, and an unknown outcome asks for the state', () => {
    const desk = deskOf();
    desk.oms(RESET);
    const refused = { kind: 'refused', httpStatus: 400, errorCode: '2105', errorCodeName: null } as const;
    expect(managed(desk, { ...refused, message: 'There is nothing to reset' })[0]).toMatch(
      /20208=1\|.*nothing to reset/,
    );
    desk.oms(RESET.replace('=r|', '=s|'));
    expect(managed(desk, { kind: 'unknown', message: 'no answer in time' })[0]).toMatch(
      /20208=2\|.*unknown.*no answer/,
    );
  });

  test.each([
    ['without an underlying asset', RESET.replace('311=BTC|', ''), 'UnderlyingSymbol'],
    ['of an account of another', RESET.replace('ACC1', 'OTHER'), 'Account'],
    ['with another action', RESET.replace('20201=1', '20201=7'), 'MMPAction'],
  ])('O7 refuses one %s', (_, request, words) => {
    const desk = deskOf();
    expect(desk.oms(request)).toEqual([expect.stringMatching(new RegExp(`20208=1\\|.*58=.*${words}`))]);
    expect(desk.managed).toEqual([]);
  });

  test('O12 refuses one while a kill switch is on', () => {
    const desk = deskOf();
    desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'account', name: ACCOUNT, who: 'op', why: 'a test' });
    expect(desk.oms(RESET)).toEqual([expect.stringMatching(/20208=1\|.*kill switch of this account is on/)]);
    expect(desk.managed).toEqual([]);
  });
});
