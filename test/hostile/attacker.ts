// Attacks on a FIX port of this machine, in a process of their own: `attacker PLAN`. Says `under way`, goes on until SIGTERM or
// its time is over, and prints one line of JSON. Bounded in time, connections and bytes; loopback only.

import { connect, createServer, type Socket } from 'node:net';
import process from 'node:process';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { fromPrintable } from '../../src/wire/mod.ts';

/** Input sent as fast as the gateway takes it. `echo`: valid orders, to an echo of its own and not to the gateway. */
export type FloodKind =
  | 'orders'
  | 'cancels'
  | 'statusRequests'
  | 'faulty'
  | 'garbled'
  | 'possDup'
  | 'testRequests'
  | 'resendRequests'
  | 'ahead'
  | 'echo'
  /** Log on with a reset, drop the connection when the first reports are repeated, and again at once. */
  | 'resetLoop';

export interface AttackPlan {
  readonly port: number;
  readonly password: string;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly account: string;
  readonly kind: FloodKind;
  readonly seconds: number;
}

export interface AttackFigures {
  readonly messages: number;
  readonly megabytes: number;
  readonly logons: number;
  /** Logons that were sent. */
  readonly attempts: number;
  readonly seconds: number;
}

const SECONDS_MAX = 600;
const BATCH = 200;
const AGAIN_MS = 100;
/** Orders with reports that a loop of resets repeats, and the time that each connection stays after its Logon. */
const LOOP_ORDERS = 200;
const LOOP_HELD_MS = 20;
/** Bytes of ours that the gateway has not read: no more are made. */
const UNREAD_MAX = 262_144;

class Flood {
  readonly #plan: AttackPlan;
  #socket: Socket | null = null;
  #number = 1;
  #clOrdID = 0;
  #messages = 0;
  #bytes = 0;
  #logons = 0;
  #reports = 0;
  #attempts = 0;
  #loggedOn = false;
  #isOver = false;
  readonly #begun = performance.now();

  constructor(plan: AttackPlan) {
    this.#plan = plan;
  }

  /** Log on, flood, and again when the connection ends, as a counterparty in a loop does. */
  connect(port = this.#plan.port): void {
    if (this.#isOver) return;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket = socket;
    this.#loggedOn = false;
    this.#number = 1;
    socket.on('error', () => {});
    socket.on('connect', () => {
      if (this.#plan.kind === 'echo') this.#begin(socket);
      else {
        const logon = this.#render('35=A', `98=0|108=30|141=Y|554=${this.#plan.password}|`);
        this.#bytes += logon.length;
        this.#attempts++;
        socket.write(logon);
      }
    });
    socket.on('data', (chunk: Buffer) => {
      if (this.#plan.kind === 'resetLoop') {
        this.#loop(socket, chunk);
        return;
      }
      if (this.#loggedOn || !chunk.includes('\u000135=A\u0001')) return;
      this.#begin(socket);
    });
    const againMs = this.#plan.kind === 'resetLoop' ? 0 : AGAIN_MS;
    socket.on('close', () => setTimeout(() => this.connect(port), againMs));
  }

  /** The first connection makes reports; each later one is dropped a moment behind its Logon. */
  #loop(socket: Socket, chunk: Buffer): void {
    if (chunk.includes('\u000135=A\u0001')) {
      this.#logons++;
      if (this.#logons === 1) for (let i = 0; i < LOOP_ORDERS; i++) socket.write(this.#message());
      else setTimeout(() => socket.destroy(), LOOP_HELD_MS);
    } else if (this.#logons > 1) return;
    this.#reports += chunk.toString('latin1').split('\u000139=C\u0001').length - 1;
    if (this.#reports < LOOP_ORDERS) return;
    this.#bytes = 0;
    console.log('under way');
    socket.destroy();
  }

  #begin(socket: Socket): void {
    this.#loggedOn = true;
    this.#logons++;
    if (this.#logons === 1) console.log('under way');
    this.#pump(socket);
  }

  #pump(socket: Socket): void {
    if (this.#isOver || socket.destroyed) return;
    if (socket.writableLength < UNREAD_MAX) {
      const parts: Buffer[] = [];
      for (let i = 0; i < BATCH; i++) parts.push(this.#message());
      const bytes = Buffer.concat(parts);
      this.#messages += BATCH;
      this.#bytes += bytes.length;
      socket.write(bytes);
    }
    if (socket.writableLength < UNREAD_MAX) setImmediate(() => this.#pump(socket));
    else socket.once('drain', () => this.#pump(socket));
  }

  #message(): Buffer {
    const { account } = this.#plan;
    const time = formatUtcTimestamp(Date.now());
    const id = `f${process.pid}-${++this.#clOrdID}`;
    const order = `11=${id}|1=${account}|55=BTCUSDC|54=1|60=${time}|38=0.001|40=2|44=50000.0|59=3|`;
    switch (this.#plan.kind) {
      case 'orders':
      case 'echo':
      case 'resetLoop':
        return this.#render('35=D', order);
      case 'cancels':
        return this.#render('35=F', `11=${id}|41=none-${id}|55=BTCUSDC|54=1|60=${time}|38=1|`);
      case 'statusRequests':
        return this.#render('35=H', `11=none-${id}|55=BTCUSDC|54=1|`);
      case 'faulty':
        return this.#render('35=D', `11=${id}|1=${account}|55=BTCUSDC|54=Z|60=${time}|38=abc|40=2|`);
      case 'garbled': {
        const bytes = this.#render('35=D', order);
        this.#number--;
        bytes[bytes.length - 2]! ^= 1;
        return bytes;
      }
      case 'possDup':
        this.#number--;
        return this.#render('35=D', order, { possDup: true, msgSeqNum: 1 });
      case 'testRequests':
        return this.#render('35=1', `112=${id}|`);
      case 'resendRequests':
        return this.#render('35=2', '7=1|16=0|');
      case 'ahead':
        this.#number++;
        return this.#render('35=D', order);
    }
  }

  #render(head: string, body: string, as: { possDup?: boolean; msgSeqNum?: number } = {}): Buffer {
    const { senderCompID, targetCompID } = this.#plan;
    const time = formatUtcTimestamp(Date.now());
    const number = as.msgSeqNum ?? this.#number;
    this.#number++;
    const possDup = as.possDup === true ? `43=Y|122=${time}|` : '';
    return Buffer.from(
      fromPrintable(
        `${head}|49=${senderCompID}|56=${targetCompID}|34=${number}|${possDup}52=${time}|${body}`,
        'FIX.4.4',
      ),
    );
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket?.destroy();
    const seconds = (performance.now() - this.#begun) / 1_000;
    const figures: AttackFigures = {
      messages: this.#messages,
      megabytes: this.#bytes / 1e6,
      logons: this.#logons,
      attempts: this.#attempts,
      seconds,
    };
    console.log(JSON.stringify(figures));
    setTimeout(() => process.exit(0), 50);
  }
}

const plan = JSON.parse(process.argv[2]!) as AttackPlan;
const flood = new Flood(plan);
process.on('SIGTERM', () => flood.end());
setTimeout(() => flood.end(), Math.min(plan.seconds, SECONDS_MAX) * 1_000);
if (plan.kind === 'echo') {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  echo.listen(0, '127.0.0.1', () => flood.connect((echo.address() as { port: number }).port));
} else flood.connect();
