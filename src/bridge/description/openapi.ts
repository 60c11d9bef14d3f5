// The OpenAPI document of the bridge's calls, made from the same tables as its routes. Streams stand in asyncapi.ts.

import { type TSchema, Type } from '../../base/schema.ts';
import { ENDPOINTS as CATALOGUE } from '../../exchange/mod.ts';
import type { CommandSpec } from '../commands/command-spec.ts';
import { COMMAND_QUERY, COMMANDS, commandSchema } from '../commands/commands.ts';
import { ORDER_COMMANDS } from '../commands/order-commands.ts';
import { BRIDGE_FUNCTIONS, type BridgeFunction } from '../port.ts';
import { PROBLEM_TYPE, PROBLEMS, Problem } from '../problem.ts';
import { ENDPOINTS, type Endpoint, PATH_PARAMETERS } from '../reads/endpoints.ts';
import { commandExample } from './command-examples.ts';
import { type Json, SchemaComponents, samples } from './samples.ts';

/** Answers that any call may receive besides its own. */
const REFUSALS = {
  429: { $ref: '#/components/responses/TooMany' },
  default: { $ref: '#/components/responses/Problem' },
};

/** Operations that take several commands, by path. */
const COMMAND_OPERATIONS: Readonly<Record<string, string>> = {
  '/trading-api/v2/amm-instructions': 'createAmmInstruction',
  '/trading-api/v2/command': 'sendCommand',
  '/trading-api/v2/orders': 'createOrder',
  '/trading-api/v2/otc-trades': 'createOtcTrade',
  '/trading-api/v2/otc-command': 'sendOtcCommand',
  '/trading-api/v2/mmp-configuration': 'configureMmp',
};

/** OpenAPI 3.1, as plain JSON. Its server is the one that it was read from. */
export function openApiDocument(): Json {
  const components = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const endpoint of ENDPOINTS) {
    const { path, method } = endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: readOperation(endpoint, components) };
  }
  for (const [path, here] of Map.groupBy([...COMMANDS, ...ORDER_COMMANDS], (command) => command.path)) {
    paths[path] = { ...paths[path], post: commandOperation(path, here, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crossgate bridge',
      version: '1',
      description:
        "Functions outside FIX, under the exchange's own paths. Orders go over FIX, and by REST where `bridge.orders` opens the account. `/asyncapi.json` describes the streams.",
      contact: { name: 'The operators of this gateway' },
    },
    servers: [{ url: '/', description: 'This bridge.' }],
    tags: Object.entries(BRIDGE_FUNCTIONS).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'A token of this bridge.' } },
      schemas: { ...components.schemas, Problem: PROBLEM, UnknownOutcome: UNKNOWN_OUTCOME },
      responses: RESPONSES,
    },
  };
}

function readOperation(endpoint: Endpoint, components: SchemaComponents): Json {
  const { path, method, needs, summary, query, body } = endpoint;
  const answer = samples()[`${method} ${path.replace(/\{(\w+)\}/g, ':$1')}`]!;
  const operationId = operationOf(endpoint);
  const schema = components.refer(answer, capital(operationId));
  return {
    operationId,
    tags: [needs],
    summary,
    description: permission([needs]),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === null ? {} : { requestBody: jsonContent({ schema: body, example: questionExample(body) }) }),
    responses: {
      200: {
        description: 'As the exchange answers.',
        content: { 'application/json': { schema, example: answer.example } },
      },
      ...REFUSALS,
    },
  };
}

/** The name of the same endpoint in the exchange client. */
function operationOf({ path, method }: Endpoint): string {
  const found = Object.entries(CATALOGUE).find(
    ([, one]) => one.method === method && one.path.replace(/:(\w+)/g, '{$1}') === path,
  );
  const name = found?.[0] ?? path.replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase());
  return method === 'POST' ? name : `get${capital(name)}`;
}

