// Plots of longer ranges, by the real Prometheus that scrapes a gateway with an order and a FIX session.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plotsFrom, RANGES } from '../../../src/ops/metrics/prometheus-range.ts';
import { Monitoring } from '../../deploy/monitoring.ts';
import { report } from '../../support/network/fix-connection.ts';
import { freePort } from '../../support/network/free-port.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import { browserOfTests, browserThere, logIn, openConsole } from '../console-browser.ts';
import { ACCOUNT, eventually, GATEWAY, type RunningGateway, runningGateway } from '../running-gateway.ts';

const prometheus = await tool('prometheus', ['--version'], 'prometheus');
const lastOf = (values: readonly (number | null)[] | undefined): number | null => values?.at(-1) ?? null;

describeWith(prometheus.missing === null ? browserThere : prometheus, 'beside a real Prometheus', () => {
  const held = browserOfTests();
  const monitoring = new Monitoring();
  let port = 0;
  beforeAll(async () => {
    port = await freePort();
    await monitoring.start(new URL(`http://127.0.0.1:${port}`), 'ann-has-this-token-of-her-own');
  });
  afterAll(() => monitoring.stop());

  /** A gateway that Prometheus scrapes, with orders that were reported. */
  async function scraped(match = ''): Promise<RunningGateway> {
    const address = `prometheus: { url: "${monitoring.prometheus}", match: '${match}' }`;
    const users = 'users: [{ name: ann, token: "env:ANN" }]';
    const admin = `admin: { port: ${port}, ${users}, ${address} }`;
    const text = GATEWAY.replace('admin: { port: 0 }', admin);
    const gateway = await runningGateway({ 'gateway.yaml': text }, { ANN: 'ann-has-this-token-of-her-own' });
    const fix = await gateway.logOn();
    await eventually('the first scrape', async () => (await monitoring.query('crossgate_ready')).length > 0);
    // A rate is seen from the second scrape on.
    await eventually('the second scrape', async () => {
      const clOrdID = `range-${Date.now()}`;
      fix.send(`35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
      await fix.expect('New', report(clOrdID, '0'));
      fix.send(`35=F|11=x${clOrdID}|41=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=1|60=20260105-12:00:01.000`);
      await fix.expect('Canceled', report(`x${clOrdID}`, '4'));
      const rate = (name: string): string => `sum(rate(${name}[1m])) > 0`;
      const names = ['crossgate_order_report_seconds_count', 'crossgate_messages_total{direction="in"}'];
      return (await monitoring.query(names.map(rate).join(' and '))).length > 0;
    });
    return gateway;
  }

  test('gives every series of the plots over hours and days, and those of one session by its name', async () => {
    const gateway = await scraped('job="crossgate"');
    for (const range of Object.keys(RANGES)) {
      const { body } = await gateway.ask(`/api/plots/range?range=${range}`);
      const { at, series } = body as { at: number[]; series: Record<string, (number | null)[]> };
      const { ms, stepMs } = RANGES[range as keyof typeof RANGES];
      expect([at.length, at[1]! - at[0]!]).toEqual([ms / stepMs + 1, stepMs]);
      const empty = Object.keys(series).filter((name) => lastOf(series[name]) === null);
      expect([range, empty]).toEqual([range, []]);
      expect(lastOf(series['messages.in'])).toBeGreaterThan(0);
      expect(lastOf(series['order.p99'])).toBeGreaterThan(0);
      // An hour ago there was nothing.
      expect(series['orders.new']![0]).toBe(null);
    }
    const { body } = await gateway.ask('/api/plots/range?range=6h&session=OMS');
    const { series } = body as { series: Record<string, (number | null)[]> };
    expect(Object.keys(series)).toEqual(['session.out', 'session.in', 'session.waiting', 'session.resends']);
    expect(lastOf(series['session.in'])).toBeGreaterThan(1);
    expect(lastOf(series['session.waiting'])).toBe(0);
  });

  test('the console plots a chosen range, at an address for a colleague', async () => {
    const gateway = await scraped();
    const { page, errors } = await openConsole(held.browser, gateway);
    await logIn(page, gateway.token);
    await page.getByRole('link', { name: 'Plots' }).click();
    const asked = page.waitForResponse((response) => response.url().includes('/api/plots/range'));
    await page.getByRole('link', { name: '24 h' }).click();
    expect((await asked).status()).toBe(200);
    expect(page.url()).toContain('#/plots?range=24h');
    await page.locator('#session-plot-0 .uplot').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('matchers of another gateway give no value', async () => {
    const address = { url: monitoring.prometheus, match: 'instance="elsewhere:1"' };
    const { series } = await plotsFrom(address, { range: '6h', now: Date.now() });
    expect(new Set(Object.values(series).flat())).toEqual(new Set([null]));
  });

  test('says in words that Prometheus refuses a query', async () => {
    const address = { url: monitoring.prometheus, match: 'no matcher' };
    await expect(plotsFrom(address, { range: '6h', now: Date.now() })).rejects.toThrow(
      /Prometheus at http\S+ refuses the query \(HTTP 400\): .*parse error/,
    );
  });
});

describe('without Prometheus', () => {
  test('the console says how to have longer ranges, and the API too', async () => {
    const gateway = await runningGateway();
    const { status, body } = await gateway.ask('/api/plots/range?range=6h');
    expect([status, body.detail]).toEqual([404, expect.stringContaining('`admin.prometheus`')]);
  });

  test('an address that does not answer is named in the answer', async () => {
    const port = await freePort();
    const admin = `admin: { port: 0, prometheus: { url: "http://127.0.0.1:${port}" } }`;
    const gateway = await runningGateway({ 'gateway.yaml': GATEWAY.replace('admin: { port: 0 }', admin) });
    const { status, body } = await gateway.ask('/api/plots/range?range=7d');
    expect([status, body.code]).toEqual([502, 'XG_PROMETHEUS_UNAVAILABLE']);
    expect(body.detail).toMatch(/^Prometheus at http:\/\/127.0.0.1:\d+ does not answer: .*ECONNREFUSED/);
  });
});
