// The control endpoint: Control's functions over HTTP for loopback callers, so that a running `crossgate sim` can be
// steered. Not part of the exchange's API: outside `/trading-api`, without login, never hit by a fault. Leaves the form
// of faults to fault-reading.ts.

import { CrossgateError } from '../../base/errors.ts';
import { isOwnHost } from '../../base/host-names.ts';
import { parseBody } from '../access/authentication.ts';
import { invalidRequest, Refusal } from '../rest/refusal.ts';
import { auction, type Json } from '../rest/rendering.ts';
import { Page, type Route, type RouteRequest } from '../rest/route.ts';
import type { MarketFlags } from '../venue/venue-event.ts';
import { type Fields, flag, oneOf, only, text, textOrNull, whole } from '../world/plain-fields.ts';
import { readWorld } from '../world/world-file.ts';
import type { Control } from './control.ts';
import { controlPage } from './control-page.ts';
import { faultSettings, STREAM_KINDS } from './fault-reading.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

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

const MARKET_FLAGS = [
  'marketEnabled',
  'createOrderEnabled',
  'amendOrderEnabled',
  'cancelOrderEnabled',
  'spotTradingEnabled',
  'marginTradingEnabled',
] as const;

function market(control: Control, fields: Fields): Json {
  const flags: { -readonly [name in keyof MarketFlags]?: boolean } = {};
  for (const name of MARKET_FLAGS) if (fields[name] !== undefined) flags[name] = flag(fields, name);
  control.setMarket(text(fields, 'symbol'), flags);
  return { done: true };
}

/** For an open order: a caller that receives "done" waits for its end. */
function cancel(control: Control, fields: Fields): Json {
  const orderId = text(fields, 'orderId');
  if (control.order(orderId)?.status !== 'OPEN') throw invalidRequest(`there is no open order ${orderId}`);
  return done(() => control.cancelOrder(orderId, whole(fields, 'reason', 3020)));
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

/** Parameters of each action. Faults and the world check their own. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  auctions: ['symbol', 'action', 'phase', 'byMs', 'message'],
  counterparty: ['symbol', 'side', 'price', 'quantity', 'timeInForce'],
  markets: ['symbol', ...MARKET_FLAGS],
  'orders/cancel': ['orderId', 'reason'],
  'streams/cut': ['which'],
  'logins/expire': ['key'],
  funds: ['tradingAccountId', 'asset', 'quantity'],
  deposits: ['tradingAccountId', 'asset', 'network', 'quantity', 'address'],
  custody: ['asset', 'enabled', 'destinationId', 'restricted'],
  otc: ['hold'],
  'index-prices': ['asset', 'price'],
  restart: ['memory'],
};

/** Routes below `/control`. */
export function controlRoutes(control: Control): Route[] {
  const actions: Readonly<Record<string, (fields: Fields) => Json>> = {
    faults: (fields) => faults(control, fields),
    auctions: (fields) => auctions(control, fields),
    counterparty: (fields) => counterparty(control, fields),
    markets: (fields) => market(control, fields),
    'orders/cancel': (fields) => cancel(control, fields),
    'streams/cut': (fields) =>
      done(() => control.cutStreams(fields.which === undefined ? 'all' : oneOf(fields, 'which', STREAM_KINDS))),
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
    const names = NAMES[name];
    const read = (body: Fields): Fields => (names === undefined ? body : only(body, names));
    const handle = (request: RouteRequest): Json =>
      guarded(request, () => action(read(parseBody(request.body || '{}'))));
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
  // A page that reaches us by DNS rebinding sends no Origin when it reads.
  if (!isOwnHost(String(request.headers.host ?? ''), [])) {
    throw new Refusal(403, 403, 'FORBIDDEN', 'Control is reached by an address in numbers or as localhost');
  }
  // A browser on this machine sends requests for any page, and names the page's origin.
  if (request.headers.origin !== undefined) throw new Refusal(403, 403, 'FORBIDDEN', 'Control is not for web pages');
  try {
    return run();
  } catch (error) {
    if (error instanceof CrossgateError) throw invalidRequest(error.message);
    throw error;
  }
}

/** Data for the control page: books, auctions, logins. */
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
