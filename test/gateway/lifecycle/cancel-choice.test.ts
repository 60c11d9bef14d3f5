// CancelOnDisconnect(9001) of a Logon, as the gateway machine takes it: over the session's setting, over a restart, until the
// next Logon.

import { expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { Desk, gatewayConfig, LIMIT, SESSION } from '../desk.ts';

/** A desk with one open order, of a session that logged on with this choice. */
function deskOf(on: GatewaySessionConfig['cancelOnDisconnect']['on'], cancelOnDisconnect?: boolean): Desk {
  const desk = new Desk(gatewayConfig({ cancelOnDisconnect: { on, graceMs: 0 } }));
  const choice = cancelOnDisconnect === undefined ? {} : { cancelOnDisconnect };
  desk.feed({ kind: 'sessionUp', sessionId: SESSION, ...choice });
  desk.oms(LIMIT);
  desk.order({});
  return desk;
}

const cancels = (desk: Desk, end: 'logout' | 'disconnect' | 'crash'): number => {
  const before = desk.submitted.length;
  desk.feed({ kind: 'sessionDown', sessionId: SESSION, end });
  return desk.submitted.slice(before).filter(({ command }) => command.kind === 'cancelOrder').length;
};

test('C1 a choice in the Logon stands over the setting, for Logout and disconnect', () => {
  expect(cancels(deskOf('off', true), 'disconnect')).toBe(1);
  expect(cancels(deskOf('off', true), 'logout')).toBe(1);
  expect(cancels(deskOf('logout', true), 'disconnect')).toBe(1);
  expect(cancels(deskOf('both', false), 'disconnect')).toBe(0);
  expect(cancels(deskOf('both', false), 'logout')).toBe(0);
  expect(cancels(deskOf('both'), 'disconnect')).toBe(1);
  expect(cancels(deskOf('disconnect', true), 'logout')).toBe(0);
});

test('C1 the choice outlives a crash of the gateway, and ends with a Logon without one', () => {
  const kept = deskOf('both', false);
  kept.restart();
  expect(cancels(kept, 'crash')).toBe(0);
  kept.feed({ kind: 'sessionUp', sessionId: SESSION });
  kept.restart();
  expect(cancels(kept, 'crash')).toBe(1);
});
