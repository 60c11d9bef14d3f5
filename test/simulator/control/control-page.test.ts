// The control page of the simulated exchange in Chromium: it lists markets, books, auctions and orders.

import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { Caller, startTestSimulator } from '../exchange-caller.ts';

let simulator: Simulator;
let browser: Browser;
beforeAll(async () => {
  simulator = await startTestSimulator({ liquidity: 'still' });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await simulator.close();
});

test('lists markets, books, auctions and orders as they stand', async () => {
  const caller = await Caller.loggedIn(simulator);
  const orderId = await caller.create({ price: '59123.4', quantity: '0.7' });
  simulator.control.toPhase('BTCUSDC', 'ACCUMULATION');
  const page = await browser.newPage();
  await page.goto(`${simulator.url}/control`);
  const text = await page.locator('body').textContent();
  for (const part of ['BTCUSDC', 'ETHUSDC', 'BTC-USDC-PERP', 'ACCUMULATION', orderId, '59123.4'])
    expect(text).toContain(part);
  // One row per market, and no sideways scrolling at the width of a laptop.
  expect(await page.locator('table').first().locator('tbody tr').count()).toBe(6);
  const { scroll, client } = await page.evaluate<{ scroll: number; client: number }>(
    '({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth })',
  );
  expect(scroll).toBeLessThanOrEqual(client);
});
