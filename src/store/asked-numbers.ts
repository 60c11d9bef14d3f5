// Numbers that an operator set while a session was connected. They take effect when its connection has ended. If the
// process is killed before that, only the record of the input holds them. The engine gives them to the machine again.

import type { NumbersAsked, SessionID } from '../session/mod.ts';
import type { JournalRecord } from './port.ts';

/** As the engine records an input of a session: its name, then the input, the kind first. */
const SET_NUMBERS = ',"input":{"kind":"setNumbers",';

/** Whether a recorded input may set numbers. Nearly none does, and there are very many. */
export function setsNumbers(json: string): boolean {
  return json.includes(SET_NUMBERS);
}

/**
 * The numbers that a recorded input requested, and for which session; null if it sets none, or only within a session.
 */
export function numbersAsked(json: string): { readonly sessionId: SessionID; readonly asked: NumbersAsked } | null {
  const { machine, input } = JSON.parse(json) as { machine: string; input: NumbersAsked };
  return input?.kind === 'setNumbers' && input.within !== true ? { sessionId: machine, asked: input } : null;
}

/** Asked for on top of what is asked for already; a start asks for the same again. */
export function askedToo(asked: readonly NumbersAsked[], one: NumbersAsked): NumbersAsked[] {
  const text = JSON.stringify(one);
  return [...asked.filter((other) => JSON.stringify(other) !== text), one];
}

/** The part left to do once numbers were set. */
export function leftToDo(asked: readonly NumbersAsked[], set: JournalRecord & { kind: 'numbers' }): NumbersAsked[] {
  return asked.filter((one) => !isDone(one, set));
}

function isDone(one: NumbersAsked, { to, who, why }: JournalRecord & { kind: 'numbers' }): boolean {
  const { nextSenderMsgSeqNum, nextTargetMsgSeqNum } = one;
  const isSender = nextSenderMsgSeqNum === null || nextSenderMsgSeqNum === to.nextSenderMsgSeqNum;
  const isTarget = nextTargetMsgSeqNum === null || nextTargetMsgSeqNum === to.nextTargetMsgSeqNum;
  return one.who === who && one.why === why && isSender && isTarget;
}
