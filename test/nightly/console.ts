// The console beside many sessions, in a real browser: time until all rows are there, of a filter and of another session's messages, and
// the bytes that the page takes while nothing changes: `npm run nightly -- console [sessions]`.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { GatewayHome } from '../support/processes/gateway-process.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Sessions of the samples, beside which the others are made; a folder takes 1,000 files. */
const SAMPLES = 3;
/** Bounds of a usable page, on two busy processors. */
const BOUNDS = { rowsMs: 10_000, filterMs: 1_000, messagesMs: 2_000, quietBytesPerS: 4_096 };
const QUIET_MS = 10_000;

const sessionText = (n: number): string => `targetCompID: DESK_${n}
password: file:secrets/ACME_OMS.password
accounts: [{ account: "111000000000001", credential: primary }]
limits: { orderQtyMax: "10", notionalMax: "500000", openOrdersMax: 50, priceBandPercent: "20" }
`;

/** Whether the page was usable. */
export async function run([count = '1000']: readonly string[]): Promise<boolean> {
  const home = await GatewayHome.create();
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    await home.configure('gateway.yaml', { 'admin.port': 0 });
    const desks = Number(count) - SAMPLES;
    for (let n = 1; n <= desks; n++) await writeFile(join(home.sessions, `DESK_${n}.yaml`), sessionText(n));
    await home.start(null);
    const { url } = JSON.parse(readFileSync(join(home.state, 'admin.json'), 'utf8')) as { url: string };
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const wire = await page.context().newCDPSession(page);
    await wire.send('Network.enable');
    let bytes = 0;
    wire.on('Network.dataReceived', ({ encodedDataLength, dataLength }) => {
      bytes += encodedDataLength || dataLength;
    });
    await page.goto(url);
    await page.fill('#token', readFileSync(join(home.secrets, 'admin.token'), 'utf8').trim());
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const begun = performance.now();
      await work();
      return Math.round(performance.now() - begun);
    };
    const rows = page.locator('#sessions tbody tr');
    const firstBytes = bytes;
    const rowsMs = await timed(async () => {
      await page.click('button[type=submit]');
      await rows.nth(Number(count) - 1).waitFor({ state: 'attached' });
    });
    const wholeBytes = bytes - firstBytes;
    const filterMs = await timed(async () => {
      await page.getByLabel('Sessions by name or state').fill(`desk_${desks}`);
      await rows.filter({ hasText: `DESK_${desks}` }).waitFor();
      await rows.nth(1).waitFor({ state: 'detached' });
    });
    const messagesMs = await timed(async () => {
      await rows.first().click();
      await page.getByText(`Messages of DESK_${desks}`).waitFor();
    });
    // Another session opens another stream, which begins with the whole list.
    await page.waitForTimeout(QUIET_MS / 2);
    const before = bytes;
    // Ten seconds without a change.
    await page.waitForTimeout(QUIET_MS);
    const quietBytesPerS = Math.round((bytes - before) / (QUIET_MS / 1000));
    const figures = { rowsMs, filterMs, messagesMs, quietBytesPerS };
    console.log(`${count} sessions: ${JSON.stringify(figures)}, whole list ${wholeBytes} bytes`);
    const over = Object.entries(BOUNDS).filter(([name, bound]) => figures[name as keyof typeof figures] > bound);
    for (const [name, bound] of over) console.error(`${name} is over ${bound}`);
    return over.length === 0;
  } finally {
    await browser.close();
    await home.remove();
  }
}
