// BridgeRequest(UBQ) → BridgeResponse(UBR): a call of the REST bridge over FIX, with the permissions of the bridge caller that
// the session file names. A POST runs at most once per BridgeReqID, over restarts (rule U4). Leaves the call to the bridge.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import { isUsed, useRequestID } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { GatewayInput } from '../vocabulary/input.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';

/** Longest BridgeReqID(20110): it is part of a record's key. */
const REQ_ID_MAX = 200;
const PATH_MAX = 2_000;
/** Requests of one session under way at once. */
const UNDER_WAY_MAX = 16;
/** Bytes of a body in one BridgeResponse(UBR), well below the longest message that any engine accepts. */
const FRAGMENT_BYTES = 8_000;
/** Bytes of a whole answer: it is journaled, and sent in one turn. */
const ANSWER_BYTES_MAX = 256 * 1024;

interface Asked {
  readonly sessionId: string;
  readonly bridgeReqID: string;
  readonly sender: Sender;
}

/** Take a BridgeRequest(UBQ). */
export function handleBridgeRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId, bridgeCaller } = session.config;
  const bridgeReqID = view.string(Tag.BridgeReqID) ?? '';
  const asked = { sessionId, bridgeReqID, sender: askerOf(view) };
  const method = view.string(Tag.BridgeMethod) ?? '';
  const path = view.string(Tag.BridgePath) ?? '';
  const body = view.string(Tag.BridgeBody);
  const refuse = (status: number, text: string): void => answer(turn, session, asked, { status, body: '', text });
  const underWay = turn.state.bridgeRequests.get(sessionId) ?? 0;
  if (bridgeCaller === undefined || bridgeCaller === null) {
    refuse(403, 'This session names no caller of the bridge: an operator sets `bridgeCaller` in its file');
  } else if (bridgeReqID.length > REQ_ID_MAX) refuse(400, `BridgeReqID(20110) has more than ${REQ_ID_MAX} characters`);
  else if (method !== 'GET' && method !== 'POST') refuse(405, `BridgeMethod(20111)=${method} is not GET or POST`);
  else if (!path.startsWith('/') || path.length > PATH_MAX || !/^[\x21-\x7e]+$/.test(path)) {
    refuse(400, `BridgePath(20112) is a path with its query, of at most ${PATH_MAX} printable characters`);
  } else if (underWay >= UNDER_WAY_MAX) {
    refuse(429, `${UNDER_WAY_MAX} requests of this session are under way: wait for an answer`);
  } else if (method === 'POST' && isUsed(turn.state, sessionId, nameOf(bridgeReqID))) {
    refuse(
      409,
      'This BridgeReqID(20110) was used for a POST before, which does not run again: ask by a GET what became of it',
    );
  } else {
    if (method === 'POST') useRequestID(turn, sessionId, nameOf(bridgeReqID));
    turn.state.bridgeRequests.set(sessionId, underWay + 1);
    turn.askBridge({ kind: 'bridge', ...asked, caller: bridgeCaller, method, path, body });
  }
}

/** Its name among the ids of the session, where no ClOrdID(11) of an order can be the same. */
const nameOf = (bridgeReqID: string): string => `bridge request ${bridgeReqID}`;

/** The bridge has answered. */
export function answerBridgeRequest(
  turn: Turn,
  session: SessionState,
  input: Extract<GatewayInput, { kind: 'bridgeAnswered' }>,
): void {
  const { sessionId, status, body } = input;
  const underWay = turn.state.bridgeRequests.get(sessionId) ?? 0;
  if (underWay > 1) turn.state.bridgeRequests.set(sessionId, underWay - 1);
  else turn.state.bridgeRequests.delete(sessionId);
  if (body.length <= ANSWER_BYTES_MAX) answer(turn, session, input, { status, body, text: null });
  else {
    const text = `The answer has ${body.length} bytes, over ${ANSWER_BYTES_MAX}: ask for less, such as by _pageSize`;
    answer(turn, session, input, { status: status < 400 ? 413 : status, body: '', text });
  }
}

interface Answer {
  readonly status: number;
  /** JSON, a character per byte and none of them SOH. */
  readonly body: string;
  readonly text: string | null;
}

/** Send the answer in as many fragments as it needs, at least one. */
function answer(turn: Turn, session: SessionState, asked: Asked, { status, body, text }: Answer): void {
  const fragments = Math.max(1, Math.ceil(body.length / FRAGMENT_BYTES));
  for (let i = 0; i < fragments; i++) {
    const part = body.slice(i * FRAGMENT_BYTES, (i + 1) * FRAGMENT_BYTES);
    const draft = addressTo(new MessageDraft(MsgType.BridgeResponse), asked.sender)
      .add(Tag.BridgeReqID, asked.bridgeReqID)
      .add(Tag.BridgeStatus, `${status}`)
      .add(Tag.BridgeFragment, `${i + 1}`)
      .add(Tag.BridgeFragments, `${fragments}`);
    if (part !== '') draft.add(Tag.BridgeBody, part);
    turn.send(asked.sessionId, addText(draft, session, text));
  }
}
