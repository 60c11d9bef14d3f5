// Alarms of a running gateway: sent to a webhook, acknowledged and silenced by API and command line, on the audit trail.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { webhookServer } from '../alarms/webhook-server.ts';
import { configurationFolder } from '../configuration-folder.ts';
import { eventually, GATEWAY, type RunningGateway, runningGateway, startedFrom } from '../running-gateway.ts';

const ALARMS = `alarms:
  documentation: https://docs.example.com/
  repeatMs: 1000
  receivers: [{ name: desk, kind: slack, url: "env:DESK_WEBHOOK" }]
`;
const FILES = { 'gateway.yaml': GATEWAY + ALARMS };

async function gatewayWithDesk() {
  const server = await webhookServer();
  const gateway = await runningGateway(FILES, { DESK_WEBHOOK: `${server.url}/hook` });
  const sent = (): string[] => server.received.map(({ body }) => (body as { text: string }).text);
  return { gateway, sent, server };
}

const raise = ({ engine }: RunningGateway, alarm = 'slow-consumer', session?: string): void =>
  engine.alarm(alarm, `${alarm}: a test`, session === undefined ? {} : { session });

test('an alarm reaches the webhook with a link to its runbook, and the metrics', async () => {
  const { gateway, sent, server } = await gatewayWithDesk();
  raise(gateway);
  raise(gateway, 'outcome-open');
  await eventually('the alarm', () => sent().length === 1);
  expect(server.received).toMatchObject([
    {
      body: {
        text: '[warning] slow-consumer',
        attachments: [{ title_link: 'https://docs.example.com/operate/runbook.html#slow-consumer' }],
      },
    },
  ]);
  const headers = { authorization: `Bearer ${gateway.token}` };
  const scrape = await (await fetch(new URL('/metrics', gateway.url), { headers })).text();
  expect(scrape).toContain('crossgate_notifications_total{receiver="desk",outcome="delivered"} 1\n');
  expect(scrape).toContain('crossgate_alarms_open{severity="warning"} 1\n');
  const { body } = await gateway.ask('/api/alarms?limit=1');
  expect(body.alarms).toMatchObject([
    { alarm: 'outcome-open', severity: 'info', runbook: 'https://docs.example.com/operate/runbook.html#outcome-open' },
  ]);
});

test('links lead to the documentation of the gateway itself unless the setting names another', async () => {
  const gateway = await runningGateway();
  raise(gateway);
  const { body } = await gateway.ask('/api/alarms/open');
  expect(body.alarms).toMatchObject([{ runbook: `${gateway.url}/docs/operate/runbook.html#slow-consumer` }]);
});

test('an acknowledged alarm is not sent again; acknowledging needs a reason and is audited', async () => {
  const { gateway, sent } = await gatewayWithDesk();
  raise(gateway);
  await eventually('the alarm', () => sent().length === 1);
  const { body } = await gateway.ask('/api/alarms/open');
  const [{ id }] = body.alarms as [{ id: string }];
  expect(await gateway.ask('/api/alarms/acknowledge', { id })).toMatchObject({ status: 409 });
  expect(await gateway.ask('/api/alarms/acknowledge', { id: '99', why: 'x' })).toMatchObject({ status: 404 });
  expect(await gateway.ask('/api/alarms/acknowledge', { id, why: 'on it' })).toMatchObject({ status: 200 });
  raise(gateway);
  raise(gateway, 'late-fill');
  await eventually('the other alarm', () => sent().length === 2);
  expect(sent()).toEqual(['[warning] slow-consumer', '[critical] late-fill']);
  const open = await gateway.ask('/api/alarms/open');
  expect(open.body.alarms).toMatchObject([
    { alarm: 'late-fill', acknowledged: null },
    { alarm: 'slow-consumer', count: 2, acknowledged: { by: 'pat (shared token)', why: 'on it' } },
  ]);
  expect(gateway.logged.join('\n')).toContain('audit: alarm acknowledged');
});

test('a silence is checked, audited, and outlives a restart', async () => {
  const { gateway, sent } = await gatewayWithDesk();
  const about = { alarm: 'slow-consumer', session: 'OMS', minutes: 60, why: 'moving house' };
  expect(await gateway.ask('/api/alarms/silences', { ...about, alarm: 'slow-consumers' })).toMatchObject({
    status: 404,
    body: { detail: 'There is no alarm "slow-consumers"; did you mean slow-consumer?' },
  });
  expect(await gateway.ask('/api/alarms/silences', { ...about, session: 'NONE' })).toMatchObject({ status: 404 });
  expect(await gateway.ask('/api/alarms/silences', about)).toMatchObject({ status: 200 });
  const { sessionId } = gateway.engine.administration.session('OMS')!;
  raise(gateway, 'slow-consumer', sessionId);
  raise(gateway, 'slow-consumer', 'another');
  await eventually('the alarm of another session', () => sent().length === 1);
  expect(gateway.logged.join('\n')).toContain('audit: alarm silenced');
  const file = join(gateway.stateDirectory, 'alarm-silences.json');
  await eventually('the silence in its file', () => readFileSync(file, 'utf8').includes('moving house'));
  const next = await startedFrom(gateway, FILES, { DESK_WEBHOOK: 'http://127.0.0.1:1/' });
  const { body } = await next.ask('/api/alarms/silences');
  expect(body.silences).toMatchObject([{ id: '1', alarm: 'slow-consumer', session: sessionId, why: 'moving house' }]);
  expect(await next.ask('/api/alarms/silences/end', { id: '1', why: 'moved' })).toMatchObject({ status: 200 });
  expect((await next.ask('/api/alarms/silences')).body.silences).toEqual([]);
});

test('an address that is none is a problem of the configuration, told without the address', () => {
  const { problems } = configurationFolder(FILES).load({ environment: { DESK_WEBHOOK: 'hooks.example.com/secret' } });
  const about = problems.filter(({ key }) => key === 'alarms.receivers[0].url');
  expect(about.map(({ problem }) => problem)).toEqual(['it holds no address that begins with https:// or http://']);
  expect(JSON.stringify(problems)).not.toContain('hooks.example.com');
});
