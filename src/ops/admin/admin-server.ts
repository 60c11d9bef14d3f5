// The HTTP server of an admin API: a loopback port with a bearer token, errors as problem+json, health and metrics, and the
// console's files. Its content comes from the caller: one gateway (admin-api.ts), or all partitions of a node.

import type { RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CrossgateError } from '../../base/errors.ts';
import { isOwnHost, namesSeveralHosts } from '../../base/host-names.ts';
import { httpUrl } from '../../base/host-port.ts';
import { ConnectionPlaces, keepForAnswer, placeConnections } from '../../base/places/connection-places.ts';
import { StrangerLog } from '../../base/places/stranger-log.ts';
import type { ReadAgain } from '../../base/renewal.ts';
import { Seldom } from '../../base/seldom.ts';
import { listenFailure } from '../../base/socket-failure.ts';
import type { EpochMs } from '../../base/time.ts';
import { UnreadRequests } from '../../base/unread-requests.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { AdminTlsConfig } from '../../runtime/mod.ts';
import { type AdminUser, type Caller, CallerBook } from '../checks/admin-users.ts';
import { addConsole } from '../pages/console-files.ts';
import { addSite } from '../pages/site-files.ts';
import { ensureAdminToken, renewedAdminToken } from '../secrets/admin-token.ts';
import { removeAdminAddress, VERSION_HEADER, writeAdminAddress } from './admin-access.ts';
import { METRICS } from './admin-roles.ts';
import { AdminTls } from './admin-tls.ts';
import { compressAnswers } from './compressed-answers.ts';
import { callerNamedBy } from './parent-caller.ts';
import { problem, UNREAD_REFUSALS } from './problem.ts';

/** Where it listens, and who may enter. */
export interface AdminServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Names that Host may give, besides `host`, addresses in numbers and localhost. */
  readonly hosts: readonly string[];
  /** Holds the token and, while it runs, a note of where it listens. */
  readonly stateDirectory: string;
  /** Whether the shared token is taken; it is made if there is none. */
  readonly sharedToken: boolean;
  /** Null for HTTP. */
  readonly tls: AdminTlsConfig | null;
  /** People with a token of their own. */
  readonly users: readonly AdminUser[];
  /** The token of the process that asks for others, and names them (parent-caller.ts); null or absent: none does. */
  readonly parentToken?: string | null;
  readonly now: () => EpochMs;
  readonly log: EngineLog;
  /** The mark of this process, left beside the address. */
  readonly process: string;
  /** For callers with a token: the command line may be of another version. */
  readonly version: string;
}

export interface AdminServer {
  /** `http://host:port`, or `https:`. */
  readonly url: string;
  /**
   * Replace changed tokens; a shared one with a missing file is made anew. @throws CrossgateError if one is unusable
   */
  readonly renewals: ReadAgain;
  close(): Promise<void>;
}

/** Facts about callers, for routes. */
export interface Access {
  /** Sender of an admitted request. */
  readonly callerOf: (request: FastifyRequest) => Caller;
  /** Whether the token of an admitted request is still one. */
  readonly isAdmitted: (request: FastifyRequest) => boolean;
}

