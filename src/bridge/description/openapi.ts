// The OpenAPI document of the bridge, made from the same tables as its routes.

import { type TSchema, Type } from '../../base/schema.ts';
import { COMMAND_QUERY, COMMANDS, commandSchema } from '../commands/commands.ts';
import { BRIDGE_FUNCTIONS, type BridgeFunction } from '../port.ts';
import { PROBLEM_TYPE, PROBLEMS } from '../problem.ts';
import { ENDPOINTS, PATH_PARAMETERS } from '../reads/endpoints.ts';
import { SILENCE_MS } from '../streams/stream-listener.ts';
import { STREAMS } from '../streams/stream-paths.ts';

type Json = Record<string, unknown>;

const HOW_TO_LISTEN = `A WebSocket. Subscribe as on the exchange, {"jsonrpc":"2.0","type":"command","method":"subscribe","params":{"topic":"…"},"id":"1"} (an auction's with its symbol), and send the method keepalivePing at least every ${SILENCE_MS / 1000} seconds: a listener that says nothing for longer is dropped.`;
const ACCOUNT_OF_STREAM = {
  name: 'tradingAccountId',
  in: 'query',
  required: false,
  schema: PATH_PARAMETERS.tradingAccountId,
};
/** Answers that any call may receive besides its own. */
const REFUSALS = {
  429: { $ref: '#/components/responses/TooMany' },
  default: { $ref: '#/components/responses/Problem' },
};

/** OpenAPI 3.1, as plain JSON. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const { path, method, needs, summary, query, body } of ENDPOINTS) {
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        summary,
        description: permission(needs),
        parameters: [...pathParameters(path), ...queryParameters(query)],
        ...(body === null ? {} : { requestBody: jsonContent(body) }),
        responses: {
          200: { description: 'As the exchange answers.', content: { 'application/json': {} } },
          ...REFUSALS,
        },
      },
    };
  }
  for (const path of new Set(COMMANDS.map((command) => command.path))) {
    const here = COMMANDS.filter((command) => command.path === path);
    paths[path] = {
      ...paths[path],
      post: {
        summary: here.map(({ commandType }) => commandType).join(', '),
        description: `${permission(here[0]!.needs)} The bridge adds JWT, timestamp, nonce and signature.`,
        parameters: queryParameters(COMMAND_QUERY),
        requestBody: jsonContent({ oneOf: here.map(commandSchema) }),
        responses: {
          200: { description: 'Acknowledged: the answer of the exchange.', content: { 'application/json': {} } },
          202: {
            description:
              'The outcome is unknown: no clear answer came, or only that the nonce was refused, as that of a command is that was delivered twice on its way. It may have been carried out, and is not sent again: ask first.',
            headers: { Location: { description: 'Where to ask.', schema: { type: 'string' } } },
            content: { 'application/json': { schema: UNKNOWN_OUTCOME } },
          },
          ...REFUSALS,
        },
      },
    };
  }
  for (const { path, needs, summary } of STREAMS) {
    paths[path] = {
      get: {
        summary,
        description: `${permission(needs)} ${HOW_TO_LISTEN}`,
        parameters: needs === 'stream' ? [ACCOUNT_OF_STREAM] : [],
        security: [{ token: [] }, { cookie: [] }],
        responses: { 101: { description: 'The stream is open.' }, ...REFUSALS },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crossgate bridge',
      version: '1',
      description: "Functions outside FIX, under the exchange's own paths. Orders go over FIX.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of this bridge.' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'JWT_COOKIE',
          description: "The same token, for streams, as the exchange's clients send theirs.",
        },
      },
      responses: {
        TooMany: {
          description: 'Too many requests or streams, here or at the exchange.',
          headers: { 'Retry-After': RETRY_AFTER },
          content: PROBLEM_CONTENT,
        },
        Problem: { description: 'The fault, and the remedy.', content: PROBLEM_CONTENT },
      },
    },
  };
}

const UNKNOWN_OUTCOME = Type.Object({
  outcome: Type.Literal('unknown'),
  commandId: Type.String(),
  detail: Type.String(),
  askAt: Type.String(),
});

const PROBLEM = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  code: Type.Union(Object.keys(PROBLEMS).map((code) => Type.Literal(code))),
  message: Type.String(),
  errorCode: Type.Union([Type.Integer(), Type.String()]),
  errorCodeName: Type.String(),
  exchange: Type.Optional(
    Type.Object({
      errorCode: Type.Union([Type.String(), Type.Null()]),
      errorCodeName: Type.Union([Type.String(), Type.Null()]),
      message: Type.Union([Type.String(), Type.Null()]),
    }),
  ),
});

const PROBLEM_CONTENT = { [PROBLEM_TYPE]: { schema: PROBLEM } };
const RETRY_AFTER = { description: 'Seconds to wait.', required: true, schema: Type.Integer({ minimum: 1 }) };

function permission(needs: BridgeFunction): string {
  return `Needs the function \`${needs}\`: ${BRIDGE_FUNCTIONS[needs]}.`;
}

function jsonContent(schema: TSchema | Json): Json {
  return { required: true, content: { 'application/json': { schema } } };
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
  return Object.entries(query).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
  }));
}
