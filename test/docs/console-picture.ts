// Takes the pictures of the console in README and its tour: `node test/docs/console-picture.ts` starts a gateway with the samples and an
// empty state folder, lets the demo trade, and writes docs/public/console.png and docs/public/console-*.png.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '../..');
const PORTS = ['FIX', 'FIX_TLS', 'SIMULATOR', 'BRIDGE', 'ADMIN'];

const state = mkdtempSync(join(tmpdir(), 'crossgate-picture-'));
const ports = Object.fromEntries(PORTS.map((name) => [`CROSSGATE_${name}_PORT`, '0']));
const env = { ...process.env, ...ports, CROSSGATE_STATE: state };

const crossgate = (...words: string[]): ChildProcess =>
  spawn(process.execPath, ['src/cli/crossgate.js', ...words], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });

/** The first groups of these forms, once the lines of the process have each. */
async function said(child: ChildProcess, ...forms: readonly RegExp[]): Promise<string[]> {
  const found = new Map<RegExp, string>();
  for await (const line of createInterface({ input: child.stdout! })) {
    for (const form of forms) {
      const group = form.exec(line)?.[1];
      if (group !== undefined) found.set(form, group);
    }
    if (found.size === forms.length) break;
  }
  return forms.map((form) => found.get(form)!);
}

const gateway = crossgate('start');
let demo: ChildProcess | null = null;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const forms = [/FIX +[\d.]+:(\d+)/, /exchange +(http\S+)/, /console +(http\S+)/];
  const [port = '', exchange = '', url = ''] = await said(gateway, ...forms);
  demo = crossgate('demo', '--port', port, '--exchange', exchange);
  // While two orders wait for the cross.
  await said(demo, /(Price=\S+ TimeInForce=5.*)/);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  await page.fill('#token', readFileSync(join(state, 'secrets/admin.token'), 'utf8').trim());
  await page.click('button[type=submit]');
  await page.locator('#sessions').waitFor();
  await page.locator('#sessions tr', { hasText: 'ACME_OMS' }).click();
  await page.locator('#orders tr', { hasText: 'Canceled' }).first().click();
  await page.locator('#order').waitFor();
  const picture = (name: string): Promise<unknown> => page.screenshot({ path: join(ROOT, `docs/public/${name}.png`) });
  await page.evaluate('scrollTo(0, 0)');
  await picture('console');
  await page.setViewportSize({ width: 1000, height: 560 });
  await page.locator('.wide > #order').screenshot({ path: join(ROOT, 'docs/public/console-order.png') });
  await page.getByRole('button', { name: 'Numbers …' }).click();
  await picture('console-numbers');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByLabel('MsgType(35)').fill('D');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('#history .line').first().click();
  await picture('console-history');
  await page.getByRole('link', { name: 'Configuration', exact: true }).click();
  await page.getByLabel('Session file', { exact: true }).selectOption('ACME_OMS');
  await page.getByLabel('Text of ACME_OMS.yaml').waitFor();
  await picture('console-configuration');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('link', { name: 'Plots' }).click();
  await page.locator('.uplot').nth(9).waitFor();
  await picture('console-plots');
} finally {
  await browser.close();
  demo?.kill();
  gateway.kill('SIGINT');
  await new Promise((ended) => gateway.once('exit', ended));
  rmSync(state, { recursive: true, force: true });
}
