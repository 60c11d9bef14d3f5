// The line between the OMS and the gateway of a certification, held by the desk: passes frames on, shows each, and loses,
// repeats, spoils or cuts on demand. It counts no sequence numbers: gaps and resends are the gateway's own.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { CrossgateError } from '../../base/errors.ts';
import { listenFailure } from '../../base/socket-failure.ts';
import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import { Framer, fromPrintable, type MessageView, resendFrame, toPrintable, viewOf } from '../../wire/mod.ts';
import { type SeenMessage, seenMessage } from '../run/seen-message.ts';

export interface TapOptions {
  /** Where the gateway listens; asked for each connection. */
  readonly gatewayPort: () => number;
  readonly now: () => EpochMs;
  readonly onMessage: (seen: SeenMessage) => void;
  readonly onGarbled: (text: string) => void;
  /** The OMS connected, logged on or is gone. */
  readonly onChange: () => void;
}

type Way = 'in' | 'out';

/** Where the line is open for the OMS. */
export interface LinePlace {
  /** Default: this machine only. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Each connection begins with a PROXY header that names the OMS's address. */
  readonly behindRelay?: boolean;
}

/** A plan for the next message of a type; `*` is any. */
interface Plan {
  readonly what: 'lose' | 'garble' | 'cut';
  readonly way: Way;
  readonly msgType: string;
  left: number;
}

const LIMITS = { frameBytesMax: 65_536, fieldsMax: 1_000 };
/** Bytes that one side may be ahead of the other. */
const AHEAD_MAX = 1_048_576;
const HOST = '127.0.0.1';
/** Of a PROXY header of version 1. */
const HEADER_BYTES_MAX = 107;

export class Tap {
  private readonly options: TapOptions;
  private readonly server: Server;
  private link: Link | null = null;
  private readonly plans: Plan[] = [];
  /** The last frame that went to the OMS, by type. */
  private readonly sent = new Map<string, Buffer>();
  private readonly values = new Map<string, string>();
  private refuses = false;
  private behindRelay = false;
  private lastIn = 0;
  private lastOut = 0;
  private resets = false;

  constructor(options: TapOptions) {
    this.options = options;
    this.server = createServer((socket) => this.accept(socket));
  }

  /** Open the line for the OMS; the port. */
  async listen({ host = HOST, port = 0, behindRelay = false }: LinePlace): Promise<number> {
    this.behindRelay = behindRelay;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (cause) => reject(listenFailure('the certification ', host, port, cause)));
      this.server.listen({ host, port }, resolve);
    });
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    this.link?.cut();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  get isConnected(): boolean {
    return this.link !== null;
  }

  /** The OMS asked for a reset by Logon(A) with 141=Y, and the gateway has not answered: a message now has an old number. */
  get isResetting(): boolean {
    return this.resets;
  }

  /** A name that cases refer to: `lost`, `expected`; null if it is not set. */
  value(name: string): string | null {
    if (name === 'expected') return String(this.lastIn + 1);
    return this.values.get(name) ?? null;
  }

  /** A case begins: nothing is planned, nothing was lost. */
  clear(): void {
    this.plans.length = 0;
    this.values.clear();
    this.refuses = false;
  }

  /** Lose or spoil the next messages of a type, or cut the connection when one has passed. */
  plan(what: Plan['what'], way: Way, msgType: string, times = 1): void {
    this.plans.push({ what, way, msgType, left: times });
  }

  cut(): void {
    this.link?.cut();
  }

  /** Take no connection, or take them again. */
  refuse(refuses: boolean): void {
    this.refuses = refuses;
    if (refuses) this.cut();
  }

  /** Send the last message of a type once more, as a possible duplicate. */
  repeat(msgType: string): void {
    const frame = this.lastSent(msgType);
    this.deliver(resendFrame(frame, { sendingTime: formatUtcTimestamp(this.options.now()) }));
  }

  /** Send the last message of a type once more with its old number, and without PossDupFlag(43). */
  low(msgType: string): void {
    this.deliver(this.lastSent(msgType));
  }

  /** A SequenceReset(4) in reset mode to the number that comes next: the OMS is to forget what it misses. */
  resetToNext(): void {
    const text = toPrintable(this.lastSent('*'));
    const wanted = new Map(text.split('|').map((field) => [field.split('=')[0]!, field]));
    const time = `52=${formatUtcTimestamp(this.options.now())}`;
    const head = `${wanted.get('8')}|9=0|35=4|34=${this.lastOut + 1}|${wanted.get('49')}|${time}|${wanted.get('56')}|`;
    this.deliver(rewritten(`${head}123=N|36=${this.lastOut + 1}|`));
  }

  /** The last frame of a type that went to the OMS. @throws CrossgateError XG_NOT_FOUND */
  lastSent(msgType: string): Buffer {
    const frame = this.sent.get(msgType);
    if (frame === undefined) throw new CrossgateError('XG_NOT_FOUND', `no message 35=${msgType} was sent to the OMS`);
    return frame;
  }

  /** Give the OMS a frame that the gateway did not send now. */
  private deliver(frame: Buffer): void {
    const view = viewOf(frame);
    if (view !== null) this.options.onMessage(seenMessage(view, 'out', this.options.now()));
    this.link?.toOms(frame);
  }

  private accept(oms: Socket): void {
    if (this.refuses) {
      oms.destroy();
      return;
    }
    // A live session is not disturbed by a second connection (rule S1).
    if (this.link !== null) {
      oms.destroy();
      return;
    }
    const link: Link = new Link(oms, connect({ host: HOST, port: this.options.gatewayPort() }), {
      frame: (view, way) => this.passes(view, way, link),
      garbled: (text) => this.options.onGarbled(text),
      over: () => {
        if (this.link === link) {
          this.link = null;
          this.resets = false;
        }
        this.options.onChange();
      },
    });
    this.link = link;
    link.begin(this.behindRelay);
    this.options.onChange();
  }

  /** The bytes of a frame that go on, and the work behind them. */
  private passes(view: MessageView, way: Way, link: Link): Passage {
    const { options } = this;
    const { msgType } = view;
    const plan = this.plans.find((one) => one.way === way && (one.msgType === msgType || one.msgType === '*'));
    if (plan !== undefined && --plan.left <= 0) this.plans.splice(this.plans.indexOf(plan), 1);
    const isLost = plan?.what === 'lose' || plan?.what === 'garble';
    const frame = view.copyBytes();
    const number = view.int(34) ?? 0;
    const seen = seenMessage(view, way, options.now(), isLost);
    const counts = view.boolean(43) !== true && msgType !== '4';
    const passed = (): void => {
      if (isLost) this.values.set('lost', String(number));
      // A case that expects the next number sees this message before it counts.
      if (way === 'out' && counts) this.lastOut = number;
      if (way === 'in' && msgType === 'A') this.resets = view.boolean(141) === true;
      else if (way === 'out' && (msgType === 'A' || msgType === '5')) this.resets = false;
      options.onMessage(seen);
      if (way === 'in' && counts) this.lastIn = number;
      if (plan?.what === 'cut') setImmediate(() => link.cut());
    };
    if (way === 'out') {
      this.sent.set(msgType, frame);
      this.sent.set('*', frame);
    }
    const sent = plan?.what === 'lose' ? null : plan?.what === 'garble' ? spoilt(frame) : frame;
    return { frame: sent, passed };
  }
}

