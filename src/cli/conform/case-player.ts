// Plays one case over real connections: does what the run asks for, and gives it what comes back. Keeps every message as
// evidence. Opening connections is the endpoint's (endpoint.ts), judging them the run's.

import {
  type LinkedCase,
  type OutgoingMessage,
  type RunEffect,
  type RunInput,
  receivedMessage,
  ScenarioRun,
  type ScriptedIdentity,
  ScriptedSession,
  type StepOutcome,
  type StepVerdict,
} from '../../scenario/mod.ts';
import type { Connection } from '../../transport/mod.ts';
import { type DataFields, Framer, type MessageView, maskSecrets, toRedacted } from '../../wire/mod.ts';
import type { Endpoint, OpenedConnection } from './endpoint.ts';

/** A message of a case, secrets masked. */
export interface EvidenceMessage {
  readonly at: number;
  readonly direction: 'sent' | 'received';
  readonly connection: string;
  /** `8=FIX.4.4|9=…`. */
  readonly text: string;
}

export interface CaseResult {
  readonly outcome: StepOutcome;
  /** Empty if it passed. */
  readonly text: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly verdicts: readonly StepVerdict[];
  readonly messages: readonly EvidenceMessage[];
  /** Whether a connection was made at all. */
  readonly connected: boolean;
}

export interface PlayOptions {
  readonly case: LinkedCase;
  readonly endpoint: Endpoint;
  readonly identity: ScriptedIdentity;
  /** The session of the first connection, which lasts over all cases: its numbers go on. */
  readonly session: ScriptedSession;
  readonly dataFields: DataFields;
  readonly variables: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
  readonly wholeSeconds: boolean;
  /** Judge CompIDs and MsgSeqNum of each message, unless its step names them. */
  readonly judgesHeader: boolean;
  readonly onSay: (text: string) => void;
}

const FRAMER_LIMITS = { frameBytesMax: 1_048_576, fieldsMax: 65_536 };
/** Messages kept as evidence of one case; the last ones say why it failed. */
const EVIDENCE_MAX = 2_000;
/** Longest timer: a case may wait for a day. */
const TIMER_MS_MAX = 3_600_000;

interface OpenConnection {
  readonly connection: Connection;
  readonly framer: Framer;
  readonly closed: Promise<void>;
}

/** Plays one case, once. */
export class CasePlayer {
  private readonly options: PlayOptions;
  private readonly result = Promise.withResolvers<CaseResult>();
  private readonly run: ScenarioRun;
  private readonly sessions = new Map<string, ScriptedSession>();
  private readonly open = new Map<string, OpenConnection>();
  private readonly closing: Promise<void>[] = [];
  private readonly verdicts: StepVerdict[] = [];
  private readonly messages: EvidenceMessage[] = [];
  private readonly startedAt = Date.now();
  private readonly cancelled = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private connected = false;
  private over = false;

  constructor(options: PlayOptions) {
    this.options = options;
    const { case: linked, timeoutMs, wholeSeconds, variables, session } = options;
    this.sessions.set('', session);
    this.run = new ScenarioRun({
      case: linked,
      variables: (name, connection) => variables.get(name) ?? this.session(connection).variable(name),
      timeoutMs,
      wholeSeconds,
      answersTestRequests: true,
    });
  }

  /** Play to the end; every connection that the case opened is closed then. */
  play(): Promise<CaseResult> {
    this.give({ kind: 'start' });
    return this.result.promise;
  }

  /** End the case, with the reason as that of its present step. */
  abort(reason: string): void {
    this.give({ kind: 'abort', reason });
  }

  private session(connection: string): ScriptedSession {
    let session = this.sessions.get(connection);
    if (session === undefined) {
      session = new ScriptedSession(this.options.identity);
      this.sessions.set(connection, session);
    }
    return session;
  }

  /** A bug must end the case, not hang it. */
  private give(input: RunInput): void {
    if (this.over) return;
    try {
      for (const effect of this.run.handle(input, Date.now())) this.execute(effect);
      this.arm();
    } catch (error) {
      this.finish();
      this.result.reject(error);
    }
  }

