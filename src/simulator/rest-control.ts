// The control endpoint: what Control offers, over HTTP for loopback callers, so that a running `crossgate sim` can be steered.
// Not part of the exchange's API: outside `/trading-api`, without login, never hit by a fault.

import { CrossgateError } from '../base/errors.ts';
import { parseBody } from './authentication.ts';
import type { Control } from './control.ts';
import { controlPage } from './control-page.ts';
import type {
  AnswerFault,
  FaultSettings,
  Latency,
  Operation,
  RejectionFault,
  StreamFault,
  SubscriptionFault,
  TimedFault,
} from './faults.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import { rejectionArea } from './rejection.ts';
import { auction, type Json } from './rendering.ts';
import { Page, type Route, type RouteRequest } from './route.ts';
import type { MarketFlags } from './venue-event.ts';
import { readWorld } from './world-file.ts';

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
const OPERATIONS: readonly Operation[] = ['create', 'cancel', 'amend', 'command', 'login', 'get', 'stream', 'any'];

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
    ...shareOf(fields),
  };
}

function shareOf(fields: Fields): { probability?: number } {
  const { probability } = fields;
  if (probability === undefined) return {};
  if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1)) {
    throw invalidRequest('probability must be a number from 0 to 1');
  }
  return { probability };
}

function milliseconds(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !(value >= 0 && value <= 3_600_000)) {
    throw invalidRequest(`${name} must be milliseconds, at most an hour`);
  }
  return value;
}

function latencyOf(value: unknown): Latency {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('latency must be an object, or null for none');
  }
  const fields = value as Fields;
  const kind = fields.kind === undefined ? 'uniform' : oneOf(fields, 'kind', ['uniform', 'exponential', 'quantiles']);
  if (kind === 'uniform') {
    const minMs = milliseconds({ minMs: 0, ...fields }, 'minMs');
    return { kind, minMs, maxMs: milliseconds({ maxMs: minMs, ...fields }, 'maxMs') };
  }
  if (kind === 'exponential') {
    return { kind, meanMs: milliseconds(fields, 'meanMs'), maxMs: milliseconds(fields, 'maxMs') };
  }
  const { points } = fields;
  if (!Array.isArray(points) || points.length === 0 || points.length > 20) {
    throw invalidRequest('points must be a list of [share, milliseconds]');
  }
  return {
    kind,
    points: points.map((point: unknown) => {
      const [share, ms] = Array.isArray(point) ? point : [];
      if (typeof share !== 'number' || !(share >= 0 && share <= 1)) throw invalidRequest('a share is from 0 to 1');
      return [share, milliseconds({ ms }, 'ms')] as const;
    }),
  };
}

function rejection(fields: Fields): RejectionFault {
  if (rejectionArea(fields.reason) === null) throw invalidRequest('reason must be a status reason code');
  return {
    reason: Number(fields.reason),
    times: whole(fields, 'times', 1),
    ...(fields.symbol === undefined ? {} : { symbol: text(fields, 'symbol') }),
    ...shareOf(fields),
  };
}

function subscriptionFault(fields: Fields): SubscriptionFault {
  return {
    topic: text(fields, 'topic'),
    times: whole(fields, 'times', 1),
    ...(fields.what === undefined ? {} : { what: oneOf(fields, 'what', ['refused', 'unanswered']) }),
    ...(fields.subject === undefined ? {} : { subject: text(fields, 'subject') }),
    ...shareOf(fields),
  };
}

function timedFault(fields: Fields): TimedFault {
  const everyMs = milliseconds(fields, 'everyMs');
  if (everyMs < 1) throw invalidRequest('everyMs must be at least 1');
  const common = { everyMs, times: whole(fields, 'times', 1) };
  const what = oneOf(fields, 'what', ['cutStreams', 'expireLogins', 'restart']);
  switch (what) {
    case 'cutStreams':
      return { ...common, what, which: fields.which === undefined ? 'all' : oneOf(fields, 'which', STREAMS) };
    case 'expireLogins':
      return { ...common, what, key: textOrNull(fields, 'key') };
    case 'restart':
      return { ...common, what, memory: flag(fields, 'memory') };
  }
}

const KNOBS: ReadonlySet<string> = new Set([
  'answers',
  'streams',
  'subscriptions',
  'rejections',
  'latency',
  'streamsSilent',
  'commandsHeld',
  'globalBreach',
  'clockOffsetMs',
  'timed',
  'clear',
]);

