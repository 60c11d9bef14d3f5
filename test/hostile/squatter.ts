// Connections that say nothing, or a byte a second, in a process of their own: `squatter PLAN`. Holds a number of
// connections from each address, and replaces each that ends. Says `under way` when it has opened all, and prints one
// line of JSON at SIGTERM.

import { connect, type Socket } from 'node:net';
import process from 'node:process';

export interface SquatPlan {
  readonly port: number;
  /** Own addresses; an IPv6 one goes to `::1`. */
  readonly from: readonly string[];
  readonly perAddress: number;
  /** Part of them that sends a Logon byte by byte. */
  readonly drips: number;
  readonly seconds: number;
}

export interface SquatFigures {
  readonly opened: number;
  readonly ended: number;
}

const SECONDS_MAX = 600;
const AGAIN_MS = 20;
const DRIP = '8=FIX.4.4\u00019=200\u000135=A\u000149=VICTIM\u0001';

const plan = JSON.parse(process.argv[2]!) as SquatPlan;
const wanted = plan.from.length * plan.perAddress;
const held = new Set<Socket>();
const dripping = new Map<Socket, number>();
let opened = 0;
let ended = 0;
let isOver = false;

function squat(localAddress: string): void {
  if (isOver) return;
  const host = localAddress.includes(':') ? '::1' : '127.0.0.1';
  const socket = connect({ port: plan.port, host, localAddress });
  socket.on('error', () => {});
  socket.on('connect', () => {
    held.add(socket);
    opened++;
    if (opened % 100 < plan.drips * 100) dripping.set(socket, 0);
    if (opened === wanted) console.log('under way');
  });
  socket.on('close', () => {
    held.delete(socket);
    dripping.delete(socket);
    ended++;
    setTimeout(() => squat(localAddress), AGAIN_MS);
  });
}

function end(): void {
  if (isOver) return;
  isOver = true;
  const figures: SquatFigures = { opened, ended };
  console.log(JSON.stringify(figures));
  for (const socket of held) socket.destroy();
  setTimeout(() => process.exit(0), 50);
}

setInterval(() => {
  for (const [socket, at] of dripping) {
    socket.write(DRIP[at % DRIP.length]!);
    dripping.set(socket, at + 1);
  }
}, 1_000).unref();
process.on('SIGTERM', end);
setTimeout(end, Math.min(plan.seconds, SECONDS_MAX) * 1_000);
for (const address of plan.from) for (let i = 0; i < plan.perAddress; i++) squat(address);