/** Answer of /readyz. */
export interface Readiness {
  readonly ready: boolean;
  readonly partlyReady: boolean;
  /** Besides `status`: reasons, notices. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The content of a server. */
export interface Served {
  readonly readiness: () => Readiness | Promise<Readiness>;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** Add the routes that take a token. */
  readonly addRoutes: (guarded: FastifyInstance, access: Access) => void;
}

const BODY_BYTES_MAX = 16_384;
const CONNECTIONS_MAX = 100;
/** Of a connection over TLS without a request; Fastify's own otherwise. */
const KEEP_ALIVE_MS = 72_000;
const NAME_IN_ADDRESS_MAX = 2_048;
/** Time for a request to arrive whole, and how often that is looked at. */
const ARRIVAL_MS = 10_000;
const ARRIVAL_LOOK_MS = 1_000;
/** A misspelt name in a request is refused, not passed over. The schemas are ours: not checked themselves at every start. */
const STRICT = { customOptions: { removeAdditional: false, meta: false, validateSchema: false } } as const;
const SHARED_WANTED = 'Send the admin token as `Authorization: Bearer …`; it lies in secrets/admin.token.';
const OWN_WANTED =
  'Send a token of your own as `Authorization: Bearer …`: the shared one is not taken here, users stand under `admin.users` in gateway.yaml.';
/** Load balancers ask for these under names of their own; they say nothing of orders. */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
/** Refused tokens are logged at most this often. */
const REFUSAL_LOG_MS = 1000;

/** Serve health, console and what is given. @throws CrossgateError XG_LISTEN_FAILED, XG_SECRET_MISSING */
export async function serveAdmin(options: AdminServerOptions, served: Served): Promise<AdminServer> {
  const { host, port, stateDirectory, sharedToken } = options;
  const shared = sharedToken ? await ensureAdminToken(stateDirectory) : null;
  const book = new CallerBook(shared, options.users, options.parentToken ?? null);
  const callers = new WeakMap<FastifyRequest, Caller>();
  const answer = (error: FastifyError | CrossgateError, _request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    answerError(error, reply, options.log);
  const limits = { bodyLimit: BODY_BYTES_MAX, requestTimeout: ARRIVAL_MS, forceCloseConnections: true };
  // Node.js takes the longer of the two times for the body: both are set.
  const http = { headersTimeout: ARRIVAL_MS, connectionsCheckingInterval: ARRIVAL_LOOK_MS };
  // An address that cannot be decoded finds no route, and no error handler either.
  // The name of a session is made of six others, each character of it three in an address.
  const routerOptions = { maxParamLength: NAME_IN_ADDRESS_MAX };
  const unread = new UnreadRequests(UNREAD_REFUSALS);
  const clientErrorHandler: UnreadRequests['refuse'] = (error, socket) => unread.refuse(error, socket);
  const tls = options.tls === null ? null : new AdminTls(options.tls, options.log);
  const secure = (handler: RequestListener): Server =>
    tls!.door.createServer({ ...http, requestTimeout: ARRIVAL_MS, keepAliveTimeout: KEEP_ALIVE_MS }, handler);
  const overTls = tls === null ? {} : { serverFactory: secure };
  const common = { ...limits, http, routerOptions, ajv: STRICT, frameworkErrors: answer, clientErrorHandler };
  const app = Fastify<Server>({ ...common, ...overTls });
  unread.watch(app.server);
  const places = connectionPlaces(app, options.log);
  app.setErrorHandler(answer);
  app.setNotFoundHandler((_request, reply) => problem(reply, 404, 'There is nothing at this address.'));
  const ownNames = [...options.hosts, host];
  app.addHook('onRequest', async (request, reply) => {
    const given = request.headers.host;
    if (namesSeveralHosts(request.raw.rawHeaders)) return problem(reply, 400, 'A request names one Host.');
    if (HEALTH.has(request.routeOptions.url ?? '') || given === undefined || isOwnHost(given, ownNames)) return;
    return problem(reply, 421, 'List the name in `admin.hosts` of gateway.yaml, or use the address in numbers.');
  });
  if (tls !== null) app.addHook('onRequest', certificateDemanded(tls));
  app.addHook('onRequest', findCaller(book, callers, options.log));
  app.addHook('onRequest', async (request, reply) => {
    if (callers.has(request)) keepForAnswer(places, request.raw.socket, reply.raw);
  });
  app.addHook('onSend', async (request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer').header('x-frame-options', 'DENY');
    if (callers.has(request)) reply.header(VERSION_HEADER, options.version);
  });
  compressAnswers(app);
  addHealth(app, served.readiness);
  await addConsole(app);
  await addSite(app);
  await app.register(async (guarded) => {
    guarded.addHook('onRequest', async (request, reply) => {
      if (callers.has(request)) return;
      reply.header('www-authenticate', 'Bearer');
      await problem(reply, 401, sharedToken ? SHARED_WANTED : OWN_WANTED);
    });
    guarded.addHook('preHandler', async ({ body }) => trimReason(body));
    guarded.get(METRICS, async (_request, reply) => {
      reply.header('content-type', served.metrics.contentType);
      return await served.metrics.render();
    });
    const callerOf = (request: FastifyRequest): Caller => callers.get(request)!;
    const isAdmitted = (request: FastifyRequest): boolean => book.find(tokenOf(request) ?? '') !== null;
    served.addRoutes(guarded, { callerOf, isAdmitted });
  });
  try {
    await app.listen({ host, port });
  } catch (cause) {
    await app.close();
    throw listenFailure('the admin API ', host, port, cause);
  }
  const url = httpUrl(host, (app.server.address() as AddressInfo).port, tls !== null);
  const note = { url, process: options.process, sharedToken };
  const writeNote = (): Promise<void> =>
    writeAdminAddress(stateDirectory, { ...note, ...(tls === null ? {} : { tls: tls.note }) }, options.log);
  try {
    await writeNote();
  } catch (error) {
    // An open port would keep a process alive that failed to start.
    await app.close();
    throw error;
  }
  return {
    url,
    renewals: async (isNamed) => {
      const tokens = book.renewals(isNamed, sharedToken ? await renewedAdminToken(stateDirectory) : null);
      const noteAgain = (): void =>
        void writeNote().catch((error: unknown) => {
          options.log('error', 'commands do not know the renewed certificate: the note of it cannot be written', {
            error,
          });
        });
      return [...tokens, ...(tls?.renewals(isNamed, options.now(), noteAgain) ?? [])];
    },
    async close() {
      await removeAdminAddress(stateDirectory, options.log);
      await app.close();
    },
  };
}

/** A client without a demanded certificate may only ask for health: load balancers and containers have none. */
function certificateDemanded({ door }: AdminTls): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async ({ routeOptions, raw }, reply) => {
    if (HEALTH.has(routeOptions.url ?? '')) return;
    const refusal = door.refusalOf(raw);
    if (refusal === null) return;
    const remedy =
      'Show one that an authority of `admin.tls.clientAuthority` signed (`--client-certificate`, `--client-key`).';
    await problem(reply, 403, `A client certificate is demanded, and ${refusal}. ${remedy}`);
  };
}

/** Kill switches are thrown here, and health is asked for: connections that anybody can open must not hinder that. */
function connectionPlaces({ server }: FastifyInstance, log: EngineLog): ConnectionPlaces<Socket> {
  const full = new Seldom(REFUSAL_LOG_MS);
  const places = new ConnectionPlaces<Socket>(CONNECTIONS_MAX, () => {
    const text = `admin API: ${CONNECTIONS_MAX} connections are open: one that rests makes way for each that comes`;
    full.tell('full', performance.now(), {}, (fields) => log('warn', text, fields));
  });
  placeConnections(places, server);
  return places;
}

function addHealth(app: FastifyInstance, readiness: Served['readiness']): void {
  // Alive means able to answer. It ignores the exchange, so that no supervisor restarts us for that.
  app.get('/healthz', async () => ({ status: 'alive' }));
  // `?partly`: for who must not take the whole gateway out of service where one of several exchange logins is down.
  app.get<{ Querystring: { partly?: unknown } }>('/readyz', async ({ query }, reply) => {
    const { ready, partlyReady, details } = await readiness();
    if (!(query.partly === undefined ? ready : partlyReady)) reply.code(503);
    return { status: ready ? 'ready' : partlyReady ? 'partly ready' : 'not ready', ...details };
  });
}

function tokenOf({ headers }: FastifyRequest): string | undefined {
  return /^Bearer (\S{1,256})$/.exec(headers.authorization ?? '')?.[1];
}

/** Notes the owner of a request's token, on every route. */
function findCaller(
  book: CallerBook,
  callers: WeakMap<FastifyRequest, Caller>,
  log: EngineLog,
): (request: FastifyRequest) => Promise<void> {
  const wrongTokens = new StrangerLog({
    log,
    elapsedMs: () => performance.now(),
    later: (run, ms) => void setTimeout(run, ms).unref(),
  });
  return async (request) => {
    const given = tokenOf(request);
    const found = given === undefined ? null : book.find(given);
    const caller = found?.isParent === true ? callerNamedBy(request.headers) : found;
    if (caller !== null) callers.set(request, caller);
    if (caller !== null || given === undefined) return;
    const fields = { remote: request.ip };
    wrongTokens.say({ address: request.ip, text: 'admin API: a wrong token was refused', fields });
  };
}

/** Blanks are no reason. */
function trimReason(body: unknown): void {
  if (typeof body === 'object' && body !== null && 'why' in body && typeof body.why === 'string') {
    body.why = body.why.trim();
  }
}

function answerError(error: FastifyError | CrossgateError, reply: FastifyReply, log: EngineLog): FastifyReply {
  if (error instanceof CrossgateError) return problem(reply, 409, error.message, error.code);
  const status = error.statusCode ?? 500;
  if (status < 500) return problem(reply, status, `${error.message}.`);
  log('error', 'admin API: a request failed', { error });
  return problem(reply, 500, 'The request failed inside the gateway; its log has the details.');
}
