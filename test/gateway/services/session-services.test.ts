// Session services on the pure machine: users, limits, news of operators.

import { describe, expect, test } from 'vitest';
import type { GatewayEffect } from '../../../src/gateway/mod.ts';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, LIMITS, SESSION } from '../desk.ts';

const MINUTE = 60_000;
const users = (desk: Desk): Extract<GatewayEffect, { kind: 'user' }>[] =>
  desk.effects.filter((effect) => effect.kind === 'user');

describe('UserRequest(BE)', () => {
  const CHANGE = '35=BE|50=me|923=u-1|924=3|553=OMS|554=the old one|925=the new one|';

  test('a change of the password is asked for once at a time, and answered by BF', () => {
    const desk = new Desk();
    expect(desk.oms(CHANGE)).toEqual([]);
    expect(users(desk)).toMatchObject([
      { username: 'OMS', change: { password: 'the old one', newPassword: 'the new one' } },
    ]);
    expect(desk.oms(CHANGE)).toEqual([expect.stringMatching(/^35=BF\|57=me\|923=u-1\|553=OMS\|926=6\|927=A change/)]);
    const { kind: _, change: __, ...request } = users(desk)[0]!;
    const answer = desk.answers(() => desk.feed({ kind: 'userAnswered', ...request, userStatus: '5', text: null }));
    expect(answer).toEqual(['35=BF|57=me|923=u-1|553=OMS|926=5|']);
    expect(desk.oms(CHANGE)).toEqual([]);
    expect(users(desk)).toHaveLength(2);
  });

  test('other requests and missing passwords get BF with 926=6, FIX.4.2 has neither message', () => {
    const desk = new Desk();
    expect(desk.oms('35=BE|923=u|924=3|553=OMS|554=x|')).toEqual([expect.stringMatching(/\|926=6\|927=924=3 needs/)]);
    expect(desk.oms('35=BE|923=u|924=1|553=OMS|')).toEqual([expect.stringMatching(/\|926=6\|927=UserRequestType/)]);
    expect(users(desk)).toEqual([]);
    const old = new Desk(gatewayConfig({ beginString: 'FIX.4.2' }));
    expect(old.oms(CHANGE)).toEqual([expect.stringMatching(/^35=j\|.*NewPassword\(925\) in the Logon/)]);
  });
});

describe('LimitsRequest(ULQ)', () => {
  const desk = (): Desk =>
    new Desk({
      ...gatewayConfig({ limits: { ...LIMITS, openOrdersMax: 3, ordersPerSecondMax: 5 } }),
      accountLimits: { [ACCOUNT]: { openOrdersMax: 2 } },
    });

  test('O12 reports the limits of the session and its accounts with what is used and left', () => {
    const d = desk();
    d.oms(LIMIT);
    const [report] = d.oms('35=ULQ|50=me|20100=q-1|');
    expect(report).toMatch(/^35=ULR\|57=me\|20100=q-1\|20101=\d\|20102=S\|20103=orderQtyMax\|20104=/);
    expect(report).toContain('|20102=S|20103=openOrdersMax|20104=3|20105=1|20106=2|');
    expect(report).toContain('|20102=S|20103=ordersPerSecondMax|20104=5|20105=1|20106=4|');
    expect(report).toContain(`|20102=A|1=${field(LIMIT, 1)}|20103=openOrdersMax|20104=2|20105=1|20106=1|`);
    d.advance(1_000);
    expect(d.oms('35=ULQ|20100=q-2|')[0]).toContain('|20103=ordersPerSecondMax|20104=5|20105=0|20106=5|');
  });

  test('O7 of an account alone only its own limits; an account that is not on the list is named', () => {
    const d = desk();
    expect(d.oms(`35=ULQ|20100=q|1=${field(LIMIT, 1)}|`)[0]).toMatch(/\|20101=1\|20102=A\|/);
    expect(d.oms('35=ULQ|20100=q|1=NONE|')).toEqual([
      '35=ULR|57=ADMIN|20100=q|20101=0|58=Account(1)=NONE is not on the list of this session|',
    ]);
  });
});

describe('News(B) of operators', () => {
  const news = { sessionIds: null, headline: 'Stop at 22:00', text: 'Ten minutes', urgency: '1' } as const;
  const told = (desk: Desk, act: () => unknown): string[] =>
    desk.answers(act).filter((text) => text.startsWith('35=B|'));

  test('goes to sessions that are logged on, and only to the named ones', () => {
    const desk = new Desk();
    expect(told(desk, () => desk.feed({ kind: 'news', news, stopAt: null, who: 'me' }))).toEqual([]);
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    expect(told(desk, () => desk.feed({ kind: 'news', news, stopAt: null, who: 'me' }))).toEqual([
      '35=B|57=ADMIN|61=1|148=Stop at 22:00|33=1|58=Ten minutes|',
    ]);
    const others = { ...news, sessionIds: ['another'] };
    expect(told(desk, () => desk.feed({ kind: 'news', news: others, stopAt: null, who: 'me' }))).toEqual([]);
  });

  test('of a planned stop goes again before it, after a Logon, and after a restart, until the stop', () => {
    const desk = new Desk();
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    const start = desk.now;
    desk.feed({ kind: 'news', news, stopAt: start + 20 * MINUTE, who: 'me' });
    const minutes: number[] = [];
    for (let minute = 1; minute <= 21; minute++) {
      if (told(desk, () => desk.advance(MINUTE)).length > 0) minutes.push(20 - minute);
      if (minute === 10) desk.restart();
      if (minute === 10) desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    }
    expect(minutes).toEqual([15, 5, 1]);
    expect(desk.gateway.plannedStop()).toBeNull();
    expect(told(desk, () => desk.feed({ kind: 'sessionUp', sessionId: SESSION }))).toEqual([]);
  });

  test('of a stop that is withdrawn says so once, and goes no more', () => {
    const desk = new Desk();
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    desk.feed({ kind: 'news', news, stopAt: desk.now + 2 * MINUTE, who: 'me' });
    expect(told(desk, () => desk.feed({ kind: 'withdrawStop', who: 'me', why: 'not needed' }))).toEqual([
      expect.stringContaining('|148=Withdrawn: Stop at 22:00|'),
    ]);
    expect(told(desk, () => desk.advance(5 * MINUTE))).toEqual([]);
    desk.restart();
    expect(desk.gateway.plannedStop()).toBeNull();
  });
});
