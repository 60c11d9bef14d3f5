// UserRequest(BE) → UserResponse(BF): the status of the session's user, and a change of its password. Passwords are checked
// and kept outside the machine: the answer comes back as an input. Leaves NewPassword(925) in a Logon to the engine.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { printable } from '../reports/text.ts';
import { rejectBusiness } from '../reports/unsupported-message.ts';
import { requestIDProblem } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { GatewayInput } from '../vocabulary/input.ts';
import { addressTo, askerOf } from '../vocabulary/sender.ts';

/** UserRequestType(924). */
const CHANGE_PASSWORD = '3';
const STATUS = '4';
/** UserStatus(926) for other reasons. */
const OTHER = '6';

/** Take a UserRequest(BE). */
export function handleUserRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const userRequestID = view.string(Tag.UserRequestID) ?? '';
  const username = view.string(Tag.Username) ?? '';
  for (const [name, value] of [
    ['UserRequestID(923)', userRequestID],
    ['Username(553)', username],
  ] as const) {
    const problem = requestIDProblem(name, value);
    if (problem === null) continue;
    rejectBusiness(turn, session, view, '0', problem);
    return;
  }
  const type = view.string(Tag.UserRequestType) ?? '';
  const request = { sessionId, userRequestID, username, sender: askerOf(view) };
  const refuse = (text: string): void =>
    answerUserRequest(turn, session, { kind: 'userAnswered', ...request, userStatus: OTHER, text });
  if (type === STATUS) {
    turn.askUser({ kind: 'user', ...request, change: null });
    return;
  }
  if (type !== CHANGE_PASSWORD) {
    refuse(`UserRequestType(924)=${type} is not carried: 3 changes the password, 4 asks for the status`);
    return;
  }
  const [password, newPassword] = [view.string(Tag.Password), view.string(Tag.NewPassword)];
  const { changingUsers } = turn.state;
  if (password === null || newPassword === null) refuse('924=3 needs Password(554) and NewPassword(925)');
  else if (changingUsers.has(sessionId)) refuse('A change of the password is under way; wait for its answer');
  else {
    changingUsers.add(sessionId);
    turn.askUser({ kind: 'user', ...request, change: { password, newPassword } });
  }
}

/** Send the UserResponse(BF). */
export function answerUserRequest(
  turn: Turn,
  session: SessionState,
  { sessionId, userRequestID, username, userStatus, text, sender }: Extract<GatewayInput, { kind: 'userAnswered' }>,
): void {
  const words = text === null ? null : printable(text, session.config.charset);
  const draft = addressTo(new MessageDraft(MsgType.UserResponse), sender)
    .add(Tag.UserRequestID, userRequestID)
    .add(Tag.Username, username)
    .add(Tag.UserStatus, userStatus)
    .addIf(Tag.UserStatusText, words);
  turn.send(sessionId, draft);
}