  private execute(effect: RunEffect): void {
    switch (effect.kind) {
      case 'connect':
        this.connect(effect.connection);
        return;
      case 'disconnect':
        this.close(effect.connection);
        return;
      case 'send':
        this.send(effect.connection, effect.message);
        return;
      case 'set':
        this.set(effect.connection, effect.key, effect.value);
        return;
      case 'verb':
        this.give({ kind: 'done', outcome: { kind: 'skipped', text: `conform has no step ${effect.verb}` } });
        return;
      case 'say':
        this.options.onSay(effect.text);
        return;
      case 'begun':
        return;
      case 'verdict':
        this.verdicts.push(effect);
        return;
      case 'ended':
        this.end(effect.outcome, effect.text);
    }
  }

  private connect(name: string): void {
    this.close(name);
    this.options.endpoint.open(this.cancelled.signal).then(
      (opened) => this.opened(name, opened),
      (error: Error) => this.give({ kind: 'disconnected', connection: name, reason: error.message }),
    );
  }

  private opened(name: string, { connection, received }: OpenedConnection): void {
    if (this.over) {
      connection.destroy('the case is over');
      return;
    }
    this.connected = true;
    const framer = new Framer(FRAMER_LIMITS);
    framer.dataFields = this.options.dataFields;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const opened = { connection, framer, closed };
    this.open.set(name, opened);
    this.give({ kind: 'connected', connection: name });
    const isCurrent = (): boolean => this.open.get(name) === opened;
    connection.onClose = (reason) => {
      resolve();
      if (isCurrent()) this.give({ kind: 'disconnected', connection: name, reason });
    };
    connection.onChunk = (chunk) => {
      if (isCurrent()) this.read(name, framer, chunk);
    };
    for (const chunk of received) if (isCurrent()) this.read(name, framer, chunk);
  }

  private read(name: string, framer: Framer, chunk: Buffer): void {
    framer.push(chunk);
    for (let result = framer.next(); result !== null && !this.over; result = framer.next()) {
      if (result.kind === 'garbled') this.give({ kind: 'garbled', connection: name, text: result.notice.text });
      else this.received(name, result.view);
    }
  }

  private received(name: string, view: MessageView): void {
    const message = receivedMessage(view);
    this.keep('received', name, view.bytes());
    const implied = this.session(name).receive(message);
    const { judgesHeader } = this.options;
    this.give({ kind: 'message', connection: name, message, implied: judgesHeader ? implied : [] });
  }

  private send(name: string, message: OutgoingMessage): void {
    const bytes = this.session(name).complete(message, Date.now());
    this.keep('sent', name, bytes);
    this.open.get(name)?.connection.send(bytes);
  }

  private keep(direction: 'sent' | 'received', connection: string, bytes: Uint8Array): void {
    if (this.messages.length >= EVIDENCE_MAX) this.messages.shift();
    const text = toRedacted(maskSecrets(bytes, this.options.dataFields));
    this.messages.push({ at: Date.now(), direction, connection, text });
  }

  private set(connection: string, key: string, value: string): void {
    const session = this.session(connection);
    const number = Number(value);
    if (key !== 'next' && key !== 'expected') {
      const text = `conform cannot set ${key} of the counterparty`;
      this.give({ kind: 'done', outcome: { kind: 'skipped', text } });
    } else if (!Number.isSafeInteger(number) || number < 1) {
      this.give({ kind: 'done', outcome: { kind: 'failed', text: `${value} is no MsgSeqNum` } });
    } else {
      session[key] = number;
      this.give({ kind: 'done', outcome: { kind: 'passed' } });
    }
  }

  private close(name: string): void {
    const opened = this.open.get(name);
    if (opened === undefined) return;
    this.open.delete(name);
    opened.connection.close();
    this.closing.push(opened.closed);
  }

  private arm(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { deadline } = this.run;
    if (this.over || deadline === null) return;
    const wait = Math.min(TIMER_MS_MAX, Math.max(0, deadline - Date.now()));
    this.timer = setTimeout(() => this.give({ kind: 'tick' }), wait);
  }

  private end(outcome: StepOutcome, text: string): void {
    this.finish();
    const { startedAt, verdicts, messages, connected } = this;
    const result = { outcome, text, startedAt, endedAt: Date.now(), verdicts, messages, connected };
    // A counterparty that still sees the old connection would refuse the next one.
    Promise.all(this.closing).then(() => this.result.resolve(result), this.result.reject);
  }

  private finish(): void {
    this.over = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.cancelled.abort();
    for (const name of [...this.open.keys()]) this.close(name);
  }
}
