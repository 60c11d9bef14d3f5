// The scenario language of the session tests: a conversation with one FIX session, one step a line, messages as
// `35=1|34=2|112=foo|`. Parses scripts and completes messages; running them is session-machine.ts's matter (virtual
// time), or a TCP runner's with the same steps.
//
//   > 35=1|34=2|112=foo|     the counterparty sends; 8, 9, 49, 56, 52, 10 are filled in, header fields put in order
//   >> 35=1|…                the counterparty sends exactly these fields in this order (9 and 10 filled in if absent)
//   < 35=0|34=2|112=foo|     the session must send this next; everything it sends must be listed
//   delivered 35=D|34=2|     the application is given a message with at least these fields
//   throttled refuse 500 35=D|…   the same, beyond the rate: what is to become of it and the wait in milliseconds
//   app 35=8|37=1|           the application sends (57=, 97= and the like go into the header)
//   connect / cut / closed   a connection is made; it is lost; the session must close it
//   wait 30                  seconds pass
//   logout TEXT / reset      what an operator does
//   reset within             the same by Logon(A) 141=Y within the session
//   expects 1                an operator sets the number expected next, and nothing else
//   numbers 3 2              our next number and the one expected are these
//   up / down                the session must have reported loggedOn / loggedOff
//   hold / release           the journal keeps its answers back; answers them
//   restart                  the process is killed and recovers from its journal
//   # comment
//
// `{n}` stands for the UTCTimestamp n seconds after the start: `122={0}`.

import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { fromPrintable } from '../../../src/wire/mod.ts';

export type ScenarioStep = { readonly line: number; readonly text: string } & (
  | { readonly kind: 'receive' | 'receiveRaw' | 'expect' | 'delivered' | 'app'; readonly message: string }
  | {
      readonly kind:
        | 'connect'
        | 'cut'
        | 'closed'
        | 'reset'
        | 'resetWithin'
        | 'up'
        | 'down'
        | 'hold'
        | 'release'
        | 'restart';
    }
  | {
      readonly kind: 'throttled';
      readonly excess: string;
      readonly waitMs: number;
      readonly message: string;
    }
  | { readonly kind: 'wait'; readonly seconds: number }
  | { readonly kind: 'expects'; readonly nextTargetMsgSeqNum: number }
  | { readonly kind: 'logout'; readonly reason: string }
  | { readonly kind: 'numbers'; readonly nextSenderMsgSeqNum: number; readonly nextTargetMsgSeqNum: number }
);

/** Parse a script. @throws Error naming the line that is not understood */
export function parseScenario(script: string): ScenarioStep[] {
  const steps: ScenarioStep[] = [];
  script.split('\n').forEach((raw, i) => {
    const text = raw.trim();
    if (text === '' || text.startsWith('#')) return;
    const space = text.indexOf(' ');
    const word = space === -1 ? text : text.slice(0, space);
    const rest = space === -1 ? '' : text.slice(space + 1).trim();
    steps.push({ line: i + 1, text, ...parseStep(word, rest, text) } as ScenarioStep);
  });
  return steps;
}

const MESSAGE_STEPS: Readonly<Record<string, string>> = {
  '>': 'receive',
  '>>': 'receiveRaw',
  '<': 'expect',
  delivered: 'delivered',
  app: 'app',
};
const BARE_STEPS = ['connect', 'cut', 'closed', 'reset', 'up', 'down', 'hold', 'release', 'restart'];

function parseStep(word: string, rest: string, text: string): object {
  const kind = MESSAGE_STEPS[word];
  if (kind !== undefined) return { kind, message: rest };
  if (text === 'reset within') return { kind: 'resetWithin' };
  if (BARE_STEPS.includes(word)) return { kind: word };
  if (word === 'wait') return { kind: 'wait', seconds: Number(rest) };
  if (word === 'throttled') {
    const [excess, waitMs, message] = rest.split(' ');
    return { kind: 'throttled', excess, waitMs: Number(waitMs), message };
  }
  if (word === 'expects') return { kind: 'expects', nextTargetMsgSeqNum: Number(rest) };
  if (word === 'logout') return { kind: 'logout', reason: rest };
  if (word === 'numbers') {
    const [sender, target] = rest.split(/\s+/).map(Number);
    return { kind: 'numbers', nextSenderMsgSeqNum: sender, nextTargetMsgSeqNum: target };
  }
  throw new Error(`scenario step not understood: ${text}`);
}

/** Header tags in the order in which this project writes them, after 8, 9 and 35. */
const HEADER_ORDER = [1128, 34, 43, 49, 50, 52, 56, 57, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145, 347, 369];

/** Header tags of an application message that its draft sets. */
const DRAFT_HEADER = new Set([115, 128, 50, 142, 57, 143, 116, 144, 129, 145, 97]);

/** Fields of a printable message. Values must not contain `|`. */
export function fieldsOf(message: string): [tag: number, value: string][] {
  return message
    .split('|')
    .filter((field) => field !== '')
    .map((field) => {
      const equals = field.indexOf('=');
      return [Number(field.slice(0, equals)), field.slice(equals + 1)];
    });
}

/** Whether an application sets this tag in the header of its draft. */
export function isDraftHeader(tag: number): boolean {
  return DRAFT_HEADER.has(tag);
}

/** UTCTimestamp as a version writes it: whole seconds before FIX.4.2. */
export function timestampOf(at: number, beginString: string): string {
  const text = formatUtcTimestamp(at);
  return beginString < 'FIX.4.2' ? text.slice(0, 17) : text;
}

/** Replace `{n}` by the UTCTimestamp n seconds after `startAt`. */
export function withTimes(message: string, startAt: number, beginString: string): string {
  return message.replace(/\{(-?[\d.]+)\}/g, (_, n: string) => timestampOf(startAt + Number(n) * 1000, beginString));
}

/** Complete a message as the wire has it: 8, 9, 49, 56, 52 and 10 filled in unless given, header fields in order. */
export function completeFrame(
  message: string,
  from: string,
  to: string,
  beginString: string,
  sendingTime: string,
): Buffer {
  const given = fieldsOf(message);
  const has = (tag: number): boolean => given.some(([t]) => t === tag);
  const value = (tag: number): string | undefined => given.find(([t]) => t === tag)?.[1];
  const header = new Map<number, string>();
  for (const tag of HEADER_ORDER) if (has(tag)) header.set(tag, value(tag)!);
  if (!has(49)) header.set(49, from);
  if (!has(56)) header.set(56, to);
  if (!has(52)) header.set(52, sendingTime);
  const ordered = HEADER_ORDER.filter((tag) => header.has(tag) && header.get(tag) !== '-');
  const body = given.filter(([tag]) => ![8, 9, 10, 35].includes(tag) && !HEADER_ORDER.includes(tag));
  const text = [
    `8=${value(8) ?? beginString}`,
    `9=${value(9) ?? '…'}`,
    `35=${value(35)}`,
    ...ordered.map((tag) => `${tag}=${header.get(tag)}`),
    ...body.map(([tag, v]) => `${tag}=${v}`),
    ...(has(10) ? [`10=${value(10)}`] : []),
  ];
  return fromPrintable(`${text.join('|')}|`);
}
