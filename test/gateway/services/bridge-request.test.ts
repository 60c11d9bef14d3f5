// BridgeRequest(UBQ) on the pure machine: permission, limits, at most once, fragments.

import { expect, test } from 'vitest';
import type { GatewayEffect } from '../../../src/gateway/mod.ts';
import { Desk, field, gatewayConfig } from '../desk.ts';

const GET = '35=UBQ|50=me|20110=b-1|20111=GET|20112=/trading-api/v1/markets|';
const POST = '35=UBQ|20110=p-1|20111=POST|20112=/trading-api/v2/amm-instructions|20114={}|';

const deskOf = (beginString = 'FIX.4.4'): Desk => new Desk(gatewayConfig({ beginString, bridgeCaller: 'desk' }));
const calls = (desk: Desk): Extract<GatewayEffect, { kind: 'bridge' }>[] =>
  desk.effects.filter((effect) => effect.kind === 'bridge');
const answered = (desk: Desk, body: string, status = 200): string[] => {
  const { sessionId, bridgeReqID, sender } = calls(desk).at(-1)!;
  return desk.answers(() => desk.feed({ kind: 'bridgeAnswered', sessionId, bridgeReqID, sender, status, body }));
};

test.each(['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'])(
  'a call in %s goes out as its caller; the answer has its id',
  (version) => {
    const desk = deskOf(version);
    expect(desk.oms(GET)).toEqual([]);
    expect(calls(desk)).toMatchObject([{ caller: 'desk', method: 'GET', path: '/trading-api/v1/markets', body: null }]);
    expect(answered(desk, '[]')).toEqual(['35=UBR|57=me|20110=b-1|20115=200|20116=1|20117=1|20114=[]|']);
  },
);

test('a long answer comes in fragments, one that is too long not at all', () => {
  const desk = deskOf();
  desk.oms(GET);
  const parts = answered(desk, 'x'.repeat(20_000));
  expect(parts.map((text) => [field(text, 20116), field(text, 20117), `${field(text, 20114)?.length}`])).toEqual([
    ['1', '3', '8000'],
    ['2', '3', '8000'],
    ['3', '3', '4000'],
  ]);
  desk.oms(GET);
  expect(answered(desk, 'x'.repeat(300_000))).toEqual([
    expect.stringMatching(/\|20115=413\|.*58=The answer has 300000/),
  ]);
});

test('U4 a POST runs at most once per id, over a restart; a GET again each time', () => {
  const desk = deskOf();
  expect(desk.oms(POST)).toEqual([]);
  expect(calls(desk)).toMatchObject([{ method: 'POST', body: '{}' }]);
  expect(desk.oms(POST)).toEqual([expect.stringMatching(/\|20115=409\|/)]);
  desk.restart();
  expect(desk.oms(POST, { possDup: true })).toEqual([expect.stringMatching(/\|20115=409\|/)]);
  desk.oms(GET);
  desk.oms(GET);
  expect(calls(desk).map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
});

test('a session without a caller, and requests that cannot be, are refused in a UBR', () => {
  const none = new Desk();
  expect(none.oms(GET)).toEqual([expect.stringMatching(/^35=UBR\|.*20115=403\|.*bridgeCaller/)]);
  const desk = deskOf();
  expect(desk.oms(GET.replace('/trading-api', 'trading-api'))).toEqual([expect.stringMatching(/\|20115=400\|/)]);
  expect(desk.oms(GET.replace('=GET', '=PUT'))).toEqual([expect.stringMatching(/\|20115=405\|/)]);
  for (let i = 0; i < 16; i++) expect(desk.oms(GET)).toEqual([]);
  expect(desk.oms(GET)).toEqual([expect.stringMatching(/\|20115=429\|/)]);
  answered(desk, '[]');
  expect(desk.oms(GET)).toEqual([]);
  expect([none, desk].some(({ sent }) => sent.some((text) => text.startsWith('35=j')))).toBe(false);
});

test('a j for a type that is not carried names the call in both forms', () => {
  const [j] = deskOf().oms('35=S|117=q|55=BTCUSDC|');
  expect(j).toContain('POST /trading-api/v2/amm-instructions');
  expect(j).toContain('BridgeRequest(UBQ) with 20111=POST and 20112=/trading-api/v2/amm-instructions');
  expect(new Desk().oms('35=S|117=q|55=BTCUSDC|')[0]).not.toContain('UBQ');
});
