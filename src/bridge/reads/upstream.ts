// Turns an answer of the exchange into one of the bridge: passed on, or a problem that names the faulty side.
// command-call.ts handles unknown outcomes.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { askedMs, decodeErrorBody, httpErrorText, longArray, parseExactJson } from '../../exchange/mod.ts';
import type { UpstreamAnswer, UpstreamRead } from '../port.ts';
import { type ExchangeWords, Problem } from '../problem.ts';

/** Longest text of the exchange that is passed on. */
const WORDS_LENGTH_MAX = 200;
/** Longest text that is read in one turn of the event loop. */
const ONE_TURN_MAX = 64 * 1024;

/** The body of a good answer. @throws Problem for every other one */
export async function bodyOf(read: UpstreamRead): Promise<string> {
  if (read.kind === 'failed' && read.isBarred === true) {
    throw new Problem(
      'key-forbidden',
      `The gateway's key may not ask this: ${printable(read.message)}. Ask an operator for a caller with another credential.`,
    );
  }
  if (read.kind === 'failed') {
    throw new Problem('exchange-gone', `The exchange could not be asked: ${printable(read.message)}. Try again.`);
  }
  if (read.status === 200 && !isPage(read) && (await isJson(read.body))) return read.body;
  throw problemOf(read);
}

/** Of a long list some entries at a time, with a turn for everybody else between: options are thousands (rule B4). */
async function isJson(text: string): Promise<boolean> {
  const entries = text.length > ONE_TURN_MAX ? longArray(text) : null;
  if (entries === null) return isOneJson(text);
  for (const some of entries) {
    if (some === null) return false;
    await nextTurn();
  }
  return true;
}

/** Keeping the digits of its unread numbers would take ten times as long. */
function isOneJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Malformed JSON of the exchange is a value to the caller.
    return false;
  }
}

/** The problem that a bad answer is. */
export function problemOf(answer: UpstreamAnswer): Problem {
  if (isPage(answer)) {
    const page = `The exchange sent a web page with HTTP ${answer.status}`;
    const why =
      answer.status === 403
        ? "it, or something before it, blocks the gateway's address"
        : 'something before it does not reach it, or it is being maintained; try again later';
    return new Problem('exchange-page', `${page}: ${why}.`);
  }
  const error = decodeErrorBody(parseExactJson(answer.body));
  const words = error === null ? null : wordsOf(error);
  const refusal = [400, 403, 404, 429].includes(answer.status);
  if (words !== null && refusal) return refused(answer.status, words, answer);
  const nothing = answer.status === 200 ? ` with ${unreadable(answer)}` : '';
  const said = words?.message == null ? nothing : ` and said: ${words.message}`;
  return new Problem(
    'exchange-error',
    `The exchange answered HTTP ${answer.status}${said}. Nothing is wrong with the request; try again later.`,
    words === null ? {} : { exchange: words },
  );
}

/** The caller's next step after a refusal that its words leave open; the bridge has let the token pass. */
const INSTEAD: Readonly<Record<number, string>> = {
  403: " The bridge token is not the reason: an operator checks what the gateway's key may do at the exchange.",
  404: ' Check the ids and the trading account in the call: the exchange knows none such.',
};

/**
 * A refusal by the exchange, with its words; `answer` holds the requested wait, which the bridge imposes on earlier
 * callers.
 */
export function refused(status: number, words: ExchangeWords, answer: UpstreamAnswer | null): Problem {
  const known = words.errorCode === null ? null : httpErrorText(words.errorCode);
  const text = words.message ?? known ?? words.errorCodeName ?? 'no reason given';
  const code = words.errorCode === null ? '' : ` (code ${words.errorCode})`;
  const waitS = answer === null ? null : askedS(answer);
  return new Problem('exchange-refused', `The exchange refused: ${text}${code}.${INSTEAD[status] ?? ''}`, {
    status,
    exchange: words,
    ...(waitS === null ? {} : { retryAfterS: waitS }),
  });
}

/** The exchange's clock defines the end of its window, and the time of its answer. */
function askedS({ headers }: UpstreamAnswer): number | null {
  const ms = askedMs(headers, Date.parse(String(headers.date)));
  return ms === null ? null : Math.ceil(ms / 1000);
}

/** Whether an answer is HTML, whatever it says it is. */
export function isPage(answer: UpstreamAnswer): boolean {
  const type = answer.headers['content-type'];
  return (typeof type === 'string' && type.includes('html')) || /^\s*<(?:!doctype|html)/i.test(answer.body);
}

/** Description of a good answer that is no JSON. */
function unreadable({ headers }: UpstreamAnswer): string {
  const coding = headers['content-encoding'];
  if (coding === undefined || coding === 'identity') return 'text that is no JSON, or is cut off';
  return `an answer coded as ${printable(String(coding)).slice(0, 40)}, which was not asked for`;
}

/** Cut to a line of printable characters. */
export function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, WORDS_LENGTH_MAX);
}

function wordsOf(error: ExchangeWords): ExchangeWords {
  const clean = (text: string | null): string | null => (text === null ? null : printable(text));
  return {
    errorCode: clean(error.errorCode),
    errorCodeName: clean(error.errorCodeName),
    message: clean(error.message),
  };
}
