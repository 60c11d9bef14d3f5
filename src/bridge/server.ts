// The REST face: routes from the tables. Caller, permission, size and number of requests are checked before anything
// reaches the exchange, and every failure is answered as a problem. read-call.ts and command-call.ts carry calls out.

import { type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
} from 'fastify';
import { CrossgateError } from '../base/errors.ts';
import { isOwnHost, namesSeveralHosts } from '../base/host-names.ts';
import { type ConnectionPlaces, keepForAnswer, placeConnections } from '../base/places/connection-places.ts';
import { Type } from '../base/schema.ts';
import { type Refusal, type Refusals, UnreadRequests } from '../base/unread-requests.ts';
import { asksForWebSocket } from '../base/websocket-upgrade.ts';
import type { Access, Caller } from './access.ts';
import type { CommandCalls } from './commands/command-call.ts';
import { COMMAND_PATHS, COMMAND_QUERY } from './commands/commands.ts';
import { addDescription } from './description/reference-page.ts';
import { PathMethods } from './path-methods.ts';
import { Place } from './place.ts';
import type { BridgeOptions } from './port.ts';
import { PROBLEM_TYPE, Problem } from './problem.ts';
import { ENDPOINTS, type Endpoint, PATH_PARAMETERS } from './reads/endpoints.ts';
import { readCall } from './reads/read-call.ts';
import { complaint, requestChecks } from './validation.ts';

/** Of a connection over TLS without a request; Fastify's own otherwise. */
const KEEP_ALIVE_MS = 72_000;
/** How often requests under way are looked at for how long they take to arrive. */
const ARRIVAL_LOOK_MS = 500;

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller of the request. */
    place: Place | null;
    /** Caller of the stream being opened. */
    listening: Caller | null;
  }
}

export interface ServerParts {
  readonly options: BridgeOptions;
  readonly access: Access;
  readonly commands: CommandCalls;
  readonly isClosing: () => boolean;
  /** New connections never displace those of known callers. */
  readonly places: ConnectionPlaces<Socket>;
}

