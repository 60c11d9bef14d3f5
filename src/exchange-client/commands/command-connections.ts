// The way of commands over HTTP: kept-alive connections, one request at a time on each, written in one piece as soon as
// it is asked for. A client library for everything would let a turn of the event loop pass before it uses a connection
// again and do the work of all that it could; a command does neither. Reports the same fates as http.ts, which reads
// use.

import { channel } from 'node:diagnostics_channel';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ExchangeTls, errorText, type HttpAnswer, type HttpRequest, type HttpResult } from '../reads/http.ts';
import { AnswerParser, KnownLines } from './answer-parser.ts';

/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');
/** An unused connection is ended after this, unless its answers say that the exchange keeps it for longer. */
const IDLE_MS = 4_000;
const IDLE_MS_MAX = 600_000;
/** So much sooner than the exchange would end it: a request must not meet its end. */
const IDLE_MARGIN_MS = 1_000;
const SWEEP_MS = 1_000;
/** Unused for so long, a connection is looked at before it is used. */
const SETTLED_AFTER_MS = 500;
const KEEP_ALIVE_MS = 30_000;

const SAFE_NAME = /^[a-z-]{1,64}$/;
const UNSAFE_VALUE = /[^\x20-\x7e]/;
const SAFE_TARGET = /^\/[\x21-\x7e]*$/;

export interface CommandConnectionsLimits {
  readonly tls?: ExchangeTls;
  /** As many commands can be unanswered at once. */
  readonly connections: number;
  readonly connectMs: number;
  readonly requestMs: number;
}

/** A request as it is written. */
interface Rendered {
  readonly text: string;
  readonly encoding: 'latin1' | 'utf8';
}

/** A command that waits for a connection, or for its answer. */
class Attempt {
  readonly request: Rendered;
  /** Said once it is written. */
  readonly onSent: (() => void) | null;
  readonly #resolve: (result: HttpResult) => void;
  readonly #timer: NodeJS.Timeout;
  connection: CommandConnection | null = null;
  isOver = false;

  constructor(
    request: Rendered,
    requestMs: number,
    onSent: (() => void) | null,
    resolve: (result: HttpResult) => void,
  ) {
    this.request = request;
    this.onSent = onSent;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => {
      const { connection } = this;
      if (connection === null) this.settle({ kind: 'notSent', message: `no connection within ${requestMs} ms` });
      else connection.fail(`no answer within ${requestMs} ms`);
    }, requestMs);
  }

  settle(result: HttpResult): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}

