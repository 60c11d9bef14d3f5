// The WebSocket face: upgrades with authentication and limits, open connections and their ends. requests.ts handles
// requests, publisher.ts events as frames, topics.ts topics and snapshots.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EpochMs } from '../../base/time.ts';
import { cookieToken } from '../access/authentication.ts';
import type { Login } from '../access/logins.ts';
import type { AnswerFault } from '../control/faults.ts';
import type { Host } from '../host.ts';
import { BLOCK_PAGE } from '../rest/server.ts';
import type { VenueEvent } from '../venue/venue-event.ts';
import { StreamPublisher } from './publisher.ts';
import { StreamRequests } from './requests.ts';
import { StreamSocket } from './socket.ts';
import { TOPICS } from './topics.ts';

const FRAME_BYTES_MAX = 65_536;
const BASE = '/trading-api/v1/';
const TICK_PATH = 'market-data/tick/';

export class Streams {
  private readonly host: Host;
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  private readonly sockets = new Set<StreamSocket>();
  private readonly requests: StreamRequests;
  private readonly publisher: StreamPublisher;
  /** Connections that are left without an answer on purpose. */
  private readonly hung = new Set<Duplex>();
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(host: Host) {
    this.host = host;
    this.requests = new StreamRequests(host.runner, host.faults);
    this.publisher = new StreamPublisher(() => host.runner.floor, this.sockets);
    host.logins.onEnd = (login) => this.cut((socket) => socket.login?.token === login.token);
    this.every(host.settings.heartbeatMs, () => this.heartbeat());
    this.every(Math.max(50, Math.min(1_000, host.settings.streamIdleMs / 4)), () => this.dropIdle());
  }

  /** Take over a connection that asks to become a WebSocket. */
  upgrade(request: IncomingMessage, raw: Duplex, head: Buffer): void {
    raw.on('error', () => raw.destroy());
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url === null) {
      answerAndClose(raw, '400 Bad Request');
      return;
    }
    const path = url.pathname.startsWith(BASE) ? url.pathname.slice(BASE.length).replace(/\/$/, '') : '';
    const tickSymbol = path.startsWith(TICK_PATH) ? path.slice(TICK_PATH.length) : null;
    if (!TOPICS.has(path) && (tickSymbol === null || !this.host.runner.floor.markets.has(tickSymbol))) {
      answerAndClose(raw, '404 Not Found');
      return;
    }
    const fault = this.host.faults.takeAnswer('stream');
    if (fault !== null) {
      if (fault.what === 'hang') this.hung.add(raw);
      failUpgrade(fault, raw);
      return;
    }
    const now = this.host.runner.now();
    const address = request.socket.remoteAddress ?? '';
    if (!this.host.limits.countUpgrade(address, now)) {
      answerAndClose(raw, '429 Too Many Requests');
      return;
    }
    let login: Login | null = null;
    if (path === 'private-data') {
      const token = cookieToken(request.headers);
      if (token === null) {
        // Without a token the connection is dropped, with a bad one it is answered (exchange reference §4.2).
        raw.destroy();
        return;
      }
      login = this.host.logins.find(token, now);
      if (login === null || login.address !== address) {
        answerAndClose(raw, '401 Unauthorized', 'set-cookie: JWT_COOKIE=SESSION_TERMINATED\r\n');
        return;
      }
    }
    if (this.isFull(address, login)) {
      answerAndClose(raw, '429 Too Many Requests');
      return;
    }
    const account = url.searchParams.get('tradingAccountId');
    this.server.handleUpgrade(request, raw, head, (ws) => {
      const socket = new StreamSocket(ws, { path, address, login, account }, this.host.faults);
      this.accept(socket, ws, tickSymbol);
    });
  }

  /** Send what happened to everybody who subscribed to it. */
  publish(events: readonly VenueEvent[], now: EpochMs): void {
    this.publisher.publish(events, now);
  }

  /** Drop connections without a close frame: all, or those that match. */
  cut(matches: (socket: StreamSocket) => boolean = () => true): void {
    for (const socket of [...this.sockets]) if (matches(socket)) socket.cut();
  }

  get count(): number {
    return this.sockets.size;
  }

  /** Streams that hang on a login. */
  get privateCount(): number {
    let count = 0;
    for (const { login } of this.sockets) if (login !== null) count++;
    return count;
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.cut();
    for (const raw of this.hung) raw.destroy();
    this.server.close();
  }

  private every(ms: number, run: () => void): void {
    const timer = setInterval(run, ms);
    timer.unref();
    this.timers.push(timer);
  }

  private isFull(address: string, login: Login | null): boolean {
    const { publicStreamsPerAddress, privateStreamsPerKey } = this.host.settings.limits;
    let count = 0;
    for (const socket of this.sockets) {
      if (
        login !== null ? socket.login?.key.name === login.key.name : socket.login === null && socket.address === address
      ) {
        count++;
      }
    }
    return count >= (login !== null ? privateStreamsPerKey : publicStreamsPerAddress);
  }

  private accept(socket: StreamSocket, ws: WebSocket, tickSymbol: string | null): void {
    this.sockets.add(socket);
    ws.on('close', () => this.sockets.delete(socket));
    ws.on('error', () => socket.cut());
    ws.on('message', (data, isBinary) => {
      socket.lastHeardAt = performance.now();
      if (!isBinary) this.requests.receive(socket, String(data));
    });
    if (tickSymbol !== null) this.requests.subscribeByPath(socket, tickSymbol);
  }

  private heartbeat(): void {
    const now = this.host.runner.now();
    this.host.logins.dropExpired(now);
    this.publisher.heartbeat(now);
  }

  private dropIdle(): void {
    // The age of a connection is real time, independent of the venue's clock.
    const now = performance.now();
    this.cut((socket) => now - socket.lastHeardAt > this.host.settings.streamIdleMs);
  }
}

function answerAndClose(raw: Duplex, status: string, headers = '', body = ''): void {
  raw.end(`HTTP/1.1 ${status}\r\n${headers}connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}

/** Answer an upgrade wrongly, on purpose. */
function failUpgrade({ what, httpStatus }: AnswerFault, raw: Duplex): void {
  switch (what) {
    case 'lost':
    case 'truncated':
      raw.destroy();
      return;
    case 'hang':
      return;
    case 'html':
      answerAndClose(raw, `${httpStatus ?? 403} Simulated`, 'content-type: text/html\r\n', BLOCK_PAGE);
      return;
    case 'error':
      answerAndClose(raw, `${httpStatus ?? 500} Simulated`);
      return;
    case 'malformed':
    case 'empty':
      answerAndClose(raw, '200 OK', 'content-type: application/json\r\n', '{}');
      return;
  }
}
