// News(B) of the session itself: what concerns whoever looks after it and no order of anybody's. Leaves when to liveness.ts and repeat.ts.

import { MessageDraft, MsgType, Tag } from '../wire/mod.ts';
import type { SessionVersion } from './versions.ts';

/** News of one line, addressed to `ADMIN`, as is all that belongs to no user (rule D11). */
export function sessionNews({ headline }: SessionVersion, title: string, text: string): MessageDraft {
  return new MessageDraft(MsgType.News)
    .header(Tag.TargetSubID, 'ADMIN')
    .addIf(Tag.Headline, headline ? title : null)
    .add(Tag.NoLinesOfText, '1')
    .add(Tag.Text, text);
}
