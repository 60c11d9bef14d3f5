// An OMS with a small FIX engine of its own, independent of the product's session room: it logs on, counts, asks for what
// it missed, resends what it is asked for, trades at random and keeps its own view of every order. It never forgets.

import { formatUtcTimestamp } from '../../src/base/time.ts';
import type { SessionConfig } from '../../src/session/mod.ts';
import { Framer, type MessageView, MsgType, Tag, toPrintable } from '../../src/wire/mod.ts';
import { validatorOf } from './dictionaries.ts';
import { Link } from './link.ts';
import { encode, massCancelText, orderText, saying } from './message-text.ts';
import { OrderView } from './order-view.ts';
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
  /** Gives a connection to the house; false if nobody listens. */
  readonly connect: (link: Link) => boolean;
  /** A price that no other order ever has. */
  readonly nextPrice: () => number;
}

type State = 'disconnected' | 'logonSent' | 'loggedOn' | 'logoutSent';

export class Counterparty {
  readonly view = new OrderView();
  readonly #o: CounterpartyOptions;
  state: State = 'disconnected';
  /** Ours, and the next one expected. */
  nextOut = 1;
  nextIn = 1;
  /** Highest number received of the present series. */
  highestIn = 0;
  /** Highest number of an order of ours that was reported on in the present series. */
  acknowledgedOut = 0;
  /** A reset was asked for and is not confirmed: neither side's numbers are known until then. */
  resetPending = false;
  #sent: (Sent | null)[] = [];
  /** ClOrdID(11) → number of its message, in the present series. */
  readonly #numberOf = new Map<string, number>();
  /** What each number of the present series said. */
  #received = new Map<number, string>();
  #link: Link | null = null;
  #linkLife: Life = { alive: false };
  #framer = new Framer(FRAMER_LIMITS);
  #heardAt = 0;
  #saidAt = 0;
  #askedFrom = 0;
  #askedAt = 0;
  /** Keeps trading. */
  trades = true;
  #orders = 0;
  #requests = 0;
  /** First ClOrdIDs in order. */
  readonly #sentOrders: string[] = [];
  messagesIn = 0;
  /** What was done, by kind: all of it has to happen in a day. */
  readonly done = {
    newOrder: 0,
    auctionOrder: 0,
    cancel: 0,
    replace: 0,
    status: 0,
    massCancel: 0,
    massCancelReport: 0,
  };
  readonly #timeInForce = new Map<string, string>();

  constructor(options: CounterpartyOptions) {
    this.#o = options;
  }

  start(): void {
    this.#o.scheduler.after(this.#o.random.between(1, 500), () => this.#connect());
    this.#o.scheduler.after(LOOK_MS, () => this.#look());
    this.#tradeLater();
  }

  get sessionId(): string {
    return this.#o.config.sessionId;
  }

  // ── the connection

  #connect(): void {
    if (this.state !== 'disconnected') return;
    const { scheduler, random, faults } = this.#o;
    const link = new Link(scheduler, random, faults);
    if (!this.#o.connect(link)) {
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
    if (faults.strikes('reset', 0.06)) this.#beginAgain();
    const fields = [`108=${HEARTBEAT_S}`];
    if (this.resetPending) {
      this.nextOut = 1;
      this.#sent = [];
      this.#numberOf.clear();
      fields.push('141=Y');
    } else if (this.#o.usesNextExpected) fields.push(`789=${this.nextIn}`);
    this.#say('A', `98=0|${fields.join('|')}|`);
  }

  #beginAgain(): void {
    this.resetPending = true;
    this.view.numbersBeganAgain();
  }

