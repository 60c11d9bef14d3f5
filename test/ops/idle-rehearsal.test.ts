// Orders that a running gateway makes up while nothing comes, beside real ones: nobody hears of them.

import { expect, test } from 'vitest';
import { configurationFolder } from './configuration-folder.ts';
import { ACCOUNT, GATEWAY, runningGateway, sessionFile } from './running-gateway.ts';

const rehearsing = (busyPollMicros: number): string =>
  `${GATEWAY}busyPollMicros: ${busyPollMicros}\nrehearsal: { orders: 0, idleMicros: 100 }\n`;
/** Pieces of made-up orders before each real one, three to an order. */
const PIECES = 30;

test('made-up orders between real ones reach no journal, session, book, alarm or metric of the gateway', async () => {
  const { engine, logged, ask, logOn } = await runningGateway({ 'gateway.yaml': rehearsing(1_000_000) });
  const fix = await logOn();
  const rehearsal = engine.idleRehearsal!;
  for (const clOrdID of ['r-1', 'r-2', 'r-3']) {
    for (let i = 0; i < PIECES; i++) {
      rehearsal.step();
      await new Promise((resolve) => setImmediate(resolve));
    }
    fix.send(`35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await fix.expect('the report', (view) => view.msgType === '8' && view.string(39) === '0');
  }
  expect(rehearsal.orders).toBeGreaterThan(3);
  let orders = 0;
  for await (const { record } of engine.journal.entries()) {
    expect(JSON.stringify(record)).not.toMatch(/REHEARSAL/i);
    if (record.kind === 'inbound' && record.msgType === 'D') orders++;
  }
  expect(orders).toBe(3);
  expect(engine.gateway.counts()).toMatchObject({ new: 3, ended: 0 });
  expect((await ask('/api/overview')).body).toMatchObject({ notices: [] });
  expect([...engine.sessionConfigs.keys()]).toEqual(['FIX.4.4:GATE->OMS']);
  expect(engine.alarms).toEqual([]);
  fix.send('35=5');
  await fix.expect('the Logout', (view) => view.msgType === '5');
  fix.destroy();
  await engine.close();
  expect(logged.filter((line) => /rehears/i.test(line))).toEqual([
    `info rehearsed ${rehearsal.orders} orders while nothing came`,
  ]);
});

test('made-up orders that would never be taken, since the next message is not looked for so long, are warned of', () => {
  const warned = (busyPollMicros: number) =>
    configurationFolder({ 'gateway.yaml': rehearsing(busyPollMicros), 'OMS.yaml': sessionFile('OMS') })
      .load()
      .warnings.filter(({ key }) => key === 'rehearsal.idleMicros');
  expect(warned(101)).toEqual([]);
  expect(warned(100)).toMatchObject([
    {
      problem: 'nothing is ever rehearsed: after a message the next one is looked for no longer than 100 µs',
      remedy: 'make `busyPollMicros` longer',
    },
  ]);
});
