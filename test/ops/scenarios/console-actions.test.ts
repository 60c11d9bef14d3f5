// Operators on the console, besides sessions and orders: News, proposals of two people, the search form, certification.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { describeWith } from '../../support/requirement.ts';
import { browserOfTests, browserThere, closeDialog, confirmAction, logIn, openConsole } from '../console-browser.ts';
import { GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const TOKENS = { ann: 'ann-has-this-token-of-her-own', ben: 'ben-has-this-token-of-his-own' };
const USERS = Object.keys(TOKENS).map((name) => `{ name: ${name}, token: "file:${name}.token" }`);

function withTwoPeople(actions: string): Promise<RunningGateway> {
  const admin = `admin: { port: 0, twoPeople: ${actions}, users: [${USERS.join(', ')}] }`;
  return runningGateway({ 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }', admin) }, {}, (path) => {
    mkdirSync(join(path, 'state'));
    for (const [name, token] of Object.entries(TOKENS))
      writeFileSync(join(path, 'state', `${name}.token`), token, { mode: 0o600 });
  });
}

describeWith(browserThere, 'on the console', () => {
  const held = browserOfTests();
  const open = (gateway: RunningGateway): ReturnType<typeof openConsole> => openConsole(held.browser, gateway);
  const enter = async (gateway: RunningGateway, token = gateway.token): Promise<{ page: Page; errors: string[] }> => {
    const opened = await open(gateway);
    await logIn(opened.page, token);
    await opened.page.getByText('Ready for orders').waitFor();
    return opened;
  };

  test('News goes to the sessions that are logged on, and an announced stop is shown until withdrawn', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await enter(gateway);
    const fix = await gateway.logOn();
    await page.getByRole('button', { name: 'News …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Headline(148)').fill('maintenance');
    await dialog.getByText('News(B) goes to 1 session that is logged on.').waitFor();
    await dialog.getByLabel('Announces a stop at').fill('2099-12-05T21:00');
    await dialog.getByText('It announces a stop at 2099-12-05 21:00 UTC').waitFor();
    await confirmAction(page, 'Send', /News\(B\) sent to 1 session/);
    await closeDialog(page);
    const news = await fix.expect('News', (view) => view.msgType === 'B');
    expect(news.string(Tag.Headline)).toContain('maintenance');
    await page.getByText('A stop at 2099-12-05 21:00:00 UTC is announced: maintenance').waitFor();
    await page.locator('.announced').getByRole('button', { name: 'Withdraw …' }).click();
    await confirmAction(page, 'Withdraw it', /Withdrawn/);
    await closeDialog(page);
    await page.locator('.announced').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
  });

  test('one operator proposes raised limits, the other one sees them at the head of the page and confirms', async () => {
    const gateway = await withTwoPeople('[limits]');
    const [ann, ben] = [await enter(gateway, TOKENS.ann), await enter(gateway, TOKENS.ben)];
    await ann.page.locator('#sessions tbody tr', { hasText: 'OMS' }).click();
    await ann.page.getByRole('button', { name: 'Limits …' }).click();
    await ann.page.getByRole('dialog').getByLabel('Largest OrderQty(38)').fill('25');
    await confirmAction(ann.page, 'Change the limits', /^Proposed, and not done/);
    await closeDialog(ann.page);
    const limit = (): unknown => orderQtyMax(gateway);
    expect(limit()).toBe('10');
    await ben.page.getByText('user ann proposes limits: session OMS limits.orderQtyMax 10 → 25').waitFor();
    // The proposer does not confirm it.
    await ann.page.getByRole('button', { name: /^Withdraw/ }).waitFor();
    expect(await ann.page.getByRole('button', { name: /^Confirm/ }).count()).toBe(0);
    await ben.page.getByRole('button', { name: /^Confirm/ }).click();
    await confirmAction(ben.page, 'Confirm it', /OMS changed/);
    await closeDialog(ben.page);
    expect(limit()).toBe('25');
    await ben.page.getByText('user ann proposes').waitFor({ state: 'detached' });
    expect([...ann.errors, ...ben.errors]).toEqual([]);
  });

  test('a text that somebody types into the search stays while pages and the state of the gateway come', async () => {
    const gateway = await runningGateway();
    const { page, errors } = await enter(gateway);
    await gateway.logOn();
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await page.route('**/api/history/messages*', async (route) => {
      asked.resolve();
      await answered.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'History' }).click();
    await asked.promise;
    await page.getByLabel('MsgType(35)').fill('A');
    const pieces = await page.locator('.clock').textContent();
    // The head of the page was drawn again.
    await expect.poll(() => page.locator('.clock').textContent()).not.toBe(pieces);
    expect(await page.getByLabel('MsgType(35)').inputValue()).toBe('A');
    answered.resolve();
    await page.locator('#history .line').first().waitFor();
    expect(await page.getByLabel('MsgType(35)').inputValue()).toBe('A');
    expect(errors).toEqual([]);
  });

  test('saves no file with a fault, which the dialog names, and none that changed meanwhile', async () => {
    const gateway = await runningGateway();
    const { page } = await enter(gateway);
    await page.goto(`${gateway.url}/#/configuration?session=OMS`);
    const text = page.getByLabel('Text of OMS.yaml');
    const before = await text.inputValue();
    await text.fill(before.replace('orderQtyMax', 'orderQtyMost'));
    await page.getByRole('button', { name: 'Save …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/OMS.yaml:\d+ limits.orderQtyMost/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Save and apply' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(readFileSync(join(gateway.folder.path, 'sessions/OMS.yaml'), 'utf8')).toBe(before);
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '11'));
    await text.fill(before.replace('"10"', '"12"'));
    await page.getByRole('button', { name: 'Save …' }).click();
    await dialog.getByText('OMS.yaml was changed meanwhile: look at it again').waitFor();
  });

  test('the interview and the play of a certification are asked for, and its totals name what was not judged', async () => {
    const gateway = await runningGateway();
    const { page } = await enter(gateway);
    const totals = { mandatory: 3, passed: 1, failed: 1, broken: 1, open: 0 };
    const one = { id: 'logon', group: 'session', obligation: 'mandatory', title: 'Logs on', rule: '', result: null };
    const view = { name: 'CERT', rules: '1', certified: false, running: null, queue: [], cases: [one], totals };
    const desk = { ...view, hasProfile: false, loggedOn: false, connected: false };
    const piece = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
    const reader = { user: 'ann', mayOperate: true, mayStop: true, mayLift: true };
    const { body: overview } = await gateway.ask('/api/overview');
    await page.route('**/api/stream*', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: `${piece({ reader, overview: {} })}${piece({ overview: { ...overview, certifications: ['CERT'] }, desk })}`,
      }),
    );
    const posted: unknown[] = [];
    const questions = [
      { feature: 'orders', text: 'Does it enter orders?' },
      { feature: 'drop-copy', text: 'Is it a drop copy?' },
    ];
    await page.route('**/api/certifications/CERT/**', (route) => {
      const request = route.request();
      if (request.method() === 'GET') return route.fulfill({ json: { questions, can: [], hasProfile: false } });
      posted.push([new URL(request.url()).pathname, request.postDataJSON()]);
      return route.fulfill({ json: { done: true, text: 'Kept: 1 abilities.' } });
    });
    await page.reload();
    await page.getByRole('button', { name: 'CERT' }).click();
    await page.getByText('1 of 3 mandatory cases passed, 1 failed, 1 not judged: play them again, rules 1').waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Interview …' }).click();
    expect(await dialog.getByLabel('Does it enter orders?').isChecked()).toBe(true);
    expect(await dialog.getByLabel('Is it a drop copy?').isChecked()).toBe(false);
    await confirmAction(page, 'Keep the answers', /Kept/);
    await closeDialog(page);
    await page.getByRole('button', { name: 'Play logon' }).click();
    await confirmAction(page, 'Play it', /each step/);
    await closeDialog(page);
    expect(posted).toEqual([
      ['/api/certifications/CERT/interview', { can: ['orders'], answerSeconds: 120 }],
      ['/api/certifications/CERT/run', { case: 'logon' }],
    ]);
  });
});

function orderQtyMax(gateway: RunningGateway): unknown {
  const [config] = [...gateway.engine.sessionConfigs.values()];
  return config?.gateway.limits?.orderQtyMax;
}
