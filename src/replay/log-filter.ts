// Which messages of a log are wanted.

import type { EpochMs } from '../base/time.ts';
import { decodeText } from '../wire/mod.ts';
import type { Direction } from './log-sessions.ts';
import { directionName, directionOf, type LoggedMessage } from './logged-message.ts';

export interface LogFilter {
  /** Part of a SessionID or of a CompID; null for all. */
  readonly session: string | null;
  /** MsgTypes(35); empty for all. */
  readonly types: readonly string[];
  /** Tags that must be there, with a value or any; all of them must match. */
  readonly tags: readonly { readonly tag: number; readonly value: string | null }[];
  /** First and last moment, inclusive. A message without a time matches neither. */
  readonly from: EpochMs | null;
  readonly to: EpochMs | null;
}

/** Read `11=abc` or `11`; null if it is neither. */
export function parseTagFilter(text: string): LogFilter['tags'][number] | null {
  const match = /^([1-9]\d{0,8})(?:=(.*))?$/s.exec(text);
  return match === null ? null : { tag: Number(match[1]), value: match[2] ?? null };
}

/** `way`: the direction of the message, if it says more than the message. */
export function matchesFilter(message: LoggedMessage, filter: LogFilter, way: Direction | null = null): boolean {
  const { view, at } = message;
  if (filter.from !== null && (at === null || at < filter.from)) return false;
  if (filter.to !== null && (at === null || at > filter.to)) return false;
  if (!matchesSession(message, filter.session, way)) return false;
  if (view === null) return filter.types.length === 0 && filter.tags.length === 0;
  if (filter.types.length > 0 && !filter.types.includes(view.msgType)) return false;
  return filter.tags.every(({ tag, value }) => {
    for (let i = view.indexFrom(tag, 0); i !== -1; i = view.indexFrom(tag, i + 1)) {
      if (value === null || view.stringAt(i) === value || isShownAs(view.stringAt(i), value)) return true;
    }
    return false;
  });
}

/** Whether people see the value so: control characters as `?`, UTF-8 as text or a character for each byte. */
function isShownAs(bytes: string, value: string): boolean {
  return [decodeText(bytes, 'UTF-8'), bytes].some((text) => text.replace(/\p{Cc}/gu, '?') === value);
}

/** Whether a text is part of what the message's session is called, seen from either side. */
function matchesSession(message: LoggedMessage, text: string | null, way: Direction | null): boolean {
  if (text === null || (message.session ?? '').includes(text)) return true;
  if (way?.name.includes(text) || way?.opposite.includes(text)) return true;
  const { sender, target, view } = message;
  return directionOf(message).includes(text) || directionName(view?.beginString ?? '?', target, sender).includes(text);
}
