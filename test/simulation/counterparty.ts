// The counterparty's side of a session, a small FIX engine independent of the product's session room. It logs on,
// counts, requests missed messages, resends on request, and restarts at 1 at will. It never forgets. order-desk.ts and
// copy-desk.ts have the messages and their meaning.

import { formatUtcTimestamp } from '../../src/base/time.ts';
import type { SessionConfig } from '../../src/session/mod.ts';
import { Framer, type MessageView, MsgType, Tag, toPrintable } from '../../src/wire/mod.ts';
import { faultOf } from './dictionaries.ts';
import { Link } from './link.ts';
import { encode, saying } from './message-text.ts';
import type { Faults, Randomness } from './randomness.ts';
import type { Life, Scheduler } from './scheduler.ts';

const HEARTBEAT_S = 2;
const SILENCE_MS = 7_000;
const LOOK_MS = 1_500;
const FRAMER_LIMITS = { frameBytesMax: 100_000, fieldsMax: 1_000 };

interface Sent {
  readonly msgType: string;
  readonly body: string;
  readonly at: string;
}

export interface CounterpartyOptions {
  readonly scheduler: Scheduler;
  readonly random: Randomness;
  readonly faults: Faults;
  readonly config: SessionConfig;
  /** Sends NextExpectedMsgSeqNum(789). */
  readonly usesNextExpected: boolean;
  /** Gives a connection to the house; false if the port is closed. */
  readonly connect: (link: Link) => boolean;
}

type State = 'disconnected' | 'logonSent' | 'loggedOn' | 'resetSent' | 'logoutSent';

export abstract class Counterparty {
  protected readonly o: CounterpartyOptions;
  state: State = 'disconnected';
  /** Ours, and the next one expected. */
  nextOut = 1;
  nextIn = 1;
  /** Highest number received of the present series. */
  highestIn = 0;
  /** Highest number of a message of ours that was answered in the present series. */
  acknowledgedOut = 0;
  /** A reset was asked for and is not confirmed: neither side's numbers are known until then. */
  resetPending = false;
  #sent: (Sent | null)[] = [];
  /** Content of each number of the present series. */
  #received = new Map<number, string>();
  #link: Link | null = null;
  #linkLife: Life = { alive: false };
  #framer = new Framer(FRAMER_LIMITS);
  #heardAt = 0;
  #saidAt = 0;
  #askedFrom = 0;
  #askedAt = 0;
  messagesIn = 0;
  /** Does something of its own accord. */
  acts = true;

  constructor(options: CounterpartyOptions) {
    this.o = options;
  }

  /** Actions by kind: all must occur in a day. */
  abstract readonly done: Readonly<Record<string, number>>;
  /** A message of business, in its order. @throws Error naming what contradicts an earlier one */
  protected abstract business(view: MessageView): void;
  /** Something to do on a session that is up. */
  protected abstract act(): void;
  /** A reset is asked for: what was not received before it may come again. */
  protected abstract numbersBegin(): void;
  /** Numbers of ours were forgotten. */
  protected abstract seriesBegan(): void;
  /** The Logon was answered; `reset`: and numbers began again with it. */
  protected abstract loggedOn(reset: boolean): void;

  start(): void {
    this.o.scheduler.after(this.o.random.between(1, 500), () => this.#connect());
    this.o.scheduler.after(LOOK_MS, () => this.#look());
    this.#actLater();
  }

  get sessionId(): string {
    return this.o.config.sessionId;
  }

  // ── the connection

  #connect(): void {
    if (this.state !== 'disconnected') return;
    const { scheduler, random, faults } = this.o;
    const link = new Link(scheduler, random, faults);
    if (!this.o.connect(link)) {
      scheduler.after(random.between(100, 800), () => this.#connect());
      return;
    }
    this.#link = link;
    this.#framer = new Framer(FRAMER_LIMITS);
    const life = { alive: true };
    this.#linkLife = life;
    link.oms.onBytes = (bytes) => {
      if (life.alive) this.#bytes(bytes);
    };
    link.oms.onClose = () => {
      if (life.alive) this.#closed();
    };
    this.#heardAt = scheduler.now;
    this.#askedFrom = 0;
    this.state = 'logonSent';
    if (faults.strikes('logonAnswerLost', 0.05)) link.loseNext('toOms');
    if (faults.strikes('reset', 0.06)) this.#beginAgain();
    if (this.resetPending) this.#logOnAtOne();
    else this.say('A', `98=0|108=${HEARTBEAT_S}|${this.o.usesNextExpected ? `789=${this.nextIn}|` : ''}`);
  }

  #beginAgain(): void {
    this.resetPending = true;
    this.numbersBegin();
  }

  #logOnAtOne(): void {
    this.nextOut = 1;
    this.#sent = [];
    this.seriesBegan();
    this.say('A', `98=0|108=${HEARTBEAT_S}|141=Y|`);
  }

