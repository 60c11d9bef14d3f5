// The page of the calls in a real browser: complete, from the bridge alone, and of use with a token.

import { existsSync } from 'node:fs';
import process from 'node:process';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith, type Requirement } from '../../support/requirement.ts';
import { type Desk, FULL_TOKEN, startDesk } from '../desk.ts';

const CHROMIUM = '/usr/bin/chromium';
const browserThere: Requirement = {
  missing: existsSync(CHROMIUM) ? null : `there is no browser at ${CHROMIUM}`,
  demandedBy: 'REQUIRE_TOOLS',
};

describeWith(browserThere, 'in Chromium, the page of the calls', () => {
  let browser: Browser;
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await desk.close();
  });

  test('shows every function with its calls, asks no other host, and carries a call out', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(desk.bridge.url) && !url.startsWith('data:')) faults.push(`asks elsewhere: ${url}`);
    });
    await page.goto(`${desk.bridge.url}/reference`);
    await page.getByText('Crossgate bridge').first().waitFor();
    await page.locator('#operations-tag-cancel').waitFor();
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByLabel('auth-bearer-value').fill(FULL_TOKEN);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.btn-done').click();
    await page.locator('#operations-tag-market-data').click();
    await page.locator('#operations-market-data-getTime').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('timestamp').first().waitFor();
    const { BRIDGE_PICTURE: path } = process.env;
    if (path !== undefined) await page.screenshot({ path, fullPage: false });
    expect(faults).toEqual([]);
    await page.close();
  });
});

test('the page has a policy that lets it load from the bridge only, and its files are those of the package', async () => {
  const desk = await startDesk();
  const page = await fetch(`${desk.bridge.url}/reference`);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
  expect(await page.text()).not.toMatch(/https?:/);
  const script = await fetch(`${desk.bridge.url}/reference/swagger-ui-bundle.js`);
  expect(script.headers.get('content-type')).toContain('text/javascript');
  expect((await script.text()).length).toBeGreaterThan(1_000_000);
  expect((await fetch(`${desk.bridge.url}/reference/package.json`)).status).toBe(404);
  await desk.close();
});
