// The counterparty's end of a replay: a FIX session of its own as initiator, over one connection, driven until the
// replay is through. The session machine numbers, times and recovers; the run chooses messages; this file owns socket
// and timer.

import { CrossgateError } from '../../base/errors.ts';
import type { ReplayPlan, ReplayRun } from '../../replay/mod.ts';
import {
  type OutboundMessage,
  Session,
  type SessionConfig,
  type SessionEffect,
  type SessionInput,
} from '../../session/mod.ts';
import { type Connection, type ConnectOptions, connect } from '../../transport/mod.ts';
import { type DataFields, Framer, MsgType, Tag } from '../../wire/mod.ts';

export interface ReplayConnectionOptions {
  readonly plan: ReplayPlan;
  readonly run: ReplayRun;
  /** Fields that may hold SOH, in both directions. */
  readonly dataFields: DataFields;
  readonly connect: Pick<ConnectOptions, 'host' | 'port' | 'tls'>;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly username: string | null;
  readonly password: string | null;
  /** Wait at the end for answers that the log does not have. */
  readonly settleMs: number;
  /** `awaited`: the auction phase that the next request waits for, in words. */
  readonly onProgress: (sent: number, awaited: string | null) => void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const FRAMER_LIMITS = { frameBytesMax: 1_048_576, fieldsMax: 65_536 };
/** Longest timer: a log may be silent for months, longer than a timer of Node can wait. */
const LOOK_EVERY_MS = 3_600_000;
/** Messages sent before meanwhile received ones are read. */
const BURST = 50;
/** The series before the first: its number says that the Logon must ask for a reset (141=Y). */
const SERIES = 2;
const APPL_VER_IDS = ['7', '8', '9'] as const;

/** Replay over a connection of its own. @returns why it ended @throws CrossgateError XG_CONNECT_FAILED */
export async function replayOver(options: ReplayConnectionOptions): Promise<string> {
  const connection = await connect({ ...options.connect, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  return await new Promise<string>((resolve, reject) =>
    new ReplaySession(options, connection, resolve, reject).start(),
  );
}

class ReplaySession {
  private readonly options: ReplayConnectionOptions;
  private readonly connection: Connection;
  private readonly resolve: (reason: string) => void;
  private readonly reject: (error: unknown) => void;
  private readonly machine: Session;
  private readonly framer = new Framer(FRAMER_LIMITS);
  /** Messages that the acceptor's ResendRequest may ask for. */
  private readonly outbound: OutboundMessage[] = [];
  private timer: NodeJS.Timeout | null = null;
  private lastProgressAt = Date.now();
  private loggedOn = false;
  private wasLoggedOn = false;
  private pumping = false;
  private logoutSent = false;
  private endReason = 'the connection was closed';
  private over = false;

  constructor(
    options: ReplayConnectionOptions,
    connection: Connection,
    resolve: (reason: string) => void,
    reject: (error: unknown) => void,
  ) {
    this.options = options;
    this.connection = connection;
    this.resolve = resolve;
    this.reject = reject;
    this.framer.dataFields = options.dataFields;
    const config = sessionConfig(options);
    const recovered = {
      sessionId: config.sessionId,
      numbers: { series: SERIES, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
      loggedOn: false,
      provenMsgSeqNum: 0,
      countedAt: null,
    };
    // Answers are compared with the log, not with a dictionary.
    this.machine = new Session(config, { validate: () => null, dataFields: options.dataFields }, recovered);
  }

  start(): void {
    const { connection } = this;
    connection.onChunk = (chunk) => this.guarded(() => this.read(chunk));
    connection.onClose = (reason) => this.guarded(() => this.closed(reason));
    this.guarded(() => this.input({ kind: 'connected', remote: connection.remoteAddress }));
  }

  private read(chunk: Buffer): void {
    this.framer.push(chunk);
    for (let result = this.framer.next(); result !== null && !this.over; result = this.framer.next()) {
      if (result.kind === 'garbled') {
        this.input({ kind: 'garbled', notice: result.notice });
        continue;
      }
      const { view } = result;
      // A Reject(3) ends in the session machine, but it answers one of our messages.
      if (view.msgType === MsgType.Reject && view.boolean(Tag.PossDupFlag) !== true) this.answered(view);
      if (view.msgType === MsgType.Logout) this.endReason = `Logout(5): ${view.string(Tag.Text) ?? 'without a reason'}`;
      this.input({ kind: 'message', view, authentication: { kind: 'notLogon' } });
    }
    this.pump();
  }

  private answered(view: Parameters<ReplayRun['received']>[0]): void {
    this.lastProgressAt = Date.now();
    this.options.run.received(view, this.lastProgressAt);
  }

  private input(input: SessionInput): void {
    for (const effect of this.machine.handle(input, Date.now())) this.execute(effect);
    this.arm();
  }

  private execute(effect: SessionEffect): void {
    switch (effect.kind) {
      case 'persist':
        if (effect.record.kind === 'outbound') this.outbound.push({ ...effect.record, at: Date.now() });
        return;
      case 'transmit':
        this.connection.send(effect.raw);
        return;
      case 'deliver':
      case 'throttled':
        this.answered(effect.view);
        return;
      case 'loadOutbound': {
        const { requestId, series, from, to } = effect;
        const messages = this.outbound.filter(
          (message) =>
            message.resendable && message.series === series && message.msgSeqNum >= from && message.msgSeqNum <= to,
        );
        setImmediate(() => this.guarded(() => this.input({ kind: 'outboundLoaded', requestId, messages })));
        return;
      }
      case 'loggedOn':
        this.loggedOn = true;
        this.wasLoggedOn = true;
        this.lastProgressAt = Date.now();
        setImmediate(() => this.guarded(() => this.pump()));
        return;
      case 'loggedOff':
        this.loggedOn = false;
        return;
      case 'disconnect':
        if (!this.logoutSent) this.endReason = effect.reason;
        this.connection.close();
        return;
      case 'alarm':
      case 'note':
        return;
    }
  }

  /** Send permitted messages, a burst at a time; log out once everything was sent and answered. */
  private pump(): void {
    const { run, onProgress } = this.options;
    if (!this.loggedOn || this.logoutSent || this.pumping || this.over) return;
    for (let i = 0; i < BURST; i++) {
      const draft = run.take(Date.now());
      if (draft === null) {
        onProgress(run.sent, run.awaitedPhase);
        break;
      }
      const msgSeqNum = this.machine.numbers.nextSenderMsgSeqNum;
      run.sentUnder(msgSeqNum);
      this.input({ kind: 'send', draft });
      this.lastProgressAt = Date.now();
      onProgress(run.sent, null);
      if (i < BURST - 1) continue;
      this.pumping = true;
      setImmediate(() =>
        this.guarded(() => {
          this.pumping = false;
          this.pump();
        }),
      );
    }
    this.arm();
  }

  /** When the replay itself wants to be looked at, besides the session machine. */
  private runDeadline(): number {
    if (!this.loggedOn || this.logoutSent) return Number.POSITIVE_INFINITY;
    const { run, settleMs } = this.options;
    return run.complete ? this.lastProgressAt + settleMs : run.deadline(Date.now());
  }

  private arm(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.over) return;
    const at = Math.min(this.machine.deadline() ?? Number.POSITIVE_INFINITY, this.runDeadline());
    if (at === Number.POSITIVE_INFINITY) return;
    this.timer = setTimeout(
      () => this.guarded(() => this.due()),
      Math.min(LOOK_EVERY_MS, Math.max(0, at - Date.now())),
    );
  }

  private due(): void {
    this.input({ kind: 'tick' });
    // The time of the next message may have come.
    this.pump();
    if (Date.now() < this.runDeadline()) return;
    const { run } = this.options;
    if (run.complete) {
      this.logoutSent = true;
      this.input({ kind: 'logout', text: '' });
      return;
    }
    run.tick(Date.now());
    this.pump();
  }

  private closed(reason: string): void {
    if (this.over) return;
    this.over = true;
    if (this.timer !== null) clearTimeout(this.timer);
    const why = this.endReason === 'the connection was closed' ? `${this.endReason}: ${reason}` : this.endReason;
    this.resolve(this.wasLoggedOn ? why : `the Logon was not accepted: ${why}`);
  }

  /** A bug must end the replay, not hang it. */
  private guarded(run: () => void): void {
    if (this.over) return;
    try {
      run();
    } catch (error) {
      this.over = true;
      if (this.timer !== null) clearTimeout(this.timer);
      this.connection.destroy('the replay failed');
      this.reject(error);
    }
  }
}

function sessionConfig(options: ReplayConnectionOptions): SessionConfig {
  const { plan, senderCompID, targetCompID, username, password } = options;
  const { beginString, heartBtIntS, logon } = plan;
  const { defaultApplVerID, ...subIDs } = logon;
  if (!/^FIX(?:\.4\.[0-4]|T\.1\.1)$/.test(beginString)) {
    throw new CrossgateError('XG_USAGE', `the log speaks ${beginString}, which no session here does`);
  }
  const applVerID = APPL_VER_IDS.find((one) => one === (defaultApplVerID ?? '9'));
  if (applVerID === undefined) {
    throw new CrossgateError(
      'XG_USAGE',
      `the log speaks DefaultApplVerID(1137)=${defaultApplVerID}, which no session here does`,
    );
  }
  return {
    sessionId: `${beginString}:${senderCompID}->${targetCompID}`,
    role: 'initiator',
    beginString,
    senderCompID,
    targetCompID,
    ...subIDs,
    defaultApplVerID: applVerID,
    applVerIDs: APPL_VER_IDS,
    heartBtIntS,
    heartBtIntMinS: 1,
    heartBtIntMaxS: 3600,
    heartBtIntZeroAllowed: true,
    username,
    sendingTimeAccuracyS: 0,
    logonTimeoutMs: 10_000,
    logoutTimeoutMs: 5_000,
    testRequestAfter: 1.2,
    lostAfter: 2.4,
    resetOnLogonAllowed: true,
    resendRequestChunk: 0,
    resendLoadChunk: 1_000,
    gapQueueMax: 10_000,
    seqNumMax: 100_000_000,
    sendsSessionStatus: false,
    logonText: null,
    // Rule R1: the acceptor learns that this is a test (464=Y).
    environment: 'test',
    repeatUnprovenReports: false,
    // Otherwise these reports would be owed, and return with every later replay (rule S2).
    sendsLastMsgSeqNumProcessed: true,
    validateIncoming: false,
    logonFields: password === null ? [] : [[Tag.Password, password]],
  };
}
