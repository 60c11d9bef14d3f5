// Cancel on disconnect beyond the session's own orders (rules C1, D3): scopes, and ExecInst(18)=o per order.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../../src/gateway/mod.ts';
import { Desk, field, gatewayConfig, LIMIT, SESSION, sessionConfig } from '../../desk.ts';

const SECOND = 'FIX.4.4:XG->OMS2';
type Setting = GatewaySessionConfig['cancelOnDisconnect'];

/** Two sessions on one account; o-1 BTCUSDC and o-2 ETHUSDC of the first, o-3 BTCUSDC of the second work. */
function desk(cancelOnDisconnect: Setting, first: Partial<GatewaySessionConfig> = {}): Desk {
  const config = gatewayConfig({ cancelOnDisconnect, ...first });
  const made = new Desk({ ...config, sessions: [...config.sessions, sessionConfig({ sessionId: SECOND })] });
  const enter = (id: string, symbol: string, sessionId: string, more = ''): void => {
    made.oms(LIMIT.replace('o-1', id).replace('BTCUSDC', symbol) + more, { sessionId });
    const orderId = `9${id.slice(2)}`;
    made.accepted(undefined, orderId);
    made.order({ orderId, clientOrderId: id.slice(2), symbol });
  };
  const own = config.sessions[0]!.sessionId;
  enter('o-1', 'BTCUSDC', own, first.beginString === 'FIXT.1.1' ? '18=o|' : '');
  enter('o-2', 'ETHUSDC', own);
  enter('o-3', 'BTCUSDC', SECOND);
  return made;
}

const cancelledBy = (made: Desk, act: () => void): (string | null | false)[] => {
  const from = made.submitted.length;
  act();
  return made.submitted.slice(from).map(({ command }) => command.kind === 'cancelOrder' && command.orderId);
};

describe('cancel on disconnect', () => {
  test.each([
    ['session', {}, ['91', '92']],
    ['symbols', { symbols: ['ETHUSDC'] }, ['92']],
    ['account', {}, ['91', '92', '93']],
  ] as const)('C1 with scope %s cancels %j', (scope, more, expected) => {
    const made = desk({ on: 'both', graceMs: 0, scope, ...more });
    const down = (): void => void made.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(cancelledBy(made, down)).toEqual(expected);
    const note = made.effects.findLast((effect) => effect.kind === 'note');
    expect(note).toMatchObject({ text: `cancel on disconnect: ${expected.length} orders` });
  });

  test('C1 scope account cancels the session’s own orders on an account that was taken off its list since', () => {
    const made = desk({ on: 'both', graceMs: 0, scope: 'account' });
    const elsewhere = { account: 'ACC2', tradingAccountId: '222000000000002', credential: 'main' };
    const cancelOnDisconnect = { on: 'both', graceMs: 0, scope: 'account' } as const;
    made.gateway.applyConfig(sessionConfig({ cancelOnDisconnect, accounts: [elsewhere] }));
    const down = (): void => void made.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(cancelledBy(made, down)).toEqual(['91', '92']);
  });

  test('C1 orders of another session that an account scope cancels are reported to that session, unsolicited', () => {
    const made = desk({ on: 'both', graceMs: 0, scope: 'account' });
    made.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    const [report] = made.order({ orderId: '93', clientOrderId: '3', status: 'CANCELLED', statusReasonCode: '6005' });
    expect([field(report, 150), field(report, 378)]).toEqual(['4', '8']);
    expect(field(report, 58)).toContain('another session that trades this account ended');
    expect(made.effects.findLast((effect) => effect.kind === 'send')).toMatchObject({ sessionId: SECOND });
  });

  test('C1 they are also when their cancel was refused for the rate and is sent again', () => {
    const made = desk({ on: 'both', graceMs: 0, scope: 'account' });
    made.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    const { commandId } = made.submitted.find(
      ({ command }) => command.kind === 'cancelOrder' && command.orderId === '93',
    )!;
    made.refused(429, null, 'slow down', commandId);
    expect(cancelledBy(made, () => void made.advance(60_000))).toContain('93');
    const [report] = made.order({ orderId: '93', clientOrderId: '3', status: 'CANCELLED', statusReasonCode: '6005' });
    expect([field(report, 150), field(report, 378)]).toEqual(['4', '8']);
    expect(field(report, 58)).toContain('another session that trades this account ended');
  });

  test('D3 ExecInst(18)=o of FIX.5.0SP2 cancels that order on a lost connection in a keeping session', () => {
    const sessionId = 'FIXT.1.1:XG->OMS';
    const made = desk({ on: 'off', graceMs: 0 }, { beginString: 'FIXT.1.1', sessionId });
    const down = (end: 'logout' | 'disconnect') => () => void made.feed({ kind: 'sessionDown', sessionId, end });
    expect(field(made.sent[0], 18)).toBe('o');
    expect(cancelledBy(made, down('logout'))).toEqual([]);
    expect(cancelledBy(made, down('disconnect'))).toEqual(['91']);
  });

  test('D3 ExecInst(18)=o cancels that order too where the connection was lost with the process', () => {
    const sessionId = 'FIXT.1.1:XG->OMS';
    const made = desk({ on: 'off', graceMs: 0 }, { beginString: 'FIXT.1.1', sessionId });
    made.restart();
    expect(cancelledBy(made, () => void made.feed({ kind: 'sessionDown', sessionId, end: 'crash' }))).toEqual(['91']);
  });

  test('D3 18=o waits for the grace time, also over a restart in it', () => {
    const sessionId = 'FIXT.1.1:XG->OMS';
    const made = desk({ on: 'off', graceMs: 3_000 }, { beginString: 'FIXT.1.1', sessionId });
    made.feed({ kind: 'sessionDown', sessionId, end: 'disconnect' });
    made.advance(2_000);
    made.restart();
    expect(cancelledBy(made, () => void made.advance(1_000))).toEqual(['91']);
  });

  test('U5 the shutdown cancels 18=o in its grace time', () => {
    const sessionId = 'FIXT.1.1:XG->OMS';
    const made = desk({ on: 'off', graceMs: 3_000 }, { beginString: 'FIXT.1.1', sessionId });
    const down = (end: 'disconnect' | 'shutdown') => () => void made.feed({ kind: 'sessionDown', sessionId, end });
    expect(cancelledBy(made, down('disconnect'))).toEqual([]);
    expect(cancelledBy(made, down('shutdown'))).toEqual(['91']);
    made.advance(10_000);
    expect(made.submitted).toHaveLength(4);
  });

  test('D3 18=n is refused: orders are kept by a setting; 18=o in FIX.4.4 is refused too', () => {
    const made = new Desk(gatewayConfig({ beginString: 'FIXT.1.1', sessionId: 'FIXT.1.1:XG->OMS' }));
    const [kept] = made.oms(`${LIMIT}18=n|`, { sessionId: 'FIXT.1.1:XG->OMS' });
    expect([field(kept, 39), field(kept, 103)]).toEqual(['8', '11']);
    expect(field(kept, 58)).toContain('kept over a disconnect by a setting of the session');
    const [old] = new Desk().oms(`${LIMIT}18=o|`);
    expect([field(old, 39), field(old, 103)]).toEqual(['8', '11']);
  });
});
