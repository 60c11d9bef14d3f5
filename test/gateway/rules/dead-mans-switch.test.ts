// The exchange's delayed cancel-all behind cancel on disconnect (rule C2), and orders that are ended by hand.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { ACCOUNT, Desk, field, gatewayConfig, LIMIT, SESSION, sessionConfig, summary } from '../desk.ts';

const SETTING = { on: 'both', graceMs: 0, scope: 'account', deadMansSwitchS: 15 } as const;

function desk(more: Partial<GatewaySessionConfig['cancelOnDisconnect']> = {}): Desk {
  return new Desk(gatewayConfig({ cancelOnDisconnect: { ...SETTING, ...more } }, { exclusiveAccounts: [ACCOUNT] }));
}

const kinds = (made: Desk, from = 0): string[] => made.submitted.slice(from).map(({ command }) => command.kind);
const up = (made: Desk): void => void made.feed({ kind: 'sessionUp', sessionId: SESSION });
const down = (made: Desk, end: 'disconnect' | 'shutdown' = 'disconnect'): void =>
  void made.feed({ kind: 'sessionDown', sessionId: SESSION, end });

describe("the dead man's switch", () => {
  test('C2 it is armed at logon and again three times within its delay, and nowhere else', () => {
    const made = desk();
    expect(made.submitted).toEqual([]);
    expect(made.gateway.deadline()).toBeNull();
    up(made);
    expect(made.last().command).toEqual({
      kind: 'delayedCancelAll',
      delayBySeconds: '15',
      cancelId: null,
      tradingAccountId: ACCOUNT,
    });
    made.accepted();
    made.advance(4_999);
    expect(made.submitted).toHaveLength(1);
    made.advance(1);
    expect(kinds(made)).toEqual(['delayedCancelAll', 'delayedCancelAll']);
    made.accepted();
    made.advance(5_000);
    expect(made.submitted).toHaveLength(3);
    expect(made.submitted.map(({ commandId }) => commandId)).toHaveLength(
      new Set(made.submitted.map((s) => s.commandId)).size,
    );
  });

  test('C2 it stays armed while orders are open, and is unset once nothing is', () => {
    const made = desk({ on: 'logout' });
    up(made);
    made.accepted();
    made.oms(LIMIT);
    made.accepted(undefined, '9001');
    made.order({});
    down(made);
    made.advance(5_000);
    expect(made.last().command.kind).toBe('delayedCancelAll');
    made.accepted();
    made.order({ status: 'CANCELLED', statusReasonCode: '6019' });
    expect(made.last().command).toEqual({ kind: 'unsetDelayedCancelAll', tradingAccountId: ACCOUNT });
    made.accepted();
    made.advance(60_000);
    expect(kinds(made).filter((kind) => kind === 'unsetDelayedCancelAll')).toHaveLength(1);
  });

  test('C2 alarms once for an impossible arming, and retries every second', () => {
    const made = desk();
    up(made);
    made.unknown();
    made.advance(1_000);
    made.refused(429, null, 'too many requests');
    made.advance(1_000);
    expect(kinds(made)).toHaveLength(3);
    expect(made.alarmNames().filter((name) => name === 'dead-mans-switch')).toHaveLength(1);
    made.accepted();
    made.advance(5_000);
    made.unknown();
    expect(made.alarmNames().filter((name) => name === 'dead-mans-switch')).toHaveLength(2);
  });

  test('C2 a hanging arming delays no other: two may be lost before it fires', () => {
    const made = desk({ deadMansSwitchS: 5 });
    up(made);
    made.accepted();
    made.advance(3_400);
    expect(kinds(made), 'armed three times within the delay').toHaveLength(3);
    const [, hanging, answered] = made.submitted.map(({ commandId }) => commandId);
    made.accepted(answered);
    made.advance(3_200);
    expect(kinds(made)).toHaveLength(4);
    made.unknown(hanging);
    expect(made.alarmNames()).toContain('dead-mans-switch');
    // No more of them than that wait for their answers, whatever else happens, and nothing is due meanwhile.
    made.advance(60_000);
    expect(kinds(made)).toHaveLength(6);
    expect(made.gateway.deadline()).toBeNull();
    made.feed({ kind: 'tick' });
    expect(kinds(made)).toHaveLength(6);
  });

  test('C2 it is unset only when every arming has its answer: none arrives behind that', () => {
    const made = desk({ deadMansSwitchS: 5 });
    up(made);
    const first = made.last().commandId;
    made.advance(1_700);
    made.accepted();
    down(made);
    made.advance(1_700);
    expect(kinds(made)).toEqual(['delayedCancelAll', 'delayedCancelAll']);
    made.unknown(first);
    made.advance(1_000);
    expect(kinds(made)).toEqual(['delayedCancelAll', 'delayedCancelAll', 'unsetDelayedCancelAll']);
  });

  test('C2 arms again while an unset is pending: a returning session keeps its new orders', () => {
    const made = desk({ deadMansSwitchS: 5 });
    up(made);
    made.accepted();
    down(made);
    const unset = made.last();
    expect(unset.command.kind).toBe('unsetDelayedCancelAll');
    made.advance(1_000);
    up(made);
    expect(made.last().command.kind, 'what was armed before may run on, and fire').toBe('delayedCancelAll');
    made.accepted();
    made.advance(1_700);
    expect(kinds(made, 2)).toEqual(['delayedCancelAll', 'delayedCancelAll']);
    made.accepted();
    // The exchange may have taken it back behind those two.
    made.accepted(unset.commandId);
    expect(kinds(made, 2)).toEqual(['delayedCancelAll', 'delayedCancelAll', 'delayedCancelAll']);
    made.accepted();
    made.advance(1_600);
    expect(kinds(made, 5)).toEqual([]);
  });

  test('C2 armed after an unanswered unset, it is unset again when no longer needed', () => {
    const made = desk({ deadMansSwitchS: 5 });
    up(made);
    made.accepted();
    down(made);
    const unset = made.last();
    up(made);
    const arming = made.last();
    down(made);
    made.accepted(arming.commandId);
    made.accepted(unset.commandId);
    expect(kinds(made, 1)).toEqual(['unsetDelayedCancelAll', 'delayedCancelAll', 'unsetDelayedCancelAll']);
    made.accepted();
    made.advance(60_000);
    expect(made.submitted).toHaveLength(4);
  });

  test('C2 an arming that the exchange refused is tried again every second too', () => {
    const made = desk();
    up(made);
    made.refused(400, '3999', 'not now');
    made.advance(999);
    expect(made.submitted).toHaveLength(1);
    made.advance(1);
    expect(kinds(made)).toEqual(['delayedCancelAll', 'delayedCancelAll']);
  });

  test('C2 a refused arming leaves the earlier one running: it is unset once no session asks for it', () => {
    const without = sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } });
    const refused = (after: number): Desk => {
      const made = desk();
      up(made);
      made.accepted();
      made.advance(5_000);
      made.refused(400, '3999', 'not now');
      for (let ms = 0; ms < after; ms += 1_000) {
        made.advance(1_000);
        made.refused(400, '3999', 'not now');
      }
      made.gateway.applyConfig(without);
      made.advance(0);
      return made;
    };
    expect(kinds(refused(0)).at(-1)).toBe('unsetDelayedCancelAll');
    expect(kinds(refused(9_000)).at(-1)).toBe('unsetDelayedCancelAll');
    // The last arming has fired by then.
    expect(kinds(refused(10_000)).at(-1)).toBe('delayedCancelAll');
  });

  test('C2 unsets after a refused arming while an earlier one is unanswered and may run', () => {
    const made = desk();
    up(made);
    const first = made.last().commandId;
    made.advance(5_000);
    made.refused(400, '3999', 'not now');
    down(made);
    expect(kinds(made), 'an answer is awaited').toEqual(['delayedCancelAll', 'delayedCancelAll']);
    made.unknown(first);
    made.advance(1_000);
    expect(kinds(made).at(-1)).toBe('unsetDelayedCancelAll');
  });

  test('C2 armed, unset and armed within a millisecond, each command has a name of its own', () => {
    const made = desk();
    for (const step of [up, down, up]) {
      step(made);
      made.accepted();
    }
    expect(kinds(made)).toEqual(['delayedCancelAll', 'unsetDelayedCancelAll', 'delayedCancelAll']);
    expect(new Set(made.submitted.map(({ commandId }) => commandId)).size).toBe(3);
  });

  test.each([
    ['unset', 'letFire'],
    ['letFire', 'unset'],
  ] as const)('C2 of two sessions on the account, %s and %s at a shutdown, one letFire is enough', (...both) => {
    const sessions = both.map((deadMansSwitchAtShutdown, i) =>
      sessionConfig({
        sessionId: i === 0 ? SESSION : 'FIX.4.4:XG->OTHER',
        cancelOnDisconnect: { ...SETTING, deadMansSwitchAtShutdown },
      }),
    );
    const made = new Desk({ ...gatewayConfig({}, { exclusiveAccounts: [ACCOUNT] }), sessions });
    up(made);
    made.accepted();
    made.feed({ kind: 'shutdown' });
    down(made, 'shutdown');
    expect(kinds(made)).toEqual(['delayedCancelAll']);
  });

  test.each([
    [5, 15],
    [15, 5],
  ] as const)('C2 of two sessions on the account, %i s and %i s, the shorter delay holds', (...both) => {
    const sessions = both.map((deadMansSwitchS, i) =>
      sessionConfig({
        sessionId: i === 0 ? SESSION : 'FIX.4.4:XG->OTHER',
        cancelOnDisconnect: { ...SETTING, deadMansSwitchS },
      }),
    );
    const made = new Desk({ ...gatewayConfig({}, { exclusiveAccounts: [ACCOUNT] }), sessions });
    up(made);
    expect(made.last().command).toMatchObject({ kind: 'delayedCancelAll', delayBySeconds: '5' });
  });

  test.each(['unset', 'letFire'] as const)(
    'C2 a clean shutdown follows the setting (%s), and says so',
    (atShutdown) => {
      const made = desk({ deadMansSwitchAtShutdown: atShutdown });
      up(made);
      made.accepted();
      made.feed({ kind: 'shutdown' });
      down(made, 'shutdown');
      expect(kinds(made, 1)).toEqual(atShutdown === 'unset' ? ['unsetDelayedCancelAll'] : []);
      const note = made.effects.findLast((effect) => effect.kind === 'note');
      expect(note?.kind === 'note' && note.text).toContain(
        atShutdown === 'unset' ? 'is unset' : 'left to fire within 15 s',
      );
    },
  );

  test.each(['orders are still open', 'its being unset has no answer'])(
    'C2 a clean shutdown that could not take it back says that it is left to fire: %s',
    (why) => {
      const made = desk();
      up(made);
      made.accepted();
      if (why === 'orders are still open') {
        made.oms(LIMIT);
        made.accepted(undefined, '9001');
        made.order({});
      }
      made.feed({ kind: 'shutdown' });
      down(made, 'shutdown');
      expect(made.last().command.kind).toBe(why === 'orders are still open' ? 'cancelOrder' : 'unsetDelayedCancelAll');
      made.unknown();
      made.feed({ kind: 'lastWords' });
      const note = made.effects.findLast((effect) => effect.kind === 'note');
      expect(note?.kind === 'note' && note.text).toBe(`dead man's switch is left to fire within 15 s: ${why}`);
    },
  );

  test('C2 unsets a switch no longer requested, at once or after the pending answer', () => {
    const without = sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } });
    const made = desk();
    up(made);
    made.accepted();
    made.oms(LIMIT);
    made.accepted(undefined, '9001');
    made.order({});
    made.gateway.applyConfig(without);
    expect(made.gateway.deadline()).toBeLessThanOrEqual(made.now);
    made.advance(0);
    expect(made.last().command).toEqual({ kind: 'unsetDelayedCancelAll', tradingAccountId: ACCOUNT });
    made.accepted();
    made.advance(60_000);
    expect(kinds(made)).toEqual(['delayedCancelAll', 'createOrder', 'unsetDelayedCancelAll']);

    const underWay = desk();
    up(underWay);
    underWay.gateway.applyConfig(without);
    underWay.advance(0);
    expect(kinds(underWay)).toEqual(['delayedCancelAll']);
    underWay.accepted();
    expect(kinds(underWay)).toEqual(['delayedCancelAll', 'unsetDelayedCancelAll']);
    // Asked for again before that was answered.
    underWay.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: SETTING }));
    underWay.accepted();
    underWay.advance(0);
    expect(kinds(underWay).at(-1)).toBe('delayedCancelAll');
  });

  test('C2 settings that change leave one as it was that is asked for still: armed, or to be taken back', () => {
    const changed = sessionConfig({ cancelOnDisconnect: { ...SETTING, on: 'disconnect' } });
    const armed = desk();
    up(armed);
    armed.advance(1_000);
    armed.gateway.applyConfig(changed);
    armed.accepted();
    armed.advance(3_999);
    expect(kinds(armed)).toEqual(['delayedCancelAll']);
    armed.advance(1);
    expect(kinds(armed)).toEqual(['delayedCancelAll', 'delayedCancelAll']);

    const failing = desk();
    up(failing);
    failing.accepted();
    down(failing);
    failing.refused(429, '96000', 'rate limit');
    failing.gateway.applyConfig(changed);
    failing.advance(999);
    expect(kinds(failing, 1)).toEqual(['unsetDelayedCancelAll']);
    failing.advance(1);
    expect(kinds(failing, 1)).toEqual(['unsetDelayedCancelAll', 'unsetDelayedCancelAll']);
  });

  test('C2 repeats a refused unset after a second if the request ended while it was pending', () => {
    const made = desk();
    up(made);
    made.accepted();
    down(made);
    made.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } }));
    made.refused(429, '96000', 'rate limit');
    made.advance(999);
    expect(kinds(made, 1)).toEqual(['unsetDelayedCancelAll']);
    made.advance(1);
    expect(kinds(made, 1)).toEqual(['unsetDelayedCancelAll', 'unsetDelayedCancelAll']);
  });

  test('C2 asks to unset no longer than the switch can run, and arms with the next session', () => {
    const made = desk();
    up(made);
    made.accepted();
    down(made);
    for (let second = 0; second < 60; second++) {
      const { length } = made.submitted;
      made.refused(400, '3999', 'no such delayed cancel');
      made.advance(1_000);
      if (made.submitted.length === length) break;
    }
    expect(kinds(made, 1)).toEqual(Array(15).fill('unsetDelayedCancelAll'));
    expect(made.gateway.deadline()).toBeNull();
    up(made);
    expect(made.last().command.kind).toBe('delayedCancelAll');
  });

  test('C2 re-arms after a restart with open orders, before any session connects', () => {
    const made = desk({ on: 'off' });
    up(made);
    made.accepted();
    made.oms(LIMIT);
    made.accepted(undefined, '9001');
    made.order({});
    made.restart();
    expect(made.last().command.kind).toBe('delayedCancelAll');
  });

  /** Killed with the switch armed; the next process does not have the setting. */
  function killedAndTakenOut(from: Desk): Desk {
    const next = new Desk(gatewayConfig({}, { exclusiveAccounts: [] }), { ready: false });
    next.now = from.now + 2_000;
    for (const [key, text] of from.records) next.records.set(key, text);
    next.restart();
    return next;
  }

  test('C2 armed by a process that was killed, it is taken back where the settings ask for it no more', () => {
    const made = desk();
    up(made);
    made.accepted();
    const next = killedAndTakenOut(made);
    expect(next.submitted.map(({ command }) => command)).toEqual([
      { kind: 'unsetDelayedCancelAll', tradingAccountId: ACCOUNT },
    ]);
    next.accepted();
    next.advance(60_000);
    next.restart();
    expect(kinds(next), 'once').toEqual(['unsetDelayedCancelAll']);

    const idle = desk();
    up(idle);
    idle.accepted();
    down(idle);
    idle.accepted();
    expect(kinds(killedAndTakenOut(idle)), 'it was unset').toEqual([]);
  });

  test('C2 taken back too late, it has fired: it is not tried for ever', () => {
    const made = desk();
    up(made);
    made.accepted();
    const next = killedAndTakenOut(made);
    for (let tried = 0; tried < 20; tried++) {
      next.refused(null, null, 'no exchange login of the configuration reaches the account any more');
      next.advance(1_000);
    }
    expect(next.submitted).toHaveLength(15);
    expect(next.alarmNames()).toEqual(['dead-mans-switch']);
    expect(next.gateway.deadline()).toBeNull();
    next.restart();
    expect(next.submitted).toHaveLength(15);
  });

  test('C2 unsets a switch armed before a kill with nothing open after it', () => {
    const made = desk();
    up(made);
    made.accepted();
    made.restart();
    expect(kinds(made)).toEqual(['delayedCancelAll', 'unsetDelayedCancelAll']);
  });

  test('C2 new settings of a session that asks for none, and asked for none, have no other session looked at', () => {
    let asked = 0;
    const sessions = Array.from({ length: 50 }, (_, index) => {
      const { cancelOnDisconnect, ...rest } = sessionConfig({ sessionId: `FIX.4.4:XG->OMS${index}` });
      return Object.defineProperty(rest, 'cancelOnDisconnect', {
        enumerable: true,
        get: () => {
          asked++;
          return cancelOnDisconnect;
        },
      }) as GatewaySessionConfig;
    });
    const made = new Desk(gatewayConfig({}, { sessions }));
    asked = 0;
    for (const session of sessions) made.gateway.applyConfig(session);
    expect(asked).toBeLessThan(10 * sessions.length);
  });

  test('C2 arms two accounts at their own times: a hanging one delays no other', () => {
    const other = '111000000000002';
    const sessions = [15, 5].map((deadMansSwitchS, i) =>
      sessionConfig({
        sessionId: i === 0 ? SESSION : 'FIX.4.4:XG->OTHER',
        accounts: [{ account: 'ACC1', tradingAccountId: i === 0 ? ACCOUNT : other, credential: 'main' }],
        cancelOnDisconnect: { ...SETTING, deadMansSwitchS },
      }),
    );
    for (const order of [sessions, sessions.toReversed()]) {
      const made = new Desk({ ...gatewayConfig({}, { exclusiveAccounts: [ACCOUNT, other] }), sessions: order });
      const armed = (account: string): number =>
        made.submitted.filter(
          ({ command }) => command.kind === 'delayedCancelAll' && command.tradingAccountId === account,
        ).length;
      made.feed({ kind: 'sessionUp', sessionId: 'FIX.4.4:XG->OTHER' });
      made.accepted();
      made.advance(1_666);
      expect(armed(other), 'beside one that nobody needs').toBe(2);
      made.accepted();
      up(made);
      made.accepted();
      made.advance(1_666);
      expect([armed(other), armed(ACCOUNT)]).toEqual([3, 1]);
      // Three of the one hang now and then; the other goes on.
      made.advance(13_334);
      expect([armed(other), armed(ACCOUNT)]).toEqual([5, 4]);
    }
  });

  test('C2 letFire is for a shutdown: a session that is gone with nothing open has it unset all the same', () => {
    const made = desk({ deadMansSwitchAtShutdown: 'letFire' });
    up(made);
    made.accepted();
    down(made);
    expect(kinds(made)).toEqual(['delayedCancelAll', 'unsetDelayedCancelAll']);
  });

  const notes = (made: Desk): unknown[] =>
    made.effects.flatMap((effect) => (effect.kind === 'note' && effect.text.includes('man') ? [effect.text] : []));

  test('C2 reports once that it is left to fire, and nothing at the end for an unset one', () => {
    const left = desk({ deadMansSwitchAtShutdown: 'letFire' });
    const unset = desk();
    for (const made of [left, unset]) {
      up(made);
      made.accepted();
      made.feed({ kind: 'shutdown' });
      down(made, 'shutdown');
      if (made === unset) made.accepted();
      made.feed({ kind: 'tick' });
      made.feed({ kind: 'lastWords' });
    }
    expect(notes(left)).toEqual(["dead man's switch is left to fire within 15 s, as configured"]);
    expect(notes(unset)).toEqual(["dead man's switch is unset: nothing is open"]);
  });

  test('C2 reports the reason of an unset once, and the failed one of the two', () => {
    const made = desk();
    up(made);
    made.refused(429, null, 'not now');
    made.advance(1_000);
    made.accepted();
    made.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } }));
    made.advance(0);
    for (let tries = 0; tries < 3; tries++) {
      made.refused(429, null, 'not now');
      made.advance(1_000);
    }
    expect(notes(made)).toEqual(["dead man's switch is unset: no session asks for it any more"]);
    expect(made.alarms.map(({ text }) => text)).toEqual([
      "The dead man's switch could not be armed: not now",
      "The dead man's switch could not be unset: not now",
    ]);
  });

  test('C2 unsets nothing after a refused first arming, but does after an unanswered one', () => {
    for (const [outcome, after] of [
      [(made: Desk) => made.refused(400, '3999', 'not now'), []],
      [(made: Desk) => made.refused(429, null, 'not now'), ['unsetDelayedCancelAll']],
      [(made: Desk) => made.unknown(), ['unsetDelayedCancelAll']],
    ] as const) {
      const made = desk();
      // One that was armed and taken back before changes nothing.
      up(made);
      made.accepted();
      down(made);
      made.accepted();
      up(made);
      outcome(made);
      down(made);
      made.advance(1_000);
      expect(kinds(made, 3)).toEqual(after);
    }
  });

  test('C2 hands an armed switch to the next process after a kill with ended records apart', () => {
    const config = gatewayConfig({ cancelOnDisconnect: { ...SETTING } }, { exclusiveAccounts: [ACCOUNT] });
    const made = new Desk(config, { ended: true });
    up(made);
    made.accepted();
    made.restart();
    expect(kinds(made)).toEqual(['delayedCancelAll', 'unsetDelayedCancelAll']);
    made.accepted();
    expect([...made.records.keys()].filter((key) => key.startsWith('dead'))).toEqual([]);
    made.restart();
    expect(kinds(made)).toHaveLength(2);
  });

  test('C2 U2 unsets an unanswered arming while it may run, and no longer', () => {
    for (const [seconds, isUnset] of [
      [14, true],
      [15, false],
    ] as const) {
      const made = desk();
      up(made);
      made.unknown();
      for (let at = 1; at <= seconds; at++) {
        made.advance(1_000);
        made.refused(400, '3999', 'not now');
      }
      const before = made.submitted.length;
      made.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } }));
      made.advance(0);
      expect(kinds(made, before)).toEqual(isUnset ? ['unsetDelayedCancelAll'] : []);
    }
  });

  test('C2 records arming once and unsetting once, not each renewal or refusal', () => {
    const made = desk();
    const recorded = (): number =>
      made.effects.filter((effect) => effect.kind === 'persistOrder' && effect.key.startsWith('deadMansSwitch')).length;
    made.feed({ kind: 'tick' });
    expect(recorded()).toBe(0);
    up(made);
    for (let times = 0; times < 3; times++) {
      made.refused(400, '3999', 'not now');
      made.advance(1_000);
    }
    made.accepted();
    made.advance(5_000);
    made.accepted();
    expect(recorded()).toBe(1);
    down(made);
    made.accepted();
    made.feed({ kind: 'tick' });
    expect(recorded()).toBe(2);
  });

  test("C2 unsets the earlier process's switch by the account's present login or the arming one", () => {
    const armed = desk();
    up(armed);
    armed.accepted();
    for (const [tradingAccountId, credential] of [
      [ACCOUNT, 'other'],
      ['111000000000009', 'main'],
    ] as const) {
      const accounts = [{ account: 'ACC1', tradingAccountId, credential: 'other' }];
      const next = new Desk(gatewayConfig({ accounts }), { ready: false });
      for (const [key, text] of armed.records) next.records.set(key, text);
      next.restart();
      const unset = next.effects.find((effect) => effect.kind === 'submit');
      expect(unset).toMatchObject({
        command: { kind: 'unsetDelayedCancelAll', tradingAccountId: ACCOUNT },
        credential,
      });
    }
  });

  test('C2 re-arms at once a switch that fired because it could not be unset, on request', () => {
    const made = desk();
    up(made);
    made.accepted();
    made.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: { on: 'both', graceMs: 0 } }));
    made.advance(0);
    made.unknown();
    for (let tries = 0; tries < 15; tries++) {
      made.advance(1_000);
      if (made.last().command.kind === 'unsetDelayedCancelAll') made.unknown();
    }
    const before = made.submitted.length;
    made.gateway.applyConfig(sessionConfig({ cancelOnDisconnect: SETTING }));
    made.advance(0);
    expect(kinds(made, before)).toEqual(['delayedCancelAll']);
  });

  test('C2 an account that is not declared exclusive has none', () => {
    expect(() => new Desk(gatewayConfig({ cancelOnDisconnect: SETTING }))).toThrow('is declared exclusive (rule C2)');
  });
});