/** Read everything that the fault settings hold, from a request or a file. @throws Refusal */
export function faultSettings(fields: Fields): FaultSettings {
  const { latency, clockOffsetMs } = fields;
  const unknown = Object.keys(fields).find((name) => !KNOBS.has(name));
  if (unknown !== undefined) throw invalidRequest(`'${unknown.slice(0, 40)}' is no fault`);
  if (clockOffsetMs !== undefined && !Number.isSafeInteger(clockOffsetMs)) {
    throw invalidRequest('clockOffsetMs must be a whole number');
  }
  return {
    answers: list(fields, 'answers').map(answerFault),
    streams: list(fields, 'streams').map(streamFault),
    subscriptions: list(fields, 'subscriptions').map(subscriptionFault),
    rejections: list(fields, 'rejections').map(rejection),
    timed: list(fields, 'timed').map(timedFault),
    ...(latency === undefined ? {} : { latency: latency === null ? null : latencyOf(latency) }),
    ...(fields.streamsSilent === undefined ? {} : { streamsSilent: flag(fields, 'streamsSilent') }),
    ...(fields.commandsHeld === undefined ? {} : { commandsHeld: flag(fields, 'commandsHeld') }),
    ...(fields.globalBreach === undefined ? {} : { globalBreach: flag(fields, 'globalBreach') }),
    ...(clockOffsetMs === undefined ? {} : { clockOffsetMs: Number(clockOffsetMs) }),
  };
}

function streamFault(fields: Fields): StreamFault {
  return {
    what: oneOf(fields, 'what', ['duplicate', 'suppress', 'reorder']),
    times: whole(fields, 'times', 1),
    ...(fields.dataType === undefined ? {} : { dataType: text(fields, 'dataType') }),
    ...shareOf(fields),
  };
}

/** `{clear, answers, streams, rejections, latency, …}`: clearing comes first, then everything given is armed. */
function faults(control: Control, fields: Fields): Json {
  const settings = faultSettings(fields);
  if (flag(fields, 'clear')) control.clearFaults();
  control.arm(settings);
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
  const names = [
    'marketEnabled',
    'createOrderEnabled',
    'amendOrderEnabled',
    'cancelOrderEnabled',
    'spotTradingEnabled',
    'marginTradingEnabled',
  ] as const;
  const flags: { -readonly [name in keyof MarketFlags]?: boolean } = {};
  for (const name of names) if (fields[name] !== undefined) flags[name] = flag(fields, name);
  control.setMarket(text(fields, 'symbol'), flags);
  return { done: true };
}

/** `{asset, enabled}` or `{destinationId, restricted}`. */
function custody(control: Control, fields: Fields): Json {
  return done(() => {
    if (fields.destinationId === undefined) control.setCustody(text(fields, 'asset'), flag(fields, 'enabled'));
    else control.restrictBank(text(fields, 'destinationId'), flag(fields, 'restricted'));
  });
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
    world: (fields) => done(() => control.extendWorld(readWorld(fields))),
    funds: (fields) =>
      done(() => control.fund(text(fields, 'tradingAccountId'), text(fields, 'asset'), text(fields, 'quantity'))),
    deposits: (fields) =>
      done(() =>
        control.deposit(
          text(fields, 'tradingAccountId'),
          text(fields, 'asset'),
          text(fields, 'network'),
          text(fields, 'quantity'),
          text(fields, 'address'),
        ),
      ),
    custody: (fields) => custody(control, fields),
    otc: (fields) => done(() => control.holdOtc(flag(fields, 'hold'))),
    'index-prices': (fields) => done(() => control.setIndexPrice(text(fields, 'asset'), text(fields, 'price'))),
    restart: (fields) => done(() => control.restart(flag(fields, 'memory'))),
  };
  const routes = Object.entries(actions).map(([name, action]): Route => {
    const handle = (request: RouteRequest): Json => guarded(request, () => action(parseBody(request.body || '{}')));
    return { method: 'POST', path: `/control/${name}`, auth: 'none', limit: 'none', operation: 'exempt', handle };
  });
  const state = (request: RouteRequest): Json => guarded(request, () => stateOf(control, request));
  return [
    ...routes,
    {
      method: 'GET',
      path: '/control',
      auth: 'none',
      limit: 'none',
      operation: 'exempt',
      handle: (request) => guarded(request, () => new Page(controlPage(control, request))),
    },
    { method: 'GET', path: '/control/state', auth: 'none', limit: 'none', operation: 'exempt', handle: state },
  ];
}

function guarded<T>(request: RouteRequest, run: () => T): T {
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
    privateStreams: control.privateStreamCount,
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