/** Fastify with the REST routes; not listening yet. */
export function restServer(parts: ServerParts): FastifyInstance {
  const { limits, host: listenHost, hosts } = parts.options;
  const ownNames = [...hosts, listenHost];
  const answerProblem = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = asProblem(error, limits.bodyBytesMax);
    if (problem.code === 'internal') {
      parts.options.log('error', 'the bridge failed at a request', { error: String(error) });
    }
    if (problem.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer realm="crossgate"');
    // The connection of a refused upgrade cannot be used again.
    if (request.ws === true) void reply.header('connection', 'close');
    if (problem.status === 429) void reply.header('retry-after', String(problem.retryAfterS ?? 1));
    return reply.code(problem.status).type(PROBLEM_TYPE).send(JSON.stringify(problem));
  };
  const unread = new UnreadRequests(unreadRefusals());
  // Node.js takes the longer of the two for the body: both are set. Its own answer to a missing Host is no problem
  // document.
  const requestTimeout = limits.requestArrivalMs;
  const http = {
    headersTimeout: limits.requestArrivalMs,
    connectionsCheckingInterval: ARRIVAL_LOOK_MS,
    requireHostHeader: false,
    shouldUpgradeCallback: asksForWebSocket,
  };
  const { tls } = parts.options;
  const secure = (handler: RequestListener): Server =>
    tls!.createServer({ ...http, requestTimeout, keepAliveTimeout: KEEP_ALIVE_MS }, handler);
  const server = Fastify<Server>({
    logger: false,
    bodyLimit: limits.bodyBytesMax,
    requestTimeout,
    http,
    ...(tls === null ? {} : { serverFactory: secure }),
    forceCloseConnections: true,
    clientErrorHandler: (error, socket) => unread.refuse(error, socket),
    // An address that cannot be decoded finds no route, and no error handler either.
    frameworkErrors: answerProblem,
    // Clients of the exchange put a slash behind its paths, which takes it (exchange reference §10).
    routerOptions: { maxParamLength: 100, ignoreTrailingSlash: true },
    schemaErrorFormatter: (errors, where) => new Problem('malformed', complaint(`The ${nameOf(where)}`, errors)),
  });
  server.setValidatorCompiler(requestChecks());
  placeConnections(parts.places, server.server);
  // The process in front counts its clients: its own connections take no places, and make way for none.
  const leavePlace = ({ headers, socket }: IncomingMessage): void => {
    if (parts.access.clients.isPassedOn(headers)) parts.places.closed(socket);
  };
  for (const event of ['request', 'upgrade']) server.server.prependListener(event, leavePlace);
  unread.watch(server.server);
  server.server.on('checkExpectation', (_request, response) => {
    const problem = new Problem('malformed', 'Leave Expect out: only 100-continue is taken.', { status: 417 });
    const body = Buffer.from(JSON.stringify(problem));
    response.writeHead(417, { 'content-type': PROBLEM_TYPE, 'content-length': body.length, connection: 'close' });
    response.end(body);
  });
  server.addHook('onRequest', async ({ raw }) => {
    const { host } = raw.headers;
    if (host === undefined && raw.httpVersion !== '1.1') return;
    if (host === undefined) throw new Problem('malformed', 'A request of HTTP/1.1 names the Host.');
    if (namesSeveralHosts(raw.rawHeaders)) throw new Problem('malformed', 'A request names one Host.');
    if (isOwnHost(host, ownNames)) return;
    throw new Problem(
      'host-unknown',
      'List the name in `bridge.hosts` of gateway.yaml, or use the address in numbers.',
    );
  });
  server.removeContentTypeParser('text/plain');
  server.decorateRequest('place', null);
  server.decorateRequest('listening', null);
  const methods = new PathMethods();
  server.addHook('onRoute', ({ method, url }) => methods.add(method, url));
  server.setNotFoundHandler((request, reply) => {
    const allowed = methods.allowedAt(request.url);
    if (allowed === null) throw new Problem('not-found', insteadOf(request.url));
    void reply.header('allow', allowed);
    throw new Problem('method-not-allowed', `This path takes ${allowed}.`);
  });
  server.setErrorHandler(answerProblem);
  server.addHook('preParsing', async ({ headers }) => {
    const coding = headers['content-encoding'];
    if (coding === undefined || coding === 'identity') return;
    throw new Problem('media-type', 'Send the body without Content-Encoding.');
  });
  server.addHook('onResponse', async (request, reply) => {
    parts.options.observer.bridgeAnswered(request.place?.caller.name ?? '', reply.statusCode, reply.elapsedTime);
  });
  addDescription(server, parts.access.clients);
  for (const endpoint of ENDPOINTS) addEndpoint(server, parts, endpoint);
  for (const path of COMMAND_PATHS) addCommandPath(server, parts, path);
  return server;
}

/** A hint for a client of the exchange that calls a path which the bridge lacks. */
function insteadOf(url: string): string {
  if (/\/users\/(?:hmac\/)?log(?:in|out)\b/.test(url)) {
    return 'The bridge needs no login: send the bridge token as "Authorization: Bearer <TOKEN>" with every call.';
  }
  if (/\/nonce\b/.test(url)) return 'The bridge adds the nonce itself: send the command without BX- headers.';
  if (/\/wallets\b/.test(url)) return 'Custody is read here, and changed on the pages of the exchange.';
  if (/^\/(?:trading-api\/)?v\d\//.test(url) && !url.startsWith('/trading-api/')) {
    return 'Put /trading-api before the path, as in /openapi.json.';
  }
  return 'The calls of this bridge are listed in /openapi.json.';
}

