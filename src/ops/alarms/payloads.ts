// An alarm as receivers take it: the payload of a Slack webhook, and an alert of Alertmanager's API v2.

import { hostname } from 'node:os';
import { formatIso } from '../../base/time.ts';
import type { Notice } from './alarm-book.ts';
import type { Severity } from './alarm-severity.ts';

const COLOURS: Readonly<Record<Severity, string>> = { critical: '#c0392b', warning: '#e0a100', info: '#4a7dbd' };
/** Longest text of a payload; Slack cuts longer ones. */
const TEXT_MAX = 2_900;

/** Targets of links. */
export interface Links {
  /** The page of the runbook about an alarm; null without an address of the documentation. */
  runbook(alarm: string): string | null;
  /** The console; null where it is switched off. */
  readonly console: string | null;
}

/** Labels that tell alerts apart; a changed text is the same alert. */
const LABELLED = ['session', 'credential', 'account', 'listener'] as const;

/** Body of a POST to an incoming webhook: https://api.slack.com/messaging/webhooks, attachments. */
export function slackPayload({ reason, alarm }: Notice, links: Links): unknown {
  const { severity, text, fields, count, firstAt, lastAt } = alarm;
  const times = count === 1 ? '' : ` (${count} times since ${formatIso(firstAt).slice(0, 19)}Z)`;
  const mark = reason === 'escalated' ? `${severity}, escalated` : severity;
  const runbook = links.runbook(alarm.alarm);
  return {
    text: escaped(`[${mark}] ${alarm.alarm}${times}`),
    attachments: [
      {
        color: COLOURS[severity],
        title: alarm.alarm,
        ...(runbook === null ? {} : { title_link: runbook }),
        text: escaped(text.slice(0, TEXT_MAX)),
        fields: Object.entries(fields).map(([title, value]) => ({ title, value: escaped(value), short: true })),
        footer: `Crossgate ${hostname()}`,
        ts: Math.floor(lastAt / 1000),
      },
    ],
  };
}

/** Body of POST /api/v2/alerts. */
export function alertmanagerPayload({ alarm, endsAt }: Notice, links: Links): unknown {
  const { severity, text, fields, count, firstAt } = alarm;
  const about = Object.fromEntries(LABELLED.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])));
  const rest = Object.entries(fields).filter(([name]) => !LABELLED.some((label) => label === name));
  const runbook = links.runbook(alarm.alarm);
  return [
    {
      labels: { alertname: alarm.alarm, severity, service: 'crossgate', instance: hostname(), ...about },
      annotations: {
        summary: text.slice(0, TEXT_MAX),
        count: `${count}`,
        ...(runbook === null ? {} : { runbook_url: runbook }),
        ...Object.fromEntries(rest.map(([name, value]) => [name.replace(/\W/g, '_'), value])),
      },
      startsAt: formatIso(firstAt),
      endsAt: formatIso(endsAt),
      ...(links.console === null ? {} : { generatorURL: links.console }),
    },
  ];
}

/** Slack's three control characters. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
