// Meaning of an HTTP result for a command: accepted, refused or unknown (rule U1). Pure, so that every case is tested.

import {
  type Acknowledgement,
  type CommandOutcome,
  decodeAcknowledgement,
  decodeErrorBody,
  type ExchangeCommand,
  httpErrorText,
  parseExactJson,
  refusedHere,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import type { HttpAnswer, HttpResult } from '../reads/http.ts';

/** Answer for a key without custody rights, before the exchange gives it (trading-api.md, API key). */
export const CUSTODY_NEEDS_ECDSA =
  'custody needs an ECDSA key: the JWT of an HMAC key is valid on trading endpoints only';

/** Longest text of the exchange that is passed on. */
const MESSAGE_LENGTH_MAX = 200;
/** Statuses with a JSON answer that proves the command was not taken. */
const REFUSING_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 429]);

/**
 * Reasons that only come after the nonce was taken: order not found, order id not valid, order closed already.
 * **Assumed**: the exchange checks nonce and signature first.
 */
const CODES_AFTER_NONCE: ReadonlySet<string> = new Set(['3002', '2017', '3032']);
/** Invalid nonce, of orders and of OTC trades. */
const CODES_OF_NONCES: ReadonlySet<string> = new Set(['2035', '9015']);
/** A time outside the valid range: of OTC trades by its own code, of orders by that of any invalid request (**assumed**). */
const CODES_OF_TIMES: ReadonlySet<string> = new Set(['9014', '8175']);

/**
 * Draw the line of rule U1. A 200 is accepted only if it is the documented acknowledgement: of a create with an orderId, of
 * every other command with a requestId.
 */
export function toOutcome(command: ExchangeCommand, result: HttpResult): CommandOutcome {
  switch (result.kind) {
    case 'notSent':
      return refusedHere(result.message);
    case 'broken':
      return { kind: 'unknown', message: `no whole answer: ${result.message}` };
    case 'answer':
      return answerOutcome(command, result);
  }
}

/** Whether the exchange certainly took the command's nonce, so that lower ones are fenced off (rule U2). */
export function tookNonce(outcome: CommandOutcome): boolean {
  return outcome.kind === 'accepted' || refusedWith(outcome, CODES_AFTER_NONCE);
}

function refusedWith(outcome: CommandOutcome, codes: ReadonlySet<string>): boolean {
  return outcome.kind === 'refused' && outcome.errorCode !== null && codes.has(outcome.errorCode);
}

/** Whether the exchange refused the nonce itself: it may have another range by now (exchange reference §2.4). **Assumed** codes. */
export function refusedNonce(outcome: CommandOutcome): boolean {
  return refusedWith(outcome, CODES_OF_NONCES);
}

/**
 * Meaning of a refused nonce for a command that must run once: uncertain. If a device on the way delivered it twice,
 * the first was carried out, and the answer is the second's (rule U3).
 */
export function afterRefusedNonce(refusal: string): CommandOutcome {
  const why = 'its nonce was refused, as that of a command is that something on the way delivered twice';
  return { kind: 'unknown', message: `${why} (${refusal})` };
}

/** Whether the exchange may have refused the time that was signed (BX-TIMESTAMP): our clock may be off by more than it tolerates. */
export function mayRefuseTime(outcome: CommandOutcome): boolean {
  return refusedWith(outcome, CODES_OF_TIMES);
}

/** A 403 that is a page and no JSON: the address is blocked, by geography or for its rate (exchange reference §1.1). */
export function isBlockPage(answer: HttpAnswer): boolean {
  return answer.status === 403 && isWebPage(answer);
}

/** An error of a read as a sentence, for logs. */
export function describeResult(result: HttpResult): string {
  if (result.kind !== 'answer') return result.message;
  const elsewhere = redirection(result);
  if (elsewhere !== null) return `HTTP ${result.status}: it is at ${elsewhere}`;
  if (isWebPage(result)) return `HTTP ${result.status} with an HTML page`;
  const coding = result.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') {
    return `HTTP ${result.status} with an answer coded as ${printable(String(coding)).slice(0, 40)}, which was not asked for`;
  }
  const error = decodeErrorBody(parseExactJson(result.body));
  if (error !== null) return `HTTP ${result.status}: ${errorMessage(error)}`;
  return result.status === 200 ? 'HTTP 200 with an answer that is not understood' : `HTTP ${result.status}`;
}

