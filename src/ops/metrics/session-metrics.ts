// Metrics of each session in Prometheus' text format, written in steps: thousands of sessions make tens of thousands of
// lines every few seconds on the event loop of the orders. The library would look up each one's labels and write all in
// one go.

import type { SessionView } from '../../administration/mod.ts';
import type { Steps } from '../../engine/mod.ts';
import { METRICS, type MetricDeclaration } from './declarations.ts';

/** Lines between which nothing gives way. */
const LINES_AT_A_TIME = 100;

type Measured = Pick<
  SessionView,
  | 'name'
  | 'status'
  | 'enabled'
  | 'retired'
  | 'openOrders'
  | 'messagesIn'
  | 'messagesOut'
  | 'queuedBytes'
  | 'resendRequests'
>;

interface Series {
  readonly metric: MetricDeclaration;
  /** Labels beside that of the session, and the value under them. */
  readonly values: readonly (readonly [more: string, read: (session: Measured) => number])[];
}

const ways = (incoming: (session: Measured) => number, outgoing: (session: Measured) => number): Series['values'] => [
  [',direction="in"', incoming],
  [',direction="out"', outgoing],
];

const SERIES: readonly Series[] = [
  // A session with a changed CompID has its name twice: the removed one, perhaps with orders, is not up.
  {
    metric: METRICS.sessionUp,
    values: [['', ({ status, retired }) => (status.state === 'loggedOn' && !retired ? 1 : 0)]],
  },
  { metric: METRICS.sessionEnabled, values: [['', ({ enabled }) => (enabled ? 1 : 0)]] },
  { metric: METRICS.sessionExpected, values: [['', (session) => (isExpected(session) ? 1 : 0)]] },
  { metric: METRICS.sessionOpenOrders, values: [['', ({ openOrders }) => openOrders]] },
  {
    metric: METRICS.sessionMessages,
    values: ways(
      ({ messagesIn }) => messagesIn,
      ({ messagesOut }) => messagesOut,
    ),
  },
  {
    metric: METRICS.sessionNextSeqNum,
    values: ways(
      (session) => ofCurrent(session, session.status.numbers.nextTargetMsgSeqNum),
      (session) => ofCurrent(session, session.status.numbers.nextSenderMsgSeqNum),
    ),
  },
  {
    metric: METRICS.sessionResendRequests,
    values: ways(
      ({ resendRequests }) => resendRequests.in,
      ({ resendRequests }) => resendRequests.out,
    ),
  },
  { metric: METRICS.sessionGap, values: [['', ({ status }) => (status.gap === null ? 0 : 1)]] },
  { metric: METRICS.sessionGapQueued, values: [['', ({ status }) => status.gap?.queued ?? 0]] },
  { metric: METRICS.sessionQueueBytes, values: [['', ({ queuedBytes }) => queuedBytes]] },
  {
    metric: METRICS.sessionLastReceived,
    values: [['', (session) => ofCurrent(session, (session.status.lastReceivedAt ?? 0) / 1000)]],
  },
];

/** Values of one name are added up: numbers and times of a removed session would spoil those of its successor. */
function ofCurrent({ retired }: Measured, value: number): number {
  return retired ? 0 : value;
}

/** An operator wants it logged on now. */
function isExpected({ enabled, retired, status }: Measured): boolean {
  return enabled && !retired && status.opening?.open !== false;
}

/** The lines of all sessions; values of one name are added up. */
export function* sessionLines(sessions: readonly Measured[]): Steps<string> {
  const byName = new Map<string, Measured[]>();
  for (const session of sessions) {
    const named = byName.get(session.name);
    if (named === undefined) byName.set(session.name, [session]);
    else named.push(session);
  }
  let text = '';
  let lines = 0;
  for (const { metric, values } of SERIES) {
    const { name, help, type } = metric;
    text += `\n# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const [session, named] of byName) {
      for (const [more, read] of values) {
        const value = named.reduce((sum, each) => sum + read(each), 0);
        text += `${name}{session="${escaped(session)}"${more}} ${value}\n`;
        if (++lines % LINES_AT_A_TIME === 0) yield;
      }
    }
  }
  return text;
}

function escaped(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
