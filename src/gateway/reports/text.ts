// Our own words in a message: Text(58) in the session's character set, and EncodedText(355) beside it where that set lacks a
// character. Leaves the words to their authors.

import { type Charset, decodeEchoes, encodeLossy, encodeText, LATIN1, type MessageDraft, Tag } from '../../wire/mod.ts';
import type { SessionState } from '../state/session-state.ts';

/** Characters of one text; the rest is cut. */
const CHARACTERS_MAX = 500;
/** MessageEncoding(347) of EncodedText(355) (**assumed**: every character has a place in it). */
const ENCODING: Charset = 'UTF-8';

/** The settings of a session that decide how our words are written. */
export type Reader = Pick<SessionState, 'config' | 'isExchangeFix'>;

/** The words without control characters, not too long; what a counterparty wrote in them is text again. */
function clean(text: string, charset: Charset): string {
  const words = decodeEchoes(text, charset).replace(/\p{Cc}/gu, '?');
  return words.length > CHARACTERS_MAX ? `${words.slice(0, CHARACTERS_MAX - 3)}...` : words;
}

/**
 * Text(58) holds no SOH and no other control characters, whatever the exchange or an operator wrote. It is written in the session's
 * character set; what that lacks is `?`, since a report must go out whatever its text says.
 */
export function printable(text: string, charset: Charset = LATIN1): string {
  return encodeLossy(clean(text, charset), charset);
}

/** Add Text(58), and where it had to write `?`, the whole text in EncodedText(355); null or empty adds nothing. */
export function addText(draft: MessageDraft, { config, isExchangeFix }: Reader, text: string | null): MessageDraft {
  if (text === null || text === '') return draft;
  const { charset = LATIN1 } = config;
  const words = clean(text, charset);
  const bytes = encodeText(words, charset);
  draft.add(Tag.Text, bytes ?? encodeLossy(words, charset));
  // The exchange's own FIX has neither field.
  if (bytes !== null || isExchangeFix) return draft;
  const encoded = encodeLossy(words, ENCODING);
  if (!draft.headerTags.includes(Tag.MessageEncoding)) draft.header(Tag.MessageEncoding, ENCODING);
  return draft.add(Tag.EncodedTextLen, `${encoded.length}`).add(Tag.EncodedText, encoded);
}
