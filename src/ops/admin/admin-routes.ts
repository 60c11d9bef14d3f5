// Queries and actions over HTTP: sessions, messages, orders, auctions, alarms, configuration. A schema checks every
// request; every list but that of sessions is bounded. admin-api.ts has the server and access.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Administration } from '../../administration/mod.ts';
import { type Static, Type } from '../../base/schema.ts';
import type { Certifications } from '../../certification/mod.ts';
import type { ActionResult } from '../../engine/mod.ts';
import type { AlarmDesk } from '../alarms/alarm-desk.ts';
import { type AdminUser, type Caller, tooFewToLift } from '../checks/admin-users.ts';
import type { Reloader } from '../configuration/reload.ts';
import type { ConsolePlots } from '../metrics/console-plots.ts';
import type { OrderHops } from '../metrics/order-hops.ts';
import type { PrometheusAddress } from '../metrics/prometheus-range.ts';
import type { TwoPeopleAction } from '../schema/admin-user-schema.ts';
import { liftRefusal, nameOf, RESTART_WITH_LIFTERS, refusalOf } from './admin-roles.ts';
import { alarmsInShort } from './alarm-digest.ts';
import { SharedAnswer } from './cached-answer.ts';
import { gatewaySource } from './live-gateway.ts';
import { LiveOverview } from './live-overview.ts';
import { addLiveStream } from './live-stream.ts';
import { ORD_STATUS_NAMES, ordStatusOf } from './order-status.ts';
import { problem } from './problem.ts';
import { RECORDED_MS } from './recorded.ts';
import { addAlarmRoutes } from './routes/alarm-routes.ts';
import { addCertificationRoutes } from './routes/certification-routes.ts';
import { addConfigurationRoutes } from './routes/configuration-routes.ts';
import { addHistoryRoutes } from './routes/history-routes.ts';
import { addNewsRoutes } from './routes/news-routes.ts';
import { addPasswordRoutes } from './routes/password-routes.ts';
import { addPlotRoutes } from './routes/plot-routes.ts';
import { summaryOf, TwoPeople } from './two-people.ts';

/** A SessionID is made of BeginString and six names of 64 characters. */
const ID_MAX = 512;
const ID = Type.String({ minLength: 1, maxLength: ID_MAX });
const WHY = Type.String({ maxLength: 500, default: '' });
// Absent keeps the number. Not nullable: a validator that converts types would make 0 a null.
const SEQ_NUM = Type.Optional(Type.Integer({ minimum: 1 }));

const SessionParams = Type.Object({ name: ID });
const MessagesQuery = Type.Object({
  after: Type.Integer({ minimum: 0, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
});
const OrdersQuery = Type.Object(
  {
    session: Type.Optional(ID),
    clOrdID: Type.Optional(ID),
    orderID: Type.Optional(ID),
    symbol: Type.Optional(ID),
    status: Type.Optional(ID),
    open: Type.Boolean({ default: false }),
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 100 }),
  },
  { additionalProperties: false },
);
const OrderQuery = Type.Object({ session: ID, clOrdID: ID });
const ActionBody = Type.Object({ why: WHY }, { additionalProperties: false });
const NumbersBody = Type.Object(
  {
    reset: Type.Boolean({ default: false }),
    within: Type.Boolean({ default: false }),
    nextSenderMsgSeqNum: SEQ_NUM,
    nextTargetMsgSeqNum: SEQ_NUM,
    why: WHY,
  },
  { additionalProperties: false },
);

const KillSwitchBody = Type.Object(
  {
    scope: Type.Union([Type.Literal('session'), Type.Literal('account'), Type.Literal('all')]),
    name: Type.String({ maxLength: ID_MAX, default: '' }),
    why: WHY,
  },
  { additionalProperties: false },
);
const ResolveBody = Type.Object({ session: ID, clOrdID: ID, why: WHY }, { additionalProperties: false });
const AdoptBody = Type.Object(
  {
    session: ID,
    account: Type.Optional(ID),
    symbol: Type.Optional(ID),
    orderIDs: Type.Array(ID, { maxItems: 500 }),
    why: WHY,
  },
  { additionalProperties: false },
);
const ReconcileBody = Type.Object({ account: Type.Optional(ID) }, { additionalProperties: false });

