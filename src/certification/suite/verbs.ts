// The steps that certification adds to the scenario language: what the OMS is asked to do, what the exchange and the line do
// meanwhile, which state is waited for, and what must not come. case-play.ts carries them out.

import type { Verb } from '../../scenario/mod.ts';
import { ORDER_STATES } from '../run/order-state.ts';
import { requestFrom } from './instruction.ts';

/** Our own side comes to a state in this time, or the case is broken. */
const STATE_MS = 30_000;

const EXCHANGE: Readonly<Record<string, RegExp>> = {
  fill: /^[A-Z] \S+( \S+)?$/,
  cancel: /^[A-Z]( \d+)?$/,
  shrink: /^[A-Z] \S+$/,
  quote: /^(buy|sell) \S+ \S+( GTX)?$/,
  elsewhere: /^[A-Z] (buy|sell) \S+ \S+$/,
  'cancel-elsewhere': /^[A-Z]$/,
  'reject-next': /^\d+$/,
  'refuse-next': /^$/,
  'lose-answer': /^(create|cancel|amend)$/,
  hold: /^$/,
  release: /^$/,
  silence: /^$/,
  'cut-streams': /^$/,
  'lose-trade': /^$/,
  phase: /^(COOLING|ACCUMULATION|LOCKDOWN|CROSS)$/,
  postpone: /^\d+$/,
  halt: /^$/,
  open: /^$/,
  index: /^\S+$/,
};

const WIRE: Readonly<Record<string, RegExp>> = {
  lose: /^(in|out) \S+( \d+)?$/,
  garble: /^\S+$/,
  repeat: /^\S+$/,
  resend: /^\S+$/,
  low: /^\S+$/,
  'reset-to-next': /^$/,
  cut: /^$/,
  'cut-at': /^(in|out) \S+$/,
  logout: /^$/,
  crash: /^$/,
  refuse: /^$/,
  admit: /^$/,
};

const STATES: ReadonlySet<string> = new Set(['logon', 'down', 'lost', 'sent']);

function actionFault(actions: Readonly<Record<string, RegExp>>, argument: string): string | null {
  const [action = '', ...args] = argument.trim().split(/\s+/);
  const form = actions[action];
  if (form === undefined) return `"${action}" is none of ${Object.keys(actions).join(', ')}.`;
  // A value with a reference is judged when it is known.
  return argument.includes('{') || form.test(args.join(' ')) ? null : `"${argument}" is not complete.`;
}

function stateFault(argument: string): string | null {
  const [first = '', second] = argument.trim().split(/\s+/);
  if (STATES.has(first)) return null;
  return /^[A-Z]$/.test(first) && second !== undefined && ORDER_STATES.has(second)
    ? null
    : `"${argument}" is no state: write the label of an order and ${[...ORDER_STATES].join(', ')}, or ${[...STATES].join(', ')}.`;
}

function neverFault(argument: string): string | null {
  return /^\S+( of [A-Z])?$/.test(argument.trim()) ? null : 'write MsgTypes separated by /, and `of` with an order.';
}

function askFault(argument: string): string | null {
  const request = requestFrom(argument);
  return typeof request === 'string' ? request : null;
}

export const CERTIFICATION_VERBS: readonly Verb[] = [
  { name: 'ask', timeoutMs: null, fault: askFault },
  { name: 'exchange', timeoutMs: null, fault: (argument) => actionFault(EXCHANGE, argument) },
  { name: 'wire', timeoutMs: null, fault: (argument) => actionFault(WIRE, argument) },
  { name: 'until', timeoutMs: STATE_MS, fault: stateFault },
  { name: 'never', timeoutMs: null, fault: neverFault },
  { name: 'quiet', timeoutMs: null, fault: (argument) => (/^\d+(\.\d+)?s$/.test(argument) ? null : 'write seconds.') },
];

/** Variables of an order, by its label. */
const PARTS = ['', '.cum', '.leaves', '.qty', '.id', '.exec'];
const LABELS = ['A', 'B', 'C', 'D'];

/** Every name that a case may refer to. */
export const CASE_VARIABLES: readonly string[] = [
  ...LABELS.flatMap((label) => PARTS.map((part) => `${label}${part}`)),
  // The next MsgSeqNum(34) expected of the OMS, and that of the message which the line lost.
  'expected',
  'lost',
  'opened',
  'bestBid',
];
