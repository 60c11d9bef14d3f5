// The console of a gateway in a real browser, for tests: pages that collect their errors, the way in, and dialogs.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { Requirement } from '../support/requirement.ts';

const CHROMIUM = '/usr/bin/chromium';

export const browserThere: Requirement = {
  missing: existsSync(CHROMIUM) ? null : `there is no browser at ${CHROMIUM}`,
  demandedBy: 'REQUIRE_TOOLS',
};

/** One browser for the tests of a `describe`; to be called within it. */
export function browserOfTests(): { readonly browser: Browser } {
  const held: { browser: Browser | null } = { browser: null };
  beforeAll(async () => {
    held.browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  });
  afterAll(async () => await held.browser?.close());
  return {
    get browser() {
      return held.browser!;
    },
  };
}

/** Chromium gives up what it is loading when the machine's network changes, as where a container is started beside it. */
const isNetworkChange = (said: { text(): string }): boolean => said.text().includes('net::ERR_NETWORK_CHANGED');

/** Where a gateway's console is, and the token that must not get out. */
export interface Gate {
  readonly url: string;
  readonly token: string;
}

/** Open the console's page; its errors, and what it must not do, are listed. It is closed after the test. */
export async function openConsole(browser: Browser, gateway: Gate): Promise<{ page: Page; errors: string[] }> {
  // A self-signed certificate, where the gateway shows one.
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  onTestFinished(() => page.close());
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // A refused token is an answer, not an error of the page.
    const isNone = message.text().includes('401') || isNetworkChange(message);
    if (message.type() === 'error' && !isNone) errors.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().includes(gateway.token)) errors.push(`the token is in an address: ${request.url()}`);
    if (!request.url().startsWith(gateway.url)) errors.push(`asks elsewhere: ${request.url()}`);
  });
  await page.goto(gateway.url).catch((error: Error) => {
    if (!isNetworkChange({ text: () => error.message })) throw error;
    return page.goto(gateway.url);
  });
  return { page, errors };
}

export async function logIn(page: Page, token: string): Promise<void> {
  await page.fill('#token', token);
  await page.click('button[type=submit]');
}

/** Fill in why and who, press the button of the open dialog, and wait for the answer; the dialog stays open. */
export async function confirmAction(page: Page, button: string, answer: RegExp | string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const reason = dialog.getByLabel('Reason');
  if (await reason.isVisible()) await reason.fill('a test');
  const name = dialog.getByLabel('Your name');
  if (await name.isVisible()) await name.fill('pat');
  await dialog.getByRole('button', { name: button, exact: true }).click();
  const said = dialog.locator('.done, form > .refusal').first();
  await said.waitFor();
  expect(await said.textContent()).toMatch(answer);
}

export async function closeDialog(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** The serious and critical findings of axe: each rule, and its elements. */
export async function seriousFindings(page: Page): Promise<unknown[]> {
  const script = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  // Not as an element of the page: its policy takes none.
  const { violations } = (await page.evaluate(`${script}; axe.run()`)) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
}

/** Panels and tables that are wider than their place, and text over other text. */
export async function cutParts(page: Page): Promise<unknown> {
  return await page.evaluate(`[...document.querySelectorAll('.scroll, .panel, main, dialog, .bar')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className + ' ' + one.id)`);
}