const JSON_TYPE = 'application/json; charset=utf-8';

const UNRECORDED =
  'But the journal could not record it yet: a gateway that is killed before it can has not done it. Look at its disk or database.';

/** Alarms shown with the overview. */
const OVERVIEW_ALARMS = 50;
/** As many as are kept. */
const ALARMS_LOOKED_AT = 1000;

export interface AdminRoutesOptions {
  readonly administration: Administration;
  readonly reloader: Reloader;
  readonly desk: AlarmDesk;
  /** People with a token of their own. */
  readonly users: readonly AdminUser[];
  /** Actions that take two of them. */
  readonly twoPeople: readonly TwoPeopleAction[];
  /** Counterparties that certify their OMS. */
  readonly certifications?: Certifications;
  /** Sender of an admitted request. */
  readonly callerOf: (request: FastifyRequest) => Caller;
  /** Whether the token of an admitted request is still one. */
  readonly isAdmitted: (request: FastifyRequest) => boolean;
  readonly version: string;
  /** Secrets are files below it. */
  readonly secretsDirectory: string;
  readonly plots: ConsolePlots;
  /** Has what is older than an hour; null: none is named. */
  readonly prometheus: PrometheusAddress | null;
  /** Whether users may write session files here. */
  readonly sessionFiles: boolean;
  readonly hops: OrderHops;
  /** `read-only`: the console offers no action, whatever the role. */
  readonly console: 'actions' | 'read-only';
}

/** Add every route below /api. */
export function addAdminRoutes(app: FastifyInstance, options: AdminRoutesOptions): void {
  const { administration: audited, callerOf } = options;
  const two = new TwoPeople({
    actions: options.twoPeople,
    now: () => audited.now(),
    audit: (by, action, detail) => audited.audit(by, action, detail),
  });
  const who = (request: FastifyRequest): string => {
    const name = nameOf(request, callerOf(request));
    const confirmer = two.confirmerOf(request);
    return confirmer === null ? name : `${name}, confirmed by ${confirmer}`;
  };
  app.addHook('preValidation', async ({ query }, reply) => {
    if (typeof query !== 'object' || query === null || !('partition' in query)) return;
    // An answer for all would be taken for that of one.
    await problem(reply, 400, 'This gateway runs no partitions (`workers` in gateway.yaml): leave `--partition` out.');
  });
  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'GET' && options.administration.isOver) {
      await problem(reply, 503, 'The gateway is stopping, and records nothing any more: nothing was done.');
      return;
    }
    const refusal = refusalOf(request, options.callerOf(request));
    if (refusal !== null) await problem(reply, 403, refusal);
  });
  app.addHook('preHandler', async (request, reply) => {
    const action = reply.sent ? null : two.guards(request);
    // A request without a reason is refused where it is carried out.
    if (action === null || !hasReason(request.body)) return;
    await two.propose(action, callerOf(request), request, reply, { summary: summaryOf(action, request) });
  });
  addProposalRoutes(app, two, callerOf, who);
  app.addHook('preSerialization', async (request, _reply, payload) => {
    if (request.method === 'GET' || !isDone(payload)) return payload;
    if (await options.administration.recorded(RECORDED_MS)) return payload;
    return { ...payload, text: `${payload.text} ${UNRECORDED}` };
  });
  addSessionRoutes(app, options.administration, who);
  addOrderRoutes(app, options);
  addSafetyRoutes(app, options, who);
  addConfigurationRoutes(app, options, who, two);
  addPasswordRoutes(app, options, who);
  const { administration, reloader, certifications } = options;
  addAlarmRoutes(app, options, who);
  addHistoryRoutes(app, administration);
  addPlotRoutes(app, options);
  addNewsRoutes(app, administration, who);
  if (certifications !== undefined) addCertificationRoutes(app, { administration, certifications }, who);
  app.get('/api/auctions', async () => ({ auctions: administration.auctions() }));
  // Everything the console's front page shows, in one answer.
  const makeOverview = () => ({
    now: administration.now(),
    startedAt: administration.startedAt,
    health: administration.health(),
    journal: { healthy: administration.journalHealthy, queuedBytes: administration.journalQueueBytes },
    venue: reloader.venue,
    exchangeLogins: administration.exchangeLogins(),
    sessions: administration.sessions(),
    auctions: administration.auctions(),
    openAlarms: options.desk.open().slice(0, OVERVIEW_ALARMS),
    alarms: alarmsInShort(administration.alarms(ALARMS_LOOKED_AT), OVERVIEW_ALARMS),
    orderCounts: administration.orders.counts(),
    killSwitches: administration.orders.killSwitches(),
    certifications: certifications?.names() ?? [],
    configuration: reloader.last,
    notices: [...reloader.standing, ...two.notices()],
    proposals: two.list(),
    plannedStop: administration.news.plannedStop(),
    hasPrometheus: options.prometheus !== null,
  });
  const overview = new SharedAnswer(makeOverview);
  const live = new LiveOverview(makeOverview);
  addLiveStream(app, { ...options, source: gatewaySource({ ...options, overview: live }) });
  app.get('/api/overview', async (_request, reply) => reply.type(JSON_TYPE).send(overview.text()));
  app.addHook('onSend', async ({ method }) => {
    if (method === 'GET') return;
    overview.forget();
    live.forget();
  });
}

