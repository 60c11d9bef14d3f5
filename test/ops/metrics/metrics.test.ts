// A scrape of a gateway that trades: what is declared is there and nothing else, Prometheus' own check accepts it, and
// the stages of an order add up.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ALARM_SEVERITY } from '../../../src/ops/alarms/alarm-severity.ts';
import { METRICS, type MetricDeclaration, ORDER_STAGES } from '../../../src/ops/metrics/declarations.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { report } from '../../support/network/fix-connection.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import { ACCOUNT, eventually, GATEWAY, type RunningGateway, runningGateway } from '../running-gateway.ts';

const BRIDGE = `bridge:
  enabled: true
  port: 0
  callers:
    - { name: desk, token: "file:secrets/desk.token", tradingAccounts: ["${ACCOUNT}"], functions: [market-data] }
`;
const ALARMS = `alarms: { receivers: [{ name: am, kind: alertmanager, url: "env:ALERTMANAGER" }] }
`;
const TLS = `fix:
  listen:
    - { name: plain, port: 0 }
    - { name: secure, port: 0, tls: { certificate: "file:listener.crt", key: "file:listener.key" } }
`;

const ORDER = `35=D|1=${ACCOUNT}|55=BTCUSDC|54=1|60=20260101-00:00:00.000|40=2|44=50000|59=1`;

async function scrape(gateway: RunningGateway): Promise<string> {
  const headers = { authorization: `Bearer ${gateway.token}` };
  return await (await fetch(new URL('/metrics', gateway.url), { headers })).text();
}

/** The value of the one series with these labels. */
function measured(text: string, series: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${series} `));
  expect(lines, series).toHaveLength(1);
  return Number(lines[0]!.slice(series.length + 1));
}

/** After a bridge request, an order taken, one refused here, a resend request and a kill switch. */
async function busyGateway(): Promise<RunningGateway> {
  const pair = await createSelfSignedCertificate({ commonName: 'gateway' });
  const settings = { 'gateway.yaml': GATEWAY.replace(/^fix: .*$/m, TLS.trimEnd()) + BRIDGE + ALARMS };
  const gateway = await runningGateway(settings, { ALERTMANAGER: 'http://127.0.0.1:1' }, (path) => {
    const state = join(path, 'state');
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'listener.crt'), pair.certificatePem, { mode: 0o600 });
    writeFileSync(join(state, 'listener.key'), pair.keyPem, { mode: 0o600 });
  });
  await eventually('the exchange', () => gateway.engine.administration.health().ready);
  const token = readFileSync(join(gateway.stateDirectory, 'secrets', 'desk.token'), 'utf8').trim();
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${gateway.engine.bridge!.url}/trading-api/v1/markets`, { headers })).status).toBe(200);
  const fix = await gateway.logOn();
  fix.send(`${ORDER}|11=c-1|38=0.01`);
  await fix.expect('New', report('c-1', '0', '0'));
  fix.send(`${ORDER}|11=c-2|38=100`);
  await fix.expect('the refusal', report('c-2', '8', '8'));
  fix.nextSenderMsgSeqNum += 2;
  fix.send(`${ORDER}|11=c-3|38=0.01`);
  await fix.expect('the ResendRequest', (view) => view.msgType === '2');
  const throws = { scope: 'session', name: 'OMS', why: 'a test' };
  expect((await gateway.ask('/api/kill-switches/throw', throws)).status).toBe(200);
  return gateway;
}

let text = '';

// One gateway for all of it: its scrape is taken while it runs.
test('a scrape has every declared metric with its type and help, and no other of the gateway', async () => {
  const gateway = await busyGateway();
  text = await scrape(gateway);
  // The view of several gateways has one of its own.
  const declared: MetricDeclaration[] = Object.values(METRICS).filter((one) => one !== METRICS.partitionUp);
  const types = [...text.matchAll(/^# TYPE (crossgate_\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(types.toSorted()).toEqual(declared.map(({ name, type }) => `${name} ${type}`).toSorted());
  for (const { name, help, labels, type } of declared) {
    expect(text).toContain(`# HELP ${name} ${help}\n`);
    const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? -?[0-9.e+]+$`, 'm').exec(text);
    // Times over the bridge have no series before the first request; each other metric has one.
    expect(sample, `a value of ${name}`).not.toBeNull();
    const names = [...(sample![1] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label);
    expect(names.toSorted(), `labels of ${name}, a ${type}`).toEqual(labels.toSorted());
  }

  expect(measured(text, 'crossgate_order_report_seconds_count{by="exchange"}')).toBe(1);
  expect(measured(text, 'crossgate_order_report_seconds_count{by="gateway"}')).toBe(1);
  const stages = ORDER_STAGES.map((stage) => {
    expect(measured(text, `crossgate_order_stage_seconds_count{stage="${stage}"}`)).toBe(1);
    return measured(text, `crossgate_order_stage_seconds_sum{stage="${stage}"}`);
  });
  expect(stages.every((seconds) => seconds > 0)).toBe(true);
  const total = measured(text, 'crossgate_order_report_seconds_sum{by="exchange"}');
  expect(stages.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(total, 6);

  expect(measured(text, 'crossgate_session_gap{session="OMS"}')).toBe(1);
  expect(measured(text, 'crossgate_session_gap_queued_messages{session="OMS"}')).toBe(1);
  expect(measured(text, 'crossgate_session_resend_requests_total{session="OMS",direction="out"}')).toBe(1);
  expect(measured(text, 'crossgate_session_next_sequence_number{session="OMS",direction="in"}')).toBe(4);
  expect(measured(text, 'crossgate_session_expected{session="OMS"}')).toBe(1);
  expect(measured(text, 'crossgate_kill_switches{scope="session"}')).toBe(1);
  expect(measured(text, 'crossgate_alarms_total{alarm="kill-switch",severity="critical"}')).toBe(1);
  const seconds = Date.now() / 1000;
  const ends = measured(text, 'crossgate_exchange_token_expiration_timestamp_seconds{credential="primary"}');
  expect(ends).toBeGreaterThan(seconds);
  expect(ends).toBeLessThan(seconds + 86_401);
  const received = measured(text, 'crossgate_session_last_received_timestamp_seconds{session="OMS"}');
  expect(Math.abs(received - seconds)).toBeLessThan(60);
  expect(text).toMatch(/^crossgate_certificate_expiration_timestamp_seconds\{of=".+",reference="file:.+"\} \d+/m);
});

test('every alarm has a series with its severity before it is raised', () => {
  for (const [alarm, severity] of Object.entries(ALARM_SEVERITY)) {
    expect(text).toContain(`crossgate_alarms_total{alarm="${alarm}",severity="${severity}"} `);
  }
});

describeWith(await tool('promtool', ['--version'], 'promtool'), 'promtool check metrics', () => {
  let said = '';
  let code: number | null = null;

  beforeAll(async () => {
    const checker = spawn('promtool', ['check', 'metrics']);
    checker.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    checker.stdin.end(text);
    code = await new Promise((resolve) => checker.on('close', resolve));
  });

  test('accepts names, units and types, those of Node.js included', () => {
    expect(said).toBe('');
    expect(code).toBe(0);
  });
});
