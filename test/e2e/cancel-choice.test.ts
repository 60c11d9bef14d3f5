// CancelOnDisconnect(9001) of a Logon over real sockets: the answer says what is in force, and the orders follow it.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { reconnect, report } from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';

const VENUE = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };

let house: ExchangeHouse;
let gateway: GatewayProcess;

beforeAll(async () => {
  house = await exchangeHouse({ 'ACME_OMS.yaml': { 'cancelOnDisconnect.logonMay': 'switchOnAndOff' } });
  gateway = await house.start();
});
afterAll(async () => {
  await house?.close();
});

const inForce = async (identity: typeof ACME, extra: string): Promise<string | null> => {
  const { connection, answer } = await reconnect(gateway.fixPort, identity, { password: PASSWORD, extra });
  connection.destroy();
  return answer.string(Tag.CancelOnDisconnect);
};

test('C1 the answer to a Logon says what is in force, within the limits of the session', async () => {
  expect(await inForce(ACME, '9001=N|')).toBe('N');
  expect(await inForce(ACME, '9001=Y|')).toBe('Y');
  expect(await inForce(ACME, '')).toBeNull();
  // The session does not allow N.
  expect(await inForce(VENUE, '9001=N|')).toBe('Y');
});

test('C1 an order stays after a disconnect with 9001=N, and goes with the next one', async () => {
  const first = await reconnect(gateway.fixPort, ACME, { password: PASSWORD, extra: '9001=N|' });
  first.connection.send(limitOrder('kept', '0.01', '50000'));
  await first.connection.expect('New', report('kept', '0', '0'));
  first.connection.destroy();
  const second = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
  second.connection.send('35=H|11=kept|55=BTCUSDC|54=1|');
  await second.connection.expect('it works', report('kept', 'I', '0'));
  second.connection.destroy();
  const third = await reconnect(gateway.fixPort, ACME, { password: PASSWORD });
  third.connection.send('35=H|11=kept|55=BTCUSDC|54=1|');
  await third.connection.expect(
    'its end',
    (view) => view.string(Tag.ClOrdID) === 'kept' && view.string(Tag.OrdStatus) === '4',
  );
  third.connection.destroy();
});

test('the day, run again from its journal alone, is identical', async () => {
  expect(await gateway.interrupt()).toBe(0);
  const args = ['src/cli/main.ts', 'replay', '--pure', '--state', house.home.state];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toMatch(/^identical: /);
});
