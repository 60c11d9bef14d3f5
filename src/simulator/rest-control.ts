// The control endpoint: what Control offers, over HTTP for loopback callers, so that a running `crossgate sim` can be steered.
// Not part of the exchange's API: outside `/trading-api`, without login, never hit by a fault.

import { CrossgateError } from '../base/errors.ts';
import { parseBody } from './authentication.ts';
import type { Control } from './control.ts';
import type { AnswerFault, Operation, StreamFault } from './faults.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import { auction, type Json } from './rendering.ts';
import type { Route, RouteRequest } from './route.ts';
import type { MarketFlags } from './venue-event.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

type Fields = Readonly<Record<string, unknown>>;

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw invalidRequest(`${name} must be a string`);
  return value;
}

function textOrNull(fields: Fields, name: string): string | null {
  return fields[name] === undefined || fields[name] === null ? null : text(fields, name);
}

function whole(fields: Fields, name: string, otherwise: number): number {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw invalidRequest(`${name} must be a whole number`);
  }
  return value;
}

function flag(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') throw invalidRequest(`${name} must be true or false`);
  return value;
}

function list(fields: Fields, name: string): Fields[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'object' || item === null)) {
    throw invalidRequest(`${name} must be a list of objects`);
  }
  return value as Fields[];
}

function oneOf<T extends string>(fields: Fields, name: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === fields[name]);
  if (value === undefined) throw invalidRequest(`${name} must be one of ${values.join(', ')}`);
  return value;
}

const ANSWERS = ['lost', 'hang', 'error', 'html', 'malformed', 'truncated', 'empty'] as const;
const STREAMS = ['private', 'public', 'all'] as const;
const OPERATIONS: readonly Operation[] = ['create', 'cancel', 'amend', 'command', 'login', 'get', 'any'];

function answerFault(fields: Fields): AnswerFault {
  return {
    what: oneOf(fields, 'what', ANSWERS),
    on: fields.on === undefined ? 'command' : oneOf(fields, 'on', OPERATIONS),
    times: whole(fields, 'times', 1),
    ...(fields.executed === undefined ? {} : { executed: flag(fields, 'executed') }),
    ...(fields.httpStatus === undefined ? {} : { httpStatus: whole(fields, 'httpStatus', 500) }),
    ...(fields.errorCode === undefined ? {} : { errorCode: whole(fields, 'errorCode', 0) }),
    ...(fields.errorCodeName === undefined ? {} : { errorCodeName: text(fields, 'errorCodeName') }),
    ...(fields.message === undefined ? {} : { message: text(fields, 'message') }),
  };
}

function streamFault(fields: Fields): StreamFault {
  return {
    what: oneOf(fields, 'what', ['duplicate', 'suppress', 'reorder']),
    times: whole(fields, 'times', 1),
    ...(fields.dataType === undefined ? {} : { dataType: text(fields, 'dataType') }),
  };
}

/** `{clear, answers, streams, latency, streamsSilent, globalBreach}`: everything given is done, in that order. */
function faults(control: Control, fields: Fields): Json {
  if (flag(fields, 'clear')) control.clearFaults();
  for (const fault of list(fields, 'answers')) control.armAnswer(answerFault(fault));
  for (const fault of list(fields, 'streams')) control.armStream(streamFault(fault));
  const { latency } = fields;
  if (latency === null) control.setLatency(null);
  else if (typeof latency === 'object') {
    const minMs = whole(latency as Fields, 'minMs', 0);
    control.setLatency({ minMs, maxMs: whole(latency as Fields, 'maxMs', minMs) });
  }
  if (fields.streamsSilent !== undefined) control.silenceStreams(flag(fields, 'streamsSilent'));
  if (fields.globalBreach !== undefined) control.setGlobalBreach(flag(fields, 'globalBreach'));
  return { done: true };
}

