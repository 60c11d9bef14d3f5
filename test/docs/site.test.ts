// The site, built and read as its readers do: from a plain server under a sub-path, and from the gateway at /docs.

import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { addSite } from '../../src/ops/pages/site-files.ts';
import { describeWith, type Requirement } from '../support/requirement.ts';

const CHROMIUM = '/usr/bin/chromium';
const browserThere: Requirement = {
  missing: existsSync(CHROMIUM) ? null : `there is no browser at ${CHROMIUM}`,
  demandedBy: 'REQUIRE_TOOLS',
};
const BUILD_MS = 300_000;
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

const folder = mkdtempSync(join(tmpdir(), 'crossgate-site-'));

beforeAll(async () => {
  const script = join(import.meta.dirname, '../../.ci/site.mjs');
  await promisify(execFile)(process.execPath, [script, folder]);
}, BUILD_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server that knows nothing of the site but its files, below `/some/where/`. */
async function plainServer(): Promise<string> {
  const prefix = '/some/where/';
  const server: Server = createServer(async ({ url = '' }, answer) => {
    const path = new URL(url, 'http://localhost').pathname.slice(prefix.length);
    const file = join(folder, path === '' || path.endsWith('/') ? `${path}index.html` : path);
    const content = url.startsWith(prefix) ? await readFile(file).catch(() => null) : null;
    answer.writeHead(content === null ? 404 : 200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    });
    answer.end(content);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
}

test('has at least 40 pages, and a file of its own for each', () => {
  const pages = globSync('**/*.md', { cwd: join(import.meta.dirname, '../../docs') });
  expect(pages.length).toBeGreaterThanOrEqual(40);
  expect(pages.filter((page) => !existsSync(join(folder, page.replace(/\.md$/, '.html'))))).toEqual([]);
});

test('the gateway serves the site at /docs, and says how to build a missing one', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  await addSite(app, folder);
  const moved = await app.inject('/docs');
  expect([moved.statusCode, moved.headers.location]).toEqual([302, '/docs/']);
  const page = await app.inject('/docs/reference/settings/');
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  for (const path of ['/docs/nothing.html', '/docs/..%2f..%2fpackage.json'])
    expect((await app.inject(path)).statusCode).toBe(404);

  const unbuilt = Fastify();
  onTestFinished(() => unbuilt.close());
  await addSite(unbuilt, join(folder, 'nowhere'));
  const answer = await unbuilt.inject('/docs/');
  expect([answer.statusCode, answer.body]).toEqual([404, expect.stringContaining('npm run build')]);
});

describeWith(browserThere, 'in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  });
  afterAll(async () => await browser?.close());

  /** Searches the site from its first page. @returns the faults of the page */
  async function search(page: Page, words: string): Promise<void> {
    // The shortcut works once the scripts of the page do.
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+k');
        return await page.locator('.VPLocalSearchBox input').count();
      })
      .toBe(1);
    await page.fill('.VPLocalSearchBox input', words);
    await page.locator('.VPLocalSearchBox .result').first().click();
  }

  async function open(url: string): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) faults.push(`asks elsewhere: ${request.url()}`);
    });
    await page.goto(url);
    return { page, faults };
  }

  test('under a sub-path search finds a setting, and links work behind a page change', async () => {
    const url = await plainServer();
    const { page, faults } = await open(url);
    await search(page, 'staleOrderMs');
    await page.waitForURL(`${url}reference/settings/session/*#staleorderms`);
    await page.locator('.VPNavBarMenu').getByText('Contribute').click();
    await page.waitForURL(`${url}CONTRIBUTING.html`);
    await page.reload();
    await page.locator('.vp-doc h1').getByText('Contributing').waitFor();
    expect(faults).toEqual([]);
  });

  test('from the gateway the page loads and searches under its content security policy', async () => {
    const app = Fastify();
    onTestFinished(() => app.close());
    await addSite(app, folder);
    const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/docs/`;
    const { page, faults } = await open(url);
    await search(page, 'XG_CONFIG_INVALID');
    await page.waitForURL(`${url}reference/errors.html*`);
    expect(faults).toEqual([]);
  });
});
