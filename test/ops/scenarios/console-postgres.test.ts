// The past on the console over a real PostgreSQL: what a gateway recorded there, the next one shows, in pages.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresServer } from '../../store/postgres-server.ts';
import { report } from '../../support/network/fix-connection.ts';
import { containerEngine, describeWith } from '../../support/requirement.ts';
import { browserOfTests, browserThere, logIn, openConsole } from '../console-browser.ts';
import { ACCOUNT, GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const engine = await containerEngine();
/** More than a page of messages. */
const BEATS = 40;
const order = (clOrdID: string, quantity: string): string =>
  `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=${quantity}|40=2|44=50000|59=1|60=20260105-12:00:00.000`;

describeWith(engine.missing === null ? browserThere : engine, 'over PostgreSQL, the console', () => {
  const held = browserOfTests();
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.stop());

  const gatewayOn = (url: string): Promise<RunningGateway> => {
    const text = `${GATEWAY}store: { kind: postgres, url: "env:DATABASE" }\n`;
    const files = { 'gateway.yaml': text, 'OMS.yaml': sessionFile('OMS').replace('durability: process\n', '') };
    return runningGateway(files, { DATABASE: url });
  };

  /** Messages, a canceled order, a rejected one, an alarm and an action of a process that has ended. */
  async function yesterday(url: string): Promise<void> {
    const gateway = await gatewayOn(url);
    const fix = await gateway.logOn();
    fix.send(order('pg-1', '1'));
    await fix.expect('New', report('pg-1', '0'));
    fix.send(`35=F|11=pg-2|41=pg-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|60=20260105-12:00:01.000`);
    await fix.expect('Canceled', report('pg-2', '4'));
    fix.send(order('pg-3', '99'));
    await fix.expect('Rejected', report('pg-3', '8'));
    for (let n = 0; n < BEATS; n++) fix.send(`35=1|112=beat-${n}`);
    await fix.expect('the last answer', (view) => view.msgType === '0' && view.string(112) === `beat-${BEATS - 1}`);
    gateway.engine.alarm('clock-offset', 'the clock is 2 s behind', { source: 'test' });
    await gateway.ask('/api/sessions/OMS/disable', { why: 'the weekend' });
    await gateway.engine.administration.recorded(5_000);
    await gateway.engine.close();
  }

  test('finds messages, orders, alarms and actions of an earlier process, page by page', {}, async () => {
    const url = await server.createDatabase();
    await yesterday(url);
    const gateway = await gatewayOn(url);
    const { page, errors } = await openConsole(held.browser, gateway);
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    const lines = page.locator('#history .line');
    const older = page.getByRole('button', { name: 'Older' });
    await expect.poll(() => lines.count()).toBe(50);
    await older.click();
    await page.getByText('nothing older').waitFor();
    // Both ways of each beat, and those of Logon, orders and Logout.
    expect(await lines.count()).toBeGreaterThan(2 * BEATS);
    const texts = await lines.locator('time').allTextContents();
    expect(texts).toEqual(texts.toSorted().toReversed());
    await page.getByLabel('ClOrdID(11)').fill('pg-1');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => lines.locator('b').allTextContents())
      .toEqual(['ExecutionReport', 'ExecutionReport', 'OrderCancelRequest', 'ExecutionReport', 'NewOrderSingle']);
    await page.getByRole('link', { name: 'Orders' }).click();
    await page.getByLabel('OrdStatus(39)').fill('rejected');
    await page.keyboard.press('Enter');
    await page.locator('#history tbody tr', { hasText: 'pg-3' }).click();
    await page.locator('#history #order').getByText("exceeds this session's limit of 10").first().waitFor();
    await page.getByRole('link', { name: 'Alarms' }).click();
    await page.locator('#history').getByText('the clock is 2 s behind').waitFor();
    await page.getByRole('link', { name: 'Actions' }).click();
    await page.getByLabel('Words').fill('weekend');
    await page.keyboard.press('Enter');
    await page.locator('#history tbody tr', { hasText: 'session disable' }).waitFor();
    expect(errors).toEqual([]);
  });
});
