// A running bridge: REST and streams on one port, and the order in which it closes.

import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { httpUrl } from '../base/host-port.ts';
import { ConnectionPlaces } from '../base/places/connection-places.ts';
import type { IsNamed, Renewal } from '../base/renewal.ts';
import { Seldom } from '../base/seldom.ts';
import { listenFailure } from '../base/socket-failure.ts';
import { Access } from './access.ts';
import type { BridgeOptions } from './port.ts';

const LOOK_MS = 10;
/** That there is no room is logged at most this often. */
const FULL_LOG_MS = 10_000;

/** A request of a FIX session. */
export interface InnerRequest {
  readonly method: 'GET' | 'POST';
  /** With its query. */
  readonly path: string;
  readonly body: string | null;
}

export interface Bridge {
  /** `http://host:port`, or `https:`, without path. */
  readonly url: string;
  /** Callers, and the requests that each has under way. */
  callers(): readonly { readonly name: string; readonly requests: number; readonly streams: number }[];
  /** Tokens of callers that are other ones now; streams opened by those before are ended. @throws CrossgateError XG_CONFIG_INVALID, XG_SECRET_MISSING */
  renewals(isNamed: IsNamed): Renewal[];
  /** Carry out a request from within the gateway, as this caller. Problems are answers too. */
  call(caller: string, request: InnerRequest): Promise<{ readonly status: number; readonly body: string }>;
  /** Take nothing new, wait bounded for outcomes, drop listeners with a reason, close the port. Safe to call twice. */
  close(): Promise<void>;
}

/** Read the parts of an open bridge, ahead of its opening. This room's door leads many past them. */
export const loadBridge = () =>
  Promise.all([import('./commands/command-call.ts'), import('./server.ts'), import('./streams/streams.ts')]);

/** Open the bridge. @throws CrossgateError XG_CONFIG_INVALID, XG_SECRET_MISSING for its tokens, XG_LISTEN_FAILED */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const [{ CommandCalls }, { restServer }, { Streams }] = await loadBridge();
  const access = new Access(options);
  const commands = new CommandCalls(options);
  let closing: Promise<void> | null = null;
  const full = new Seldom(FULL_LOG_MS);
  const places = new ConnectionPlaces<Socket>(options.limits.connectionsMax, () => {
    const text = `${options.limits.connectionsMax} connections are open: one that rests makes way for each that comes`;
    full.tell('full', performance.now(), {}, (fields) => options.log('warn', text, fields));
  });
  const parts = { options, access, commands, isClosing: () => closing !== null, places };
  const server = restServer(parts);
  const streams = new Streams();
  const close = async (): Promise<void> => {
    const end = performance.now() + options.limits.closeWaitMs;
    while (commands.inFlight > 0 && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    streams.close();
    await server.close();
  };
  try {
    await streams.register(server, parts);
    await server.listen({ host: options.host, port: options.port });
  } catch (cause) {
    streams.close();
    await server.close();
    throw listenFailure('the bridge ', options.host, options.port, cause);
  }
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: httpUrl(options.host, port, options.tls !== null),
    callers: () => access.all.map(({ name, requests, streams: open }) => ({ name, requests, streams: open })),
    call: (caller, request) => callWithin(server, access.ticketOf(caller), request),
    renewals: (isNamed) => access.renewals(isNamed, (caller) => streams.endOf(caller)),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** The same routes as over HTTP, so that caller, permission and limits are checked alike. */
async function callWithin(
  server: FastifyInstance,
  ticket: string | null,
  { method, path, body }: InnerRequest,
): Promise<{ status: number; body: string }> {
  if (ticket === null) {
    const detail = 'This gateway has no bridge caller of the name in the file of the session.';
    return { status: 403, body: JSON.stringify({ status: 403, detail }) };
  }
  const type = body === null ? {} : { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${ticket}`, host: 'localhost', ...type };
  const answer = await server.inject({ method, url: path, headers, ...(body === null ? {} : { payload: body }) });
  // Without a connection nothing else ends it: the caller gets its place back.
  answer.raw.res.emit('close');
  return { status: answer.statusCode, body: answer.body };
}
