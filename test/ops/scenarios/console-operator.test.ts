// The proof of the console: an operator's work done there alone, in a real browser, while a counterparty with a certificate trades.
// `CONSOLE_PICTURES=folder` keeps a picture of each step, and the seconds that it took.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { type Authority, authorityForTest } from '../../support/network/authority.ts';
import { type ClientTls, type FixConnection, logOn, openFix, report } from '../../support/network/fix-connection.ts';
import { describeWith } from '../../support/requirement.ts';
import { browserOfTests, browserThere, closeDialog, confirmAction, logIn, openConsole } from '../console-browser.ts';
import { ACCOUNT, GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const TLS = 'certificate: "file:server.crt", key: "file:server.key", clientAuthority: "file:clients.crt"';
const MUTUAL = GATEWAY.replace('{ name: plain, port: 0 }', `{ name: tls, port: 0, tls: { ${TLS} } }`);
const NORTH = { senderCompID: 'NORTH', targetCompID: 'GATE' };
const DEFAULTS = 'senderCompID: GATE\ndurability: process\n';

interface Desk {
  readonly page: Page;
  readonly gateway: RunningGateway;
  readonly tls: ClientTls;
}

function furnished(servers: Authority, clients: Authority): (path: string) => void {
  return (path) => {
    mkdirSync(join(path, 'state'), { recursive: true });
    const write = (name: string, text: string): void => writeFileSync(join(path, 'state', name), text, { mode: 0o600 });
    const { cert, key } = servers.signFor('localhost', 'serverAuth', 'DNS:localhost');
    write('server.crt', cert);
    write('server.key', key);
    write('clients.crt', clients.certificatePem);
  };
}

async function north({ gateway, tls }: Desk, password: string): Promise<FixConnection> {
  const connection = await openFix(gateway.engine.addresses[0]!.port, NORTH, tls);
  onTestFinished(() => connection.destroy());
  await logOn(connection, { password });
  return connection;
}

const order = (clOrdID: string, quantity: number): string =>
  `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=${quantity}|40=2|44=50000|59=1|60=20260105-12:00:00.000`;

/** Keeps a picture and the time of each step, where somebody wants them. */
function steps(): (name: string, work: () => Promise<void>) => Promise<void> {
  const folder = process.env.CONSOLE_PICTURES;
  return async (name, work) => {
    const begun = performance.now();
    await work();
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s  ${name}`);
  };
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}

async function addCounterparty({ page }: Desk): Promise<string> {
  const dialog = page.getByRole('dialog');
  await page.getByRole('link', { name: 'Configuration', exact: true }).click();
  await page.getByRole('button', { name: 'New session …' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('NORTH_OMS');
  await dialog.getByLabel('SenderCompID(49)').fill('NORTH');
  await dialog.getByLabel('Account(1)').fill(ACCOUNT);
  await dialog.getByLabel('Largest OrderQty(38)').fill('10');
  await dialog.getByLabel('Largest price × quantity').fill('10000000');
  await dialog.getByLabel('Price band in percent').fill('off');
  await dialog.getByLabel('Common name of its TLS certificate').fill('north.example');
  await picture(page, '1-new-session');
  await confirmAction(page, 'Make the session', /NORTH_OMS added/);
  const password = (await dialog.getByLabel('Password').textContent()) ?? '';
  await picture(page, '1-password');
  await closeDialog(page);
  await page.getByLabel('Text of NORTH_OMS.yaml').waitFor();
  return password;
}

async function chooseSession(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Desk' }).click();
  await page.locator('#sessions tbody tr', { hasText: name }).click();
}

describeWith(browserThere, 'by the console alone, an operator', () => {
  const held = browserOfTests();

  test('adds a counterparty, changes limits, finds a rejection, rolls back, stops it, rotates its password', {
    timeout: 180_000,
  }, async () => {
    const [servers, clients] = [authorityForTest('Servers'), authorityForTest('Clients')];
    const furnish = furnished(servers, clients);
    const files = { 'gateway.yaml': MUTUAL, 'defaults.yaml': DEFAULTS };
    const gateway = await runningGateway({ ...files, 'OMS.yaml': sessionFile('OMS') }, {}, furnish);
    const { page, errors } = await openConsole(held.browser, gateway);
    await page.setViewportSize({ width: 1280, height: 900 });
    const tls = { ca: servers.certificatePem, ...clients.sign('north.example') };
    const desk = { page, gateway, tls };
    const step = steps();
    const dialog = page.getByRole('dialog');
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    let password = '';

    await step('adds a counterparty with a certificate and a password', async () => {
      password = await addCounterparty(desk);
    });
    const stranger = { ...desk, tls: { ca: servers.certificatePem, ...clients.sign('somebody else') } };
    await expect(north(stranger, password)).rejects.toThrow();
    const fix = await north(desk, password);

    fix.send(order('n-1', 15));
    await fix.expect('the rejection', report('n-1', '8'));
    await step('changes its limits while it trades', async () => {
      await chooseSession(page, 'NORTH_OMS');
      await page.getByRole('button', { name: 'Limits …' }).click();
      await dialog.getByLabel('Largest OrderQty(38)').fill('20');
      await dialog.getByText('limits.orderQtyMax 10 → 20, for the next order.').waitFor();
      await picture(page, '2-limits');
      await confirmAction(page, 'Change the limits', /NORTH_OMS changed/);
      await closeDialog(page);
    });
    fix.send(order('n-2', 15));
    await fix.expect('New', report('n-2', '0'));
    expect(fix.closed).toBe(false);

    await step('finds out why an order was rejected', async () => {
      await page.getByRole('link', { name: 'History' }).click();
      await page.getByRole('link', { name: 'Orders' }).click();
      await page.getByLabel('OrdStatus(39)').fill('rejected');
      await page.keyboard.press('Enter');
      await page.locator('#history tbody tr', { hasText: 'n-1' }).click();
      await page
        .locator('#order')
        .getByText(/OrderQty.*15.*10/)
        .first()
        .waitFor();
      await picture(page, '3-rejected');
    });

    await step('rolls a bad change back', async () => {
      await chooseSession(page, 'NORTH_OMS');
      await page.getByRole('link', { name: 'Its file' }).click();
      const text = page.getByLabel('Text of NORTH_OMS.yaml');
      await text.fill((await text.inputValue()).replace(/orderQtyMax: .*/, 'orderQtyMax: "0.001"'));
      await page.getByRole('button', { name: 'Save …' }).click();
      await dialog.getByText(/limits.orderQtyMax "?20"? → "?0.001"?, at once/).waitFor();
      await confirmAction(page, 'Save and apply', /NORTH_OMS changed/);
      await closeDialog(page);
      await page.getByRole('button', { name: 'Roll back to 3' }).click();
      await dialog.getByText(/limits.orderQtyMax "?0.001"? → "?20"?, at once/).waitFor();
      await picture(page, '4-roll-back');
      await confirmAction(page, 'Roll back', /NORTH_OMS changed/);
      await closeDialog(page);
      await page.getByLabel('Versions of the configuration').getByText('back to version 3: a test').waitFor();
    });
    fix.send(order('n-3', 2));
    await fix.expect('New', report('n-3', '0'));

    await step('stops it for the weekend, over restarts', async () => {
      await chooseSession(page, 'NORTH_OMS');
      await page.getByRole('button', { name: 'Disable …' }).click();
      await dialog.getByLabel('over restarts').check();
      await picture(page, '5-weekend');
      await confirmAction(page, 'Disable the session', /NORTH_OMS changed/);
      await closeDialog(page);
    });
    await fix.expect('Logout', (view) => view.msgType === '5');
    await fix.expectClosed();
    await expect(north(desk, password)).rejects.toThrow();
    await gateway.engine.administration.recorded(2_000);
    expect(readFileSync(join(gateway.folder.path, 'sessions/NORTH_OMS.yaml'), 'utf8')).toContain('enabled: false');
    await step('opens it again on Monday', async () => {
      await page.locator('#sessions tbody tr', { hasText: 'NORTH_OMS' }).getByText('Disabled').waitFor();
      await page.getByRole('button', { name: 'Enable …' }).click();
      await dialog.getByText('NORTH_OMS.yaml loses its').waitFor();
      await confirmAction(page, 'Enable the session', /NORTH_OMS changed/);
      await closeDialog(page);
    });
    const monday = await north(desk, password);

    let fresh = '';
    await step('rotates its password', async () => {
      await chooseSession(page, 'NORTH_OMS');
      await page.getByRole('link', { name: 'Its file' }).click();
      await page.getByRole('button', { name: 'Password …' }).click();
      await dialog.getByText('with either password for 24 hours').waitFor();
      await confirmAction(page, 'Make a password', /the old one valid until/);
      fresh = (await dialog.getByLabel('Password').textContent()) ?? '';
      await picture(page, '6-password');
      await closeDialog(page);
    });
    expect(monday.closed).toBe(false);
    for (const one of [password, fresh]) {
      monday.nextSenderMsgSeqNum = 1;
      monday.destroy();
      const again = await eventualLogon(() => north(desk, one));
      again.send('35=5|58=done');
      await again.expectClosed();
    }
    const { found } = (await gateway.ask('/api/history/actions?text=pat')).body as { found: { action: string }[] };
    expect(found.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['password made', 'password replaced', 'configuration: version']),
    );
    expect(JSON.stringify(found)).not.toContain(fresh);
    expect(gateway.logged.join('\n')).not.toContain(fresh);
    expect(errors).toEqual([]);
  });
});

/** A counterparty that has left may be let in a moment later only. */
async function eventualLogon(attempt: () => Promise<FixConnection>): Promise<FixConnection> {
  const until = Date.now() + 10_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}