export type Who = (request: FastifyRequest) => string;

const ProposalParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 20 }) });

function addProposalRoutes(
  app: FastifyInstance,
  two: TwoPeople,
  callerOf: AdminRoutesOptions['callerOf'],
  who: Who,
): void {
  type Named = { Params: Static<typeof ProposalParams> };
  const schema = { params: ProposalParams };
  app.get('/api/proposals', async () => ({ proposals: two.list() }));
  app.post<Named>('/api/proposals/:id/confirm', { schema }, async (request, reply) =>
    two.confirm(request.params.id, callerOf(request), reply),
  );
  app.post<Named>('/api/proposals/:id/withdraw', { schema }, async (request, reply) =>
    two.withdraw(request.params.id, who(request), reply),
  );
}

function hasReason(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'why' in body && body.why !== '';
}

function addSessionRoutes(app: FastifyInstance, administration: Administration, who: Who): void {
  const params = { params: SessionParams };
  type Named = { Params: Static<typeof SessionParams> };
  app.get('/api/sessions', async () => ({ sessions: administration.sessions() }));
  app.get<Named>('/api/sessions/:name', { schema: params }, async (request, reply) => {
    return administration.session(request.params.name) ?? unknownSession(reply, request.params.name, administration);
  });
  app.get<Named & { Querystring: Static<typeof MessagesQuery> }>(
    '/api/sessions/:name/messages',
    { schema: { ...params, querystring: MessagesQuery } },
    async (request, reply) => {
      const { after, limit } = request.query;
      const messages = administration.messages(request.params.name, after, limit);
      return messages === null ? unknownSession(reply, request.params.name, administration) : { messages };
    },
  );
  const actions = {
    logout: administration.logout.bind(administration),
    disable: administration.disable.bind(administration),
    enable: administration.enable.bind(administration),
    open: administration.openSession.bind(administration),
  };
  for (const [action, carryOut] of Object.entries(actions)) {
    app.post<Named & { Body: Static<typeof ActionBody> }>(
      `/api/sessions/:name/${action}`,
      { schema: { ...params, body: ActionBody } },
      async (request, reply) => {
        const result = carryOut(request.params.name, request.body.why, who(request));
        return answerAction(reply, request.params.name, result, administration);
      },
    );
  }
  app.post<Named & { Body: Static<typeof NumbersBody> }>(
    '/api/sessions/:name/numbers',
    { schema: { ...params, body: NumbersBody } },
    async (request, reply) => {
      const { nextSenderMsgSeqNum = null, nextTargetMsgSeqNum = null, reset, within, why } = request.body;
      const wanted = { nextSenderMsgSeqNum, nextTargetMsgSeqNum, reset, within, why };
      const result = administration.setNumbers(request.params.name, wanted, who(request));
      return answerAction(reply, request.params.name, result, administration);
    },
  );
}

