// Requests of stream clients: subscribe, unsubscribe, ping; and the snapshot after a subscription (exchange reference
// §4.2). streams.ts handles upgrades, publisher.ts later events.

import {
  readStreamRequest,
  type StreamRequest,
  streamAcknowledgement,
  streamDataFrame,
  streamPong,
  streamRefusal,
} from '../../exchange/mod.ts';
import type { Faults } from '../control/faults.ts';
import type { VenueRunner } from '../venue/venue-runner.ts';
import type { StreamSocket } from './socket.ts';
import { accountsOf, TICK, TOPICS, type Topic } from './topics.ts';

export class StreamRequests {
  private readonly runner: VenueRunner;
  private readonly faults: Faults;

  constructor(runner: VenueRunner, faults: Faults) {
    this.runner = runner;
    this.faults = faults;
  }

  /** The stream of one market's tick is subscribed by its path (exchange reference §4.1). */
  subscribeByPath(socket: StreamSocket, tickSymbol: string): void {
    socket.subscribe({ id: '', topic: 'tick', subject: tickSymbol });
    this.sendSnapshot(socket, TICK, tickSymbol);
  }

  /** Answer one message of a client. */
  receive(socket: StreamSocket, text: string): void {
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
    const names = (params.topic ?? '').split('+');
    const known: ReadonlyMap<string, Topic> = TOPICS.get(socket.path) ?? new Map();
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined) {
      socket.reply(streamRefusal(id, '29013', `'${unknown.slice(0, 40)}' is not a valid topic`));
      return;
    }
    const wanted = names.map((name) => {
      const topic = known.get(name)!;
      return { name, topic, subject: subjectOf(socket, topic, params) };
    });
    for (const { name, topic, subject } of wanted) {
      if (!this.isValidSubject(socket, id, topic, params) || this.meetsFault(socket, id, name, subject)) return;
    }
    // A repeated subscription is ignored without an answer.
    const fresh = wanted.filter(({ name, subject }) => !socket.hasSubscription(name, subject));
    for (const [i, { name, topic, subject }] of fresh.entries()) {
      if (!socket.subscribe({ id, topic: name, subject })) {
        socket.reply(streamRefusal(id, '29013', 'Too many subscriptions'));
        return;
      }
      if (i === 0) socket.reply(streamAcknowledgement(id, topic.message(subject ?? '')));
    }
    for (const { topic, subject } of fresh) {
      const { floor } = this.runner;
      const subjects = topic.subject === 'account' ? accountsOf(floor, socket, subject) : [subject ?? ''];
      for (const one of subjects) this.sendSnapshot(socket, topic, one);
    }
  }

  /** Whether a fault that was asked for is in the way of a subscription; answers if it is to be refused, else nothing comes. */
  private meetsFault(socket: StreamSocket, id: string, name: string, subject: string | null): boolean {
    const fault = this.faults.takeSubscription(name, subject);
    if (fault === 'refused') {
      socket.reply(streamRefusal(id, '29013', `'${name} ${subject ?? ''}' is refused on purpose`));
    }
    return fault !== null;
  }

  /** Whether symbol, asset or account of a subscription exist and are the user's; answers if not. */
  private isValidSubject(
    socket: StreamSocket,
    id: string,
    topic: Topic,
    params: Readonly<Record<string, string>>,
  ): boolean {
    const { floor } = this.runner;
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
    const frames = topic.snapshot(this.runner.floor, subject, this.runner.now());
    for (const { type, data, tradingAccountId } of frames) {
      socket.data(topic.dataType, streamDataFrame({ type, dataType: topic.dataType, data, tradingAccountId }));
    }
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
