// Frames of the streams' JSON-RPC: what a client may send, and the acknowledgements and refusals (reference.md §4.2).

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

/** Read one text frame of a client; what cannot be read is `invalid`, never an exception. */
export function readStreamRequest(text: string): StreamRequest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: 'invalid', id: '' };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { kind: 'invalid', id: '' };
  const frame = json as Readonly<Record<string, unknown>>;
  if (Object.keys(frame).length === 0) return { kind: 'empty' };
  const id = typeof frame.id === 'string' || typeof frame.id === 'number' ? String(frame.id) : '';
  const { method } = frame;
  if (method === 'keepalivePing') return { kind: 'keepalivePing', id };
  if (method !== 'subscribe' && method !== 'unsubscribe') return { kind: 'invalid', id };
  const params: Record<string, string> = {};
  if (typeof frame.params === 'object' && frame.params !== null) {
    for (const [name, value] of Object.entries(frame.params)) {
      if (typeof value === 'string' || typeof value === 'number') params[name] = String(value);
    }
  }
  return { kind: method, id, params };
}

export function acknowledgement(id: string, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { responseCode: '200', responseCodeName: 'OK', message } });
}

/** Answer to keepalivePing; here the code is a number, as captured. */
export function pong(id: string): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    result: { responseCode: 200, responseCodeName: 'OK', message: 'Keep alive pong' },
  });
}

export function refusal(id: string, errorCode: 29012 | 29013 | 29014, errorCodeName: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code: '-32602', errorCode: String(errorCode), errorCodeName } });
}

/** A data frame; private ones carry the account. */
export function dataFrame(
  type: 'snapshot' | 'update' | 'error',
  dataType: string,
  data: unknown,
  tradingAccountId: string | null,
): string {
  const account = tradingAccountId === null ? {} : { tradingAccountId };
  return JSON.stringify({ type, dataType, ...account, data });
}
