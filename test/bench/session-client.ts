// The client of the session benchmark: as little as possible between the socket and the clock. Orders are rendered before
// the clock starts, answers are counted by BodyLength(9) and never parsed.

import { createConnection, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { fromPrintable } from '../../src/wire/mod.ts';

export interface ClientOptions {
  readonly port: number;
  readonly sender: string;
  readonly target: string;
  readonly tls?: boolean;
  readonly password?: string;
  readonly heartBtIntS?: number;
}

/** Open a socket; resolves when it can be written to, with TLS after the handshake. */
export function openSocket({ port, tls }: Pick<ClientOptions, 'port' | 'tls'>): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket =
      tls === true
        ? tlsConnect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => resolve(socket))
        : createConnection({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.setNoDelay(true);
    socket.once('error', reject);
  });
}

/** One logged-on session, or a raw connection to the echo. */
export class BenchClient {
  readonly socket: Socket;
  readonly options: ClientOptions;
  nextMsgSeqNum = 1;
  /** Frames received; for the echo whole messages. */
  received = 0;
  onFrames: () => void = () => {};
  /** Called with each frame as text, if set. */
  onFrame: ((text: string) => void) | null = null;
  private rest: Buffer = Buffer.alloc(0);

  constructor(socket: Socket, options: ClientOptions) {
    this.socket = socket;
    this.options = options;
    socket.on('data', (chunk: Buffer) => this.count(chunk));
    socket.on('error', () => {});
  }

  static async open(options: ClientOptions): Promise<BenchClient> {
    return new BenchClient(await openSocket(options), options);
  }

  async logOn(): Promise<void> {
    const { password, heartBtIntS = 30 } = this.options;
    const secret = password === undefined ? '' : `|553=user|554=${password}`;
    this.socket.write(this.render(`35=A`, `98=0|108=${heartBtIntS}|141=Y${secret}`));
    await this.reach(1);
  }

  /** Resolves when that many frames came in since the beginning. */
  reach(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const onClose = (): void => reject(new Error('the server closed the connection'));
      if (this.socket.destroyed) onClose();
      const look = (): void => {
        if (this.received < count) return;
        this.onFrames = () => {};
        this.socket.off('close', onClose);
        resolve();
      };
      this.onFrames = look;
      this.socket.once('close', onClose);
      look();
    });
  }

  order(): Buffer {
    const time = formatUtcTimestamp(Date.now());
    const clOrdID = `ORD-20261121-${String(this.nextMsgSeqNum).padStart(9, '0')}`;
    return this.render(
      '35=D',
      `11=${clOrdID}|1=111000000000001|55=BTCUSDC|54=1|60=${time}|38=1.50000000|40=2|44=60123.4500|59=1`,
    );
  }

  heartbeat(testReqID = ''): Buffer {
    return this.render('35=0', testReqID === '' ? '' : `112=${testReqID}`);
  }

  render(head: string, body: string): Buffer {
    const { sender, target } = this.options;
    const time = formatUtcTimestamp(Date.now());
    const header = `${head}|49=${sender}|56=${target}|34=${this.nextMsgSeqNum++}|52=${time}|`;
    return fromPrintable(`${header}${body === '' ? '' : `${body}|`}`, 'FIX.4.4');
  }

  private count(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    // `8=FIX.4.4|9=` has 12 bytes.
    while (at + 24 < bytes.length) {
      let length = 0;
      let i = at + 12;
      for (; bytes[i] !== 1; i++) length = length * 10 + bytes[i]! - 48;
      const end = i + 1 + length + 7;
      if (end > bytes.length) break;
      this.received++;
      this.onFrame?.(bytes.toString('latin1', at, end));
      at = end;
    }
    this.rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at));
    this.onFrames();
  }
}

/** One order, one answer; microseconds. */
export async function roundTrip(client: BenchClient): Promise<number> {
  const order = client.order();
  const wanted = client.received + 1;
  const start = process.hrtime.bigint();
  client.socket.write(order);
  await client.reach(wanted);
  return Number(process.hrtime.bigint() - start) / 1000;
}

/** Orders as they will go out, one behind the other: a driver that joins many small buffers is slower than some of what it drives. */
export interface RenderedOrders {
  readonly bytes: Buffer;
  /** Where each begins, and behind them where the last one ends. */
  readonly offsets: Uint32Array;
}

/** The next orders of a client: making them is no part of what is measured. */
export function renderOrders(client: BenchClient, count: number): RenderedOrders {
  const orders = Array.from({ length: count }, () => client.order());
  const offsets = new Uint32Array(count + 1);
  for (const [i, order] of orders.entries()) offsets[i + 1] = offsets[i]! + order.length;
  return { bytes: Buffer.concat(orders), offsets };
}

/** Send `count` orders with `inFlight` unanswered; seconds until the last answer. */
export function throughput(client: BenchClient, count: number, inFlight: number): Promise<number> {
  return sendOrders(client, renderOrders(client, count), inFlight);
}

/** Send orders with `inFlight` unanswered; seconds until the last answer. */
export async function sendOrders(
  client: BenchClient,
  { bytes, offsets }: RenderedOrders,
  inFlight: number,
): Promise<number> {
  const count = offsets.length - 1;
  const first = client.received;
  let sent = 0;
  const start = process.hrtime.bigint();
  await new Promise<void>((resolve, reject) => {
    const feed = (): void => {
      const answered = client.received - first;
      const upTo = Math.min(count, answered + inFlight);
      if (upTo > sent) {
        client.socket.write(bytes.subarray(offsets[sent], offsets[upTo]));
        sent = upTo;
      }
      if (answered < count) return;
      client.onFrames = () => {};
      client.socket.off('close', onClose);
      resolve();
    };
    const onClose = (): void => reject(new Error('the server closed the connection'));
    client.onFrames = feed;
    client.socket.once('close', onClose);
    feed();
  });
  return Number(process.hrtime.bigint() - start) / 1e9;
}
