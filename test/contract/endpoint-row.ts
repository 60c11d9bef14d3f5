// A row of the endpoint table: callers, requests and answers, and the two ways of asking it, by the tests' own caller
// and by the exchange client. The rows are in *-endpoints.ts.

import type { TSchema } from 'typebox';
import type {
  AccountCommand,
  CommandDialect,
  EndpointName,
  ExchangeCommand,
  RawCommand,
} from '../../src/exchange/mod.ts';
import { ENDPOINTS } from '../../src/exchange/mod.ts';
import type { ExchangeClient } from '../../src/exchange-client/mod.ts';
import { ACCOUNT, type Answer, type Caller, type Json } from '../simulator/exchange-caller.ts';
import { listOf } from './scalars.ts';
import { postJson, type Situation } from './situation.ts';

/** Needs of a request: none, a login, a login of an ECDSA key, or a signature too. */
export type Needs = 'none' | 'login' | 'ecdsa' | 'signed';
/** Caller of the request. */
export type Party = 'demo' | 'other' | 'broker';

interface Row {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the router has it: `:name` for what varies. */
  readonly path: string;
  readonly needs: Needs;
  /** Name of the schema in the exchange catalogue. */
  readonly answers: string;
  /** Null for an empty body. */
  readonly schema: TSchema | null;
  /** `list`: a bare array; `pages`: with `_metaData=true` also a wrapper with links. */
  readonly shape: 'one' | 'list' | 'pages';
}

/** A question: the client asks it by its name in ENDPOINTS, so that it cannot be without a test of the client. */
export interface QuestionRow extends Row {
  readonly kind: 'question';
  readonly name: EndpointName;
  readonly command: null;
  readonly as: Party;
  /** Values in path and query. */
  readonly values: (situation: Situation) => Promise<Readonly<Record<string, string>>>;
  readonly body: unknown;
}

/** A signed command: as JSON of a caller's own, and as the client's typed command. */
export interface CommandRow extends Row {
  readonly kind: 'command';
  readonly command: string;
  readonly as: Party;
  readonly ask: (situation: Situation) => Promise<Answer>;
  readonly typed: (situation: Situation) => Promise<Exclude<ExchangeCommand, RawCommand> | AccountCommand>;
}

/** Login and logout: the client does them by itself. */
export interface LoginRow extends Row {
  readonly kind: 'login';
  readonly command: null;
  readonly ask: (situation: Situation) => Promise<Answer>;
  /** Makes a client do it. @throws if it fails */
  readonly client: (situation: Situation, connect: (keyName: string) => ExchangeClient) => Promise<void>;
}

export type EndpointRow = QuestionRow | CommandRow | LoginRow;

type Values = Readonly<Record<string, string>>;
interface Options {
  readonly shape?: Row['shape'];
  readonly as?: Party;
  readonly body?: unknown;
  readonly values?: Values | ((situation: Situation) => Values | Promise<Values>);
}

const NEEDS = { public: 'none', login: 'login', custody: 'ecdsa' } as const;

/** A row of one of the client's ENDPOINTS. */
export function question(
  name: EndpointName,
  answers: string,
  schema: TSchema | null,
  options: Options = {},
): QuestionRow {
  const { shape = 'one', as = 'demo', body = null, values = {} } = options;
  const { method, path, access } = ENDPOINTS[name];
  const valuesOf = async (situation: Situation): Promise<Values> =>
    typeof values === 'function' ? await values(situation) : values;
  const row = { name, method, path, needs: NEEDS[access], answers, schema, shape, as, body };
  return { kind: 'question', command: null, ...row, values: valuesOf };
}

/** A row of a signed command. */
export function command(
  path: string,
  commandType: string,
  answers: string,
  schema: TSchema,
  ways: Pick<CommandRow, 'ask' | 'typed'> & { readonly as?: Party; readonly needs?: Needs },
): CommandRow {
  const { as = 'demo', needs = 'signed', ask, typed } = ways;
  const row = { method: 'POST', path, needs, answers, schema, shape: 'one', as } as const;
  return { kind: 'command', command: commandType, ...row, ask, typed };
}

/** Parameters of every question about one's own account. */
export const OWN = { tradingAccountId: ACCOUNT };

/** Ask a row's request with the tests' own caller. `more` is a further part of the query. */
export async function askedByCaller(row: EndpointRow, situation: Situation, more = ''): Promise<Answer> {
  if (row.kind !== 'question') return row.ask(situation);
  const values = await row.values(situation);
  const inPath = new Set([...row.path.matchAll(/:(\w+)/g)].map((match) => match[1]!));
  const path = row.path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = Object.entries(values).filter(([name]) => !inPath.has(name));
  const text = [...query.map(([name, value]) => `${name}=${value}`), ...(more === '' ? [] : [more])].join('&');
  const target = text === '' ? path : `${path}?${text}`;
  const caller = situation[row.as];
  if (row.method === 'POST') return postJson(caller, target, row.body);
  const headers = { authorization: `Bearer ${caller.token}` };
  return caller.fetch(target, { method: row.method, headers });
}

/** A flat command, as the v3 dialect has it. */
export function flat(caller: Caller, json: Json, path?: string): Promise<Answer> {
  return caller.send(json, { dialect: 'v3', ...(path === undefined ? {} : { path }) });
}

/** Schema of a whole answer. */
export function answerSchema({ schema, shape }: EndpointRow): TSchema | null {
  return schema === null || shape === 'one' ? schema : listOf(schema);
}

/** `GET /v2/orders`, with the command where there are several. */
export const nameOf = ({ method, path, command: type }: EndpointRow): string =>
  `${method} ${path}${type === null ? '' : ` ${type}`}`;

/** Dialects in which a command has this name. */
export const DIALECTS = ['v2', 'v3'] as const satisfies readonly CommandDialect[];