  #closed(): void {
    const { scheduler, random } = this.#o;
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
    const { scheduler } = this.#o;
    scheduler.after(LOOK_MS, () => this.#look());
    if (this.state === 'disconnected') return;
    if (scheduler.now - this.#heardAt > SILENCE_MS) this.#drop();
    else if (scheduler.now - this.#saidAt >= HEARTBEAT_S * 1_000 && this.state === 'loggedOn') this.#say('0', '');
  }

  // ── saying

  #say(msgType: string, body: string): number {
    const msgSeqNum = this.nextOut++;
    const at = formatUtcTimestamp(this.#o.scheduler.now);
    this.#sent[msgSeqNum] = 'A012345'.includes(msgType) ? null : { msgType, body, at };
    this.#transmit(msgType, msgSeqNum, at, body);
    return msgSeqNum;
  }

  #transmit(msgType: string, msgSeqNum: number, at: string, body: string): void {
    if (this.#link === null) return;
    const { beginString, senderCompID, targetCompID } = this.#o.config;
    this.#saidAt = this.#o.scheduler.now;
    const head = `35=${msgType}|49=${targetCompID}|56=${senderCompID}|34=${msgSeqNum}|52=${at}|`;
    this.#link.send('toHouse', encode(beginString, head + body));
  }

  /** Answer a ResendRequest: application messages again, the rest as gap fills. */
  #resend(from: number, to: number): void {
    const end = to === 0 || to >= this.nextOut ? this.nextOut - 1 : to;
    const now = formatUtcTimestamp(this.#o.scheduler.now);
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
    this.#heardAt = this.#o.scheduler.now;
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
    const fault = validatorOf(view.beginString).validate(view);
    if (fault !== null) throw new Error(`not as its dictionary has it, ${fault.text}: ${toPrintable(view.bytes())}`);
    if (this.state === 'logonSent') this.#logonAnswer(view, msgSeqNum);
    if (!possDup) {
      if (msgSeqNum < this.nextIn) {
        throw new Error(`MsgSeqNum(34)=${msgSeqNum} goes back, ${this.nextIn} was expected by ${this.sessionId}`);
      }
      this.highestIn = Math.max(this.highestIn, msgSeqNum);
    }
    if (msgSeqNum > this.nextIn) {
      if (view.msgType === MsgType.ResendRequest) this.#resendRequest(view);
      if (view.msgType === MsgType.Logout) this.#drop();
      // What this Logon's 789 asked for comes unasked.
      else if (view.msgType !== MsgType.Logon || !this.#o.usesNextExpected) this.#askFor(this.nextIn);
      return;
    }
    if (msgSeqNum < this.nextIn) {
      this.#alreadyReceived(view, msgSeqNum);
      return;
    }
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
      return;
    }
    if (view.boolean(Tag.ResetSeqNumFlag) !== true || msgSeqNum !== 1) throw new Error('the reset was not confirmed');
    this.resetPending = false;
    this.nextIn = 1;
    this.highestIn = 0;
    this.acknowledgedOut = 0;
    this.#received.clear();
  }

  #alreadyReceived(view: MessageView, msgSeqNum: number): void {
    const before = this.#received.get(msgSeqNum);
    if (view.msgType === MsgType.SequenceReset || before === undefined) return;
    const now = saying(view);
    if (now !== before) throw new Error(`number ${msgSeqNum} said ${before} and is resent as ${now}`);
  }

  #askFor(from: number): void {
    const { now } = this.#o.scheduler;
    if (this.#askedFrom === from && now - this.#askedAt < 3_000) return;
    this.#askedFrom = from;
    this.#askedAt = now;
    this.#say('2', `7=${from}|16=0|`);
  }

  #resendRequest(view: MessageView): void {
    this.#resend(view.int(Tag.BeginSeqNo)!, view.int(Tag.EndSeqNo)!);
  }

  #handle(view: MessageView): void {
    switch (view.msgType) {
      case MsgType.TestRequest:
        this.#say('0', `112=${view.string(Tag.TestReqID)}|`);
        return;
      case MsgType.ResendRequest:
        this.#resendRequest(view);
        return;
      case MsgType.Logout:
        if (this.state === 'loggedOn') this.#say('5', '');
        this.#drop();
        return;
      case MsgType.ExecutionReport:
        this.view.report(view);
        this.acknowledgedOut = Math.max(this.acknowledgedOut, this.#numberOf.get(view.string(Tag.ClOrdID)!) ?? 0);
        return;
      case MsgType.OrderCancelReject:
        this.view.cancelReject(view);
        return;
      case MsgType.OrderMassCancelReport:
        this.done.massCancelReport++;
        if (view.string(Tag.MassCancelResponse) === '0') throw new Error(`refused: ${toPrintable(view.bytes())}`);
        return;
      case MsgType.Reject:
      case MsgType.BusinessMessageReject:
        throw new Error(`35=${view.msgType} in answer to a good message: ${view.string(Tag.Text)}`);
      default:
    }
  }

  // ── trading