describe('an order that the exchange does not know any more', () => {
  test('is ended by an operator once the exchange said so, and cancelled if it turns up after all', () => {
    const made = new Desk();
    made.oms(LIMIT);
    made.accepted(undefined, '9001');
    made.order({});
    const resolve = (): string[] =>
      made.answers(() =>
        made.feed({
          kind: 'resolve',
          sessionId: SESSION,
          clOrdID: 'o-1',
          who: 'ann',
          why: 'venue restored from backup',
        }),
      );
    expect(made.gateway.resolveProblem(SESSION, 'o-1')).toContain('has not said');
    expect(resolve()).toEqual([]);
    // The first comparison with the exchange since it spoke of the order ends that round; the second asks.
    made.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    made.feed({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
    made.advance(0);
    const { lookupId } = made.lookups.at(-1)!;
    made.feed({ kind: 'lookedUp', lookupId, outcome: { kind: 'absent', final: true } });
    expect(made.alarmNames()).toContain('order-not-found');
    expect(made.gateway.resolveProblem(SESSION, 'o-1')).toBeNull();
    const [report] = resolve();
    expect(summary([report!])).toEqual(['4/4']);
    expect(field(report, 378)).toBe('8');
    expect(field(report, 58)).toContain('does not know the order (venue restored from backup)');
    expect(made.gateway.resolveProblem(SESSION, 'o-1')).toBe('The order has ended already.');
    made.order({ publishedAt: made.now + 1 });
    expect(made.last().command).toMatchObject({ kind: 'cancelOrder', orderId: '9001' });
    expect(made.alarmNames()).toContain('absent-order-appeared');
  });
});
