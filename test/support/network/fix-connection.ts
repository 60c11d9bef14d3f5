// One TCP or TLS connection that speaks FIX frames, for tests: both ends are built on it. Keeps every message, lets a test
// wait for one, and sends either well-numbered messages or any bytes at all.

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { Framer, fromPrintable, type MessageView, Tag, toPrintable, viewOf } from '../../../src/wire/mod.ts';
import { PATIENCE_MS } from '../patience.ts';

/** How often an OMS tries to log on. */
const LOGON_RETRY_MS = 100;
const LIMITS = { frameBytesMax: 65_536, fieldsMax: 1_000 };

/** CompIDs from this end's side. */
export interface Identity {
  senderCompID: string;
  targetCompID: string;
  beginString?: string;
}

export class FixConnection {
  /** Every inbound message, oldest first. */
  readonly received: MessageView[] = [];
  readonly identity: Identity;
  /** Number of the next message that `send` writes. */
  nextSenderMsgSeqNum = 1;
  readonly #socket: Socket;
  readonly #framer = new Framer(LIMITS);
  readonly #wake = new Set<() => void>();
  #closed = false;
  #read = 0;

  constructor(socket: Socket, identity: Identity) {
    this.#socket = socket;
    this.identity = identity;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#closed = true;
      this.#changed();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Body with MsgType first, `35=D|11=a|…`: header, number and time are added. The number used is returned. */
  send(body: string, header: { seqNum?: number; possDup?: boolean; sendingTime?: string } = {}): number {
    const { senderCompID, targetCompID, beginString } = this.identity;
    const seqNum = header.seqNum ?? this.nextSenderMsgSeqNum;
    if (header.seqNum === undefined) this.nextSenderMsgSeqNum += 1;
    const [msgType, ...fields] = body.split('|').filter((field) => field !== '');
    const now = formatUtcTimestamp(Date.now());
    const parts = [msgType, `49=${senderCompID}`, `56=${targetCompID}`, `34=${seqNum}`];
    if (header.possDup === true) parts.push('43=Y', `122=${now}`);
    parts.push(`52=${header.sendingTime ?? now}`, ...fields);
    this.sendBytes(fromPrintable(`${parts.join('|')}|`, beginString ?? 'FIX.4.4'));
    return seqNum;
  }

  sendBytes(bytes: Uint8Array | string): void {
    this.#socket.write(bytes);
  }

  /** The next inbound message that was not yet read this way. @throws Error if none comes in time */
  async next(timeoutMs = PATIENCE_MS): Promise<MessageView> {
    await this.#until(() => this.received.length > this.#read, 'another message', timeoutMs);
    return this.received[this.#read++]!;
  }

  /** The first inbound message that matches, one already here included. @throws Error listing what came instead */
  async expect(what: string, matches: (view: MessageView) => boolean, timeoutMs = PATIENCE_MS): Promise<MessageView> {
    await this.#until(() => this.received.some(matches), what, timeoutMs);
    return this.received.find(matches)!;
  }

  /** The connection was closed by the other end. @throws Error if it is not in time */
  async expectClosed(timeoutMs = PATIENCE_MS): Promise<void> {
    await this.#until(() => this.#closed, 'the connection to be closed', timeoutMs);
  }

  /** Flush and half-close. */
  end(): void {
    this.#socket.end();
  }

  /** Gone at once, as after a crash. */
  destroy(): void {
    this.#socket.destroy();
  }

  async #until(holds: () => boolean, what: string, timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs;
    while (!holds()) {
      const left = until - Date.now();
      if (left <= 0 || (this.#closed && what !== 'the connection to be closed')) {
        const seen = this.received.map((view) => toPrintable(view.bytes())).join('\n');
        throw new Error(
          `waited for ${what}; the connection is ${this.#closed ? 'closed' : 'open'}; received:\n${seen}`,
        );
      }
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#wake.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        this.#wake.add(done);
      });
    }
  }

  #take(chunk: Buffer): void {
    this.#framer.push(chunk);
    for (let result = this.#framer.next(); result !== null; result = this.#framer.next()) {
      if (result.kind === 'garbled') throw new Error(`the other end wrote garbled bytes: ${result.notice.text}`);
      const view = viewOf(result.view.copyBytes());
      if (view !== null) this.received.push(view);
    }
    this.#changed();
  }

  #changed(): void {
    for (const wake of [...this.#wake]) wake();
  }
}

/** The authority that an OMS trusts, and the certificate that it shows where one is demanded; all PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly servername?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Connect to an acceptor; `tls` makes it TLS. */
export async function openFix(port: number, identity: Identity, tls: ClientTls | null = null): Promise<FixConnection> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened =
      tls === null
        ? connect({ port, host: '127.0.0.1' }, () => resolve(opened))
        : connectTls({ servername: 'localhost', ...tls, port, host: '127.0.0.1' }, () => resolve(opened));
    opened.once('error', reject);
  });
  socket.setNoDelay(true);
  return new FixConnection(socket, identity);
}

/** Log on over a connection of its own; the Logon's answer is returned. @throws Error if the connection is closed instead */
export async function logOn(
  connection: FixConnection,
  options: { password: string; reset?: boolean; heartBtInt?: number; extra?: string },
): Promise<MessageView> {
  const reset = options.reset === false ? 'N' : 'Y';
  const { password, heartBtInt = 30, extra = '' } = options;
  connection.send(`35=A|98=0|108=${heartBtInt}|141=${reset}|554=${password}|${extra}`);
  return await connection.expect('the answer to the Logon', (view) => view.msgType === 'A');
}

/**
 * Connect and log on as an OMS that just lost or left a session. It repeats while its old connection still counts, and
 * while the gateway has not compared its accounts with the exchange, which drops the connection silently every two
 * seconds (rules S1, J3). @throws Error when patience ends, or as soon as something else than silence is the answer
 */
export async function reconnect(
  port: number,
  identity: Identity,
  options: { password: string; reset?: boolean; nextSenderMsgSeqNum?: number; extra?: string },
): Promise<{ connection: FixConnection; answer: MessageView }> {
  const until = Date.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt++) {
    const connection = await openFix(port, identity);
    connection.nextSenderMsgSeqNum = options.nextSenderMsgSeqNum ?? 1;
    try {
      return { connection, answer: await logOn(connection, options) };
    } catch (error) {
      connection.destroy();
      if (connection.received.length > 0) throw error;
      if (Date.now() > until)
        throw new Error(`${identity.senderCompID} was not let in, ${attempt} times`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, LOGON_RETRY_MS));
    }
  }
}

/** Is this an ExecutionReport(8) of the order with these values? */
export function report(clOrdID: string, execType: string, ordStatus?: string) {
  return (view: MessageView): boolean =>
    view.msgType === '8' &&
    view.string(Tag.ClOrdID) === clOrdID &&
    view.string(Tag.ExecType) === execType &&
    (ordStatus === undefined || view.string(Tag.OrdStatus) === ordStatus);
}
