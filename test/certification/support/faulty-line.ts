// A FIX line of an OMS that misunderstands the session protocol in one way at a time, written by hand: a sound engine would not let
// itself be taught these faults.

import { connect, type Socket } from 'node:net';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { Framer, fromPrintable, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import type { OmsLine } from './oms-brain.ts';

export type LineFault =
  | 'wrong CheckSum'
  | 'answers no TestRequest'
  | 'keeps its number in a SequenceReset'
  | 'answers no ResendRequest'
  | 'wrong MsgSeqNum after a reconnect'
  | 'ignores PossDupFlag';

/** Habits of an OMS that are right, and that others do not have. */
export type LineHabit = 'resets in session';

export interface FaultyLineOptions {
  readonly port: number;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly password: string;
  readonly heartBtIntS: number;
  /** Faults, each within the case that is to find it: the others have to be played too. */
  readonly faults: ReadonlyMap<string, LineFault>;
  readonly habits?: ReadonlyMap<string, LineHabit>;
}

const LIMITS = { frameBytesMax: 65_536, fieldsMax: 1_000 };
const AGAIN_MS = 200;
const ADMIN = new Set(['0', '1', '2', '3', '4', '5', 'A']);

interface Sent {
  readonly number: number;
  readonly type: string;
  readonly fields: string;
  readonly at: string;
}

export class FaultyLine implements OmsLine {
  readonly #options: FaultyLineOptions;
  readonly #onMessage: (view: MessageView) => void;
  #socket: Socket | null = null;
  #next = 1;
  #expected = 1;
  #sent: Sent[] = [];
  /** Messages behind a gap. */
  readonly #ahead = new Map<number, MessageView>();
  #asked = 0;
  #isUp = false;
  #resets = false;
  #isLeaving = false;
  #closed = false;
  #case = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(options: FaultyLineOptions, onMessage: (view: MessageView) => void) {
    this.#options = options;
    this.#onMessage = onMessage;
    this.#connect();
  }

  send(text: string): void {
    const [type = '', ...fields] = text.split('|');
    this.#write(
      type.slice(3),
      fields.filter((field) => !field.startsWith('97=')).join('|'),
      text.includes('|97=Y') ? '97=Y' : '',
    );
  }

  logout(): void {
    this.#isLeaving = true;
    this.#write('5', '');
  }

  logon(): void {}

  disconnect(): void {
    this.#socket?.destroy();
  }

  reset(): void {
    this.#resets = true;
    if (this.#options.habits?.get(this.#case) === 'resets in session') this.#logon();
    else this.logout();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#socket?.destroy();
  }

  #has(fault: LineFault): boolean {
    return this.#options.faults.get(this.#case) === fault;
  }

  #connect(): void {
    if (this.#closed) return;
    const { port, heartBtIntS } = this.#options;
    const socket = connect({ host: '127.0.0.1', port });
    const framer = new Framer(LIMITS);
    this.#socket = socket;
    this.#asked = 0;
    this.#ahead.clear();
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      if (this.#isUp) this.#write('0', '');
    }, heartBtIntS * 1000);
    socket.on('connect', () => {
      if (!this.#resets && this.#has('wrong MsgSeqNum after a reconnect')) this.#next += 3;
      this.#logon();
    });
    socket.on('data', (chunk: Buffer) => {
      framer.push(chunk);
      for (let next = framer.next(); next !== null; next = framer.next()) {
        if (next.kind === 'message') this.#take(viewOf(next.view.copyBytes())!);
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isUp = false;
      this.#isLeaving = false;
      setTimeout(() => this.#connect(), AGAIN_MS);
    });
  }

  #logon(): void {
    const { password, heartBtIntS } = this.#options;
    if (this.#resets) {
      this.#next = 1;
      this.#expected = 1;
      this.#sent = [];
    }
    const reset = this.#resets ? '|141=Y' : '';
    this.#resets = false;
    this.#write('A', `98=0|108=${heartBtIntS}|554=${password}${reset}`);
  }

  #take(view: MessageView): void {
    const number = view.int(34) ?? 0;
    const isDuplicate = view.boolean(43) === true;
    if (view.msgType === '4' && view.boolean(123) !== true) {
      if (!this.#has('keeps its number in a SequenceReset')) this.#expected = view.int(36) ?? this.#expected;
      return;
    }
    if (view.msgType === 'A' && view.boolean(141) === true) this.#expected = 1;
    if (number > this.#expected) {
      if (view.msgType === 'A') this.#isUp = true;
      if (view.msgType === '2') this.#resend(view);
      this.#ahead.set(number, view);
      if (this.#asked < this.#expected) {
        this.#asked = number;
        this.#write('2', `7=${this.#expected}|16=0`);
      }
      return;
    }
    if (number < this.#expected) {
      if (isDuplicate && this.#has('ignores PossDupFlag')) this.#handle(view);
      else if (!isDuplicate) {
        this.#write('5', `58=MsgSeqNum too low, expecting ${this.#expected} but received ${number}`);
        this.#socket?.end();
      }
      return;
    }
    this.#expected = view.msgType === '4' ? Math.max(this.#expected + 1, view.int(36) ?? 0) : this.#expected + 1;
    this.#handle(view);
    for (let next = this.#ahead.get(this.#expected); next !== undefined; next = this.#ahead.get(this.#expected)) {
      this.#ahead.delete(this.#expected);
      this.#expected++;
      // It was answered when it came.
      if (next.msgType !== '2') this.#handle(next);
    }
  }

  #handle(view: MessageView): void {
    switch (view.msgType) {
      case 'A':
        this.#isUp = true;
        return;
      case '1':
        if (!this.#has('answers no TestRequest')) this.#write('0', `112=${view.string(112)}`);
        return;
      case '2':
        this.#resend(view);
        return;
      case '5':
        if (this.#isLeaving) this.#socket?.end();
        else this.#write('5', '');
        return;
      case 'B':
        this.#news(view);
        this.#onMessage(view);
        return;
      default:
        if (!ADMIN.has(view.msgType)) this.#onMessage(view);
    }
  }

  #news(view: MessageView): void {
    const [word, id = ''] = (view.string(148) ?? '').split(' ');
    if (word === 'BEGIN') this.#case = id;
    if (word === 'END') this.#case = '';
  }

  #resend(view: MessageView): void {
    if (this.#has('answers no ResendRequest')) return;
    const from = view.int(7) ?? 1;
    let gapFrom: number | null = null;
    const fill = (to: number): void => {
      if (gapFrom !== null) this.#frame('4', gapFrom, `123=Y|36=${to}`, formatUtcTimestamp(Date.now()), true);
      gapFrom = null;
    };
    for (const { number, type, fields, at } of this.#sent.filter((one) => one.number >= from)) {
      if (ADMIN.has(type)) gapFrom ??= number;
      else {
        fill(number);
        this.#frame(type, number, fields, at, true);
      }
    }
    fill(this.#next);
  }

  #write(type: string, fields: string, header = ''): void {
    const number = this.#next++;
    const at = formatUtcTimestamp(Date.now());
    this.#sent.push({ number, type, fields, at });
    this.#frame(type, number, fields, at, false, header);
  }

  #frame(type: string, number: number, fields: string, at: string, isAgain: boolean, header = ''): void {
    const { senderCompID, targetCompID } = this.#options;
    const parts = [`35=${type}`, `49=${senderCompID}`, `56=${targetCompID}`, `34=${number}`];
    if (isAgain) parts.push('43=Y', `122=${at}`);
    if (header !== '') parts.push(header);
    parts.push(`52=${formatUtcTimestamp(Date.now())}`);
    if (fields !== '') parts.push(fields);
    const isWrong = type === 'D' && this.#has('wrong CheckSum');
    const bytes = fromPrintable(`${parts.join('|')}|`, 'FIX.4.4');
    if (isWrong) {
      const sum = Number(bytes.toString('latin1', bytes.length - 4, bytes.length - 1));
      bytes.write(String((sum + 7) % 256).padStart(3, '0'), bytes.length - 4, 'latin1');
    }
    this.#socket?.write(bytes);
  }
}
