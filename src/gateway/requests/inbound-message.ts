// A message of an OMS while it is handled, with all that its handling reads or writes.

import { type MessageView, Tag } from '../../wire/mod.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';

export interface InboundMessage {
  readonly turn: Turn;
  readonly session: SessionState;
  readonly view: MessageView;
  /** PossDupFlag(43)=Y of a message that the session machine sees for the first time. */
  readonly possDup: boolean;
  /** It waited behind a gap, or for its turn: an order must be young (rule O4). */
  readonly waited: boolean;
}

/** Whether its sender says that it may have come before: such a request runs no second time (rules U4, D14). */
export function isRepetition({ view, possDup }: InboundMessage): boolean {
  return possDup || view.boolean(Tag.PossResend) === true;
}