/** Connections to one origin. */
export class CommandConnections {
  readonly #url: URL;
  readonly #limits: CommandConnectionsLimits;
  /** The one used last stands last and is used next: the others may grow old. */
  readonly #idle: CommandConnection[] = [];
  readonly #all = new Set<CommandConnection>();
  readonly #lines = new KnownLines();
  /** Text in the same place as at the last write: most of a request never changes. */
  readonly #headers = new Map<string, { readonly value: string; readonly line: string }>();
  #start = { method: '', target: '', line: '' };
  #connecting = 0;
  #waiting: Attempt[] = [];
  #sweep: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(baseUrl: string, limits: CommandConnectionsLimits) {
    this.#url = new URL(baseUrl);
    this.#limits = limits;
  }

  /** Whether a command would wait for no other one's answer. */
  get hasRoom(): boolean {
    return this.#idle.length > 0 || this.#all.size < this.#limits.connections;
  }

  /**
   * Send once; resolves always. `requestMs` bounds it from here to the last byte of the answer. `onSent`: said once it
   * is handed to the socket.
   */
  send(
    request: HttpRequest,
    requestMs: number = this.#limits.requestMs,
    onSent: (() => void) | null = null,
  ): Promise<HttpResult> {
    if (this.#closed) return Promise.resolve({ kind: 'notSent', message: 'the client is closed' });
    const rendered = this.#render(request);
    if (rendered === null) return Promise.resolve({ kind: 'notSent', message: 'the request cannot be written' });
    return new Promise((resolve) => {
      const attempt = new Attempt(rendered, requestMs, onSent, resolve);
      const connection = this.#takeIdle();
      if (connection === null) this.#wait(attempt);
      else if (connection.idleMs(performance.now()) < SETTLED_AFTER_MS) connection.run(attempt);
      else {
        // It may have been ended meanwhile, unread as yet: the event loop looks first.
        setImmediate(() => {
          if (attempt.isOver) this.#freed(connection);
          else if (connection.isOver) this.#wait(attempt);
          else connection.run(attempt);
        });
      }
    });
  }

  /** An answer was not that of its command: whatever else comes on its connection belongs to another one, too. */
  distrust(answer: HttpAnswer): void {
    for (const connection of this.#all) {
      if (connection.lastAnswer === answer) connection.fail('its answers were those of other commands');
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#sweep !== null) clearInterval(this.#sweep);
    for (const connection of [...this.#all]) connection.fail('the client is closed');
    for (const attempt of this.#waiting.splice(0)) attempt.settle({ kind: 'notSent', message: 'the client is closed' });
  }

  /** The request as text; null if a header or the target would break out of its place. */
  #render({ method, target, headers, body }: HttpRequest): Rendered | null {
    let start = this.#start;
    if (start.method !== method || start.target !== target) {
      if (!SAFE_TARGET.test(target)) return null;
      start = { method, target, line: `${method} ${target} HTTP/1.1\r\nhost: ${this.#url.host}\r\n` };
      this.#start = start;
    }
    let head = start.line;
    for (const name in headers) {
      const value = headers[name]!;
      let header = this.#headers.get(name);
      if (header?.value !== value) {
        if ((header === undefined && !SAFE_NAME.test(name)) || UNSAFE_VALUE.test(value)) return null;
        header = { value, line: `${name}: ${value}\r\n` };
        this.#headers.set(name, header);
      }
      head += header.line;
    }
    if (body === null) return { text: `${head}\r\n`, encoding: 'latin1' };
    const length = Buffer.byteLength(body);
    const encoding = length === body.length ? 'latin1' : 'utf8';
    return { text: `${head}content-length: ${length}\r\n\r\n${body}`, encoding };
  }

  #takeIdle(): CommandConnection | null {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable(performance.now())) return connection;
      connection.fail('not used for too long');
    }
    return null;
  }

  #wait(attempt: Attempt): void {
    if (this.#closed) {
      attempt.settle({ kind: 'notSent', message: 'the client is closed' });
      return;
    }
    this.#waiting.push(attempt);
    this.#connectForWaiting();
  }

  #connectForWaiting(): void {
    this.#waiting = this.#waiting.filter(({ isOver }) => !isOver);
    while (!this.#closed && this.#connecting < this.#waiting.length && this.#all.size < this.#limits.connections) {
      this.#connecting++;
      this.#all.add(this.#connect());
    }
  }

  #connect(): CommandConnection {
    let isOpening = true;
    const opened = (): void => {
      if (isOpening) this.#connecting--;
      isOpening = false;
    };
    return new CommandConnection(openSocket(this.#url, this.#limits.tls), this.#limits.connectMs, this.#lines, {
      onFree: (connection) => {
        opened();
        this.#freed(connection);
      },
      onEnd: (connection, reason) => {
        const failed = isOpening;
        opened();
        this.#all.delete(connection);
        const at = this.#idle.indexOf(connection);
        if (at !== -1) this.#idle.splice(at, 1);
        // One connection that cannot be had is one command that cannot leave; the next one tries again.
        if (failed) this.#nextWaiting()?.settle({ kind: 'notSent', message: reason });
        this.#connectForWaiting();
      },
    });
  }

  #freed(connection: CommandConnection): void {
    if (connection.isOver) return;
    const next = this.#nextWaiting();
    if (next !== null) {
      connection.run(next);
      return;
    }
    this.#idle.push(connection);
    this.#sweep ??= setInterval(() => this.#endIdle(), SWEEP_MS).unref();
  }

  #nextWaiting(): Attempt | null {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (!next.isOver) return next;
    return null;
  }

  #endIdle(): void {
    const now = performance.now();
    for (const connection of [...this.#idle]) if (!connection.isUsable(now)) connection.fail('not used for too long');
  }
}

