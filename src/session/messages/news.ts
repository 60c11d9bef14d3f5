// News(B) of the session itself, for its operators and unrelated to orders. liveness.ts and repeat-reports.ts decide
// when.

import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionConfig } from '../config.ts';
import type { SessionVersion } from '../versions.ts';

/**
 * News of one line, addressed to `ADMIN`, as is all that belongs to no user (rule D11). The exchange's own FIX, which is FIX.4.4,
 * has the Headline(148) alone (rule D1).
 */
export function sessionNews(
  { version: { headline, applVerID }, config }: { readonly version: SessionVersion; readonly config: SessionConfig },
  title: string,
  text: string,
): MessageDraft {
  const draft = new MessageDraft(MsgType.News).header(Tag.TargetSubID, 'ADMIN');
  if (config.sendsSessionStatus && !applVerID) return draft.add(Tag.Headline, `${title}: ${text}`);
  return draft
    .addIf(Tag.Headline, headline ? title : null)
    .add(Tag.NoLinesOfText, '1')
    .add(Tag.Text, text);
}
