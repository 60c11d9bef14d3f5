// Bad input at each level, from garbled bytes to an exchange that answers nonsense: a clear answer where FIX puts it, and
// the session or the order survives. One real gateway for all of it; each test has its own connection.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fromPrintable, type MessageView, Tag } from '../../src/wire/mod.ts';
import { type FixConnection, openFix, reconnect, report } from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';

let house: ExchangeHouse;
let gateway: GatewayProcess;
const text = (view: MessageView): string => view.string(Tag.Text) ?? '';

beforeAll(async () => {
  house = await exchangeHouse({
    'gateway.yaml': { 'exchange.requestTimeoutMs': 1_000 },
    // The order of a test must not depend on when the one before it was cancelled.
    'ACME_OMS.yaml': { cancelOnDisconnect: { on: 'off' } },
  });
  gateway = await house.start();
});
afterAll(async () => await house?.close());

async function loggedOn(): Promise<FixConnection> {
  return (await reconnect(gateway.fixPort, ACME, { password: PASSWORD })).connection;
}

/** The session still works: a TestRequest is answered. */
async function expectAlive(fix: FixConnection): Promise<void> {
  const id = `alive-${fix.nextSenderMsgSeqNum}`;
  fix.send(`35=1|112=${id}`);
  await fix.expect('the Heartbeat', (view) => view.msgType === '0' && view.string(Tag.TestReqID) === id);
}

async function logOut(fix: FixConnection): Promise<void> {
  fix.send('35=5');
  await fix.expect('the Logout', (view) => view.msgType === '5');
  // The next Logon of the session is dropped while the gateway still holds this connection.
  const from = gateway.process.lines.length;
  fix.destroy();
  await gateway.process.line(/->ACME_OMS".*"text":"connection (closed|dropped)/, 10_000, from);
}

describe('before a session', () => {
  test('a first message that is not a Logon is answered by nothing but the end of the connection', async () => {
    const fix = await openFix(gateway.fixPort, ACME);
    fix.send('35=1|112=hello');
    await fix.expectClosed();
    expect(fix.received).toEqual([]);
  });

  test('bytes that are no FIX end the connection', async () => {
    const fix = await openFix(gateway.fixPort, ACME);
    fix.sendBytes('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(4_000));
    await fix.expectClosed();
    expect(fix.received).toEqual([]);
  });

  test('unknown CompIDs get no more than the end of the connection', async () => {
    for (const identity of [
      { ...ACME, senderCompID: 'NOBODY' },
      { ...ACME, targetCompID: 'ELSEWHERE' },
    ]) {
      const fix = await openFix(gateway.fixPort, identity);
      fix.send('35=A|98=0|108=30|141=Y|554=x');
      await fix.expectClosed();
      expect(fix.received.filter((view) => view.msgType !== '5')).toEqual([]);
    }
  });

  test('S1 a wrong password is refused, and the next Logon finds its numbers as they were', async () => {
    await logOut(await loggedOn());
    const counting = await openFix(gateway.fixPort, ACME);
    counting.send('35=A|98=0|108=30|554=wrong');
    await counting.expectClosed();
    // QuickFIX C++ would count a Logout in place of a report that waits for it.
    expect(counting.received).toEqual([]);
    // As a CompID that does not exist, it gets no answer.
    const beginning = await openFix(gateway.fixPort, ACME);
    beginning.send('35=A|98=0|108=30|141=Y|554=wrong');
    await beginning.expectClosed();
    expect(beginning.received).toEqual([]);
    // The session before used numbers 1 and 2 on both sides.
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum: 3 };
    const { connection: right, answer } = await reconnect(gateway.fixPort, ACME, again);
    expect(answer.int(Tag.MsgSeqNum)).toBe(3);
    await logOut(right);
  });
});