  #tradeLater(): void {
    const { scheduler, random } = this.#o;
    const pause = random.chance(0.6) ? random.between(1, 60) : random.between(100, 900);
    scheduler.after(pause, () => {
      if (this.trades && this.state === 'loggedOn') this.#act();
      this.#tradeLater();
    });
  }

  #act(): void {
    const { random, faults } = this.#o;
    if (faults.strikes('logout', 0.005)) {
      this.#say('5', '');
      this.state = 'logoutSent';
      return;
    }
    if (faults.strikes('secondLogon', 0.003)) {
      this.#o.connect(new Link(this.#o.scheduler, random, faults));
      return;
    }
    if (faults.strikes('possResend', 0.02) && this.#sentOrders.length > 0) {
      this.resendOrder(random.pick(this.#sentOrders));
      return;
    }
    if (faults.strikes('clOrdIDTwice', 0.01) && this.#sentOrders.length > 0) {
      const clOrdID = random.pick(this.#sentOrders);
      this.#say('D', this.#terms(clOrdID, Number(this.view.orders.get(clOrdID)!.price), 1));
      return;
    }
    const working = [...this.view.working];
    const what = random.next();
    if (what < 0.02 && this.#o.config.beginString !== 'FIX.4.2') this.#massCancel();
    else if (what < 0.5 || working.length === 0) this.#newOrder();
    else this.#request(random.pick(working)[1], what);
  }

  #newOrder(): void {
    const clOrdID = `n-${++this.#orders}`;
    this.#sentOrders.push(clOrdID);
    const price = this.#o.nextPrice();
    this.view.sent(clOrdID, `${price}`);
    const isAuction = this.#o.random.chance(0.2);
    this.#timeInForce.set(clOrdID, isAuction ? '5' : '1');
    this.done[isAuction ? 'auctionOrder' : 'newOrder']++;
    const terms = this.#terms(clOrdID, price, this.#o.random.between(1, 5));
    this.#numberOf.set(clOrdID, this.#say('D', terms));
  }

  #terms(clOrdID: string, price: number, quantity: number): string {
    const timeInForce = this.#timeInForce.get(clOrdID) ?? '1';
    return orderText(this.#o.config.beginString, this.#o.scheduler.now, clOrdID, price, quantity, timeInForce);
  }

  /** Cancel everything of this session (rule D12). */
  #massCancel(): void {
    const id = `q-${++this.#requests}`;
    const { random } = this.#o;
    this.done.massCancel++;
    this.view.askedForAll(id);
    this.#say('q', massCancelText(id, random.chance(0.5), this.#o.scheduler.now));
  }

  #request(clOrdID: string, what: number): void {
    const id = `r-${++this.#requests}`;
    const at = formatUtcTimestamp(this.#o.scheduler.now);
    const { random } = this.#o;
    if (what < 0.75) {
      this.done.cancel++;
      this.view.asked(id, clOrdID);
      this.#say('F', `11=${id}|41=${clOrdID}|1=ACC1|55=BTCUSDC|54=1|60=${at}|38=1|`);
    } else if (what < 0.93) {
      const price = this.#o.nextPrice();
      this.done.replace++;
      this.view.asked(id, clOrdID, `${price}`);
      const handlInst = this.#o.config.beginString === 'FIX.4.2' ? '21=1|' : '';
      const terms = `38=${random.between(1, 6)}|40=2|44=${price}|`;
      this.#say('G', `11=${id}|41=${clOrdID}|1=ACC1|${handlInst}55=BTCUSDC|54=1|60=${at}|${terms}`);
    } else {
      this.done.status++;
      this.#say('H', `11=${clOrdID}|55=BTCUSDC|54=1|`);
    }
  }

  /** Send an order again with PossResend(97)=Y (rule D14): it is taken if it never arrived, else its state is told. */
  resendOrder(clOrdID: string): void {
    const { price } = this.view.orders.get(clOrdID)!;
    this.#say('D', `97=Y|${this.#terms(clOrdID, Number(price), 1)}`);
  }

  /** Whether an order was sent for the auction (59=5). */
  isForAuction(clOrdID: string): boolean {
    return this.#timeInForce.get(clOrdID) === '5';
  }

  /** Orders that were sent and of which nothing was ever heard. */
  unanswered(): string[] {
    return [...this.view.orders.values()].filter(({ status }) => status === '').map(({ firstClOrdID }) => firstClOrdID);
  }
}
