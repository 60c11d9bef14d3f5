// The OMS's line on jspurefix (src/interop): each connection is a session of its own, with the numbers of the one before.

import { Oms } from '../../../src/interop/oms.ts';
import { SequenceStore } from '../../../src/interop/sequence-store.ts';
import type { MessageView } from '../../../src/wire/mod.ts';
import type { OmsLine } from './oms-brain.ts';

export interface JspurefixLineOptions {
  readonly port: number;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly password: string;
  readonly heartBtIntS: number;
}

/** Names of jspurefix, by tag; those of a component have its name before a dot. */
const NAMES: Readonly<Record<string, string>> = {
  1: 'Account',
  7: 'BeginSeqNo',
  11: 'ClOrdID',
  16: 'EndSeqNo',
  18: 'ExecInst',
  38: 'OrderQtyData.OrderQty',
  40: 'OrdType',
  41: 'OrigClOrdID',
  44: 'Price',
  54: 'Side',
  55: 'Instrument.Symbol',
  59: 'TimeInForce',
  99: 'StopPx',
  112: 'TestReqID',
  530: 'MassCancelRequestType',
  584: 'MassStatusReqID',
  585: 'MassStatusReqType',
};
const NUMBERS: ReadonlySet<string> = new Set(['7', '16', '585']);
const TRANSACT_TIME = '60';
const AGAIN_MS = 200;

export class JspurefixLine implements OmsLine {
  readonly #options: JspurefixLineOptions;
  readonly #onMessage: (view: MessageView) => void;
  readonly #store = new SequenceStore();
  #oms: Oms | null = null;
  /** Answers to messages that came right behind the Logon, before the line was handed over. */
  #early: (readonly [type: string, body: Record<string, unknown>])[] = [];
  #closed = false;
  #resets = false;
  #expected = 1;

  private constructor(options: JspurefixLineOptions, onMessage: (view: MessageView) => void) {
    this.#options = options;
    this.#onMessage = onMessage;
  }

  static open(options: JspurefixLineOptions, onMessage: (view: MessageView) => void): JspurefixLine {
    const line = new JspurefixLine(options, onMessage);
    void line.#connect();
    return line;
  }

  send(text: string): void {
    const [type = '', ...fields] = text.split('|').map((field) => field.split('='));
    const body: Record<string, unknown> = {};
    for (const [tag = '', value = ''] of fields) {
      if (tag === TRANSACT_TIME) body.TransactTime = new Date();
      const [name = '', member] = (NAMES[tag] ?? '').split('.');
      if (name === '') continue;
      const given = NUMBERS.has(tag) ? Number(value) : value;
      if (member === undefined) body[name] = given;
      else body[name] = { ...(body[name] as object | undefined), [member]: given };
    }
    if (this.#oms === null) this.#early.push([type[1] ?? '', body]);
    else this.#oms.send(type[1] ?? '', body);
  }

  logout(): void {
    void this.#oms?.logout();
  }

  logon(): void {}

  disconnect(): void {
    this.#oms?.hangUp();
  }

  reset(): void {
    this.#resets = true;
    void this.#oms?.logout();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#oms?.hangUp();
  }

  async #connect(): Promise<void> {
    while (!this.#closed) {
      const resetSeqNumFlag = this.#resets;
      this.#resets = false;
      if (resetSeqNumFlag) this.#expected = 1;
      this.#early = [];
      try {
        const { port, ...rest } = this.#options;
        const options = {
          ...rest,
          host: '127.0.0.1',
          port,
          resetSeqNumFlag,
          store: this.#store,
          logonTimeoutMs: 3_000,
        };
        this.#oms = await Oms.logon(options, ({ direction, view }) => {
          if (direction === 'in') this.#received(view);
        });
        for (const [msgType, body] of this.#early.splice(0)) this.#oms.send(msgType, body);
        await this.#oms.ended();
      } catch {
        // It is not there yet, or not any more.
      }
      this.#oms = null;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  /** jspurefix hands duplicates on too. */
  #received(view: MessageView): void {
    const number = view.int(34) ?? 0;
    if (view.msgType === '4') {
      this.#expected = Math.max(this.#expected, view.int(36) ?? 0);
      return;
    }
    if (number < this.#expected) return;
    if (number === this.#expected) this.#expected++;
    else if (view.boolean(43) !== true) return;
    this.#onMessage(view);
  }
}