const capital = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)}`;

function commandOperation(path: string, here: readonly CommandSpec[], components: SchemaComponents): Json {
  const answers = here.map((command) => {
    const answer = samples()[`POST ${path} ${command.commandType}`]!;
    return { command, answer, schema: components.refer(answer, command.commandType) };
  });
  const examples = (of: (command: CommandSpec) => unknown): Json =>
    Object.fromEntries(here.map((command) => [command.commandType, { summary: command.summary, value: of(command) }]));
  const unique = [...new Map(answers.map(({ schema }) => [String(schema.$ref), schema])).values()];
  const needs = [...new Set(here.map((command) => command.needs))];
  return {
    operationId: COMMAND_OPERATIONS[path],
    tags: needs,
    summary: here.map(({ commandType }) => commandType).join(', '),
    description: `${permission(needs)} The bridge adds JWT, timestamp, nonce and signature.`,
    parameters: queryParameters(COMMAND_QUERY),
    requestBody: jsonContent({ schema: { oneOf: here.map(commandSchema) }, examples: examples(commandExample) }),
    responses: {
      200: {
        description: 'Acknowledged: the answer of the exchange.',
        content: {
          'application/json': {
            schema: unique.length === 1 ? unique[0] : { anyOf: unique },
            examples: examples((command) => answers.find((one) => one.command === command)!.answer.example),
          },
        },
      },
      202: { $ref: '#/components/responses/UnknownOutcome' },
      ...REFUSALS,
    },
  };
}

/** A question about portfolios, one or several. */
export function questionExample(body: TSchema): unknown {
  const portfolio = {
    tradingAccountId: '111000000000001',
    positions: [{ symbol: 'BTC-USDC-PERP', quantity: '1' }],
    orders: [{ symbol: 'BTC-USDC-PERP', quantity: '1', limitPrice: '60000.0', timeInForce: 'GTC' }],
    priceVolOffsetParams: { globalCryptoPriceMultiplier: 0.9 },
  };
  return (body as { readonly type?: string }).type === 'array' ? [portfolio] : portfolio;
}

const UNKNOWN_OUTCOME = Type.Object({
  outcome: Type.Literal('unknown'),
  commandId: Type.String(),
  detail: Type.String(),
  askAt: Type.String(),
});

const OrNull = Type.Union([Type.String(), Type.Null()]);
/** RFC 9457, with the fields that clients of the exchange read. */
const PROBLEM = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.Union(Object.keys(PROBLEMS).map((code) => Type.Literal(code))),
  message: Type.String(),
  errorCode: Type.Union([Type.Integer(), Type.String()]),
  errorCodeName: Type.String(),
  exchange: Type.Optional(Type.Object({ errorCode: OrNull, errorCodeName: OrNull, message: OrNull })),
});

const problemContent = (problem: Problem): Json => ({
  [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, example: problem.toJSON() },
});

const RESPONSES: Json = {
  TooMany: {
    description: 'Too many requests or streams, here or at the exchange.',
    headers: {
      'Retry-After': { description: 'Seconds to wait.', required: true, schema: Type.Integer({ minimum: 1 }) },
    },
    content: problemContent(new Problem('too-many-requests', 'At most 32 requests of one token at a time.')),
  },
  Problem: {
    description: 'The fault, and the remedy.',
    content: problemContent(
      new Problem(
        'function-forbidden',
        'The token "desk" lacks the function "amm": an operator adds it to `bridge.callers` in gateway.yaml.',
      ),
    ),
  },
  UnknownOutcome: {
    description:
      'The outcome is unknown: no clear answer came, or only that the nonce was refused, as that of a command is that was delivered twice on its way. It may have been carried out, and is not sent again: ask first.',
    headers: { Location: { description: 'Where to ask.', schema: { type: 'string' } } },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/UnknownOutcome' },
        example: {
          outcome: 'unknown',
          commandId: 'bridge-m9x2-7',
          detail: 'The command was sent and no clear answer came. It may have been carried out.',
          askAt: '/trading-api/v2/orders/297735387747975681?tradingAccountId=111000000000001',
        },
      },
    },
  },
};

export function permission(needs: readonly BridgeFunction[]): string {
  return needs.map((one) => `Needs the function \`${one}\`: ${BRIDGE_FUNCTIONS[one]}.`).join(' Or ');
}

function jsonContent(content: Json): Json {
  return { required: true, content: { 'application/json': content } };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: PATH_PARAMETERS[name!],
  }));
}

function queryParameters(query: Readonly<Record<string, TSchema>>): Json[] {
  const required = new Set((Type.Object({ ...query }) as { required?: string[] }).required ?? []);
  return Object.entries(query).map(([name, schema]) => ({ name, in: 'query', required: required.has(name), schema }));
}
