// The console in a real browser: log in with the token, see sessions, orders with their chain and decoded messages change.

import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { describeWith } from '../../support/requirement.ts';
import { browserOfTests, browserThere, cutParts, logIn, openConsole, seriousFindings } from '../console-browser.ts';
import { ACCOUNT, GATEWAY, type RunningGateway, runningGateway, sessionFile, startedFrom } from '../running-gateway.ts';

describeWith(browserThere, 'in Chromium, the console', () => {
  const held = browserOfTests();
  const open = (gateway: RunningGateway): ReturnType<typeof openConsole> => openConsole(held.browser, gateway);

  test('shows nothing without the token and says that a wrong one is not accepted', async () => {
    const { page, errors } = await open(await runningGateway());
    await logIn(page, 'wrong');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('This token is not accepted.');
    expect(await page.locator('#sessions').count()).toBe(0);
    // The right one can be typed at once, without a mouse.
    expect(await page.evaluate('document.activeElement.id')).toBe('token');
    // A token that fits no header is wrong too, not a silent gateway.
    await logIn(page, 'wrong…');
    await page.getByRole('alert').waitFor();
    expect(errors).toEqual([]);
  });

  test('works over HTTPS', async () => {
    const tls = 'tls: { certificate: "file:admin.crt", key: "file:admin.key", selfSigned: true }';
    const text = GATEWAY.replace('admin: { port: 0 }', `admin: { port: 0, ${tls} }`);
    const gateway = await runningGateway({ 'gateway.yaml': text });
    expect(gateway.url).toMatch(/^https:/);
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    await page.getByText('OMS').first().waitFor();
    expect(errors).toEqual([]);
  });

  test('shows no data after a logout, nor to the next user, from pending requests', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    const asked = Promise.withResolvers<void>();
    const away = Promise.withResolvers<void>();
    await page.route('**/api/history/messages*', async (route) => {
      asked.resolve();
      await away.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'History' }).click();
    await asked.promise;
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.locator('#token').waitFor();
    const answered = page.waitForResponse((response) => response.url().includes('/api/history'));
    away.resolve();
    await answered;
    // Whatever the answer does to the page it does within its next turns.
    for (let turn = 0; turn < 3; turn++) await page.evaluate('new Promise((done) => setTimeout(done))');
    expect(await page.getByRole('alert').count()).toBe(0);
    await logIn(page, 'wrong');
    expect(await page.locator('#sessions').count()).toBe(0);
    await page.getByRole('alert').waitFor();
    expect(errors).toEqual([]);
  });

  test('says which exchange login is down, and that others work', async () => {
    const second = '    - { name: second, key: "file:secrets/demo-hmac.json", tradingAccounts: ["111000000000002"] }\n';
    const gateway = await runningGateway({
      'gateway.yaml': GATEWAY.replace(', "111000000000002"', '').replace('simulator:', `${second}simulator:`),
      'OMS.yaml': sessionFile('OMS').replace('account: ', 'credential: primary, account: '),
    });
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    Object.assign(gateway.engine.links.get('second')!, { up: false });
    await page.getByText('Partly ready').waitFor();
    await page.getByText('the exchange login second is not up').waitFor();
    Object.assign(gateway.engine.links.get('primary')!, { up: false });
    await page.getByText('Not ready').waitFor();
    expect(errors).toEqual([]);
  });

  test('goes on by itself with a gateway that came back without the session and the order it showed', async () => {
    const [before, after] = [await runningGateway(), await runningGateway({ 'OMS.yaml': sessionFile('NEW_OMS') })];
    const fix = await before.logOn();
    fix.send(`35=D|11=gone-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    const { page } = await open(before);
    await logIn(page, before.token);
    await page.getByRole('gridcell', { name: 'gone-1' }).first().click();
    await page.locator('#order').waitFor();
    await page.route('**/api/**', async (route) => {
      const request = route.request();
      const headers = { ...request.headers(), authorization: `Bearer ${after.token}` };
      await route.continue({ url: request.url().replace(before.url, after.url), headers });
    });
    // Another choice opens another stream.
    await page.getByLabel('Open only').check();
    await page.locator('#order').waitFor({ state: 'detached' });
    const again = await after.logOn('NEW_OMS');
    again.send('35=1|112=afterwards');
    await page.locator('#messages .line', { hasText: 'TestRequest' }).first().waitFor();
    expect(await page.locator('.lost').count()).toBe(0);
  });

  test('separates a session with a changed identity from the earlier one, in list and filter', async () => {
    const gateway = await runningGateway({ 'DESK.yaml': sessionFile('DESK_1') });
    const { page } = await open(gateway);
    await logIn(page, gateway.token);
    const options = () => page.getByLabel('Session', { exact: true }).locator('option').allTextContents();
    const rows = page.locator('#sessions tbody tr');
    await rows.filter({ hasText: 'DESK' }).waitFor();
    expect(await options()).toEqual(['Any session', 'DESK', 'OMS']);
    gateway.folder.write('sessions/DESK.yaml', sessionFile('DESK_2'));
    await gateway.ask('/api/configuration/apply', {});
    await rows.filter({ hasText: 'DESK, FIX.4.4:GATE->DESK_2' }).filter({ hasText: 'Disconnected' }).waitFor();
    expect(await rows.filter({ hasText: 'DESK, FIX.4.4:GATE->DESK_1' }).textContent()).toContain('Removed');
    const [, ...names] = await options();
    expect(names).toEqual(['DESK, FIX.4.4:GATE->DESK_1', 'DESK, FIX.4.4:GATE->DESK_2', 'OMS']);
  });

  test('says at its head that the gateway does not answer, and not that it is ready for orders', async () => {
    const gateway = await runningGateway();
    const { page } = await open(gateway);
    await logIn(page, gateway.token);
    const head = page.locator('.bar .mark');
    await head.filter({ hasText: 'Ready for orders' }).waitFor();
    await page.route('**/api/**', (route) => route.abort('connectionrefused'));
    await page.getByLabel('Open only').check();
    await page.locator('.lost').waitFor();
    expect(await head.textContent()).toBe('Does not answer');
    await page.unroute('**/api/**');
    await head.filter({ hasText: 'Ready for orders' }).waitFor();
  });

  test('is loaded again, once and still logged in, when the gateway came back as another version', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    let loaded = 0;
    page.on('load', () => {
      loaded += 1;
    });
    let answered = 0;
    // The one before still answers now and then, as behind an address that both have.
    const headers = { 'content-type': 'text/event-stream', 'x-crossgate-version': '99.0.0' };
    await page.route('**/api/stream*', async (route) => {
      answered += 1;
      // The page may give the first one up for its next choice.
      if (loaded === 0 || answered % 2 === 1) await route.fulfill({ headers, body: '' });
      else await route.continue();
    });
    // Another choice opens another stream.
    await page.getByLabel('Open only').check();
    await expect.poll(() => loaded).toBe(1);
    for (const choice of ['check', 'uncheck', 'check'] as const) {
      const before = answered;
      await page.getByLabel('Open only')[choice]();
      await expect.poll(() => answered).toBeGreaterThan(before);
    }
    await page.getByText('Ready for orders').waitFor();
    expect(loaded).toBe(1);
    expect(errors).toEqual([]);
  });

  test('asks again for a part of the page that did not arrive, and says so meanwhile', async () => {
    const gateway = await runningGateway();
    const page = await held.browser.newPage();
    onTestFinished(() => page.close());
    let isGone = true;
    // As in a browser with a changing network, or at a gateway's restart while the page loads.
    for (const part of ['**/console/orders.js', '**/healthz']) {
      await page.route(part, (route) => (isGone ? route.abort('connectionreset') : route.continue()));
    }
    await page.goto(gateway.url);
    await page.getByText('A part of this page did not arrive from the gateway; it is asked for again.').waitFor();
    isGone = false;
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
  });

  test('requests a missing style sheet again, and keeps typed text meanwhile', async () => {
    const gateway = await runningGateway();
    const page = await held.browser.newPage();
    onTestFinished(() => page.close());
    let asked = 0;
    await page.route('**/console/console.css', (route) => {
      asked += 1;
      return asked < 3 ? route.abort('connectionreset') : route.continue();
    });
    await page.goto(gateway.url);
    await page.fill('#token', gateway.token);
    const margin = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).marginTop');
    await expect.poll(margin).toBe('0px');
    expect(await page.inputValue('#token')).toBe(gateway.token);
    expect(asked).toBe(3);
  });

  test('asks again for a page that does not arrive', async () => {
    const gateway = await runningGateway();
    const page = await held.browser.newPage();
    onTestFinished(() => page.close());
    let isSilent = true;
    await page.route('**/console/main.js', (route) => (isSilent ? undefined : route.continue()));
    await page.clock.install();
    await page.goto(gateway.url, { waitUntil: 'commit' });
    await page.locator('#console').waitFor({ state: 'attached' });
    await page.clock.runFor(2_000);
    await page.getByText('Asking the gateway for this page …').waitFor();
    isSilent = false;
    await page.clock.runFor(28_000);
    await page.getByText('it is asked for again').waitFor();
    await page.clock.runFor(2_000);
    await page.locator('#token').waitFor();
  });

  test('says over a slow link that it is being asked for, and no more once it is there', async () => {
    const gateway = await runningGateway();
    const page = await held.browser.newPage();
    onTestFinished(() => page.close());
    const { promise: waited, resolve: go } = Promise.withResolvers<void>();
    await page.route('**/console/main.js', async (route) => {
      await waited;
      await route.continue();
    });
    await page.clock.install();
    await page.goto(gateway.url, { waitUntil: 'commit' });
    await page.locator('#console').waitFor({ state: 'attached' });
    await page.clock.runFor(2_000);
    const waits = page.getByText('Asking the gateway for this page …');
    await waits.waitFor();
    go();
    await page.locator('#token').waitFor();
    expect(await waits.count()).toBe(0);
  });

  test('shows a session logging on, its messages decoded, and an order with its chain as it changes', async () => {
    const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER') });
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    const session = page.locator('#sessions tbody tr', { hasText: 'OMS' });
    await session.getByText('Disconnected').waitFor();
    const fix = await gateway.logOn();
    await session.getByText('Logged on').waitFor();
    fix.send(`35=D|11=c-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    const row = page.locator('#orders tbody tr', { hasText: 'c-1' });
    await row.getByText('New', { exact: true }).waitFor();
    await row.click();
    await page.locator('#order .timeline').getByText('Report: New (150=0)').waitFor();
    fix.send(`35=F|11=c-2|41=c-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|60=20260105-12:00:01.000`);
    await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
    await page.locator('#orders tbody tr', { hasText: 'c-2' }).getByText('Canceled').waitFor();
    await page.locator('#order .chain').getByText('c-2').waitFor();
    expect(await page.locator('#order .chain li').allTextContents()).toEqual(['c-1', 'c-2']);
    await page.locator('#messages .line', { hasText: 'NewOrderSingle' }).click();
    await page.locator('#messages .field', { hasText: 'TimeInForce' }).getByText('1 (GoodTillCancel)').waitFor();
    await page.locator('#auctions').getByText('BTCUSDC').waitFor();
    const replaced = page.locator('#orders tbody tr', { hasText: 'c-2' });
    expect(await replaced.locator('td').last().textContent()).toBe('OMS');
    await page.getByLabel('Session', { exact: true }).selectOption('OTHER');
    await page.locator('#orders').getByText('No order matches.').waitFor();
    await page.getByLabel('Session', { exact: true }).selectOption('OMS');
    await replaced.waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('2');
    await page.locator('#orders').getByText('No order matches.').waitFor();
    expect(errors).toEqual([]);
  });

  test('O12 shows a thrown kill switch and its scope above everything until lifted', async () => {
    const users = 'admin: { port: 0, users: [{ name: ann, token: "env:ANN" }, { name: ben, token: "env:BEN" }] }';
    const tokens = { ANN: 'ann-has-this-token-of-her-own', BEN: 'ben-has-this-token-of-his-own' };
    const gateway = await runningGateway({ 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }', users) }, tokens);
    const { page, errors } = await open(gateway);
    await logIn(page, tokens.ANN);
    await page.getByText('Ready for orders').waitFor();
    expect(await page.locator('#kill-switches').count()).toBe(0);
    const scope = { scope: 'account', name: ACCOUNT };
    await gateway.ask('/api/kill-switches/throw', { ...scope, why: 'runaway <b>model</b>' }, tokens.BEN);
    const sign = page.locator('#kill-switches');
    await sign.waitFor();
    const said = await sign.textContent();
    expect(said).toContain(`Trading is stopped: account ${ACCOUNT} by user ben`);
    expect(await sign.textContent()).toContain(
      'runaway <b>model</b>. No order is open there. Lifting takes two people.',
    );
    const box = (await sign.boundingBox())!;
    const sessions = (await page.locator('#sessions').boundingBox())!;
    expect(box.y + box.height).toBeLessThanOrEqual(sessions.y);
    expect(box.width).toBeGreaterThan(1_000);
    // A screen reader says every change of it at once: the moment stands in it, not how long ago that was.
    expect(said).toMatch(/ by user ben at (\d\d-\d\d )?\d\d:\d\d:\d\d UTC: /);
    if (process.env.CONSOLE_SCREENSHOT !== undefined) await page.screenshot({ path: process.env.CONSOLE_SCREENSHOT });
    await gateway.ask('/api/kill-switches/lift', { ...scope, why: 'fixed' }, tokens.BEN);
    await sign
      .getByText(/user ben asked to lift it at [\d: -]+ UTC; a second person has to, until [\d: -]+\./)
      .waitFor();
    await gateway.ask('/api/kill-switches/lift', { ...scope, why: 'agreed' }, tokens.ANN);
    await sign.waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
  });

  test('fits a phone: no overflow, long names do not hide the state, Space chooses a row', async () => {
    const name = `DESK_${'OF_A_HOUSE_'.repeat(4)}1`;
    const gateway = await runningGateway({ [`${name}.yaml`]: sessionFile('LONG') });
    const { page, errors } = await open(gateway);
    await page.setViewportSize({ width: 390, height: 844 });
    await logIn(page, gateway.token);
    const row = page.locator('#sessions tbody tr', { hasText: name });
    await row.waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const state = (await row.getByText('Disconnected').boundingBox())!;
    expect(state.x + state.width).toBeLessThanOrEqual(390);
    await row.focus();
    await page.keyboard.press(' ');
    await page.getByText(`Messages of ${name}`).waitFor();
    expect(errors).toEqual([]);
  });

  test("its text follows the browser's size, on a phone too, and a message's content stays in sight", async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    const browserSettings = await page.context().newCDPSession(page);
    await browserSettings.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 32 } });
    await page.setViewportSize({ width: 380, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    await logIn(page, gateway.token);
    await gateway.logOn();
    const message = page.locator('#messages .line b', { hasText: 'Logon' }).first();
    await message.waitFor();
    expect(await page.evaluate('getComputedStyle(document.querySelector("#messages .line b")).fontSize')).toBe('26px');
    const { x, width } = (await message.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(380);
    const beyond = `[...document.querySelectorAll('body *')].filter(
      (element) => element.closest('.scroll') === null && element.getBoundingClientRect().right > innerWidth).length`;
    expect(await page.evaluate(beyond)).toBe(0);
    expect(errors).toEqual([]);
  });

  test('is used by keyboard alone: Tab enters a list once, arrows lead along it, Escape closes an order', async () => {
    const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER'), 'THIRD.yaml': sessionFile('THIRD') });
    const { page, errors } = await open(gateway);
    await page.setViewportSize({ width: 390, height: 600 });
    await page.keyboard.type(gateway.token);
    await page.keyboard.press('Enter');
    const fix = await gateway.logOn();
    for (const clOrdID of ['key-1', 'key-2'])
      fix.send(`35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await page.locator('#orders tbody tr', { hasText: 'key-2' }).waitFor();
    await page.locator('#orders tbody tr', { hasText: 'key-1' }).waitFor();
    expect(await page.locator('[tabindex="0"]').count()).toBe(3);
    await page.locator('#sessions tbody tr', { hasText: 'OMS' }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByText('Messages of THIRD').waitFor();
    await page.getByLabel('Open only').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#order .chain').getByText('key-1').waitFor();
    // In one column it stands below the orders: brought into view.
    const top = (await page.locator('#order').boundingBox())!.y;
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(600);
    // Escape in a list of choices closes those.
    await page.getByLabel('Status').focus();
    await page.keyboard.press('Escape');
    expect(await page.locator('#order').count()).toBe(1);
    await page.locator('#orders tbody tr.selected').focus();
    await page.keyboard.press('Escape');
    await page.locator('#order').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
  });

  test('Tab follows the visible order in one column, and a wider window keeps the order open', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await page.setViewportSize({ width: 390, height: 600 });
    await logIn(page, gateway.token);
    const fix = await gateway.logOn();
    fix.send(`35=D|11=tab-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await page.locator('#orders tbody tr', { hasText: 'tab-1' }).click();
    await page.locator('#order .chain').getByText('tab-1').waitFor();
    const inOrder = (sorted: string): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('main section')]${sorted}.map(({ id }) => id)`);
    const seen = '.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)';
    expect(await inOrder('')).toEqual(await inOrder(seen));
    await page.locator('#orders tbody tr.selected').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("section").id')).toBe('order');
    await page.setViewportSize({ width: 1400, height: 600 });
    await page.locator('.side #order').waitFor();
    expect(await page.locator('#order').count()).toBe(1);
    expect(errors).toEqual([]);
  });

  test('in two columns shows the order that was chosen, however far down the page', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await page.setViewportSize({ width: 1400, height: 400 });
    await logIn(page, gateway.token);
    const fix = await gateway.logOn();
    fix.send(`35=D|11=low-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    const row = page.locator('#orders tbody tr', { hasText: 'low-1' });
    await row.waitFor();
    for (let n = 0; n < 20; n++) fix.send(`35=1|112=line-${n}`);
    await page.locator('#messages .line', { hasText: 'line-19' }).first().waitFor();
    await row.evaluate((element: { focus(): void }) => element.focus());
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    expect(await page.evaluate('scrollY')).toBeGreaterThan(100);
    await page.keyboard.press('Enter');
    await page.locator('#order .chain').getByText('low-1').waitFor();
    const { y } = (await page.locator('#order').boundingBox())!;
    expect([y >= 0, y < 100]).toEqual([true, true]);
    expect(errors).toEqual([]);
  });

  test('finds one of many sessions by name, CompID or state, with the keyboard alone', async () => {
    const desks = Array.from({ length: 30 }, (_, i) => `DESK_${i + 1}`);
    const gateway = await runningGateway(
      Object.fromEntries(desks.map((name) => [`${name}.yaml`, sessionFile(`${name}_COMP`)])),
    );
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await gateway.logOn();
    const names = page.locator('#sessions tbody tr .name');
    const box = page.getByLabel('Sessions by name or state');
    await box.focus();
    await page.keyboard.type('desk_17_c');
    await expect.poll(() => names.allTextContents()).toEqual(['DESK_17']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Messages of DESK_17').waitFor();
    await box.fill('LOGGED on');
    await expect.poll(() => names.allTextContents()).toEqual(['OMS']);
    await box.fill('desk disconn');
    await expect.poll(() => names.count()).toBe(30);
    await box.fill('nobody');
    await page.locator('#sessions').getByText('No session matches.').waitFor();
    // Rows hidden by the box stay chosen, and counted.
    expect(await page.locator('#sessions .aside').textContent()).toContain('1 of 31 logged on');
    await page.getByText('Messages of DESK_17').waitFor();
    await box.focus();
    await page.keyboard.press('Escape');
    await expect.poll(() => names.count()).toBe(31);
    expect(errors).toEqual([]);
  });

  test('logs a session out, resets its numbers, cancels an order and stops trading, each after saying so', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    const fix = await gateway.logOn();
    for (const id of ['act-1', 'act-2'])
      fix.send(`35=D|11=${id}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    const row = page.locator('#orders tbody tr', { hasText: 'act-1' });
    await row.getByText('New', { exact: true }).waitFor();
    await row.click();
    const dialog = page.getByRole('dialog');
    const confirm = async (button: string, answer: RegExp): Promise<void> => {
      await dialog.getByLabel('Reason').fill('a test');
      await dialog.getByLabel('Your name').fill('pat');
      await dialog.getByRole('button', { name: button }).click();
      await dialog.getByText(answer).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await page.locator('#order').getByRole('button', { name: 'Cancel …' }).click();
    await dialog.getByText('Buy 2 BTCUSDC at 50000 is canceled at the exchange.').waitFor();
    await confirm('Cancel the order', /Canceled at the exchange/);
    await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
    await page.locator('#order .timeline').getByText('operator pat (shared token): cancelOrder').waitFor();
    await page.locator('#sessions tbody tr').click();
    await page.getByRole('button', { name: 'Numbers …' }).click();
    await dialog.getByText('its next Logon has to begin at MsgSeqNum(34)=1').waitFor();
    await dialog.getByLabel('Set them:').check();
    await dialog.getByLabel('Next out (ours)').fill('100');
    await dialog.getByText(/it sees a gap, asks for \d+ to 99, and gets a gap fill/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop trading …' }).click();
    await dialog.getByText('1 open order is canceled one by one').waitFor();
    await confirm('Stop trading', /Thrown: 1 open order is being cancelled/);
    await page.locator('#kill-switches').getByText('Trading is stopped').waitFor();
    await page.getByRole('button', { name: 'Log out …' }).click();
    await confirm('Log out the session', /Logout\(5\) sent/);
    await fix.expect('Logout', (view) => view.msgType === '5');
    const { found } = (await gateway.ask('/api/history/actions?text=pat')).body as { found: { action: string }[] };
    const actions = found.map(({ action }) => action).filter((action) => action !== 'alarm raised');
    expect(actions).toEqual(['session logout', 'kill switch thrown', 'order cancel']);
    expect(errors).toEqual([]);
  });

  test('offers no action to a looker, nor in a console that is read-only', async () => {
    const looker = 'a-looker-has-a-token-that-nobody-else-has';
    const users = '{ port: 0, users: [{ name: ann, token: "env:ANN", roles: [look] }] }';
    const gateway = await runningGateway(
      { 'gateway.yaml': GATEWAY.replace('{ port: 0 }\n', '{ port: 0, console: read-only }\n') },
      {},
    );
    const other = await runningGateway(
      { 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }', `admin: ${users}`) },
      { ANN: looker },
    );
    for (const [one, token] of [
      [gateway, gateway.token],
      [other, looker],
    ] as const) {
      const { page } = await open(one);
      await logIn(page, token);
      await page.locator('#sessions tbody tr').first().click();
      expect(await page.getByRole('button', { name: '…' }).count()).toBe(0);
      await page.getByText('Ready for orders').waitFor();
    }
    const { page } = await open(other);
    await logIn(page, other.token);
    await page.getByRole('button', { name: 'Stop trading …' }).waitFor();
  });

  test('acknowledges an alarm with a note', async () => {
    const gateway = await runningGateway();
    gateway.engine.alarm('late-fill', 'a fill came late', { session: 'FIX.4.4:GATE->OMS' });
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByRole('button', { name: 'Acknowledge late-fill' }).click();
    await page.getByLabel('Reason').fill('the exchange explained it');
    await page.getByLabel('Your name').fill('pat');
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('.alarms.open').getByText('pat (shared token): the exchange explained it').waitFor();
    expect(errors).toEqual([]);
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious in any view, ${colorScheme}`, async () => {
      const gateway = await runningGateway();
      const { page, errors } = await open(gateway);
      await page.emulateMedia({ colorScheme });
      const serious = (): Promise<unknown[]> => seriousFindings(page);
      expect(await serious()).toEqual([]);
      await logIn(page, gateway.token);
      const fix = await gateway.logOn();
      fix.send(`35=D|11=axe-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
      await page.locator('#orders tbody tr', { hasText: 'axe-1' }).click();
      await page.locator('#order .way-of-order').waitFor();
      gateway.engine.alarm('late-fill', 'a fill came late', {});
      await page.locator('.alarms.open').waitFor();
      expect(await serious()).toEqual([]);
      await page.getByRole('button', { name: 'Numbers …' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await serious()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'History' }).click();
      await page.locator('#history .line').first().click();
      expect(await serious()).toEqual([]);
      await page.getByRole('link', { name: 'Plots' }).click();
      await page.locator('.uplot').nth(8).waitFor();
      expect(await serious()).toEqual([]);
      for (const subject of ['Orders', 'Alarms', 'Actions']) {
        await page.getByRole('link', { name: 'History' }).click();
        await page.getByRole('link', { name: subject }).click();
        await page
          .locator('.more', { hasText: 'nothing older' })
          .or(page.getByText('Nothing matches'))
          .first()
          .waitFor();
        expect(await serious()).toEqual([]);
      }
      await page.getByRole('link', { name: 'Configuration', exact: true }).click();
      await page.getByLabel('Session file', { exact: true }).selectOption('OMS');
      await page.getByLabel('Text of OMS.yaml').waitFor();
      expect(await serious()).toEqual([]);
      await page.getByRole('button', { name: 'New session …' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await serious()).toEqual([]);
      await page.keyboard.press('Escape');
      expect(errors).toEqual([]);
    });
  }

  test('no column is cut, and no text runs over another one, from a phone to a wall', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    const fix = await gateway.logOn();
    const clOrdID = `long-${'0123456789'.repeat(3)}`;
    fix.send(`35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=2|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await page.locator('#orders tbody tr', { hasText: clOrdID }).waitFor();
    await page.locator('#messages .line', { hasText: 'NewOrderSingle' }).click();
    await page.locator('#messages .field').first().waitFor();
    // A long id takes one line of a row, and its end is seen.
    await page.setViewportSize({ width: 1280, height: 900 });
    const row = page.locator('#orders tbody tr', { hasText: clOrdID });
    expect((await row.boundingBox())!.height).toBeLessThan(40);
    for (const width of [420, 800, 1280, 1600, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      const cut = await cutParts(page);
      const over = await page.evaluate(`[...document.querySelectorAll('.field')].filter((field) => {
        const [, name, value] = [...field.children].map((one) => one.getBoundingClientRect());
        return name.right > value.left + 1 || field.children[1].scrollWidth > field.children[1].clientWidth + 1;
      }).map((field) => field.textContent)`);
      expect([width, cut, over]).toEqual([width, [], []]);
    }
    const views = { History: '#history .line', Plots: '#session-plot-1 .uplot', Configuration: '#versions tbody tr' };
    for (const [view, there] of Object.entries(views)) {
      await page.getByRole('link', { name: view, exact: true }).click();
      await page.locator(there).first().waitFor();
      for (const width of [420, 1280, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        // A plot follows the width of its panel a moment later.
        await expect.poll(() => cutParts(page), { message: `${view} at ${width}` }).toEqual([]);
      }
    }
    expect(errors).toEqual([]);
  });

  test('follows the gateway by one stream, and asks nothing else while nothing is chosen', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await logIn(page, gateway.token);
    await page.getByText('Ready for orders').waitFor();
    const fix = await gateway.logOn();
    await page.locator('#sessions tbody tr', { hasText: 'OMS' }).getByText('Logged on').waitFor();
    asked.length = 0;
    for (let n = 0; n < 3; n++) {
      fix.send(`35=1|112=beat-${n}`);
      await page
        .locator('#messages .line', { hasText: `beat-${n}` })
        .first()
        .waitFor();
    }
    expect(asked).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('finds the messages and the order of an earlier process, at an address for a colleague', async () => {
    const before = await runningGateway();
    const fix = await before.logOn();
    fix.send(`35=D|11=past-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=99|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await fix.expect('Rejected', (view) => view.string(Tag.ExecType) === '8');
    await before.engine.administration.recorded(2_000);
    const gateway = await startedFrom(before, {});
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('#history .line').first().waitFor();
    await page.getByLabel('ClOrdID(11)').fill('past-1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/clOrdID=past-1/);
    await page.locator('#history .line', { hasText: 'NewOrderSingle' }).click();
    await page.locator('#history .field', { hasText: 'OrderQty' }).getByText('99').waitFor();
    expect(page.url()).toContain('#/history?of=messages&clOrdID=past-1');
    const colleague = await held.browser.newPage();
    onTestFinished(() => colleague.close());
    await colleague.goto(page.url());
    await logIn(colleague, gateway.token);
    await colleague.locator('#history .line', { hasText: 'ExecutionReport' }).waitFor();
    await colleague.getByRole('link', { name: 'Orders' }).click();
    await colleague.getByLabel('OrdStatus(39)').fill('rejected');
    await colleague.keyboard.press('Enter');
    await colleague.locator('#history tbody tr', { hasText: 'past-1' }).click();
    await colleague.locator('#history #order .chain').getByText('past-1').waitFor();
    await colleague.goBack();
    await expect.poll(() => colleague.getByLabel('OrdStatus(39)').inputValue()).toBe('');
    expect(errors).toEqual([]);
  });

  test('shows text of a counterparty as text', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await open(gateway);
    await logIn(page, gateway.token);
    const fix = await gateway.logOn();
    const clOrdID = '<img/src=x/onerror=alert(1)>';
    fix.send(`35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
    await page.locator('#orders').getByText(clOrdID).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
