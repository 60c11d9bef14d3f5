// Messages that the certified session gets beside the gateway's own: News(B) for the tester, and messages of a case.

import type { Engine } from '../../runtime/mod.ts';
import type { OutgoingMessage } from '../../scenario/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';

/** Fields that a draft has in its header. */
const OF_HEADER: ReadonlySet<number> = new Set([57, 97, 115, 128]);
/** Fields that the session writes: not copied from a message that is sent again. */
const OF_FRAME: ReadonlySet<number> = new Set([8, 9, 10, 34, 35, 43, 49, 52, 56, 122, 369]);

function sendDraft(engine: Engine, sessionId: string, draft: MessageDraft): void {
  const slot = engine.dispatcher.slots.get(sessionId);
  if (slot !== undefined) engine.dispatcher.sessionInput(slot, { kind: 'send', draft });
}

/** Send a message of a case; the session numbers it. News(B) of the exchange's own FIX keeps its headline alone (rule D1). */
export function sendMessage(engine: Engine, sessionId: string, message: OutgoingMessage, isVenue: boolean): void {
  if (message.kind === 'raw') throw new Error('a case sends fields, not bytes');
  const [type, ...fields] = message.fields;
  const draft = new MessageDraft(type?.value ?? '');
  for (const { tag, value } of fields) {
    if (value === null || (isVenue && type?.value === MsgType.News && tag !== Tag.Headline)) continue;
    if (OF_HEADER.has(tag)) draft.header(tag, value);
    else draft.add(tag, value);
  }
  sendDraft(engine, sessionId, draft);
}

/** Send a message once more under a new number, as a possible resend (rule S3). */
export function sendAgain(engine: Engine, sessionId: string, view: MessageView): void {
  const draft = new MessageDraft(view.msgType).header(Tag.PossResend, 'Y');
  for (let i = 0; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (tag === Tag.PossResend || OF_FRAME.has(tag)) continue;
    if (OF_HEADER.has(tag)) draft.header(tag, view.stringAt(i));
    else draft.add(tag, view.stringAt(i));
  }
  sendDraft(engine, sessionId, draft);
}

/** Between lines in one field. Not `|`: many logs write the SOH between fields so. */
const LINE_END = ' // ';

/** Tell the tester: a headline, and lines. The exchange's own FIX has the headline alone (rule D1). */
export function sendNews(
  engine: Engine,
  sessionId: string,
  {
    headline,
    lines,
    isVenue,
  }: { readonly headline: string; readonly lines: readonly string[]; readonly isVenue: boolean },
): void {
  const draft = new MessageDraft(MsgType.News);
  if (isVenue) draft.add(Tag.Headline, [headline, ...lines].join(LINE_END));
  else {
    draft.add(Tag.Headline, headline).add(Tag.NoLinesOfText, String(lines.length));
    for (const line of lines) draft.add(Tag.Text, line);
  }
  sendDraft(engine, sessionId, draft);
}
