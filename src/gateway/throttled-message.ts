// Messages beyond a session's rate (rule S7): what each type is answered with, always with the wait in Text(58). Which
// messages those are is the session's decision.

import { type MessageView, MsgType } from '../wire/mod.ts';
import type { SessionState, Turn } from './state.ts';
import { rejectBusiness } from './unsupported-message.ts';

/** Refuse a message whose turn comes in `waitMs`. */
export function refuseThrottled(turn: Turn, session: SessionState, view: MessageView, waitMs: number): void {
  const text = `Too many messages: send MsgType(35)=${view.msgType} again in ${waitMs} ms`;
  const { beginString } = session.config;
  // BusinessRejectReason(380)=8, throttle limit exceeded, came with FIX.5.0SP2.
  if (view.msgType !== MsgType.BusinessMessageReject) {
    rejectBusiness(turn, session, view, beginString === 'FIXT.1.1' ? '8' : '0', text);
  }
}
