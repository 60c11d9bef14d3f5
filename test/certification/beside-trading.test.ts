// A certification inside a running gateway: on the same port, apart from the sessions that trade, kept over kill -9, exported and
// proved. A further session trades with the certificate only.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromPrintable } from '../../src/wire/mod.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { describeWith, type Requirement } from '../support/requirement.ts';
import { FaultyLine } from './support/faulty-line.ts';
import { LogonConnection } from './support/logon-connection.ts';
import { laterLine, OmsBrain } from './support/oms-brain.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PASSWORD = 'certify-me';
const LIMITS = 'limits: {orderQtyMax: "100", notionalMax: "5000000", openOrdersMax: 100, priceBandPercent: "20"}\n';
const ACCOUNTS = 'accounts:\n  - account: "111000000000001"\n    credential: primary\n';
const TIME_LIMIT_MS = 180_000;
const CHROMIUM = '/usr/bin/chromium';
const browserThere: Requirement = {
  missing: existsSync(CHROMIUM) ? null : `there is no browser at ${CHROMIUM}`,
  demandedBy: 'REQUIRE_TOOLS',
};

let home: GatewayHome;
let gateway: GatewayProcess;
let line: FaultyLine;

async function crossgate(...args: string[]): Promise<{ code: number; out: string }> {
  const found = await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'certification', ...args], {
    cwd: ROOT,
    env: { ...process.env, CROSSGATE_STATE: home.state, CROSSGATE_SESSIONS: home.sessions },
  }).then(
    ({ stdout }) => ({ code: 0, out: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout + error.stderr,
    }),
  );
  return found;
}

function oms(): FaultyLine {
  const brain = new OmsBrain(laterLine(() => line));
  const names = { senderCompID: 'CERT', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
  return new FaultyLine({ port: gateway.fixPort, ...names, heartBtIntS: 10, faults: new Map() }, (view) =>
    brain.take(view),
  );
}

beforeAll(async () => {
  home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  await writeFile(join(home.secrets, 'CERT.password'), `${PASSWORD}\n`, { mode: 0o600 });
  const file = (text: string): string =>
    `targetCompID: ${text}\npassword: file:secrets/CERT.password\n${ACCOUNTS}${LIMITS}`;
  await writeFile(join(home.sessions, 'CERT.yaml'), `certification: standard\n${file('CERT')}`);
  await writeFile(join(home.sessions, 'PROVED.yaml'), `certificate: {file: certificate.json}\n${file('PROVED')}`);
  await mkdir(join(home.state, 'certification', 'CERT'), { recursive: true, mode: 0o700 });
  // Few cases are mandatory, so that the test has a certificate soon.
  await writeFile(
    join(home.state, 'certification', 'CERT', 'profile.yaml'),
    'can: [security-list]\nanswerSeconds: 20\n',
  );
  gateway = await home.start(null);
  line = oms();
}, TIME_LIMIT_MS);

afterAll(async () => {
  await line.close();
  await home.remove();
});

test(
  'is reached on the port of the sessions that trade, and answers with what the OMS did',
  async () => {
    const found = await crossgate('run', 'CERT', 'orders.partial-fill');
    expect(found.out).toContain('orders.partial-fill: passed');
    expect(found.out).toContain('OrderQty(38) 3');
    expect(found.code).toBe(0);
  },
  TIME_LIMIT_MS,
);

test('leaves nothing of its orders at the exchange and in the journal of the sessions that trade', async () => {
  const state = (await (await fetch(`${gateway.exchangeUrl}/control/state`)).json()) as {
    markets: { symbol: string; lastPrice: string }[];
  };
  const traded = state.markets.find(({ symbol }) => symbol === 'BTCUSDC');
  expect(traded?.lastPrice).not.toBe('59000.0000');
  // None is found: exit code 1.
  const out = await promisify(execFile)(
    process.execPath,
    ['src/cli/main.ts', 'orders', 'find', '--json', '--state', home.state],
    { cwd: ROOT },
  ).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
  expect(out).toContain('"orders"');
  expect(out).not.toContain('CERT');
});

test(
  'a flood on the certification session leaves a trading session its answers',
  async () => {
    const flood = connect({ host: '127.0.0.1', port: gateway.fixPort });
    flood.on('error', () => {});
    await new Promise((resolve) => flood.once('connect', resolve));
    const head = '49=CERT|56=EXCHANGE_TEST|34=1|52=20260101-00:00:00.000';
    flood.write(fromPrintable(`35=A|${head}|98=0|108=30|554=wrong|`, 'FIX.4.4'));
    const junk = Buffer.alloc(4_194_304, '8=FIX.4.4|junk');
    for (let i = 0; i < 4; i++) flood.write(junk);
    const trading = await LogonConnection.open({
      port: gateway.fixPort,
      senderCompID: 'ACME_OMS',
      targetCompID: 'EXCHANGE_TEST',
      password: await home.password(),
    });
    const began = performance.now();
    const answer = await trading.ask('35=1|112=still-there', (view) => view.string(112) === 'still-there');
    expect(answer.msgType).toBe('0');
    expect(performance.now() - began).toBeLessThan(2_000);
    trading.close();
    flood.destroy();
  },
  TIME_LIMIT_MS,
);

describeWith(browserThere, 'in Chromium, the console', () => {
  test(
    'shows the cases of a certification with their verdicts as they come',
    async () => {
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        const { url } = JSON.parse(await readFile(join(home.state, 'admin.json'), 'utf8')) as { url: string };
        await page.goto(url);
        await page.fill('#token', (await readFile(join(home.secrets, 'admin.token'), 'utf8')).trim());
        await page.click('button[type=submit]');
        await page.getByRole('button', { name: 'CERT' }).click();
        await page.locator('.desk tr', { hasText: 'orders.partial-fill' }).getByText('passed').waitFor();
        expect((await crossgate('run', 'CERT', 'orders.limit')).code).toBe(0);
        await page.locator('.desk tr', { hasText: 'orders.limit' }).getByText('passed').waitFor();
      } finally {
        await browser.close();
      }
    },
    TIME_LIMIT_MS,
  );
});

