// Metrics of each session in Prometheus' text format, written in steps: thousands of sessions make tens of thousands of
// lines every few seconds on the event loop of the orders. The library would look up each one's labels and write all in
// one go.

import type { Steps } from '../../engine/mod.ts';
import type { SessionView } from '../../runtime/mod.ts';

/** Lines between which nothing gives way. */
const LINES_AT_A_TIME = 100;

type Measured = Pick<
  SessionView,
  'name' | 'status' | 'enabled' | 'retired' | 'openOrders' | 'messagesIn' | 'messagesOut'
>;

interface Series {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  /** Labels beside that of the session, and the value under them. */
  readonly values: readonly (readonly [more: string, read: (session: Measured) => number])[];
}

const SERIES: readonly Series[] = [
  {
    name: 'crossgate_session_up',
    help: '1 while the FIX session is logged on.',
    type: 'gauge',
    // A session with a changed CompID has its name twice: the removed one, perhaps with orders, is not up.
    values: [['', ({ status, retired }) => (status.state === 'loggedOn' && !retired ? 1 : 0)]],
  },
  {
    name: 'crossgate_session_enabled',
    help: '1 while the FIX session may log on.',
    type: 'gauge',
    values: [['', ({ enabled }) => (enabled ? 1 : 0)]],
  },
  {
    name: 'crossgate_session_open_orders',
    help: 'Open orders of the FIX session.',
    type: 'gauge',
    values: [['', ({ openOrders }) => openOrders]],
  },
  {
    name: 'crossgate_session_messages_total',
    help: 'FIX messages counted by sequence numbers since the start, by session and direction.',
    type: 'counter',
    values: [
      [',direction="in"', ({ messagesIn }) => messagesIn],
      [',direction="out"', ({ messagesOut }) => messagesOut],
    ],
  },
];

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
  for (const { name, help, type, values } of SERIES) {
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
