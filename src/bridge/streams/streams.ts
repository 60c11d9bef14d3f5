// The WebSocket face: the private stream and the auction feed under the exchange's own paths, with the caller checked before
// the upgrade, so that a refusal is a problem like any other. One listener is stream-listener.ts.

import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { keepForAnswer } from '../../base/places/connection-places.ts';
import type { Caller } from '../access.ts';
import { Problem } from '../problem.ts';
import type { ServerParts } from '../server.ts';
import { StreamListener } from './stream-listener.ts';
import { STREAMS, type StreamPath } from './stream-paths.ts';
import { isPublicFeed } from './topics.ts';

/** Longest message of a listener. */
const MESSAGE_BYTES_MAX = 16_384;
const LOOK_MS = 10_000;
/** Sec-WebSocket-Key, and the versions, that `ws` takes. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSIONS = ['13', '8'];

/** Everything that listens now. */
export class Streams {
  private readonly listeners = new Set<StreamListener>();
  private readonly timer: NodeJS.Timeout;

  constructor() {
    this.timer = setInterval(() => {
      for (const listener of this.listeners) listener.lookForSilence();
    }, LOOK_MS);
    this.timer.unref();
  }

  /** Add the stream routes. */
  async register(server: FastifyInstance, parts: ServerParts): Promise<void> {
    await server.register(websocket, {
      options: { maxPayload: MESSAGE_BYTES_MAX, perMessageDeflate: false },
      // Listeners get a `close` with the reason instead of a cut.
      preClose: (done) => done(),
    });
    await server.register(async (routes) => {
      for (const stream of STREAMS) this.add(routes, parts, stream);
    });
  }

  /** Tell every listener that the gateway goes down. */
  close(): void {
    clearInterval(this.timer);
    for (const listener of this.listeners) listener.goAway();
  }

  /** Tell the listeners of a caller that their token is good no more. */
  endOf(caller: Caller): void {
    for (const listener of this.listeners) if (listener.isOf(caller)) listener.tokenEnded();
  }

  private add(server: FastifyInstance, parts: ServerParts, { path, feed, needs }: StreamPath): void {
    const { options, access } = parts;
    const feeds = isPublicFeed(feed) ? options.publicFeeds : options.feeds;
    server.route({
      method: 'GET',
      url: path.replace('{symbol}', ':symbol'),
      onRequest: async (request, reply) => {
        const caller = access.callerOf(request, true);
        const { socket } = request.raw;
        // A stream keeps its place until it ends.
        if (request.ws === true) parts.places.keep(socket);
        else keepForAnswer(parts.places, socket, reply.raw);
        if (parts.isClosing()) throw new Problem('closing', 'Connect again when the gateway is back.');
        caller.requireFunction(needs);
        const account = accountOf(request);
        if (account !== null) caller.requireAccount(account);
        if (request.ws !== true) {
          // Names the offered protocols, too (RFC 9110 §15.5.22).
          void reply.header('upgrade', 'websocket').header('connection', 'upgrade');
          throw new Problem('malformed', 'This is a stream: connect with a WebSocket.', { status: 426 });
        }
        // A client without one of these versions gets their list (RFC 6455 §4.4).
        void reply.header('sec-websocket-version', VERSIONS.join(', '));
        mustBeHandshake(request);
        if (!feeds.isLive(caller.credential, feed)) {
          throw new Problem('exchange-gone', 'The stream of the exchange is not live now. Connect again shortly.');
        }
        mustBeMarket(request, caller);
        caller.takeStream(performance.now(), options.limits.streamsPerTokenMax);
        request.listening = caller;
      },
      handler: async () => undefined,
      wsHandler: (socket, request) => {
        const listener = new StreamListener({
          socket,
          caller: request.listening!,
          feed,
          feeds,
          tradingAccountId: accountOf(request),
          symbol: symbolOf(request),
          bytesMax: options.limits.streamBytesMax,
          elapsedMs: () => performance.now(),
          log: (text, fields) => options.log('info', text, fields),
          onDropped: () => options.observer.listenerDropped(request.listening!.name),
        });
        this.listeners.add(listener);
        socket.on('close', () => this.listeners.delete(listener));
      },
    });
  }
}

/** Requests that `ws` would end without a problem document, after the stream was counted. @throws Problem */
function mustBeHandshake({ headers }: FastifyRequest): void {
  const { upgrade, 'sec-websocket-key': key = '', 'sec-websocket-version': version = '' } = headers;
  if (upgrade?.toLowerCase() === 'websocket' && KEY.test(key) && VERSIONS.includes(version)) return;
  throw new Problem(
    'malformed',
    'This is no handshake of a WebSocket (RFC 6455): its Upgrade, key or version is not right.',
  );
}

function accountOf(request: FastifyRequest): string | null {
  const { tradingAccountId } = request.query as Readonly<Record<string, unknown>>;
  if (tradingAccountId === undefined) return null;
  if (typeof tradingAccountId === 'string') return tradingAccountId;
  throw new Problem('malformed', 'The query: tradingAccountId stands more than once.');
}

/** The market in the address of a stream, or null. */
function symbolOf({ params }: FastifyRequest): string | null {
  const { symbol } = params as { readonly symbol?: string };
  return symbol ?? null;
}

/** @throws Problem not-found for a market that the exchange does not list */
function mustBeMarket(request: FastifyRequest, { exchange }: Caller): void {
  const symbol = symbolOf(request);
  if (symbol === null || exchange.markets().some((market) => market.symbol === symbol)) return;
  throw new Problem('not-found', 'The exchange lists no such market: see GET /trading-api/v1/markets.');
}
