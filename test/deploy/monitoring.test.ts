// The proof of the operations stack: Debian's Prometheus and Alertmanager beside a live gateway under the demo. Each panel
// of the dashboard has data, a session that is down raises an alert with a link to its runbook, and it clears.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reconnect } from '../support/network/fix-connection.ts';
import { ACME } from '../support/processes/exchange-house.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { describeWith, tool } from '../support/requirement.ts';
import { DEPLOY, eventually, Monitoring } from './monitoring.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCS = 'http://localhost:8470/docs/operate';

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/dashboards/crossgate.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly { readonly expr: string }[] };
};

/** As Grafana fills it in: everything, over the time that the test has. */
const filled = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(instance|session)\b/g, '.*');

test('each panel says what it shows, and has a query', () => {
  const shown = dashboard.panels.filter(({ type }) => type !== 'row');
  expect(shown.length).toBeGreaterThan(30);
  for (const { title, description, targets } of shown) {
    expect(description, title).toMatch(/^.{5,}\.$/);
    expect(targets?.length, title).toBeGreaterThan(0);
  }
});

const prometheus = await tool('prometheus', ['--version'], 'prometheus');
const alertmanager = await tool('prometheus-alertmanager', ['--version'], 'prometheus-alertmanager');

describeWith(prometheus.missing === null ? alertmanager : prometheus, 'Prometheus beside a live gateway', () => {
  const monitoring = new Monitoring();
  let home: GatewayHome;
  let gateway: GatewayProcess;
  let password = '';

  beforeAll(async () => {
    home = await GatewayHome.create();
    const auctions = { coolingMs: 500, accumulationMs: 2_000, lockdownMs: 500 };
    await home.configure('gateway.yaml', { 'simulator.auctions': auctions, 'admin.port': 0 });
    gateway = await home.start(null);
    password = await home.password();
    const { url } = JSON.parse(readFileSync(join(home.state, 'admin.json'), 'utf8')) as { url: string };
    const token = readFileSync(join(home.secrets, 'admin.token'), 'utf8').trim();
    await monitoring.start(new URL(url), token);
  });

  afterAll(async () => {
    await monitoring.stop();
    await home?.remove();
  });

  test('an alert fires in Alertmanager for a session that is down, leads to its runbook, and clears', async () => {
    const down = () => monitoring.alerts('alertname="CrossgateSessionDown"', 'session="ACME_OMS"');
    await eventually('the alert', async () => (await down()).length === 1);
    expect(await down()).toMatchObject([
      {
        labels: { severity: 'critical', session: 'ACME_OMS' },
        annotations: {
          summary: 'FIX session ACME_OMS is not logged on, and its schedule is open.',
          runbook_url: `${DOCS}/alerts.html#crossgatesessiondown`,
        },
      },
    ]);
    const { connection } = await reconnect(gateway.fixPort, ACME, { password });
    await eventually('its end', async () => (await down()).length === 0);
    connection.destroy();
  }, 150_000);

  test('each query of the dashboard returns data under the demo', async () => {
    const bridge = gateway.process.lines.map((line) => /^ {2}bridge {2,}(http\S+)/.exec(line)?.[1]).find(Boolean);
    const token = readFileSync(join(home.secrets, 'bridge-desk.token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}` };
    const demo = new LineProcess(
      process.execPath,
      [
        ...['src/cli/main.ts', 'demo', '--port', String(gateway.fixPort), '--exchange', gateway.exchangeUrl],
        ...['--password-file', join(home.secrets, 'ACME_OMS.password')],
      ],
      { cwd: ROOT },
    );
    expect((await fetch(new URL('/trading-api/v1/markets', bridge), { headers })).status).toBe(200);
    expect(await demo.ended()).toBe(0);
    const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title, expr: filled(expr) })),
    );
    let without: string[] = [];
    const hasData = async ({ expr }: { expr: string }): Promise<boolean> =>
      (await monitoring.query(expr)).some(({ value: [, value] }) => value !== 'NaN');
    await eventually(
      'data in each panel',
      async () => {
        const found = await Promise.all(queries.map(hasData));
        without = queries.filter((_, i) => !found[i]).map(({ title, expr }) => `${title}: ${expr}`);
        return without.length === 0;
      },
      20_000,
    ).catch(() => {});
    expect(without).toEqual([]);
    for (const { expr } of dashboard.annotations.list) await monitoring.query(filled(expr));
  }, 150_000);
});
