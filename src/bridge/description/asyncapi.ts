// The AsyncAPI document of the bridge's streams: channels, requests of a listener, answers and data frames, from the same
// table as the routes and the recorded frames.

import { SILENCE_MS } from '../streams/stream-listener.ts';
import { STREAMS, type StreamPath } from '../streams/stream-paths.ts';
import { topicsOf } from '../streams/topics.ts';
import { permission } from './openapi.ts';
import { type Json, SchemaComponents, samples } from './samples.ts';

const RPC = { jsonrpc: { const: '2.0' }, id: { type: 'string', description: 'As in the request.' } };
const result = (code: unknown, message: string): Json => ({
  jsonrpc: '2.0',
  id: '1',
  result: { responseCode: code, responseCodeName: 'OK', message },
});

/** A request of a listener. */
function request(method: string, summary: string, params: Json): Json {
  const schema = {
    type: 'object',
    required: ['method', 'id'],
    properties: {
      ...RPC,
      type: { const: 'command' },
      method: { const: method },
      params: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const payload = { jsonrpc: '2.0', type: 'command', method, params, id: '1' };
  return message(method, summary, schema, payload);
}

function message(name: string, summary: string, payload: Json, example: unknown): Json {
  return { name, title: name, summary, contentType: 'application/json', payload, examples: [{ payload: example }] };
}

const ANSWERS: Readonly<Record<string, Json>> = {
  acknowledgement: message(
    'acknowledgement',
    'The request was carried out.',
    { type: 'object', required: ['id', 'result'], properties: { ...RPC, result: { type: 'object' } } },
    result('200', 'Successfully subscribed'),
  ),
  refusal: message(
    'refusal',
    'The request was refused; errorCodeName says why.',
    { type: 'object', required: ['id', 'error'], properties: { ...RPC, error: { type: 'object' } } },
    {
      jsonrpc: '2.0',
      id: '1',
      error: { code: '-32602', errorCode: '29013', errorCodeName: "'abcde' is not a valid topic" },
    },
  ),
  pong: message(
    'pong',
    'Answer to keepalivePing.',
    { type: 'object', required: ['id', 'result'], properties: { ...RPC, result: { type: 'object' } } },
    result(200, 'Keep alive pong'),
  ),
};

const SUBJECT: Readonly<Record<StreamPath['feed'], Json>> = {
  private: { tradingAccountId: '111000000000001' },
  auction: { symbol: 'BTCUSDC' },
  orderbook: { symbol: 'BTCUSDC' },
  trades: { symbol: 'BTCUSDC' },
  tick: { symbol: 'BTCUSDC' },
  index: { assetSymbol: 'BTC' },
};

const nameOf = ({ path }: StreamPath): string =>
  path
    .replace('/trading-api/v1/', '')
    .replace(/\W+(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/\W/g, '');

/** AsyncAPI 3.0, as plain JSON. @param address where the bridge is reached: `http://host:port` */
export function asyncApiDocument(address = 'http://127.0.0.1:8460'): Json {
  const components = new SchemaComponents();
  const { host, protocol } = new URL(address);
  const channels: Record<string, Json> = {};
  const operations: Record<string, Json> = {};
  for (const stream of STREAMS) {
    const channel = nameOf(stream);
    const requests = requestsOf(stream);
    const frames = framesOf(stream, components);
    const messages = { ...requests, ...ANSWERS, ...frames };
    channels[channel] = {
      address: stream.path,
      title: stream.summary,
      description: permission([stream.needs]),
      messages,
      ...(stream.path.includes('{symbol}') ? { parameters: { symbol: { description: 'A market.' } } } : {}),
    };
    const of = (names: readonly string[]): Json[] =>
      names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
    const place = { channel: { $ref: `#/channels/${channel}` }, tags: [{ name: stream.needs }] };
    operations[`${channel}Requests`] = {
      action: 'receive',
      title: `Requests: ${stream.summary}`,
      summary: 'The bridge takes requests of a listener.',
      ...place,
      messages: of(Object.keys(requests)),
    };
    operations[`${channel}Frames`] = {
      action: 'send',
      title: `Frames: ${stream.summary}`,
      summary: 'The bridge sends answers and data.',
      ...place,
      messages: of([...Object.keys(ANSWERS), ...Object.keys(frames)]),
    };
  }
  return {
    asyncapi: '3.0.0',
    id: 'urn:crossgate:bridge:streams',
    info: {
      title: 'Crossgate bridge streams',
      version: '1',
      description: `WebSockets under the exchange's own paths. Send keepalivePing at least every ${SILENCE_MS / 1000} seconds: a listener that says nothing for longer is dropped.`,
      contact: { name: 'The operators of this gateway', url: address },
      license: { name: 'MIT' },
      tags: [{ name: 'streams' }],
    },
    defaultContentType: 'application/json',
    servers: {
      bridge: {
        host,
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        description: 'This bridge.',
        security: [{ $ref: '#/components/securitySchemes/token' }, { $ref: '#/components/securitySchemes/cookie' }],
      },
    },
    channels,
    operations,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of this bridge.' },
        cookie: {
          type: 'httpApiKey',
          in: 'cookie',
          name: 'JWT_COOKIE',
          description: "The same token, as the exchange's clients send theirs.",
        },
      },
    },
  };
}

function requestsOf({ feed }: StreamPath): Record<string, Json> {
  const topic = topicsOf(feed)[0]!;
  return {
    subscribe: request('subscribe', `Subscribe to ${topicsOf(feed).join(', ')}.`, { topic, ...SUBJECT[feed] }),
    unsubscribe: request('unsubscribe', 'Take a subscription back.', { topic, ...SUBJECT[feed] }),
    keepalivePing: request('keepalivePing', 'Stay connected.', {}),
  };
}

function framesOf({ feed, path }: StreamPath, components: SchemaComponents): Record<string, Json> {
  const stream = path.replace('/trading-api/v1/', '').replace('/{symbol}', '');
  return Object.fromEntries(
    topicsOf(feed).map((topic) => {
      const frame = samples()[`${stream} ${topic}`]!;
      const payload = components.refer(frame, topic);
      return [topic, message(topic, `Data of ${topic}.`, payload, frame.example)];
    }),
  );
}