describe('inside a session', () => {
  let fix: FixConnection;
  beforeEach(async () => {
    fix = await loggedOn();
    return async () => await logOut(fix);
  });

  test('garbled bytes, a wrong BodyLength and a wrong CheckSum are ignored and consume no number', async () => {
    const seqNum = fix.nextSenderMsgSeqNum;
    const good = `35=1|49=ACME_OMS|56=EXCHANGE_TEST|34=${seqNum}|52=20260101-00:00:00.000|112=never|`;
    fix.sendBytes('garbage\x01garbage\x01');
    fix.sendBytes(fromPrintable(`8=FIX.4.4|9=12|${good}10=...|`));
    fix.sendBytes(fromPrintable(`8=FIX.4.4|9=...|${good}10=000|`));
    await expectAlive(fix);
    expect(fix.received.filter((view) => view.string(Tag.TestReqID) === 'never')).toEqual([]);
    expect(fix.received.filter((view) => view.msgType === '2')).toEqual([]);
  });

  test('a required tag missing is rejected by the session, naming it', async () => {
    const refSeqNum = fix.send(limitOrder('b-1', '0.01', '60000').replace('|54=1', ''));
    const reject = await fix.expect('the Reject', (view) => view.msgType === '3');
    expect([reject.int(Tag.RefSeqNum), reject.int(Tag.RefTagID), reject.int(Tag.SessionRejectReason)]).toEqual([
      refSeqNum,
      54,
      1,
    ]);
    await expectAlive(fix);
  });

  test('D13 a value outside the enumeration is rejected by the session', async () => {
    fix.send(limitOrder('b-2', '0.01', '60000').replace('|54=1', '|54=Z'));
    const reject = await fix.expect('the Reject', (view) => view.msgType === '3');
    expect([reject.int(Tag.RefTagID), reject.int(Tag.SessionRejectReason)]).toEqual([54, 5]);
    await expectAlive(fix);
  });

  test('an unknown symbol rejects the order, not the session', async () => {
    fix.send(limitOrder('b-3', '0.01', '60000').replace('55=BTCUSDC', '55=NOSUCH'));
    const rejected = await fix.expect('Rejected', report('b-3', '8', '8'));
    expect(rejected.string(Tag.OrdRejReason)).toBe('1');
    expect(text(rejected)).toContain('NOSUCH');
    await expectAlive(fix);
  });

  test('a quantity finer than the market’s precision is refused, never rounded', async () => {
    fix.send(limitOrder('b-4', '0.010000001', '60000'));
    const rejected = await fix.expect('Rejected', report('b-4', '8', '8'));
    expect(text(rejected)).toContain('0.010000001');
    expect(text(rejected)).toContain('38');
    await expectAlive(fix);
  });

  test('a message type that FIX carries but this gateway does not gets a BusinessMessageReject', async () => {
    fix.send('35=R|131=q-1|146=1|55=BTCUSDC');
    const answer = await fix.expect(
      'the BusinessMessageReject',
      (view) => view.msgType === 'j' || view.msgType === '3',
    );
    expect([answer.msgType, answer.string(Tag.RefMsgType)]).toEqual(['j', 'R']);
    await expectAlive(fix);
  });
});

describe('an exchange that misbehaves', () => {
  let fix: FixConnection;
  beforeAll(async () => {
    fix = await loggedOn();
    return async () => await logOut(fix);
  });
  beforeEach(() => {
    house.simulator.control.clearFaults();
  });

  /** After the misbehaviour the next order goes through. */
  async function expectNextOrder(clOrdID: string): Promise<void> {
    house.simulator.control.clearFaults();
    fix.send(limitOrder(clOrdID, '0.01', '50000'));
    await fix.expect('New of the next order', report(clOrdID, '0', '0'));
  }

  for (const httpStatus of [400, 403, 429]) {
    test(`U1 an answer ${httpStatus} rejects the order with words, and the next one goes through`, async () => {
      const clOrdID = `x-${httpStatus}`;
      house.simulator.control.armAnswer({ what: 'error', on: 'create', httpStatus, message: 'on purpose' });
      fix.send(limitOrder(clOrdID, '0.01', '50000'));
      const rejected = await fix.expect('Rejected', report(clOrdID, '8', '8'));
      expect(text(rejected)).not.toBe('');
      await expectNextOrder(`${clOrdID}-next`);
    });
  }

  test('U1 an answer 401 rejects the order or is logged on again, and the next order goes through', async () => {
    house.simulator.control.armAnswer({ what: 'error', on: 'create', httpStatus: 401, message: 'on purpose' });
    fix.send(limitOrder('x-401', '0.01', '50000'));
    const isFinal = (view: MessageView): boolean => report('x-401', '8', '8')(view) || report('x-401', '0', '0')(view);
    await fix.expect('Rejected or New', isFinal);
    await expectNextOrder('x-401-next');
  });

  test('U1 an HTML page with 403 is a refusal, and none of it reaches the wire', async () => {
    house.simulator.control.armAnswer({ what: 'html', on: 'create' });
    fix.send(limitOrder('x-html', '0.01', '50000'));
    const rejected = await fix.expect('Rejected', report('x-html', '8', '8'));
    expect(text(rejected)).not.toMatch(/</);
    await expectNextOrder('x-html-next');
  });

  for (const what of ['lost', 'hang', 'malformed', 'truncated', 'empty'] as const) {
    test(`U2 an answer that is ${what} leaves the order open until the exchange reports it`, async () => {
      const clOrdID = `x-${what}`;
      house.simulator.control.armAnswer({ what, on: 'create' });
      fix.send(limitOrder(clOrdID, '0.01', '50000'));
      // It was executed: the stream or a look-up shows it.
      await fix.expect('New', report(clOrdID, '0', '0'));
      expect(fix.received.filter(report(clOrdID, '8'))).toEqual([]);
      const open = house.simulator.control.openOrders('111000000000001');
      await expectNextOrder(`${clOrdID}-next`);
      expect(house.simulator.control.openOrders('111000000000001').length).toBe(open.length + 1);
    });
  }

  test('U2 an answer 500 is not a rejection: the order is pending, and the session goes on', async () => {
    house.simulator.control.armAnswer({ what: 'error', on: 'create', httpStatus: 500 });
    fix.send(limitOrder('x-500', '0.01', '50000'));
    await fix.expect('PendingNew', report('x-500', 'A', 'A'));
    expect(fix.received.filter(report('x-500', '8'))).toEqual([]);
    await expectAlive(fix);
    await expectNextOrder('x-500-next');
  });
});
