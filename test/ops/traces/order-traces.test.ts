// Traces of orders: off by default, on by the standard variables of OpenTelemetry, to a real collector over HTTP, under the
// trace id that the order has on the log and in the admin API.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ORDER_STAGES } from '../../../src/ops/metrics/declarations.ts';
import { asksForTraces, startTraces } from '../../../src/ops/traces/order-traces.ts';
import { reconnect, report } from '../../support/network/fix-connection.ts';
import { ACME, limitOrder } from '../../support/processes/exchange-house.ts';
import { GatewayHome } from '../../support/processes/gateway-process.ts';
import { webhookServer } from '../alarms/webhook-server.ts';
import { eventually } from '../running-gateway.ts';

let home: GatewayHome;
beforeAll(async () => {
  home = await GatewayHome.create();
});
afterAll(async () => await home.remove());

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

test.each([
  [{}, false],
  [{ [ENDPOINT]: '' }, false],
  [{ [ENDPOINT]: 'http://collector:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ [ENDPOINT]: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, false],
  [{ [ENDPOINT]: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
])('the variables %j ask for traces: %s', (environment, asks) => {
  expect(asksForTraces(environment)).toBe(asks);
});

test('says that it exports nothing over a protocol that it does not speak', async () => {
  const logged: string[] = [];
  const log = (level: string, text: string): number => logged.push(`${level} ${text}`);
  const environment = { [ENDPOINT]: 'http://collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  expect(await startTraces({ environment, version: '1', log })).toBeNull();
  expect(logged.join()).toContain('OTEL_EXPORTER_OTLP_PROTOCOL=grpc is not one of http/protobuf, http/json');
});

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const textOf = (attributes: OtlpSpan['attributes'], key: string): string | undefined =>
  attributes.find((one) => one.key === key)?.value.stringValue;

test('an order reaches a collector as a span with its stages, under the trace id of the admin API', async () => {
  const collector = await webhookServer();
  const gateway = await home.start(null, {
    [ENDPOINT]: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=desk',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_SERVICE_NAME: 'gate-1',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const { connection: fix } = await reconnect(gateway.fixPort, ACME, { password: await home.password() });
  fix.send(limitOrder('traced-1', '0.01', '50000'));
  await fix.expect('New', report('traced-1', '0', '0'));
  await eventually('the trace', () => collector.received.length > 0);
  const { url } = JSON.parse(readFileSync(join(home.state, 'admin.json'), 'utf8')) as { url: string };
  const token = readFileSync(join(home.secrets, 'admin.token'), 'utf8').trim();
  const query = new URLSearchParams({ session: 'FIX.4.4:EXCHANGE_TEST->ACME_OMS', clOrdID: 'traced-1' });
  const headers = { authorization: `Bearer ${token}` };
  const order = (await (await fetch(`${url}/api/order?${query}`, { headers })).json()) as { traceId: string };
  expect(order.traceId).toMatch(/^[0-9a-f]{32}$/);
  const [request] = collector.received;
  expect(request).toMatchObject({ path: '/v1/traces', headers: { 'x-tenant': 'desk' } });
  const [{ resource, scopeSpans }] = (request!.body as OtlpRequest).resourceSpans as [OtlpRequest['resourceSpans'][0]];
  expect(textOf(resource.attributes, 'service.name')).toBe('gate-1');
  expect(textOf(resource.attributes, 'deployment.environment.name')).toBe('test');
  const spans = scopeSpans.flatMap((scope) => scope.spans);
  const whole = spans.find(({ name }) => name === 'order')!;
  expect(textOf(whole.attributes, 'fix.cl_ord_id')).toBe('traced-1');
  expect(textOf(whole.attributes, 'crossgate.answered_by')).toBe('exchange');
  const stages = spans.filter(({ parentSpanId }) => parentSpanId === whole.spanId);
  expect(stages.map(({ name }) => name).toSorted()).toEqual([...ORDER_STAGES].toSorted());
  for (const { traceId } of spans) expect(traceId).toBe(order.traceId);
  const starts = stages.map((span) => BigInt(span.startTimeUnixNano));
  expect(starts.every((start) => start >= BigInt(whole.startTimeUnixNano))).toBe(true);
  expect(Math.abs(Number(BigInt(whole.startTimeUnixNano) / 1_000_000n) - Date.now())).toBeLessThan(60_000);
  fix.destroy();
  expect(await gateway.interrupt()).toBe(0);
});
