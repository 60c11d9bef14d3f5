// One connection of a sample run: sends raw messages as the counterparty would, and keeps both directions as they crossed the
// wire. sample-messages.ts says what is sent.

import { connect, type Socket } from 'node:net';
import { formatUtcTimestamp } from '../../base/time.ts';
import { Framer, FrameWriter, MessageDraft, type MessageView, MsgType, Tag, viewOf } from '../../wire/mod.ts';

const LIMITS = { frameBytesMax: 1_048_576, fieldsMax: 10_000 };
const ANSWER_MS = 15_000;

export interface SampleMessage {
  readonly direction: 'in' | 'out';
  readonly raw: Buffer;
  readonly view: MessageView;
}

export interface TalkHeader {
  readonly beginString: string;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly senderSubID?: string | undefined;
  readonly senderLocationID?: string | undefined;
  readonly targetSubID?: string | undefined;
  readonly targetLocationID?: string | undefined;
}

export type Fields = readonly (readonly [tag: number, value: string])[];

export class SampleTalk {
  /** Both directions, oldest first. */
  readonly messages: SampleMessage[] = [];
  private readonly socket: Socket;
  private readonly header: TalkHeader;
  private readonly writer = new FrameWriter();
  private readonly framer = new Framer(LIMITS);
  private readonly waiters = new Set<() => void>();
  private msgSeqNum = 1;
  private isOver = false;

  constructor(port: number, header: TalkHeader) {
    this.header = header;
    this.socket = connect({ host: '127.0.0.1', port });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isOver = true;
      for (const wake of this.waiters) wake();
    });
  }

  /** `60=now` is the present time. */
  send(msgType: string, fields: Fields): void {
    const draft = new MessageDraft(msgType);
    const now = Date.now();
    for (const [tag, value] of fields) draft.add(tag, value === 'now' ? formatUtcTimestamp(now) : value);
    const raw = this.writer.encode({ ...this.header, msgSeqNum: this.msgSeqNum++, sendingTime: now }, draft);
    this.keep('out', raw);
    this.socket.write(raw);
  }

  /** The first inbound message from place `from` on that matches. @throws Error if none comes in time */
  async answer(what: string, matches: (view: MessageView) => boolean, from = 0): Promise<MessageView> {
    const until = Date.now() + ANSWER_MS;
    for (;;) {
      const found = this.messages.slice(from).find(({ direction, view }) => direction === 'in' && matches(view));
      if (found !== undefined) return found.view;
      const left = until - Date.now();
      if (left <= 0 || this.isOver) throw new Error(`the gateway of the samples sent no ${what}`);
      await this.change(left);
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private async change(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.waiters.add(wake);
    });
  }

  private take(chunk: Buffer): void {
    this.framer.push(chunk);
    for (let result = this.framer.next(); result !== null; result = this.framer.next()) {
      if (result.kind === 'garbled') continue;
      const raw = result.view.copyBytes();
      this.keep('in', raw);
      // The gateway's proof before a Logout: without an answer it would wait for one.
      const testReqID = result.view.msgType === MsgType.TestRequest ? result.view.string(Tag.TestReqID) : null;
      if (testReqID !== null) this.send(MsgType.Heartbeat, [[Tag.TestReqID, testReqID]]);
    }
    for (const wake of this.waiters) wake();
  }

  private keep(direction: 'in' | 'out', raw: Buffer): void {
    const view = viewOf(raw);
    if (view !== null) this.messages.push({ direction, raw, view });
  }
}
