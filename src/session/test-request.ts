// Sends a TestRequest(1) whose answer proves what was sent before it (rule S2). When one is due is liveness.ts's matter and,
// before a reset, reset-in-session.ts's.

import { MessageDraft, MsgType, Tag } from '../wire/mod.ts';
import type { SessionCore, TestRequest } from './core.ts';

/** Send one; it replaces one that has no answer yet. */
export function sendTestRequest(core: SessionCore): TestRequest {
  core.testRequests++;
  const testReqID = `${core.series}-${core.testRequests}`;
  const msgSeqNum = core.send(new MessageDraft(MsgType.TestRequest).add(Tag.TestReqID, testReqID));
  core.testRequest = { testReqID, msgSeqNum, sentAt: core.now };
  return core.testRequest;
}
