// Signals that others send. The terminal in which somebody started the gateway is closed, or its connection is lost:
// SIGHUP, from the kernel and once more from the shell. A program on the machine asks it to reopen its log: SIGUSR1 or
// SIGUSR2.

import process from 'node:process';
import { expect, test } from 'vitest';
import { logOn, openFix, report } from '../support/network/fix-connection.ts';
import { ACCOUNT, ACME, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';

test('U5 C1 a closed terminal stops the gateway orderly; log rotation signals do nothing', async () => {
  const house = await exchangeHouse();
  try {
    const gateway = await house.start();
    const fix = await openFix(gateway.fixPort, ACME);
    await logOn(fix, { password: PASSWORD });
    fix.send(limitOrder('works', '0.02', '60000'));
    await fix.expect('New', report('works', '0', '0'));
    for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
      process.kill(gateway.process.pid, signal);
      await gateway.process.line(new RegExp(`${signal} received: it does nothing here`));
    }
    fix.send('35=1|112=still here');
    await fix.expect('Heartbeat', (view) => view.msgType === '0');
    process.kill(gateway.process.pid, 'SIGHUP');
    process.kill(gateway.process.pid, 'SIGHUP');
    await fix.expect('Canceled', report('works', '4', '4'));
    process.kill(gateway.process.pid, 'SIGHUP');
    await fix.expect('the Logout', (view) => view.msgType === '5');
    fix.send('35=5');
    expect(await gateway.process.ended()).toBe(0);
    expect(house.simulator.control.openOrders(ACCOUNT)).toEqual([]);
  } finally {
    await house.close();
  }
});
