// Server side of the streams' JSON-RPC, for the simulator and the bridge: requests of a listener, acknowledgements,
// refusals and data frames (exchange reference §4.2). The server decides topics and access.

import { toObject, toText } from './json.ts';

export type StreamRequest =
  | {
      readonly kind: 'subscribe' | 'unsubscribe';
      readonly id: string;
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'keepalivePing'; readonly id: string }
  /** An empty object, which some clients send to keep a stream open. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'invalid'; readonly id: string };

const PARAMETERS = ['topic', 'symbol', 'assetSymbol', 'tradingAccountId', 'subscriptionId'] as const;
/** Longest id that is echoed. */
const ID_LENGTH_MAX = 64;

/** Read one text frame of a listener; unreadable ones are `invalid`, never an exception. */
export function readStreamRequest(text: string): StreamRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Bad input of a peer is answered, not thrown.
    return { kind: 'invalid', id: '' };
  }
  const frame = toObject(json);
  if (frame === null) return { kind: 'invalid', id: '' };
  if (Object.keys(frame).length === 0) return { kind: 'empty' };
  const id = (toText(frame.id) ?? '').slice(0, ID_LENGTH_MAX);
  const { method } = frame;
  if (method === 'keepalivePing') return { kind: 'keepalivePing', id };
  if (method !== 'subscribe' && method !== 'unsubscribe') return { kind: 'invalid', id };
  const given = toObject(frame.params) ?? {};
  const params: Record<string, string> = {};
  for (const name of PARAMETERS) {
    const value = toText(given[name]);
    if (value !== null) params[name] = value;
  }
  return { kind: method, id, params };
}

/** A request was carried out. */
export function streamAcknowledgement(id: string, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { responseCode: '200', responseCodeName: 'OK', message } });
}

/** Answer to keepalivePing; here the code is a number, as the exchange has it. */
export function streamPong(id: string): string {
  const result = { responseCode: 200, responseCodeName: 'OK', message: 'Keep alive pong' };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** A refusal; `errorCodeName` says why, as on the exchange; `message` repeats it for readers that look there. */
export function streamRefusal(id: string, errorCode: string, errorCodeName: string, message?: string): string {
  const error = { code: '-32602', errorCode, errorCodeName, ...(message === undefined ? {} : { message }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** A data frame; private ones carry the account. */
export function streamDataFrame(frame: {
  readonly type: string;
  readonly dataType: string;
  readonly tradingAccountId: string | null;
  readonly data: unknown;
}): string {
  const { type, dataType, tradingAccountId, data } = frame;
  const account = tradingAccountId === null ? {} : { tradingAccountId };
  return JSON.stringify({ type, dataType, ...account, data });
}
