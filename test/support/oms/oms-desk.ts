// One trading desk of an OMS day: an OMS on jspurefix or on QuickFIX C++, kept logged on over every death of the
// gateway, and the book of its reports. Which orders to send is left to the campaign.

import { Oms } from '../../../src/interop/oms.ts';
import { SequenceStore } from '../../../src/interop/sequence-store.ts';
import { fromPrintable, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import { OmsBook } from './oms-book.ts';
import { QuickfixOms, type QuickfixOptions } from './quickfix.ts';

/** Fields of a message by tag; 60 is added. */
export type Fields = Readonly<Record<number, string>>;

export interface Desk {
  readonly name: string;
  readonly book: OmsBook;
  send(msgType: string, fields: Fields): Promise<void>;
  close(): Promise<void>;
  /** Gone at once, whatever it was doing. */
  abandon(): Promise<void>;
}

/** Where jspurefix wants a field. */
const PLACES: Readonly<Record<number, readonly string[]>> = {
  1: ['Account'],
  11: ['ClOrdID'],
  18: ['ExecInst'],
  37: ['OrderID'],
  38: ['OrderQtyData', 'OrderQty'],
  40: ['OrdType'],
  41: ['OrigClOrdID'],
  44: ['Price'],
  54: ['Side'],
  55: ['Instrument', 'Symbol'],
  59: ['TimeInForce'],
  99: ['StopPx'],
  530: ['MassCancelRequestType'],
};

function bodyOf(fields: Fields): Record<string, unknown> {
  const body: Record<string, unknown> = { TransactTime: new Date() };
  for (const [tag, value] of Object.entries(fields)) {
    const [first = '', second] = PLACES[Number(tag)] ?? [];
    if (second === undefined) body[first] = value;
    else body[first] = { ...(body[first] as object | undefined), [second]: value };
  }
  return body;
}

export interface JspurefixDeskOptions {
  readonly port: number;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly password: string;
}

/** Logged on, and again whenever the connection is lost. */
export class JspurefixDesk implements Desk {
  readonly name = 'jspurefix';
  readonly book = new OmsBook();
  readonly #options: JspurefixDeskOptions;
  readonly #store = new SequenceStore();
  #oms: Oms | null = null;
  #isFirst = true;
  #closed = false;
  #up: Promise<void>;

  constructor(options: JspurefixDeskOptions) {
    this.#options = options;
    this.#up = this.#stayUp();
  }

  async send(msgType: string, fields: Fields): Promise<void> {
    while (this.#oms === null && !this.#closed) await this.#up;
    // TransactTime(60) is not a field of H; AF and H are refused with one by a strict dictionary.
    const body = bodyOf(fields);
    if (msgType === 'H') delete body.TransactTime;
    this.#oms?.send(msgType, body);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#oms?.logout();
  }

  async abandon(): Promise<void> {
    this.#closed = true;
    this.#oms?.hangUp();
  }

  async #stayUp(): Promise<void> {
    for (let attempt = 1; !this.#closed; attempt++) {
      try {
        const oms = await Oms.logon(
          { host: '127.0.0.1', ...this.#options, resetSeqNumFlag: this.#isFirst, store: this.#store },
          ({ direction, view }) => {
            if (direction === 'in') this.book.take(view);
          },
        );
        this.#isFirst = false;
        this.#oms = oms;
        void oms.ended().then(() => {
          this.#oms = null;
          if (!this.#closed) this.#up = this.#stayUp();
        });
        return;
      } catch (error) {
        if (attempt === 600) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
}

/** QuickFIX C++ reconnects by itself and keeps what it could not send. */
export class QuickfixDesk implements Desk {
  readonly name = 'QuickFIX C++';
  readonly book = new OmsBook();
  readonly #oms: QuickfixOms;
  #read = 0;

  private constructor(options: QuickfixOptions) {
    this.#oms = new QuickfixOms(options);
    void this.#listen();
  }

  static async logOn(options: QuickfixOptions): Promise<QuickfixDesk> {
    const desk = new QuickfixDesk(options);
    await desk.#oms.process.line(/^logon/);
    return desk;
  }

  async send(msgType: string, fields: Fields): Promise<void> {
    const now = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
    const stamped = msgType === 'H' ? fields : { ...fields, 60: now };
    const text = Object.entries(stamped).map(([tag, value]) => `${tag}=${value}`);
    this.#oms.process.say(`raw 35=${msgType}|${text.join('|')}|`);
  }

  async close(): Promise<void> {
    await this.#oms.logout();
  }

  async abandon(): Promise<void> {
    await this.#oms.process.kill();
  }

  async #listen(): Promise<void> {
    const { lines } = this.#oms.process;
    try {
      for (;;) {
        await this.#oms.process.line(() => true, 3_600_000, this.#read);
        for (; this.#read < lines.length; this.#read++) {
          const view = appMessage(lines[this.#read]!);
          if (view !== null) this.book.take(view);
        }
      }
    } catch {
      // The process has ended; what it said is read.
    }
  }
}

function appMessage(line: string): MessageView | null {
  return line.startsWith('app ') ? viewOf(fromPrintable(line.slice('app '.length))) : null;
}
