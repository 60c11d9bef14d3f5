// Schema of `alarms` in gateway.yaml: where alarms are sent, and when they are sent again. Leaves sending to ops/alarms.

import { Type } from '../../base/schema.ts';
import { CLOSED, choice, HOUR_MS, NAME, secret, text, whole } from '../../base/schema-node.ts';

const Receiver = Type.Object(
  {
    name: text(NAME, 'Name of the receiver, for log and metrics.', { requiredWhen: 'always' }),
    kind: choice(
      ['slack', 'alertmanager'],
      '`slack`: an incoming webhook of Slack, or of a service that takes its payload. `alertmanager`: the API v2 of Prometheus Alertmanager.',
      undefined,
      { requiredWhen: 'always' },
    ),
    url: secret(
      'Its address, by reference, because the address of a webhook is its password: `https://hooks.slack.com/services/…`, or the base of Alertmanager, `http://alertmanager:9093`.',
      { requiredWhen: 'always' },
    ),
    authorization: Type.Optional(secret('Value of the `Authorization` header, by reference: `Bearer …` or `Basic …`.')),
    minSeverity: choice(['critical', 'warning', 'info'], 'Least severity that is sent.', 'warning'),
  },
  CLOSED,
);

export const AlarmsSchema = Type.Object(
  {
    documentation: Type.Optional(
      text(
        '^https?://[^\\s]{1,500}$',
        'Base address of the documentation for the links to the runbook; the `/docs` of the admin API if absent.',
      ),
    ),
    repeatMs: whole(
      1000,
      24 * HOUR_MS,
      300_000,
      'An alarm that is raised again is sent again after this time at the earliest, with the number of repetitions.',
    ),
    escalateAfter: whole(
      2,
      1000,
      10,
      'An alarm raised so often within `escalateWithinMs` is sent at once with the next higher severity, though acknowledged.',
    ),
    escalateWithinMs: whole(1000, 24 * HOUR_MS, HOUR_MS, 'Time in which repetitions count for an escalation.'),
    closeAfterMs: whole(
      1000,
      24 * HOUR_MS,
      900_000,
      'An alarm that is not raised again for this time leaves the open ones, and Alertmanager resolves it.',
    ),
    receivers: Type.Array(Receiver, {
      maxItems: 20,
      default: [],
      description: 'Where alarms are sent; each has a queue of its own.',
    }),
  },
  { ...CLOSED, default: {}, description: 'Sending of alarms.' },
);
