// A small client of the simulated exchange for its own tests: signs independently of src/exchange-client, speaks real HTTP
// and WebSocket, and waits for frames instead of sleeping.

import { createHash, createHmac, createSign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { type KeyFile, type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/mod.ts';

export type Json = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly json: Json;
  readonly text: string;
  readonly headers: Headers;
}

export const ACCOUNT = '111000000000001';

/** A started simulator with a temporary keys directory that is removed when it closes. */
export async function startTestSimulator(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const keysDirectory = mkdtempSync(join(tmpdir(), 'simulator-keys-'));
  const clean = (): void => rmSync(keysDirectory, { recursive: true, force: true });
  try {
    const simulator = await startSimulator({ limits: null, auctions: { manual: true }, keysDirectory, ...options });
    return { ...simulator, close: () => simulator.close().finally(clean) };
  } catch (error) {
    clean();
    throw error;
  }
}

export function v2Order(fields: Json = {}): Json {
  return {
    commandType: 'V2CreateOrder',
    handle: null,
    symbol: 'BTCUSDC',
    type: 'LMT',
    side: 'BUY',
    price: '60000.0',
    stopPrice: null,
    quantity: '1',
    timeInForce: 'GTC',
    allowMargin: false,
    tradingAccountId: ACCOUNT,
    ...fields,
  };
}

export function v2Cancel(fields: Json): Json {
  const named = { commandType: 'V2CancelOrder', orderId: null, handle: null, symbol: 'BTCUSDC' };
  return { ...named, tradingAccountId: ACCOUNT, ...fields };
}

export interface SendOptions {
  readonly path?: string;
  /** Query behind the path; not part of what is signed. */
  readonly query?: string;
  readonly dialect?: 'v2' | 'v3';
  readonly prehash?: 'hexdigest' | 'none';
  readonly nonce?: string;
  readonly timestamp?: string;
  readonly headers?: Record<string, string | null>;
  readonly body?: (body: string) => string;
  readonly envelope?: Json;
}

const lastNonces = new Map<string, bigint>();
/** Rising nonces in microseconds, for all callers of one simulator, which may have a clock of its own. */
export function freshNonce(now = Date.now(), url = ''): string {
  const clock = BigInt(now) * 1000n;
  const last = lastNonces.get(url) ?? 0n;
  const nonce = clock > last ? clock : last + 1n;
  lastNonces.set(url, nonce);
  return String(nonce);
}

export class Caller {
  readonly url: string;
  readonly key: KeyFile & { readonly userId: string };
  readonly now: () => number;
  token = '';
  authorizer = '';

  constructor(simulator: Simulator, keyName: string, now: () => number = Date.now) {
    this.url = simulator.url;
    this.key = simulator.keys.get(keyName)!;
    this.now = now;
  }

  static async loggedIn(simulator: Simulator, keyName = 'demo-hmac', now: () => number = Date.now): Promise<Caller> {
    const caller = new Caller(simulator, keyName, now);
    await caller.login();
    return caller;
  }

  async login(): Promise<Answer> {
    const answer = this.key.kind === 'hmac' ? await this.hmacLogin() : await this.ecdsaLogin();
    if (answer.status === 200) {
      this.token = String(answer.json.token);
      this.authorizer = String(answer.json.authorizer);
    }
    return answer;
  }

  hmacLogin(changes: Record<string, string> = {}): Promise<Answer> {
    if (this.key.kind !== 'hmac') throw new Error('not an HMAC key');
    const timestamp = String(this.now());
    const text = `${timestamp}1GET/trading-api/v1/users/hmac/login`;
    const headers = {
      'bx-timestamp': timestamp,
      'bx-nonce': '1',
      'bx-public-key': this.key.publicKey,
      'bx-signature': createHmac('sha256', this.key.secret).update(text).digest('hex'),
      ...changes,
    };
    return this.fetch('/trading-api/v1/users/hmac/login', { headers });
  }

  ecdsaLogin(payloadChanges: Json = {}, bodyChanges: Json = {}): Promise<Answer> {
    if (this.key.kind !== 'ecdsa') throw new Error('not an ECDSA key');
    const nonce = Math.floor(this.now() / 1000);
    const loginPayload = {
      userId: this.key.userId,
      nonce,
      expirationTime: nonce + 300,
      biometricsUsed: false,
      sessionKey: null,
      ...payloadChanges,
    };
    const signature = createSign('sha256').update(JSON.stringify(loginPayload)).sign(this.key.privateKey, 'base64');
    const body = { publicKey: this.key.publicKey, signature, loginPayload, ...bodyChanges };
    return this.fetch('/trading-api/v2/users/login', { method: 'POST', body: JSON.stringify(body) });
  }

  get(path: string): Promise<Answer> {
    return this.fetch(path, { headers: { authorization: `Bearer ${this.token}` } });
  }

  sign(text: string, prehash: 'hexdigest' | 'none' = 'hexdigest'): string {
    const digest = createHash('sha256').update(text).digest('hex');
    if (this.key.kind === 'hmac') return createHmac('sha256', this.key.secret).update(digest).digest('hex');
    return createSign('sha256')
      .update(prehash === 'hexdigest' ? digest : text)
      .sign(this.key.privateKey, 'base64');
  }

  /** Send a command; the path follows from its type. */
  send(command: Json, options: SendOptions = {}): Promise<Answer> {
    const { commandType } = command;
    const isCreate = typeof commandType === 'string' && commandType.endsWith('CreateOrder');
    const path = options.path ?? `/trading-api/v2/${isCreate ? 'orders' : 'command'}`;
    const timestamp = options.timestamp ?? String(this.now());
    const nonce = options.nonce ?? freshNonce(this.now(), this.url);
    const envelope = { timestamp, nonce, authorizer: this.authorizer, command, ...options.envelope };
    const body = JSON.stringify(options.dialect === 'v3' ? command : envelope);
    const text = `${timestamp}${nonce}POST${path}${body.replace(/[ \n\r]/g, '')}`;
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      'bx-timestamp': timestamp,
      'bx-nonce': nonce,
      'bx-signature': this.sign(text, options.prehash),
    };
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    return this.fetch(`${path}${options.query ?? ''}`, { method: 'POST', headers, body: options.body?.(body) ?? body });
  }

  /** Create an order that must be acknowledged; returns its id. */
  async create(fields: Json = {}): Promise<string> {
    const answer = await this.send(v2Order(fields));
    if (answer.status !== 200) throw new Error(`not acknowledged: ${answer.text}`);
    return String(answer.json.orderId);
  }

  stream(
    path = 'private-data',
    headers: Record<string, string> = { cookie: `JWT_COOKIE=${this.token}` },
  ): Promise<Stream> {
    return Stream.open(`${this.url.replace('http', 'ws')}/trading-api/v1/${path}`, headers);
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(this.url + path, init);
    const text = await response.text();
    let json: Json = {};
    try {
      json = JSON.parse(text);
    } catch {
      // Not JSON: the test looks at the text.
    }
    return { status: response.status, json, text, headers: response.headers };
  }
}

