// The WebSocket face: upgrade with its authentication, subscriptions, and the venue's events as frames.
// Topics and snapshots are stream-topics.ts; one client is stream-socket.ts.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EpochMs } from '../base/time.ts';
import {
  readStreamRequest,
  type StreamRequest,
  streamAcknowledgement,
  streamDataFrame,
  streamPong,
  streamRefusal,
} from '../exchange/mod.ts';
import { positionFrame } from './account-rendering.ts';
import { instructionFrame } from './amm-rendering.ts';
import { cookieToken } from './authentication.ts';
import type { Host } from './host.ts';
import type { Login } from './logins.ts';
import {
  assetAccount,
  auctionPhase,
  errorNotice,
  publicTrade,
  streamNoii,
  streamOrder,
  streamTrade,
} from './rendering.ts';
import { indexPriceJson } from './rest-market-data.ts';
import { mmpRequestFrame, mmpTriggerFrame } from './rest-mmp.ts';
import { StreamSocket } from './stream-socket.ts';
import {
  accountsOf,
  anonymousTrades,
  level1,
  level2,
  TICK,
  TOPICS,
  type Topic,
  tradingAccountFrame,
} from './stream-topics.ts';
import { streamTick } from './tick.ts';
import type { VenueEvent } from './venue-event.ts';

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
  private readonly sequenceSent = new Map<string, number>();
  private readonly timers: NodeJS.Timeout[] = [];
  private heartbeats = 0;

  constructor(host: Host) {
    this.host = host;
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
    const now = this.host.runner.now();
    let login: Login | null = null;
    if (path === 'private-data') {
      const token = cookieToken(request.headers);
      if (token === null) {
        // Without a token the connection is dropped, with a bad one it is answered (exchange reference §4.2).
        raw.destroy();
        return;
      }
      login = this.host.logins.find(token, now);
      if (login === null || login.address !== request.socket.remoteAddress) {
        answerAndClose(raw, '401 Unauthorized', 'set-cookie: JWT_COOKIE=SESSION_TERMINATED\r\n');
        return;
      }
    }
    const address = request.socket.remoteAddress ?? '';
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
    if (this.sockets.size === 0) return;
    const moved = new Set<string>();
    for (const event of events) {
      this.publishOne(event, now);
      if (event.kind === 'assetAccount' || event.kind === 'position') moved.add(event.tradingAccountId);
      else if (event.kind === 'trade') moved.add(event.trade.tradingAccountId);
    }
    // Once for all that one input moved: margins depend on everything in the account.
    for (const account of moved) {
      const frame = (): unknown => tradingAccountFrame(this.host.runner.floor, account, now);
      this.toAccount('tradingAccounts', 'V1TATradingAccount', account, frame);
    }
  }

  /** Drop connections without a close frame: all, or those that match. */
  cut(matches: (socket: StreamSocket) => boolean = () => true): void {
    for (const socket of [...this.sockets]) if (matches(socket)) socket.cut();
  }

  get count(): number {
    return this.sockets.size;
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.cut();
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
      if (!isBinary) this.receive(socket, String(data));
    });
    if (tickSymbol === null) return;
    socket.subscribe({ id: '', topic: 'tick', subject: tickSymbol });
    this.sendSnapshot(socket, TICK, tickSymbol);
  }

  private receive(socket: StreamSocket, text: string): void {
    const request = readStreamRequest(text);
    switch (request.kind) {
      case 'keepalivePing':
        socket.reply(streamPong(request.id));
        return;
      case 'empty':
        return;
      case 'invalid':
        socket.reply(streamRefusal(request.id, '29012', 'The method is not valid'));
        return;
      case 'subscribe':
        this.subscribe(socket, request);
        return;
      case 'unsubscribe':
        this.unsubscribe(socket, request);
        return;
    }
  }

  private subscribe(socket: StreamSocket, request: Extract<StreamRequest, { params: unknown }>): void {
    const { id, params } = request;
    const topics = (params.topic ?? '').split('+');
    const known: ReadonlyMap<string, Topic> = TOPICS.get(socket.path) ?? new Map();
    for (const name of topics) {
      if (!known.has(name)) {
        socket.reply(streamRefusal(id, '29013', `'${name.slice(0, 40)}' is not a valid topic`));
        return;
      }
    }
    for (const name of topics) {
      if (!this.isValidSubject(socket, id, known.get(name)!, params)) return;
    }
    // A repeated subscription is ignored without an answer.
    const fresh = topics.filter((name) => !socket.hasSubscription(name, subjectOf(socket, known.get(name)!, params)));
    for (const [i, name] of fresh.entries()) {
      const topic = known.get(name)!;
      const subject = subjectOf(socket, topic, params);
      if (!socket.subscribe({ id, topic: name, subject })) {
        socket.reply(streamRefusal(id, '29013', 'Too many subscriptions'));
        return;
      }
      if (i === 0) socket.reply(streamAcknowledgement(id, topic.message(subject ?? '')));
    }
    for (const name of fresh) {
      const topic = known.get(name)!;
      const subject = subjectOf(socket, topic, params);
      if (topic.subject !== 'account') this.sendSnapshot(socket, topic, subject ?? '');
      else
        for (const account of accountsOf(this.host.runner.floor, socket, subject))
          this.sendSnapshot(socket, topic, account);
    }
  }

  /** Whether symbol, asset or account of a subscription exist and are the user's; answers if not. */
  private isValidSubject(
    socket: StreamSocket,
    id: string,
    topic: Topic,
    params: Readonly<Record<string, string>>,
  ): boolean {
    const { floor } = this.host.runner;
    const refuse = (code: '29013' | '29014', text: string): false => {
      socket.reply(streamRefusal(id, code, text));
      return false;
    };
    switch (topic.subject) {
      case 'none':
        return true;
      case 'symbol': {
        const symbol = params.symbol ?? '';
        if (floor.markets.has(symbol)) return true;
        const code = socket.path === 'market-data/tick' ? '29014' : '29013';
        return refuse(code, `'${symbol.slice(0, 40)}' is not a valid market symbol`);
      }
      case 'assetSymbol': {
        const asset = params.assetSymbol ?? '';
        return floor.indexPrices.has(asset) || refuse('29014', `'${asset.slice(0, 40)}' is not a valid asset symbol`);
      }
      case 'account': {
        const account = params.tradingAccountId ?? socket.account;
        if (account === null) return true;
        if (floor.ledger.account(account)?.user === socket.login?.key.user.name) return true;
        return refuse('29013', `'${account.slice(0, 40)}' is not a valid trading account`);
      }
    }
  }

  private unsubscribe(socket: StreamSocket, { id, params }: Extract<StreamRequest, { params: unknown }>): void {
    const { subscriptionId, topic } = params;
    const subject = params.symbol ?? params.assetSymbol ?? null;
    const found = socket.unsubscribe((s) =>
      subscriptionId !== undefined ? s.id === subscriptionId : s.topic === topic && s.subject === subject,
    );
    const about = topic === undefined ? '' : ` (${topic} ${subject ?? ''})`;
    if (found) socket.reply(streamAcknowledgement(id, `Successfully unsubscribed${about}`));
    else socket.reply(streamRefusal(id, '29013', 'There is no such subscription'));
  }

  private sendSnapshot(socket: StreamSocket, topic: Topic, subject: string): void {
    const frames = topic.snapshot(this.host.runner.floor, subject, this.host.runner.now());
    for (const { type, data, tradingAccountId } of frames) {
      socket.data(topic.dataType, streamDataFrame({ type, dataType: topic.dataType, data, tradingAccountId }));
    }
  }

  private publishOne(event: VenueEvent, now: EpochMs): void {
    const { floor } = this.host.runner;
    switch (event.kind) {
      case 'order': {
        const { order } = event;
        this.toAccount('orders', 'V1TAOrder', order.tradingAccountId, () => streamOrder(floor, order, now));
        return;
      }
      case 'trade': {
        const { trade } = event;
        this.toAccount('trades', 'V1TATrade', trade.tradingAccountId, () => streamTrade(floor, trade, now));
        if (floor.markets.get(trade.symbol)!.spec.marketType === 'SPOT') return;
        this.toAccount('derivativesPositionsV2', 'V1TADerivativesPosition', trade.tradingAccountId, () =>
          positionFrame(floor, floor.position(trade.tradingAccountId, trade.symbol, now), 'tradeUpdate', now),
        );
        return;
      }
      case 'assetAccount': {
        const { tradingAccountId, asset } = event;
        this.toAccount('assetAccounts', 'V1TAAssetAccount', tradingAccountId, () => ({
          ...assetAccount(floor, tradingAccountId, asset, now),
          publishedAtTimestamp: String(now),
        }));
        return;
      }
      case 'notice': {
        const account = event.notice.tradingAccountId;
        this.toAccount('orders', 'V1TAErrorResponse', account, () => errorNotice(event.notice), 'error');
        return;
      }
      case 'publicTrade': {
        const { trade } = event;
        const { spec } = floor.markets.get(trade.symbol)!;
        this.toAll('anonymousTrades', 'V1TAAnonymousTradeUpdate', trade.symbol, () => {
          const json = { ...publicTrade(spec, trade), publishedAtTimestamp: String(now) };
          return anonymousTrades(floor, trade.symbol, [json], now);
        });
        this.toAll('tick', TICK.dataType, trade.symbol, () => streamTick(floor, floor.markets.get(trade.symbol)!, now));
        return;
      }
      case 'book':
        this.publishBook(event.symbol, now);
        return;
      case 'phase':
        this.toAll('phase', 'V1TAAuctionPhase', event.auction.symbol, () => auctionPhase(event.auction));
        return;
      case 'noii': {
        const { spec } = floor.markets.get(event.noii.symbol)!;
        this.toAll('noii', 'V1TANoii', event.noii.symbol, () => streamNoii(spec, event.noii));
        return;
      }
      case 'instruction': {
        const { instruction } = event;
        this.toAccount('ammInstructions', 'V1TAAmmInstruction', instruction.tradingAccountId, () =>
          instructionFrame(floor, instruction, now),
        );
        return;
      }
      case 'position': {
        const { tradingAccountId, symbol, eventType } = event;
        this.toAccount('derivativesPositionsV2', 'V1TADerivativesPosition', tradingAccountId, () =>
          positionFrame(floor, floor.position(tradingAccountId, symbol, now), eventType, now),
        );
        return;
      }
      case 'mmpRequest': {
        const { request } = event;
        const account = request.command.tradingAccountId;
        this.toAccount('mmpRequest', 'V1TAMMPConfigRequest', account, () => mmpRequestFrame(request));
        return;
      }
      case 'mmpTrigger': {
        const { trigger } = event;
        this.toAccount('mmpTrigger', 'V1TAMMPTrigger', trigger.tradingAccountId, () => mmpTriggerFrame(trigger));
        return;
      }
      case 'indexPrice':
        this.toAll('indexPrice', 'V1TAIndexPrice', event.asset, () => indexPriceJson(event.asset, event.price, now));
        return;
    }
  }

  private publishBook(symbol: string, now: EpochMs): void {
    const { floor } = this.host.runner;
    const { sequence } = floor.markets.get(symbol)!.book;
    const from = (this.sequenceSent.get(symbol) ?? sequence - 1) + 1;
    this.sequenceSent.set(symbol, sequence);
    this.toAll('l1Orderbook', 'V1TALevel1', symbol, () => level1(floor, symbol, now));
    this.toAll('l2Orderbook', 'V1TALevel2', symbol, () => level2(floor, symbol, Math.min(from, sequence), now));
  }

  private toAccount(
    topic: string,
    dataType: string,
    account: string,
    data: () => unknown,
    type: 'update' | 'error' = 'update',
  ): void {
    const owner = this.host.runner.floor.ledger.account(account)?.user;
    let frame: string | null = null;
    for (const socket of this.sockets) {
      if (socket.login === null || socket.login.key.user.name !== owner) continue;
      if (!socket.isSubscribed(topic, account)) continue;
      frame ??= streamDataFrame({ type, dataType, data: data(), tradingAccountId: account });
      socket.data(dataType, frame);
    }
  }

  private toAll(topic: string, dataType: string, subject: string, data: () => unknown): void {
    let frame: string | null = null;
    for (const socket of this.sockets) {
      if (!socket.isSubscribed(topic, subject)) continue;
      frame ??= streamDataFrame({ type: 'update', dataType, data: data(), tradingAccountId: null });
      socket.data(dataType, frame);
    }
  }

  private heartbeat(): void {
    const now = this.host.runner.now();
    this.host.logins.dropExpired(now);
    const data = [{ sequenceNumber: String(++this.heartbeats), createdAtTimestamp: String(now) }];
    this.toAll('heartbeat', 'V1TAHeartbeat', '', () => data);
  }

  private dropIdle(): void {
    // The age of a connection is real time, whatever clock the venue runs on.
    const now = performance.now();
    this.cut((socket) => now - socket.lastHeardAt > this.host.settings.streamIdleMs);
  }
}

function subjectOf(socket: StreamSocket, topic: Topic, params: Readonly<Record<string, string>>): string | null {
  switch (topic.subject) {
    case 'none':
      return null;
    case 'symbol':
      return params.symbol ?? '';
    case 'assetSymbol':
      return params.assetSymbol ?? '';
    case 'account':
      return params.tradingAccountId ?? socket.account;
  }
}

function answerAndClose(raw: Duplex, status: string, headers = ''): void {
  raw.end(`HTTP/1.1 ${status}\r\n${headers}connection: close\r\ncontent-length: 0\r\n\r\n`);
}