function addOrderRoutes(
  app: FastifyInstance,
  { administration, hops }: Pick<AdminRoutesOptions, 'administration' | 'hops'>,
): void {
  app.get<{ Querystring: Static<typeof OrdersQuery> }>(
    '/api/orders',
    { schema: { querystring: OrdersQuery } },
    async (request, reply) => {
      const { session, clOrdID, orderID, symbol, status, open, limit } = request.query;
      const ordStatus = status === undefined ? undefined : ordStatusOf(status);
      if (ordStatus === null)
        return problem(reply, 400, `There is no OrdStatus(39) "${status}"; there are ${ORD_STATUS_NAMES}.`);
      const found = administration.orders.search({
        ...(session === undefined ? {} : { sessionId: session }),
        ...(clOrdID === undefined ? {} : { clOrdID }),
        ...(orderID === undefined ? {} : { orderID }),
        ...(symbol === undefined ? {} : { symbol }),
        ...(ordStatus === undefined ? {} : { status: ordStatus }),
        openOnly: open,
        limit,
      });
      // The history of each is a separate request: the list stays small.
      return { orders: found.orders.map(({ timeline: _, ...order }) => order), more: found.more };
    },
  );
  app.get<{ Querystring: Static<typeof OrderQuery> }>(
    '/api/order',
    { schema: { querystring: OrderQuery } },
    async (request, reply) => {
      const { session, clOrdID } = request.query;
      return (
        administration.orders.find(session, clOrdID) ??
        problem(reply, 404, `Session ${session} has no order with ClOrdID(11) ${clOrdID}.`)
      );
    },
  );
  // The way of one of the latest new orders, by its SessionID and its first ClOrdID(11).
  app.get<{ Querystring: Static<typeof OrderQuery> }>(
    '/api/order/hops',
    { schema: { querystring: OrderQuery } },
    async ({ query }) => ({ hops: hops.of(query.session, query.clOrdID) }),
  );
}