function auctions(control: Control, fields: Fields): Json {
  const symbol = text(fields, 'symbol');
  switch (oneOf(fields, 'action', ['advance', 'phase', 'postpone'])) {
    case 'advance':
      return auction(control.advanceAuction(symbol));
    case 'phase':
      return auction(control.toPhase(symbol, oneOf(fields, 'phase', ['COOLING', 'ACCUMULATION', 'LOCKDOWN', 'CROSS'])));
    case 'postpone':
      return auction(control.postponeAuction(symbol, whole(fields, 'byMs', 0), textOrNull(fields, 'message') ?? ''));
  }
}

function counterparty(control: Control, fields: Fields): Json {
  return control.counterparty({
    symbol: text(fields, 'symbol'),
    side: oneOf(fields, 'side', ['BUY', 'SELL']),
    price: textOrNull(fields, 'price'),
    quantity: text(fields, 'quantity'),
    timeInForce: fields.timeInForce === undefined ? 'IOC' : oneOf(fields, 'timeInForce', ['GTC', 'IOC', 'FOK', 'GTX']),
  });
}

function market(control: Control, fields: Fields): Json {
  const names = ['marketEnabled', 'createOrderEnabled', 'amendOrderEnabled', 'cancelOrderEnabled'] as const;
  const flags: { -readonly [name in keyof MarketFlags]?: boolean } = {};
  for (const name of names) if (fields[name] !== undefined) flags[name] = flag(fields, name);
  control.setMarket(text(fields, 'symbol'), flags);
  return { done: true };
}

function done(run: () => void): Json {
  run();
  return { done: true };
}

/** Routes below `/control`. */
export function controlRoutes(control: Control): Route[] {
  const actions: Readonly<Record<string, (fields: Fields) => Json>> = {
    faults: (fields) => faults(control, fields),
    auctions: (fields) => auctions(control, fields),
    counterparty: (fields) => counterparty(control, fields),
    markets: (fields) => market(control, fields),
    'orders/cancel': (fields) =>
      done(() => control.cancelOrder(text(fields, 'orderId'), whole(fields, 'reason', 3020))),
    'streams/cut': (fields) =>
      done(() => control.cutStreams(fields.which === undefined ? 'all' : oneOf(fields, 'which', STREAMS))),
    'logins/expire': (fields) => done(() => control.expireLogins(textOrNull(fields, 'key'))),
    restart: (fields) => done(() => control.restart(flag(fields, 'memory'))),
  };
  const routes = Object.entries(actions).map(([name, action]): Route => {
    const handle = (request: RouteRequest): Json => guarded(request, () => action(parseBody(request.body || '{}')));
    return { method: 'POST', path: `/control/${name}`, auth: 'none', limit: 'none', operation: 'exempt', handle };
  });
  const state = (request: RouteRequest): Json => guarded(request, () => stateOf(control, request));
  return [
    ...routes,
    { method: 'GET', path: '/control/state', auth: 'none', limit: 'none', operation: 'exempt', handle: state },
  ];
}

function guarded(request: RouteRequest, run: () => Json): Json {
  if (!LOOPBACK.has(request.address)) throw new Refusal(403, 403, 'FORBIDDEN', 'Control is for loopback callers only');
  try {
    return run();
  } catch (error) {
    if (error instanceof CrossgateError) throw invalidRequest(error.message);
    throw error;
  }
}

/** What a person who steers the exchange wants to see: books, auctions, logins. */
function stateOf(control: Control, { floor }: RouteRequest): Json {
  return {
    logins: control.logins,
    streams: control.streamCount,
    markets: [...floor.markets.values()].map(({ spec, book, lastPrice, auction: running }) => ({
      symbol: spec.symbol,
      bestBid: book.bestPrice('BUY')?.toString() ?? null,
      bestAsk: book.bestPrice('SELL')?.toString() ?? null,
      lastPrice: lastPrice?.toString() ?? null,
      orders: book.size,
      auction: running === null ? null : auction(running.view()),
    })),
  };
}
