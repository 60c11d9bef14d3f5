// Alarms on their way to receivers over real HTTP: payloads, retries, a bounded queue, and what is never written.

import { expect, test } from 'vitest';
import { AlarmBook } from '../../../src/ops/alarms/alarm-book.ts';
import { Receiver } from '../../../src/ops/alarms/receiver.ts';
import type { AlarmReceiver } from '../../../src/runtime/mod.ts';
import { eventually } from '../running-gateway.ts';
import { webhookServer } from './webhook-server.ts';

const AT = Date.UTC(2026, 10, 29, 12, 0, 0);
const LINKS = {
  runbook: (alarm: string) => `https://docs.example.com/operate/runbook.html#${alarm}`,
  console: 'http://127.0.0.1:8470',
};

const secret = (value: string) => ({ reference: 'env:X', read: () => value });

function receiver(url: string, more: Partial<AlarmReceiver> = {}) {
  const logged: string[] = [];
  const one = new Receiver({
    receiver: { name: 'desk', kind: 'slack', url: secret(url), authorization: null, minSeverity: 'info', ...more },
    links: LINKS,
    log: (level, text) => logged.push(`${level} ${text}`),
    retryFirstMs: 5,
  });
  return { one, logged };
}

const RULES = { repeatMs: 1, escalateAfter: 100, escalateWithinMs: 1, closeAfterMs: 60_000 };

function notice(alarm = 'journal-unhealthy', session = 'A->B', book = new AlarmBook(RULES)) {
  const text = 'no room <left> & "more"';
  return book.raise({ at: AT, alarm, text, fields: { session, credential: 'primary', bytes: '12' } })!;
}

test('posts the payload of a Slack webhook with severity, link and fields', async () => {
  const server = await webhookServer();
  const { one } = receiver(`${server.url}/services/T/B/secret`);
  one.send(notice());
  await eventually('the alarm', () => one.counts.delivered === 1);
  expect(server.received).toMatchObject([
    {
      path: '/services/T/B/secret',
      headers: { 'content-type': 'application/json' },
      body: {
        text: '[critical] journal-unhealthy',
        attachments: [
          {
            color: '#c0392b',
            title: 'journal-unhealthy',
            title_link: 'https://docs.example.com/operate/runbook.html#journal-unhealthy',
            text: 'no room &lt;left&gt; &amp; "more"',
            fields: [
              { title: 'session', value: 'A-&gt;B', short: true },
              { title: 'credential', value: 'primary', short: true },
              { title: 'bytes', value: '12', short: true },
            ],
            ts: AT / 1000,
          },
        ],
      },
    },
  ]);
});

test('posts alerts to Alertmanager with labels, annotations, times and its authorization', async () => {
  const server = await webhookServer();
  const { one } = receiver(`${server.url}/`, { kind: 'alertmanager', authorization: secret('Bearer abc') });
  one.send(notice());
  await eventually('the alarm', () => one.counts.delivered === 1);
  expect(server.received).toMatchObject([
    {
      path: '/api/v2/alerts',
      headers: { authorization: 'Bearer abc' },
      body: [
        {
          labels: { alertname: 'journal-unhealthy', severity: 'critical', service: 'crossgate', session: 'A->B' },
          annotations: {
            summary: 'no room <left> & "more"',
            runbook_url: 'https://docs.example.com/operate/runbook.html#journal-unhealthy',
            bytes: '12',
            count: '1',
          },
          startsAt: '2026-11-29T12:00:00.000Z',
          endsAt: '2026-11-29T12:01:00.000Z',
          generatorURL: 'http://127.0.0.1:8470',
        },
      ],
    },
  ]);
});

test('sends only what is as severe as the receiver asks for', async () => {
  const server = await webhookServer();
  const { one } = receiver(server.url, { minSeverity: 'critical' });
  one.send(notice('certificate-expires'));
  one.send(notice('overfill'));
  await eventually('the alarm', () => one.counts.delivered === 1);
  expect(server.received).toMatchObject([{ body: { text: '[critical] overfill' } }]);
});

test('tries again after a passing failure, in order, and gives up what is refused', async () => {
  const server = await webhookServer();
  server.answers.push(503, 429, 200, 404, 200);
  const { one, logged } = receiver(`${server.url}/secret-path`);
  const book = new AlarmBook(RULES);
  for (const alarm of ['overfill', 'late-fill', 'lease-lost']) one.send(notice(alarm, 'A->B', book));
  await eventually('all of them', () => one.counts.delivered === 2);
  expect(one.counts).toEqual({ delivered: 2, failed: 1, dropped: 0 });
  const texts = server.received.map(({ body }) => (body as { text: string }).text.split(' ')[1]);
  expect(texts).toEqual(['overfill', 'overfill', 'overfill', 'late-fill', 'lease-lost']);
  expect(logged).toEqual([
    'warn an alarm is not taken yet and is sent again: it answered 503',
    'warn an alarm was not taken and is given up: it answered 404',
  ]);
});

test('gives up an alarm after ten attempts, and never logs the address', async () => {
  const { one, logged } = receiver('http://127.0.0.1:1/secret-path');
  const quick = new Receiver({
    receiver: {
      name: 'q',
      kind: 'slack',
      url: secret('http://127.0.0.1:1/secret-path'),
      authorization: null,
      minSeverity: 'info',
    },
    links: LINKS,
    log: (level, text) => logged.push(`${level} ${text}`),
    retryFirstMs: 0,
  });
  quick.send(notice());
  await eventually('the end of its attempts', () => quick.counts.failed === 1);
  expect(quick.queued).toBe(0);
  expect(logged.length).toBeGreaterThan(1);
  expect(logged.join()).not.toContain('secret-path');
  await one.close(0);
});

test('bounds what waits: a newer notice replaces the older one of its alarm, the oldest of many is dropped', async () => {
  const { one } = receiver('http://127.0.0.1:1/');
  const book = new AlarmBook(RULES);
  const raise = (i: number, at: number) =>
    book.raise({ at, alarm: 'slow-consumer', text: '', fields: { session: `S${i}` } })!;
  for (let i = 0; i < 510; i++) one.send(raise(i, i));
  for (let i = 500; i < 510; i++) one.send(raise(i, 10_000));
  expect(one.queued).toBe(500);
  expect(one.counts.dropped).toBe(10);
  await one.close(0);
  expect(one.queued).toBe(0);
});