function answerOutcome(command: ExchangeCommand, answer: HttpAnswer): CommandOutcome {
  if (isBlockPage(answer)) {
    return {
      kind: 'refused',
      httpStatus: 403,
      errorCode: null,
      errorCodeName: null,
      message: 'the exchange blocks this address',
    };
  }
  const json = parseExactJson(answer.body);
  if (answer.status === 200) {
    const acknowledgement = decodeAcknowledgement(json);
    if (acknowledgement === null) return { kind: 'unknown', message: describeResult(answer) };
    if (command.kind === 'createOrder' && acknowledgement.orderId === null) {
      return { kind: 'unknown', message: 'HTTP 200 without orderId' };
    }
    if (command.kind !== 'createOrder' && acknowledgement.requestId === null) {
      return { kind: 'unknown', message: 'HTTP 200 without requestId' };
    }
    if (isOfAnother(command, acknowledgement, toObject(json)))
      return { kind: 'unknown', message: 'HTTP 200 for another command' };
    return { kind: 'accepted', ...acknowledgement };
  }
  const error = REFUSING_STATUSES.has(answer.status) ? decodeErrorBody(json) : null;
  if (error === null) return { kind: 'unknown', message: describeResult(answer) };
  return {
    kind: 'refused',
    httpStatus: answer.status,
    errorCode: error.errorCode,
    errorCodeName: error.errorCodeName,
    message: errorMessage(error),
  };
}

/** Fields that name a command in acknowledgements of commands besides orders (exchange catalogue, Appendix B). */
const NAMES = ['sharedMatchKey', 'clientOtcTradeId', 'otcTradeId', 'instructionId'] as const;

/**
 * Whether an acknowledgement names another order, or trade: one that came twice is taken for that of the next command
 * on its connection. Those of cancels bind nothing, and their documents are less certain of the named fields.
 */
function isOfAnother(
  command: ExchangeCommand,
  { clientOrderId }: Acknowledgement,
  said: Readonly<Record<string, unknown>> | null,
): boolean {
  if (command.kind === 'createOrder') return isAnother(command.clientOrderId, clientOrderId);
  if (command.kind !== 'raw') return false;
  return NAMES.some((name) => isAnother(toText(command.fields[name]), toText(said?.[name])));
}

/** True if a reference differs from ours: an absent one contradicts nothing, and numbers may be written otherwise. */
export function isAnother(ours: string | null, theirs: string | null): boolean {
  if (ours === null || theirs === null || ours === theirs) return false;
  return ours.replace(/^0+/, '') !== theirs.replace(/^0+/, '');
}

function errorMessage(error: {
  errorCode: string | null;
  errorCodeName: string | null;
  message: string | null;
}): string {
  const ours = error.errorCode === null ? null : httpErrorText(error.errorCode);
  return printable(error.message ?? ours ?? error.errorCodeName ?? `error code ${error.errorCode}`);
}

/** Cut to a line: control characters and whatever is too long would end up in FIX and in logs. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, MESSAGE_LENGTH_MAX);
}

/** Where a redirection leads, which is not followed: a wrong exchange.baseUrl, mostly. Null if it is none. */
function redirection({ status, headers }: HttpAnswer): string | null {
  const { location } = headers;
  if (status < 300 || status > 399 || typeof location !== 'string' || !URL.canParse(location)) return null;
  return new URL(location).origin;
}

/** Whether an answer is HTML, whatever its type says. */
export function isWebPage(answer: HttpAnswer): boolean {
  const type = answer.headers['content-type'];
  return (typeof type === 'string' && type.includes('html')) || /^\s*<(?:!doctype|html)/i.test(answer.body);
}
