// The REST face: every route passes through rate limits, faults, authentication and the error bodies. The rest-*.ts
// files implement the endpoints; streams.ts the WebSocket upgrade.

import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { asksForWebSocket } from '../../base/websocket-upgrade.ts';
import { header, requireLogin, type SignedCommand, tokenOf, verifyCommand } from '../access/authentication.ts';
import { type AnswerFault, isExecuted, type Operation } from '../control/faults.ts';
import type { Host } from '../host.ts';
import { rateLimitToken } from './account-rendering.ts';
import { notFound, Refusal } from './refusal.ts';
import { codedRefusal } from './rejection.ts';
import { Page, type Route, type RouteRequest } from './route.ts';

/** Largest body accepted; a portfolio simulation in bulk is the largest there is. */
const BODY_BYTES_MAX = 1_048_576;

/** Fastify with the routes of the exchange; not listening yet. */
export function restServer(host: Host, routes: readonly Route[]): FastifyInstance {
  const server = Fastify({
    logger: false,
    bodyLimit: BODY_BYTES_MAX,
    forceCloseConnections: true,
    http: { shouldUpgradeCallback: asksForWebSocket },
    routerOptions: { ignoreTrailingSlash: true },
  });
  server.removeAllContentTypeParsers();
  // The text is kept as received, because it was signed.
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.setNotFoundHandler((_request, reply) => reply.code(404).send(notFound('Not found').body()));
  server.setErrorHandler((error, _request, reply) => {
    if (error instanceof Refusal) return reply.code(error.httpStatus).send(error.body());
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    const answer = new Refusal(status, status, 'ERROR', status < 500 ? 'The request cannot be read' : 'Internal error');
    return reply.code(status).send(answer.body());
  });
  for (const route of routes) {
    server.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => answer(host, route, request, reply),
    });
  }
  return server;
}

async function answer(host: Host, route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = typeof request.body === 'string' ? request.body : '';
  const operation = operationOf(route, body);
  const waitMs = operation === 'exempt' ? 0 : host.faults.delayMs();
  if (waitMs > 0) await delay(waitMs);
  if (route.auth === 'signed' && host.faults.commands.isHeld) await host.faults.commands.turn();
  const fault = operation === 'exempt' ? null : host.faults.takeAnswer(operation);
  if (fault !== null && !isExecuted(fault)) return fail(fault, null, reply);
  let status = 200;
  let json: unknown;
  try {
    json = handle(host, route, request, reply, body);
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    status = refusal.httpStatus;
    json = refusal.body();
  }
  if (fault !== null) return fail(fault, json, reply);
  reply.code(status);
  if (json instanceof Page) return reply.type('text/html; charset=utf-8').send(json.html);
  return json === undefined ? reply.send() : reply.type('application/json; charset=utf-8').send(JSON.stringify(json));
}

function handle(host: Host, route: Route, request: FastifyRequest, reply: FastifyReply, body: string): unknown {
  const now = host.runner.now();
  const { headers } = request;
  const path = request.url.split('?')[0]!;
  const token = route.auth === 'none' ? null : tokenOf(headers);
  const who = token === null ? request.ip : (host.logins.find(token, now)?.key.name ?? request.ip);
  const counted = host.limits.count(route.limit, who, request.ip, isRaised(host, headers), now);
  reply.headers(counted.headers);
  if (counted.refusal !== null) throw counted.refusal;
  const login = route.auth === 'none' ? null : requireLogin(host, headers, request.ip, now);
  const area = route.area ?? 'trading';
  // A JWT of an HMAC key is good for trading only (trading-api.md, Authentication).
  if (area === 'custody' && login?.key.file.kind !== 'ecdsa') {
    // The status is documented, the code **assumed** (exchange catalogue, Appendix D).
    throw new Refusal(403, 8334, 'BAD_AUTHENTICATION_TYPE', 'Custody is not open to logins of HMAC keys');
  }
  const refusedWith = area === 'custody' ? host.faults.takeRejection('custody') : null;
  if (refusedWith !== null) throw codedRefusal(refusedWith);
  let signed: SignedCommand | null = null;
  if (route.auth === 'signed' && login !== null) {
    const { method } = request;
    signed = verifyCommand(host, login, { method, path, route: route.path, headers, body, area }, now);
  }
  const routeRequest: RouteRequest = {
    host,
    floor: host.runner.floor,
    now,
    address: request.ip,
    headers,
    params: request.params as Record<string, string>,
    ...queryOf(request.query),
    path,
    body,
    login,
    signed,
  };
  return route.handle(routeRequest);
}

/** Query values singly and as lists. The documents write some names with blanks in them: they do not count. */
function queryOf(raw: unknown): Pick<RouteRequest, 'query' | 'lists'> {
  const query: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(raw as Record<string, string | string[]>)) {
    const key = name.replaceAll(' ', '').replace(/\[\]$/, '');
    const values = typeof value === 'string' ? [value] : value;
    query[key] = values.at(-1) ?? '';
    lists[key] = values.flatMap((text) => text.split(','));
  }
  return { query, lists };
}

function isRaised(host: Host, headers: FastifyRequest['headers']): boolean {
  const token = header(headers, 'bx-ratelimit-token');
  return token !== null && host.runner.floor.world.accounts.some((account) => rateLimitToken(account) === token);
}

const CREATE = /"commandType"\s*:\s*"V[23]CreateOrder"/;
const CANCEL = /"commandType"\s*:\s*"V[23]CancelOrder"/;
const AMEND = /"commandType"\s*:\s*"V1AmendOrder"/;

function operationOf(route: Route, body: string): Operation | 'exempt' {
  if (route.operation !== undefined) return route.operation;
  if (route.auth !== 'signed') return route.method === 'GET' ? 'get' : 'any';
  if (CREATE.test(body)) return 'create';
  if (CANCEL.test(body)) return 'cancel';
  return AMEND.test(body) ? 'amend' : 'command';
}

/** The barrier between a blocked caller and the exchange, on every path (exchange reference §1.1). */
export const BLOCK_PAGE =
  '<!DOCTYPE html><html><head><title>Not available</title></head><body><h1>Not available</h1></body></html>';

/** Answer wrongly, on purpose. `json` is the intended answer, null if nothing was executed. */
function fail(fault: AnswerFault, json: unknown, reply: FastifyReply): FastifyReply {
  switch (fault.what) {
    case 'lost':
      reply.hijack();
      reply.raw.destroy();
      return reply;
    case 'hang':
      // The socket stays open until the client gives up or the server closes.
      reply.hijack();
      return reply;
    case 'html':
      return reply
        .code(fault.httpStatus ?? 403)
        .type('text/html')
        .send(BLOCK_PAGE);
    case 'error': {
      const status = fault.httpStatus ?? 500;
      const { errorCode = status, errorCodeName = 'SIMULATED', message = 'Simulated fault' } = fault;
      return reply.code(status).send({ message, errorCode, errorCodeName });
    }
    case 'malformed':
      return reply.code(200).type('application/json').send('{"message":"Command acknow');
    case 'empty':
      return reply.code(200).type('application/json').send('{}');
    case 'truncated': {
      const whole = JSON.stringify(json ?? { message: 'Command acknowledged' });
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length });
      reply.raw.write(whole.slice(0, whole.length >> 1), () => reply.raw.destroy());
      return reply;
    }
  }
}