function addEndpoint(server: FastifyInstance, parts: ServerParts, endpoint: Endpoint): void {
  server.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    schema: schemaOf(endpoint),
    onRequest: async (request, reply) => admit(parts, request, reply).requireFunction(endpoint.needs),
    handler: async (request, reply) => {
      const { params, query, body } = request as {
        params: Record<string, string>;
        query: Record<string, string | string[]>;
        body: unknown;
      };
      const place = request.place!;
      return json(reply, 200, await place.work(() => readCall(endpoint, place.caller, { params, query, body })));
    },
  });
}

function addCommandPath(server: FastifyInstance, parts: ServerParts, path: string): void {
  server.route({
    method: 'POST',
    url: path,
    schema: { querystring: closed({ ...COMMAND_QUERY }) },
    onRequest: async (request, reply) => {
      const { isSignedAnew } = admit(parts, request, reply);
      if (isSignedAnew) return;
      if (request.headers['bx-signature'] !== undefined || request.headers['bx-nonce'] !== undefined) {
        throw new Problem('self-signed', 'Leave the BX- headers out: the bridge adds nonce and signature (rule B2).');
      }
    },
    handler: async (request, reply) => {
      const place = request.place!;
      const answer = await place.work(() => parts.commands.call(path, place.caller, request.body));
      if (answer.location !== null) void reply.header('location', answer.location);
      return json(reply, answer.status, answer.json);
    },
  });
}

/** Let a request in, and count it. @throws Problem */
function admit(parts: ServerParts, request: FastifyRequest, reply: FastifyReply): Caller {
  const caller = parts.access.callerOf(request, false);
  const { socket } = request.raw;
  keepForAnswer(parts.places, socket, reply.raw);
  if (parts.isClosing()) throw new Problem('closing', 'Nothing was sent. Try again when the gateway is back.');
  const { requestsPerTokenMax } = parts.options.limits;
  if (caller.requests >= requestsPerTokenMax) {
    throw new Problem('too-many-requests', `At most ${requestsPerTokenMax} requests of one token at a time.`);
  }
  request.place = new Place(caller, reply.raw, socket);
  return caller;
}

function schemaOf(endpoint: Endpoint): FastifySchema {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const params = Object.fromEntries(names.map((name) => [name, PATH_PARAMETERS[name]!]));
  return {
    params: closed(params),
    querystring: closed({ ...endpoint.query }),
    ...(endpoint.body === null ? {} : { body: endpoint.body }),
  };
}

const closed = (properties: Parameters<typeof Type.Object>[0]) =>
  Type.Object(properties, { additionalProperties: false });

function nameOf(where: string): string {
  return where === 'querystring' ? 'query' : where === 'params' ? 'path' : where;
}

function json(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').header('cache-control', 'no-store').send(text);
}

/** Answer to input that is no complete request. */
function unreadRefusals(): Refusals {
  const refusal = (problem: Problem): Refusal => ({
    status: `${problem.status} ${STATUS_CODES[problem.status]}`,
    type: PROBLEM_TYPE,
    body: JSON.stringify(problem),
  });
  return {
    tooSlow: refusal(new Problem('too-slow', 'Nothing of it was carried out. Send it again, whole.')),
    headersTooLong: refusal(new Problem('too-large', 'The headers are too long.', { status: 431 })),
    noRequest: refusal(new Problem('malformed', 'This is no HTTP request.')),
  };
}

/** Any thrown value as a problem; private details become `internal`. */
function asProblem(error: unknown, bodyBytesMax: number): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new Problem('too-large', `The body may have at most ${bodyBytesMax} bytes.`);
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new Problem('media-type', 'Send the body with "Content-Type: application/json".');
  }
  if (
    error instanceof SyntaxError ||
    code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ||
    code === 'FST_ERR_CTP_INVALID_JSON_BODY'
  ) {
    return new Problem('malformed', 'The body is not JSON.');
  }
  if (!(error instanceof CrossgateError) && statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem('malformed', 'The request cannot be read.', { status: statusCode });
  }
  return new Problem('internal', 'The bridge failed at this request; the log of the gateway says why.');
}
