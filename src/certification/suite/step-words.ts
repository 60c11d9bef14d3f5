// A step of a case in words for people, beside requests to the tester (instruction.ts).

import type { ExpectedField, FieldNames, LinkedStep, Template } from '../../scenario/mod.ts';

const EXCHANGE: Readonly<Record<string, string>> = {
  fill: 'The exchange fills',
  cancel: 'The exchange cancels',
  shrink: 'The exchange makes smaller',
  quote: 'Another participant enters',
  elsewhere: 'An order is entered on the account outside FIX:',
  'cancel-elsewhere': 'It is cancelled outside FIX:',
  'reject-next': 'The exchange will reject the next order with reason',
  'refuse-next': 'The exchange will refuse the next order at once',
  'lose-answer': 'The answer to the next command will be lost:',
  hold: 'The exchange falls silent about commands',
  release: 'The exchange goes on',
  silence: 'The streams of the exchange fall silent',
  'cut-streams': 'The streams of the exchange come back',
  'lose-trade': 'The next trade comes late',
  phase: 'The auction moves to',
  postpone: 'The cross is postponed by milliseconds:',
  halt: 'The market takes no orders',
  open: 'The market takes orders again',
  index: 'The index price is',
};

const WIRE: Readonly<Record<string, string>> = {
  lose: 'The line loses the next message:',
  garble: 'The line spoils the next message of ours:',
  repeat: 'We repeat our last message with PossDupFlag(43)=Y:',
  resend: 'We send our last message again with PossResend(97)=Y:',
  low: 'We send a message with an old MsgSeqNum(34) and without PossDupFlag(43):',
  'reset-to-next': 'We send SequenceReset(4) in reset mode past what was lost',
  cut: 'The connection breaks',
  'cut-at': 'The connection will break at the next message:',
  logout: 'We log the session out',
  crash: 'The gateway is killed and starts again',
  refuse: 'No connection is taken',
  admit: 'Connections are taken again',
};

const VERBS: Readonly<Record<string, Readonly<Record<string, string>>>> = { exchange: EXCHANGE, wire: WIRE };

/** A message in words: `Heartbeat | TestReqID(112)=a`. */
function messageInWords(fields: readonly { readonly tag: number; readonly text: string }[], names: FieldNames): string {
  return fields
    .map(({ tag, text }) => (tag === MSG_TYPE ? (names.messageName(text) ?? text) : `${names.fieldLabel(tag)} ${text}`))
    .join(', ');
}

function expectationInWords({ expectation, optional }: ExpectedField): string {
  const or = optional ? 'absent or ' : '';
  switch (expectation.kind) {
    case 'any':
      return 'any value';
    case 'absent':
      return 'absent';
    case 'pattern':
      return `${or}${expectation.source.replaceAll('|', ' or ')}`;
    case 'equals':
      return `${or}${templateText(expectation.value)}`;
  }
}

/** A value with references in words. */
export function templateText(template: Template): string {
  return template
    .map((part) => (typeof part === 'string' ? part : (NAMED[part.name] ?? referenceInWords(part.name))))
    .join('');
}

const NAMED: Readonly<Record<string, string>> = {
  expected: 'the next number of the session',
  lost: 'the number of the lost message',
};

function referenceInWords(name: string): string {
  const [label = '', part] = name.split('.');
  if (!/^[A-Z]$/.test(label)) return name;
  if (part === 'id') return `OrderID(37) of order ${label}`;
  if (part === 'exec') return `ExecID(17) of the last fill of order ${label}`;
  return part === undefined ? `the ClOrdID(11) in force of order ${label}` : `${part} of order ${label}`;
}

const MSG_TYPE = 35;

export function stepInWords({ action, text }: LinkedStep, names: FieldNames): string {
  if (action.kind === 'expect') {
    const [first] = action.messages;
    const fields = first?.fields.map((field) => {
      const { expectation, tag } = field;
      if (tag === MSG_TYPE && expectation.kind === 'equals') return { tag, text: templateText(expectation.value) };
      return { tag, text: expectationInWords(field) };
    });
    return `The OMS sends ${messageInWords(fields ?? [], names)}`;
  }
  if (action.kind === 'send') {
    const fields = action.fields.map(({ tag, value }) => ({ tag, text: value === null ? '' : templateText(value) }));
    return `We send ${messageInWords(fields, names)}`;
  }
  if (action.kind === 'wait') return `A pause of ${templateText(action.duration)}`;
  if (action.kind === 'expectNothing') return `Nothing else comes for ${templateText(action.duration)}`;
  if (action.kind !== 'verb') return text;
  const [first = '', ...args] = templateText(action.argument).split(/\s+/);
  const words = VERBS[action.verb]?.[first];
  if (words !== undefined) return `${words} ${args.join(' ')}`.trim();
  if (action.verb === 'until') return stateInWords(first, args[0]);
  if (action.verb === 'never')
    return `From here on the OMS must not send ${[first, ...args].join(' ').replace(/of ([A-Z])$/, 'for order $1')}`;
  if (action.verb === 'quiet') return `Nothing of that comes for ${first}`;
  return text;
}

function stateInWords(first: string, state: string | undefined): string {
  if (state !== undefined) return `Order ${first} is ${state}`;
  return { logon: 'The OMS is logged on', down: 'The connection is down', lost: 'The message is lost' }[first] ?? first;
}
