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
  | 'resetLoop'
  /** Orders, then endless requests for all reports; the attacker reads none of them. */
  | 'slowReader'
  /** Endless orders, one byte a packet. */
  | 'slowWriter'
  /** Frames with bytes changed, cut, doubled or dropped, by a seed. */
  | 'fuzz';

export interface AttackPlan {
  readonly port: number;
  readonly password: string;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly account: string;
  readonly kind: FloodKind;
  readonly seconds: number;
  /** Of the damage of `fuzz`. */
  readonly seed?: number;
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
/** Reports that a slow reader asks for, how often it asks, and between two bytes of a slow writer. */
const SLOW_ORDERS = 300;
const ASK_MS = 20;
const BYTE_MS = 1;

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
  #seed: number;
  readonly #begun = performance.now();

  constructor(plan: AttackPlan) {
    this.#plan = plan;
    this.#seed = plan.seed ?? 1;
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
    if (this.#plan.kind === 'slowReader') this.#readNothing(socket);
    else if (this.#plan.kind === 'slowWriter') this.#drip(socket, this.#message(), 0);
    else this.#flood(socket);
  }

  #readNothing(socket: Socket): void {
    for (let i = 0; i < SLOW_ORDERS; i++) socket.write(this.#message());
    socket.pause();
    const ask = setInterval(() => {
      this.#messages++;
      if (socket.destroyed || this.#isOver) clearInterval(ask);
      else socket.write(this.#render('35=2', '7=1|16=0|'));
    }, ASK_MS);
    // Paused, it would never hear of the end.
    socket.on('error', () => socket.destroy());
  }

  #drip(socket: Socket, message: Buffer, at: number): void {
    if (this.#isOver || socket.destroyed) return;
    if (at === 0) this.#messages++;
    socket.write(message.subarray(at, at + 1));
    const isLast = at + 1 === message.length;
    setTimeout(() => this.#drip(socket, isLast ? this.#message() : message, isLast ? 0 : at + 1), BYTE_MS);
  }

  #flood(socket: Socket): void {
    if (this.#isOver || socket.destroyed) return;
    if (socket.writableLength < UNREAD_MAX) {
      const parts: Buffer[] = [];
      for (let i = 0; i < BATCH; i++) parts.push(this.#message());
      const bytes = Buffer.concat(parts);
      this.#messages += BATCH;
      this.#bytes += bytes.length;
      socket.write(bytes);
    }
    if (socket.writableLength < UNREAD_MAX) setImmediate(() => this.#flood(socket));
    else socket.once('drain', () => this.#flood(socket));
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
      case 'slowReader':
      case 'slowWriter':
        return this.#render('35=D', order);
      case 'fuzz':
        return this.#damaged(this.#render('35=D', order));
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

  #random(below: number): number {
    // mulberry32
    this.#seed = (this.#seed + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  /** One to four kinds of damage; half of the frames get the right CheckSum(10) behind it, and reach further. */
  #damaged(message: Buffer): Buffer {
    let bytes = message;
    for (let left = 1 + this.#random(4); left > 0; left--) {
      const at = this.#random(bytes.length);
      const to = Math.min(bytes.length, at + 1 + this.#random(12));
      const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
      const noise = Buffer.from(Array.from({ length: 1 + this.#random(8) }, () => this.#random(256)));
      const digits = Buffer.from(String(this.#random(2 ** 31)));
      const made = [
        [before, noise, after],
        [before, after],
        [before, part, part, after],
        [before, digits, after],
      ];
      bytes = Buffer.concat(made[this.#random(made.length)]!);
    }
    return this.#random(2) === 0 ? bytes : checkSummed(bytes);
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

/** The bytes up to the last field with their CheckSum(10). */
function checkSummed(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('\u000110=');
  if (end === -1) return bytes;
  const body = bytes.subarray(0, end + 1);
  let sum = 0;
  for (const byte of body) sum += byte;
  return Buffer.concat([body, Buffer.from(`10=${String(sum % 256).padStart(3, '0')}\u0001`)]);
}

const plan = JSON.parse(process.argv[2]!) as AttackPlan;
const flood = new Flood(plan);
process.on('SIGTERM', () => flood.end());
setTimeout(() => flood.end(), Math.min(plan.seconds, SECONDS_MAX) * 1_000);
if (plan.kind === 'echo') {
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  echo.listen(0, '127.0.0.1', () => flood.connect((echo.address() as { port: number }).port));
} else flood.connect();