interface ConnectionOwner {
  /** It can take a command: newly open, or its answer is there. */
  onFree(connection: CommandConnection): void;
  onEnd(connection: CommandConnection, reason: string): void;
}

/** One connection, and the command that waits on it for its answer. */
class CommandConnection {
  readonly #socket: Socket;
  readonly #owner: ConnectionOwner;
  readonly #parser: AnswerParser;
  #running: Attempt | null = null;
  lastAnswer: HttpAnswer | null = null;
  isOver = false;
  #idleSince = 0;
  #idleMs = IDLE_MS;

  constructor(socket: Socket, connectMs: number, lines: KnownLines, owner: ConnectionOwner) {
    this.#parser = new AnswerParser(lines);
    this.#socket = socket;
    this.#owner = owner;
    const late = setTimeout(() => this.fail(`no connection within ${connectMs} ms`), connectMs);
    socket.once('close', () => clearTimeout(late));
    socket.once(isTls(socket) ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      this.#free();
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.fail(errorText(error)));
    socket.on('end', () => this.#ended());
    socket.on('close', () => this.fail('the connection was closed'));
  }

  isUsable(now: number): boolean {
    return !this.isOver && this.#socket.writable && this.idleMs(now) < this.#idleMs;
  }

  idleMs(now: number): number {
    return now - this.#idleSince;
  }

  run(attempt: Attempt): void {
    this.#running = attempt;
    attempt.connection = this;
    this.#socket.ref();
    if (stages.hasSubscribers) stages.publish('socket begins');
    this.#socket.write(attempt.request.text, attempt.request.encoding);
    if (stages.hasSubscribers) stages.publish('request out');
    attempt.onSent?.();
  }

  /** It is over; a command on it may have arrived. */
  fail(message: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#socket.destroy();
    this.#running?.settle({ kind: 'broken', message });
    this.#running = null;
    this.#owner.onEnd(this, message);
  }

  #take(chunk: Buffer): void {
    if (this.isOver) return;
    if (this.#running === null) {
      this.fail('the exchange answered without being asked');
      return;
    }
    const parsed = this.#parser.push(chunk);
    if (parsed.kind === 'incomplete') return;
    if (parsed.kind === 'malformed') this.fail(parsed.message);
    else this.#answered(parsed);
  }

  #ended(): void {
    const parsed = this.#parser.end();
    if (parsed.kind === 'answer') this.#running?.settle(parsed.answer);
    this.fail('the exchange closed the connection');
  }

  #answered({ answer, reusable, keepAliveS }: Extract<ReturnType<AnswerParser['push']>, { kind: 'answer' }>): void {
    const attempt = this.#running;
    this.#running = null;
    if (keepAliveS !== null) {
      this.#idleMs = Math.max(0, Math.min(IDLE_MS_MAX, keepAliveS * 1_000 - IDLE_MARGIN_MS));
    }
    this.lastAnswer = answer;
    attempt?.settle(answer);
    if (reusable) this.#free();
    else this.fail('the exchange keeps the connection no longer');
  }

  #free(): void {
    this.#idleSince = performance.now();
    // An unused connection keeps no process alive.
    this.#socket.unref();
    this.#owner.onFree(this);
  }
}

function openSocket({ protocol, hostname, port }: URL, tls: ExchangeTls = {}): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol !== 'https:') return connectTcp({ host, port: Number(port || 80) });
  const options = { ...tls, host, port: Number(port || 443), ALPNProtocols: ['http/1.1'] };
  // An address is no name that could be indicated.
  return connectTls(/^[\d.]+$|:/.test(host) ? options : { ...options, servername: host });
}

function isTls(socket: Socket): boolean {
  return 'encrypted' in socket;
}
