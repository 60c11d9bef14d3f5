// Frames of the streams' JSON-RPC as the exchange speaks it: what a listener may send, acknowledgements and refusals.

import { toObject, toText } from '../exchange/mod.ts';
import type { FeedFrame } from './feeds.ts';

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

/** Codes of a refused subscription, as on the exchange. */
export const StreamErrorCode = { method: '29012', topic: '29013' } as const;
export type StreamErrorCode = (typeof StreamErrorCode)[keyof typeof StreamErrorCode];

const PARAMETERS = ['topic', 'symbol', 'tradingAccountId', 'subscriptionId'] as const;
/** Longest id that is echoed. */
const ID_LENGTH_MAX = 64;

/** Read one text frame of a listener; what cannot be read is `invalid`, never an exception. */
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

export function acknowledgement(id: string, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { responseCode: '200', responseCodeName: 'OK', message } });
}

/** Answer to keepalivePing; here the code is a number, as the exchange has it. */
export function pong(id: string): string {
  const result = { responseCode: 200, responseCodeName: 'OK', message: 'Keep alive pong' };
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** A refusal; `message` says why, in words. */
export function refusal(id: string, errorCode: StreamErrorCode, message: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: '-32602', errorCode, errorCodeName: message, message },
  });
}

/** A data frame as the exchange writes it. */
export function dataFrame({ type, dataType, tradingAccountId, data }: FeedFrame): string {
  const account = tradingAccountId === null ? {} : { tradingAccountId };
  return JSON.stringify({ type, dataType, ...account, data });
}
