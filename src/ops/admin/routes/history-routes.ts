// The past over HTTP, read from the journal: messages, orders that ended, actions, alarms. Each answer is a page, the latest first, with
// the place where the next one begins.

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Administration, HistoryFilter } from '../../../administration/mod.ts';
import { CrossgateError } from '../../../base/errors.ts';
import { type Static, Type } from '../../../base/schema.ts';
import { parseTime } from '../../../base/time.ts';
import { severityOf } from '../../alarms/alarm-severity.ts';
import { ORD_STATUS_NAMES, ordStatusOf } from '../order-status.ts';
import { problem } from '../problem.ts';

const VALUE_MAX = 512;
const TEXT = Type.Optional(Type.String({ minLength: 1, maxLength: VALUE_MAX }));
const TIME = Type.Optional(Type.String({ minLength: 1, maxLength: 40 }));
const LIST = Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: VALUE_MAX }), { maxItems: 10 }));

/** Parameters of every search. */
const PAGE = {
  from: TIME,
  to: TIME,
  before: Type.Optional(Type.String({ maxLength: 60 })),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
};
const CLOSED = { additionalProperties: false };
const MessagesQuery = Type.Object(
  { session: TEXT, clOrdID: TEXT, orderID: TEXT, type: LIST, tag: LIST, ...PAGE },
  CLOSED,
);
const OrdersQuery = Type.Object(
  { session: TEXT, clOrdID: TEXT, orderID: TEXT, symbol: TEXT, status: TEXT, ...PAGE },
  CLOSED,
);
const ActionsQuery = Type.Object({ text: TEXT, ...PAGE }, CLOSED);

type Asked = Partial<Static<typeof MessagesQuery> & Static<typeof OrdersQuery> & Static<typeof ActionsQuery>>;

/** Add the routes below /api/history. */
export function addHistoryRoutes(app: FastifyInstance, { history }: Pick<Administration, 'history'>): void {
  const route = <T>(name: string, querystring: object, find: (filter: HistoryFilter) => Promise<T>): void => {
    app.get<{ Querystring: Asked }>(`/api/history/${name}`, { schema: { querystring } }, async ({ query }, reply) => {
      try {
        return await find(filterOf(query));
      } catch (error) {
        return refusal(reply, error);
      }
    });
  };
  route('messages', MessagesQuery, (filter) => history.messages(filter));
  route('orders', OrdersQuery, (filter) => history.orders(filter));
  route('actions', ActionsQuery, (filter) => history.actions(filter));
  route('alarms', ActionsQuery, async (filter) => {
    const page = await history.alarms(filter);
    return { ...page, found: page.found.map((alarm) => ({ ...alarm, severity: severityOf(alarm.alarm) })) };
  });
}

/** @throws CrossgateError XG_USAGE naming what is not understood */
function filterOf({ from, to, type, tag, status, limit = 50, ...names }: Asked): HistoryFilter {
  const given = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
  return {
    ...given,
    limit,
    ...(from === undefined ? {} : { from: timeOf('from', from) }),
    ...(to === undefined ? {} : { to: timeOf('to', to) }),
    ...(type === undefined ? {} : { msgTypes: type }),
    ...(tag === undefined ? {} : { tags: tag.map(fieldOf) }),
    ...(status === undefined ? {} : { status: statusOf(status) }),
  };
}

function timeOf(name: string, text: string): number {
  const at = parseTime(text);
  if (at !== null) return at;
  throw new CrossgateError('XG_USAGE', `${name} ${text}: write a UTC time as 2026-11-21T09:30:00`);
}

function fieldOf(text: string): { tag: number; value: string | null } {
  const [, tag, value = null] = /^([1-9]\d{0,8})(?:=(.*))?$/s.exec(text) ?? [];
  if (tag === undefined) throw new CrossgateError('XG_USAGE', `tag ${text}: write a tag, or tag=value`);
  return { tag: Number(tag), value };
}

function statusOf(text: string): string {
  const value = ordStatusOf(text);
  if (value !== null) return value;
  throw new CrossgateError('XG_USAGE', `There is no OrdStatus(39) "${text}"; there are ${ORD_STATUS_NAMES}.`);
}

function refusal(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof CrossgateError)) throw error;
  return problem(reply, error.code === 'XG_USAGE' ? 400 : 503, error.message, error.code);
}
