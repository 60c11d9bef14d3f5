// Every way in which the bridge says no, as application/problem+json (RFC 9457) with a permanent `code`. Which one applies
// is decided where the request is looked at.

import { httpErrorName } from '../exchange/mod.ts';

/** Code → HTTP status and title. Permanent: callers' programs look at the code. Append only. */
export const PROBLEMS = {
  unauthorized: { status: 401, title: 'The bridge does not know this caller' },
  'function-forbidden': { status: 403, title: 'This token may not do that' },
  'account-forbidden': { status: 403, title: 'This token is not for that trading account' },
  'order-command': { status: 403, title: 'Orders go over FIX' },
  'custody-off': { status: 403, title: 'Custody and transfers are switched off' },
  'kill-switch': { status: 403, title: 'A kill switch is on' },
  'self-signed': { status: 403, title: 'The bridge signs' },
  malformed: { status: 400, title: 'The request is not understood' },
  'command-unknown': { status: 400, title: 'This command is not offered here' },
  'not-found': { status: 404, title: 'There is no such call' },
  'too-large': { status: 413, title: 'The request is too large' },
  'too-slow': { status: 408, title: 'The request came too slowly' },
  'media-type': { status: 415, title: 'The body must be JSON' },
  'too-many-requests': { status: 429, title: 'Too many requests at a time' },
  'too-many-streams': { status: 429, title: 'Too many streams' },
  'exchange-refused': { status: 400, title: 'The exchange refused' },
  'exchange-error': { status: 502, title: 'The exchange failed' },
  'exchange-page': { status: 502, title: 'The exchange answered with a web page' },
  'exchange-gone': { status: 503, title: 'The exchange does not answer' },
  'audit-impossible': { status: 503, title: 'Nothing can be recorded now' },
  closing: { status: 503, title: 'The gateway is shutting down' },
  'method-not-allowed': { status: 405, title: 'The path does not take this method' },
  'risk-limit': { status: 403, title: 'A risk limit does not allow it' },
  internal: { status: 500, title: 'The bridge failed' },
  'host-unknown': { status: 421, title: 'The Host is none of this bridge' },
  'account-not-exclusive': { status: 403, title: 'The account is not exclusive' },
  'key-forbidden': { status: 403, title: "The gateway's key may not do that" },
  'order-refused': { status: 400, title: 'The gateway refuses the order' },
  'origin-forbidden': { status: 403, title: 'A page of that origin may not connect' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The exchange's code for the same refusal. */
const EXCHANGE_CODES: Partial<Record<ProblemCode, string>> = {
  unauthorized: '6105',
  malformed: '2001',
  'command-unknown': '2016',
  'function-forbidden': '6105',
  'account-forbidden': '6105',
  'order-command': '6105',
  'custody-off': '8319',
  'kill-switch': '6105',
  'risk-limit': '6105',
  'key-forbidden': '6105',
  'account-not-exclusive': '6105',
  'too-many-requests': '96000',
  'too-many-streams': '96000',
};

export const PROBLEM_TYPE = 'application/problem+json';

/** The exchange's own words, if a problem passes them on. */
export interface ExchangeWords {
  readonly errorCode: string | null;
  readonly errorCodeName: string | null;
  readonly message: string | null;
}

/** Thrown by the bridge's own code to answer with a problem. `detail` is a sentence with the remedy. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly exchange: ExchangeWords | null;
  /** Seconds after which it may be tried again, where that is known. */
  readonly retryAfterS: number | null;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: { readonly status?: number; readonly exchange?: ExchangeWords; readonly retryAfterS?: number } = {},
  ) {
    super(detail);
    this.code = code;
    this.status = extra.status ?? PROBLEMS[code].status;
    this.exchange = extra.exchange ?? null;
    this.retryAfterS = extra.retryAfterS ?? null;
  }

  /** The three fields that clients of the exchange read: its own words, else its code for the same refusal, else the status. */
  private asExchange(): Readonly<Record<string, unknown>> {
    const words = this.exchange;
    const code = words?.errorCode ?? EXCHANGE_CODES[this.code] ?? String(this.status);
    const ownName = this.code.replaceAll('-', '_').toUpperCase();
    return {
      message: words?.message ?? this.message,
      // A whole number, as the exchange sends it.
      errorCode: /^\d{1,9}$/.test(code) ? Number(code) : code,
      errorCodeName: words?.errorCodeName ?? httpErrorName(code) ?? ownName,
    };
  }

  /** The body of the answer. */
  toJSON(): Readonly<Record<string, unknown>> {
    return {
      type: `urn:crossgate:problem:${this.code}`,
      title: PROBLEMS[this.code].title,
      status: this.status,
      detail: this.message,
      code: this.code,
      ...this.asExchange(),
      ...(this.exchange === null ? {} : { exchange: this.exchange }),
    };
  }
}