/** Frames of one stream in order, waited for by what they are. */
export class Stream {
  readonly socket: WebSocket;
  readonly frames: Json[] = [];
  readonly closed: Promise<number>;
  private waiting: (() => void)[] = [];
  private ids = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
    socket.on('message', (data) => {
      this.frames.push(JSON.parse(String(data)));
      for (const wake of this.waiting.splice(0)) wake();
    });
    socket.on('error', () => {});
  }

  static open(url: string, headers: Record<string, string>): Promise<Stream> {
    const socket = new WebSocket(url, { headers });
    const stream = new Stream(socket);
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(stream));
      socket.on('error', reject);
    });
  }

  /** The first frame from the `from`-th on that matches; waits for it. */
  async find(matches: (frame: Json) => boolean, from = 0): Promise<Json> {
    for (let at = from; ; at++) {
      while (at >= this.frames.length) await new Promise<void>((resolve) => this.waiting.push(resolve));
      if (matches(this.frames[at]!)) return this.frames[at]!;
    }
  }

  send(method: string, params: Json = {}, id = String(++this.ids)): string {
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', type: 'command', method, params, id }));
    return id;
  }

  /** Subscribe and wait for the acknowledgement or refusal. */
  async subscribe(params: Json): Promise<Json> {
    const id = this.send('subscribe', params);
    return this.find((frame) => frame.id === id);
  }

  /** Answered only after everything that was sent before it: what has not come by then does not come. */
  async ping(): Promise<void> {
    const id = this.send('keepalivePing');
    await this.find((frame) => frame.id === id);
  }

  /** Updates of one kind so far, their data only. */
  updates(dataType: string): Json[] {
    return this.frames.filter((f) => f.dataType === dataType && f.type !== 'snapshot').map((f) => f.data as Json);
  }

  /** The update of an order with this reason code. */
  async order(orderId: string, reason: number): Promise<Json> {
    const frame = await this.find(({ dataType, type, data }) => {
      const order = data as Json;
      return (
        dataType === 'V1TAOrder' && type === 'update' && order.orderId === orderId && order.statusReasonCode === reason
      );
    });
    return frame.data as Json;
  }

  close(): void {
    this.socket.terminate();
  }
}