  /** Begin again at 1 without a new connection, as sessions around the clock do. */
  #resetInSession(): void {
    this.#beginAgain();
    this.state = 'resetSent';
    if (this.o.faults.strikes('logonAnswerLost', 0.1)) this.#link?.loseNext('toOms');
    this.#logOnAtOne();
  }

  #closed(): void {
    const { scheduler, random } = this.o;
    this.#linkLife.alive = false;
    this.#link = null;
    this.state = 'disconnected';
    scheduler.after(random.chance(0.5) ? random.between(1, 50) : random.between(100, 3_000), () => this.#connect());
  }

  #drop(): void {
    this.#link?.close('oms');
    this.#closed();
  }

  /** The process at the other end died, or the cable was pulled. */
  cut(): void {
    this.#link?.cut();
  }

  #look(): void {
    const { scheduler } = this.o;
    scheduler.after(LOOK_MS, () => this.#look());
    if (this.state === 'disconnected') return;
    if (scheduler.now - this.#heardAt > SILENCE_MS) this.#drop();
    else if (scheduler.now - this.#saidAt >= HEARTBEAT_S * 1_000 && this.state === 'loggedOn') this.say('0', '');
  }

  #actLater(): void {
    const { scheduler, random } = this.o;
    const pause = random.chance(0.6) ? random.between(1, 60) : random.between(100, 900);
    scheduler.after(pause, () => {
      if (this.acts && this.state === 'loggedOn') this.#actOrFail();
      this.#actLater();
    });
  }

  /** Faults on the session from its counterparty; otherwise its ordinary business. */
  #actOrFail(): void {
    const { scheduler, random, faults } = this.o;
    if (faults.strikes('logout', 0.005)) {
      this.say('5', '');
      this.state = 'logoutSent';
    } else if (faults.strikes('secondLogon', 0.003)) this.o.connect(new Link(scheduler, random, faults));
    else if (faults.strikes('resetInSession', 0.003)) this.#resetInSession();
    else if (faults.strikes('oldNumbersAsked', 0.003) && this.nextIn > 1) {
      const from = random.between(1, this.nextIn - 1);
      this.say('2', `7=${from}|16=${random.chance(0.5) ? 0 : random.between(from, this.nextIn - 1)}|`);
    } else this.act();
  }

  // ── saying

  /** Send the next message; returns its number. Fields with `|` for SOH. */
  protected say(msgType: string, body: string): number {
    const msgSeqNum = this.nextOut++;
    const at = formatUtcTimestamp(this.o.scheduler.now);
    this.#sent[msgSeqNum] = 'A012345'.includes(msgType) ? null : { msgType, body, at };
    this.#transmit(msgType, msgSeqNum, at, body);
    return msgSeqNum;
  }

  #transmit(msgType: string, msgSeqNum: number, at: string, body: string): void {
    if (this.#link === null) return;
    const { beginString, senderCompID, targetCompID } = this.o.config;
    this.#saidAt = this.o.scheduler.now;
    const head = `35=${msgType}|49=${targetCompID}|56=${senderCompID}|34=${msgSeqNum}|52=${at}|`;
    this.#link.send('toHouse', encode(beginString, head + body));
  }

  /** Answer a ResendRequest: application messages again, the rest as gap fills. */
  #resend(from: number, to: number): void {
    const end = to === 0 || to >= this.nextOut ? this.nextOut - 1 : to;
    const now = formatUtcTimestamp(this.o.scheduler.now);
    for (let n = from; n <= end; ) {
      const sent = this.#sent[n];
      if (sent != null) {
        this.#transmit(sent.msgType, n, now, `43=Y|122=${sent.at}|${sent.body}`);
        n++;
        continue;
      }
      let next = n + 1;
      while (next <= end && this.#sent[next] == null) next++;
      this.#transmit('4', n, now, `43=Y|122=${now}|123=Y|36=${next}|`);
      n = next;
    }
  }

  // ── listening

  #bytes(bytes: Buffer): void {
    this.#framer.push(bytes);
    this.#heardAt = this.o.scheduler.now;
    const life = this.#linkLife;
    for (let result = this.#framer.next(); result !== null && life.alive; result = this.#framer.next()) {
      if (result.kind === 'garbled') throw new Error(`the house sent a garbled frame: ${result.notice.text}`);
      this.#message(result.view);
    }
  }

  #message(view: MessageView): void {
    const msgSeqNum = view.int(Tag.MsgSeqNum)!;
    const possDup = view.boolean(Tag.PossDupFlag) === true;
    this.messagesIn++;
    const fault = faultOf(view);
    if (fault !== null) throw new Error(`not as its dictionary has it, ${fault.text}: ${toPrintable(view.bytes())}`);
    if (this.state === 'resetSent' && view.msgType !== MsgType.Logon) {
      // On its way before the reset was heard of there: what it said comes again.
      if (view.msgType === MsgType.Logout) this.#drop();
      return;
    }
    if (this.state === 'logonSent' || this.state === 'resetSent') this.#logonAnswer(view, msgSeqNum);
    else if (view.boolean(Tag.ResetSeqNumFlag) === true && !possDup) {
      this.#resetByHouse(view, msgSeqNum);
      return;
    }
    if (!possDup) {
      if (msgSeqNum < this.nextIn) {
        throw new Error(`MsgSeqNum(34)=${msgSeqNum} goes back, ${this.nextIn} was expected by ${this.sessionId}`);
      }
      this.highestIn = Math.max(this.highestIn, msgSeqNum);
    }
    if (msgSeqNum > this.nextIn) {
      if (view.msgType === MsgType.ResendRequest) this.#resendRequest(view);
      if (view.msgType === MsgType.Logout) this.#drop();
      // Messages requested by this Logon's 789 come unasked.
      else if (view.msgType !== MsgType.Logon || !this.o.usesNextExpected) this.#askFor(this.nextIn);
      return;
    }
    if (msgSeqNum < this.nextIn) {
      this.#alreadyReceived(view, msgSeqNum);
      return;
    }
    if (possDup && this.o.faults.strikes('askedDuringResend', 0.02)) this.say('2', `7=${this.nextIn}|16=0|`);
    if (view.msgType === MsgType.SequenceReset) {
      const newSeqNo = view.int(Tag.NewSeqNo) ?? 0;
      if (view.boolean(Tag.GapFillFlag) !== true) throw new Error('a SequenceReset(4) that is no gap fill');
      if (newSeqNo <= msgSeqNum) throw new Error(`NewSeqNo(36)=${newSeqNo} does not lead on from ${msgSeqNum}`);
      this.nextIn = newSeqNo;
      this.highestIn = Math.max(this.highestIn, newSeqNo - 1);
      return;
    }
    this.#received.set(msgSeqNum, saying(view));
    this.nextIn = msgSeqNum + 1;
    this.#handle(view);
  }

  #logonAnswer(view: MessageView, msgSeqNum: number): void {
    if (view.msgType === MsgType.Logout) {
      throw new Error(`the Logon(A) of ${this.sessionId} was refused: ${view.string(Tag.Text)}`);
    }
    if (view.msgType !== MsgType.Logon) throw new Error(`35=${view.msgType} before the Logon(A)`);
    this.state = 'loggedOn';
    if (!this.resetPending) {
      const nextExpected = view.int(Tag.NextExpectedMsgSeqNum);
      if (nextExpected !== null && nextExpected < this.nextOut) this.#resend(nextExpected, 0);
      this.loggedOn(false);
      return;
    }
    if (view.boolean(Tag.ResetSeqNumFlag) !== true || msgSeqNum !== 1) throw new Error('the reset was not confirmed');
    this.resetPending = false;
    this.nextIn = 1;
    this.highestIn = 0;
    this.acknowledgedOut = 0;
    this.#received.clear();
    this.loggedOn(true);
  }

  /** The house begins again within the session: we begin again too, and say so. */
  #resetByHouse(view: MessageView, msgSeqNum: number): void {
    if (msgSeqNum !== 1) throw new Error(`a reset within the session with MsgSeqNum(34)=${msgSeqNum}`);
    this.numbersBegin();
    this.nextIn = 2;
    this.highestIn = 1;
    this.acknowledgedOut = 0;
    this.#received.clear();
    this.#received.set(1, saying(view));
    if (this.o.faults.strikes('resetAnswerLost', 0.1)) this.#link?.loseNext('toHouse');
    this.#logOnAtOne();
    this.loggedOn(true);
  }

  #alreadyReceived(view: MessageView, msgSeqNum: number): void {
    const before = this.#received.get(msgSeqNum);
    if (view.msgType === MsgType.SequenceReset || before === undefined) return;
    const now = saying(view);
    if (now !== before) throw new Error(`number ${msgSeqNum} said ${before} and is resent as ${now}`);
  }

  #askFor(from: number): void {
    const { now } = this.o.scheduler;
    if (this.#askedFrom === from && now - this.#askedAt < 3_000) return;
    this.#askedFrom = from;
    this.#askedAt = now;
    this.say('2', `7=${from}|16=0|`);
    // An impatient engine: it asks for what is on its way.
    if (!this.o.faults.strikes('askedTwice', 0.1)) return;
    const again = (): void => {
      // Not after a reset within the session was begun: then there is nothing to ask for.
      if (this.state === 'loggedOn' && this.nextIn <= this.highestIn) this.say('2', `7=${this.nextIn}|16=0|`);
    };
    this.o.scheduler.after(this.o.random.between(0, 30), again, this.#linkLife);
  }

  #resendRequest(view: MessageView): void {
    this.#resend(view.int(Tag.BeginSeqNo)!, view.int(Tag.EndSeqNo)!);
  }

  #handle(view: MessageView): void {
    switch (view.msgType) {
      case MsgType.TestRequest:
        this.say('0', `112=${view.string(Tag.TestReqID)}|`);
        return;
      case MsgType.ResendRequest:
        this.#resendRequest(view);
        return;
      case MsgType.Logout:
        if (this.state === 'loggedOn') this.say('5', '');
        this.#drop();
        return;
      case MsgType.Reject:
      case MsgType.BusinessMessageReject:
        throw new Error(`35=${view.msgType} in answer to a good message: ${view.string(Tag.Text)}`);
      default:
        this.business(view);
    }
  }
}