test(
  'keeps its results when the gateway is killed',
  async () => {
    await line.close();
    await gateway.kill();
    gateway = await home.start(null);
    line = oms();
    const { out } = await crossgate('show', 'CERT', '--json');
    const view = JSON.parse(out) as { cases: { id: string; result: { verdict: string } | null }[] };
    expect(view.cases.find(({ id }) => id === 'orders.partial-fill')?.result?.verdict).toBe('pass');
  },
  TIME_LIMIT_MS,
);

test(
  'exports a signed scorecard as page and as certificate, which a changed byte makes void',
  async () => {
    const [page, card] = [join(home.folder, 'card.html'), join(home.folder, 'card.json')];
    expect((await crossgate('export', 'CERT', '--html', page, '--json', card)).code).toBe(0);
    const key = await stat(join(home.secrets, 'certification.key'));
    expect(key.mode & 0o777).toBe(0o600);
    for (const file of [page, card]) {
      const { out, code } = await crossgate('verify', file);
      expect(out).toContain('The signature holds');
      // Not every mandatory case was played.
      expect(code).toBe(1);
    }
    expect(await readFile(page, 'utf8')).toContain('35=G|');
    const forged = (await readFile(card, 'utf8')).replace('"certified": false', '"certified": true');
    await writeFile(join(home.folder, 'forged.json'), forged);
    const { out, code } = await crossgate('verify', join(home.folder, 'forged.json'));
    expect(out).toContain('does not hold');
    expect(code).toBe(1);
  },
  TIME_LIMIT_MS,
);

test(
  'a session that needs a certificate may not log on without one, and trades with it',
  async () => {
    const check = async (): Promise<string> =>
      await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'check'], {
        cwd: ROOT,
        env: { ...process.env, CROSSGATE_STATE: home.state, CROSSGATE_SESSIONS: home.sessions },
      }).then(
        ({ stdout, stderr }) => stdout + stderr,
        (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
      );
    expect(await check()).toMatch(/the session may not log on/);
    const logon = { port: gateway.fixPort, senderCompID: 'PROVED', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
    await expect(LogonConnection.open(logon)).rejects.toThrow();
    const started = await crossgate('start', 'CERT');
    expect(started.code).toBe(0);
    const until = Date.now() + TIME_LIMIT_MS;
    for (;;) {
      const { out } = await crossgate('show', 'CERT', '--json');
      const view = JSON.parse(out) as { certified: boolean; queue: string[]; running: object | null };
      if (view.certified) break;
      if (Date.now() > until || (view.queue.length === 0 && view.running === null)) throw new Error(out.slice(0, 3000));
    }
    await crossgate('export', 'CERT', '--json', join(home.state, 'certificate.json'));
    await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'config', 'apply', '--state', home.state], {
      cwd: ROOT,
    });
    const trading = await LogonConnection.open(logon);
    trading.close();
  },
  2 * TIME_LIMIT_MS,
);