/** Stopping trading, and repairing an order by hand. */
function addSafetyRoutes(
  app: FastifyInstance,
  { administration, callerOf, users }: AdminRoutesOptions,
  who: Who,
): void {
  const few = tooFewToLift(users);
  const stays = (what: string): string =>
    few === null ? '' : ` Now no one can lift ${what}: ${few}. ${RESTART_WITH_LIFTERS}`;
  app.get('/api/kill-switches', async () => ({ killSwitches: administration.orders.killSwitches() }));
  for (const action of ['throw', 'lift'] as const) {
    app.post<{ Body: Static<typeof KillSwitchBody> }>(
      `/api/kill-switches/${action}`,
      { schema: { body: KillSwitchBody } },
      async (request, reply) => {
        const { scope, name, why } = request.body;
        const refusal = action === 'lift' ? liftRefusal(callerOf(request), few !== null) : null;
        if (refusal !== null) return problem(reply, 403, refusal);
        const before = administration.orders.killSwitches().length;
        const result =
          action === 'throw'
            ? administration.orders.throwKillSwitch(scope, name, why, who(request))
            : administration.orders.liftKillSwitch(scope, name, why, who(request));
        if (result === null) {
          return problem(reply, 404, action === 'throw' ? noSuch(scope, name) : 'No kill switch is thrown there.');
        }
        if (!result.done) return problem(reply, 409, result.text);
        const { length: on } = administration.orders.killSwitches();
        return { ...result, text: `${result.text}${on === 0 ? '' : stays(on < before ? 'those that stay on' : 'it')}` };
      },
    );
  }
  app.post<{ Body: Static<typeof ResolveBody> }>(
    '/api/orders/resolve',
    { schema: { body: ResolveBody } },
    async (request, reply) => {
      const { session, clOrdID, why } = request.body;
      const result = administration.orders.resolve(session, clOrdID, why, who(request));
      if (result === null) return problem(reply, 404, `Session ${session} has no order with ClOrdID(11) ${clOrdID}.`);
      return result.done ? result : problem(reply, 409, result.text);
    },
  );
  app.post<{ Body: Static<typeof ResolveBody> }>(
    '/api/orders/cancel',
    { schema: { body: ResolveBody } },
    async (request, reply) => {
      const { session, clOrdID, why } = request.body;
      const result = await administration.orders.cancel(session, clOrdID, why, who(request));
      if (result === null) return problem(reply, 404, `Session ${session} has no order with ClOrdID(11) ${clOrdID}.`);
      return result.done ? result : problem(reply, 409, result.text);
    },
  );
  app.post<{ Body: Static<typeof AdoptBody> }>(
    '/api/orders/adopt',
    { schema: { body: AdoptBody } },
    async (request, reply) => {
      const { session, account = null, symbol = null, orderIDs, why } = request.body;
      const wanted = { account, symbol, orderIDs };
      const result = await administration.orders.adopt(session, wanted, why, who(request));
      if (result === null) return unknownSession(reply, session, administration);
      if (typeof result === 'string') return problem(reply, 409, result);
      const isRecorded = result.adopted.length === 0 || (await administration.recorded(RECORDED_MS));
      return isRecorded ? result : { ...result, text: UNRECORDED };
    },
  );
  app.post<{ Body: Static<typeof ActionBody> }>(
    '/api/logons/open',
    { schema: { body: ActionBody } },
    async (request, reply) => {
      const result = administration.openLogons(request.body.why, who(request));
      if (result === null) return problem(reply, 409, 'Nothing keeps sessions from logging on.');
      return result.done ? result : problem(reply, 409, result.text);
    },
  );
  app.post<{ Body: Static<typeof ReconcileBody> }>(
    '/api/reconcile',
    { schema: { body: ReconcileBody } },
    async (request, reply) => {
      const { account } = request.body;
      const result = administration.reconcile(account ?? null, who(request));
      if (result === null) return problem(reply, 404, `There is no trading account "${account}".`);
      return result.done ? result : problem(reply, 409, result.text);
    },
  );
}

/** Whether an answer says that something was done. */
function isDone(answer: unknown): answer is ActionResult {
  return typeof answer === 'object' && answer !== null && 'done' in answer && answer.done === true;
}

function answerAction(
  reply: FastifyReply,
  name: string,
  result: ActionResult | null,
  administration: Administration,
): FastifyReply | ActionResult {
  if (result === null) return unknownSession(reply, name, administration);
  return result.done ? result : problem(reply, 409, result.text);
}

/** Where there is nothing to throw a kill switch for, and how it would be named. */
function noSuch(scope: string, name: string): string {
  const only = scope === 'session' ? ', or not one only,' : ',';
  const none = `There is no ${scope} "${name}"${only} neither in the configuration nor with open orders`;
  const remedy =
    scope === 'session'
      ? '`crossgate sessions list` shows them; a former one, and one of several, is named by the SessionID there or of `crossgate orders find --open`'
      : '`crossgate check` shows them under `tradingAccounts`; `crossgate orders find --open --json` those with orders';
  return `${none}: ${remedy}.`;
}

function unknownSession(reply: FastifyReply, name: string, administration: Administration): FastifyReply {
  if (administration.isTemplate(name)) {
    const made = `the sessions made from it are called ${name}:COUNTERPARTY, \`crossgate sessions list\` shows them`;
    return problem(reply, 404, `"${name}" is a template and no session; ${made}.`);
  }
  const remedy = '`crossgate sessions list` shows them; where several have the name, write the SessionID';
  return problem(reply, 404, `There is no session "${name}", or not one only; ${remedy}.`);
}
