// Records of the journal that the gateway cannot read at its start: damaged before they were written, or of a later
// version. It derives the owner, and the keys that stay used, as far as the record shows them. The engine decides which
// sessions are kept out.

import { clOrdIDKey, exchangeOrderIdKey, fitsKeys, referenceKey } from '../book/order-keys.ts';
import { ELSEWHERE } from './drop-copy-scope.ts';

export interface UnreadableRecord {
  readonly key: string;
  readonly text: string;
  /** Why it cannot be read. */
  readonly reason: string;
  /** Its owner; null if unknown. An external order's record keeps no session out: the exchange reports it again. */
  readonly sessionId: string | null;
  /** These keys find its subject once it is set aside: they stay used. */
  readonly keys: readonly string[];
}

const SESSION_ID = /"sessionId":("(?:[^"\\]|\\.)*")/;

/** Derivable facts of an unreadable record. */
export function unreadableRecord(
  key: string,
  text: string,
  reason: string,
  sessions: Iterable<string>,
): UnreadableRecord {
  const stored = parsed(text);
  const sessionId = key.startsWith('elsewhere|') ? ELSEWHERE : sessionIn(key, text, sessions);
  const texts = (value: unknown): string[] =>
    (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
  const keys = new Set([key]);
  if (sessionId !== null) {
    const isFirst = key.startsWith(`${sessionId}|`);
    const clOrdIDs = [
      ...(isFirst ? [key.slice(sessionId.length + 1)] : []),
      ...texts(stored.clOrdID),
      ...texts(stored.clOrdIDs),
    ];
    for (const clOrdID of clOrdIDs) keys.add(clOrdIDKey(sessionId, clOrdID));
  }
  for (const account of texts(stored.tradingAccountId)) {
    for (const reference of [...texts(stored.reference), ...texts(stored.references)])
      keys.add(referenceKey(account, reference));
  }
  for (const orderId of [...texts(stored.exchangeOrderId), ...texts(stored.earlierLegs)]) {
    keys.add(exchangeOrderIdKey(orderId));
  }
  return { key, text, reason, sessionId, keys: fitsKeys([...keys]) ? [...keys] : [] };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    // Its key may still show its owner.
    return {};
  }
}

/** The owner of a record, by its content or its key. */
function sessionIn(key: string, text: string, sessions: Iterable<string>): string | null {
  const said = SESSION_ID.exec(text)?.[1];
  if (said !== undefined) return String(parsedText(said));
  // A CompID may be the beginning of another one.
  const named = [...sessions].filter((id) => `|${key}|`.includes(`|${id}|`));
  return named.sort((a, b) => b.length - a.length)[0] ?? null;
}

function parsedText(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json.slice(1, -1);
  }
}