/** A frame with a wrong CheckSum(10). */
function spoilt(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  const last = copy.length - 2;
  copy[last] = copy[last] === 0x30 ? 0x31 : 0x30;
  return copy;
}

/** A frame of printable fields, BodyLength and CheckSum made. */
function rewritten(text: string): Buffer {
  return fromPrintable(text.replace(/\|9=\d+\|/, '|9=…|'));
}

interface Passage {
  /** Null: nothing goes on. */
  readonly frame: Buffer | null;
  /** To be called when it has gone. */
  readonly passed: () => void;
}

interface LinkEvents {
  frame(view: MessageView, way: Way): Passage;
  garbled(text: string): void;
  over(): void;
}

/** One connection of the OMS with its own to the gateway. */
class Link {
  private readonly oms: Socket;
  private readonly gateway: Socket;
  private readonly events: LinkEvents;
  private isOver = false;

  constructor(oms: Socket, gateway: Socket, events: LinkEvents) {
    this.oms = oms;
    this.gateway = gateway;
    this.events = events;
    oms.setNoDelay(true);
    gateway.setNoDelay(true);
    this.pump(gateway, 'out', (frame) => this.toOms(frame));
    for (const socket of [oms, gateway]) {
      socket.on('error', () => {});
      socket.on('close', () => this.end());
    }
  }

  /** Tell the gateway who connects, then pass on what comes. */
  begin(behindRelay: boolean): void {
    if (!behindRelay) {
      const { remoteAddress = HOST, remoteFamily, remotePort = 0 } = this.oms;
      const isV6 = remoteFamily === 'IPv6';
      this.gateway.write(`PROXY ${isV6 ? 'TCP6' : 'TCP4'} ${remoteAddress} ${isV6 ? '::1' : HOST} ${remotePort} 1\r\n`);
      this.pump(this.oms, 'in', (frame) => this.toGateway(frame));
      return;
    }
    let header = Buffer.alloc(0);
    const take = (chunk: Buffer): void => {
      header = Buffer.concat([header, chunk]);
      const end = header.indexOf('\r\n');
      if (end === -1 && header.length <= HEADER_BYTES_MAX) return;
      this.oms.off('data', take);
      if (end === -1) {
        this.cut();
        return;
      }
      this.gateway.write(header.subarray(0, end + 2));
      this.pump(this.oms, 'in', (frame) => this.toGateway(frame), header.subarray(end + 2));
    };
    this.oms.on('data', take);
  }

  cut(): void {
    this.oms.destroy();
    this.gateway.destroy();
  }

  toOms(frame: Buffer): void {
    if (!this.oms.destroyed && !this.oms.write(frame) && this.oms.writableLength > AHEAD_MAX) this.gateway.pause();
  }

  private toGateway(frame: Buffer): void {
    if (!this.gateway.destroyed && !this.gateway.write(frame) && this.gateway.writableLength > AHEAD_MAX) {
      this.oms.pause();
    }
  }

  private pump(from: Socket, way: Way, to: (frame: Buffer) => void, first: Buffer | null = null): void {
    const other = from === this.oms ? this.gateway : this.oms;
    const framer = new Framer(LIMITS);
    other.on('drain', () => from.resume());
    const take = (chunk: Buffer): void => {
      framer.push(chunk);
      for (let next = framer.next(); next !== null; next = framer.next()) {
        if (next.kind === 'message') {
          const { frame, passed } = this.events.frame(next.view, way);
          if (frame !== null) to(frame);
          passed();
        } else {
          // The gateway has to see it, to ignore it as it would.
          if (way === 'in') this.events.garbled(next.notice.text);
          to(Buffer.from(next.notice.bytes));
        }
      }
    };
    from.on('data', take);
    if (first !== null && first.length > 0) take(first);
    // The last bytes of one side still reach the other.
    from.on('end', () => other.end());
  }

  private end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cut();
    this.events.over();
  }
}
