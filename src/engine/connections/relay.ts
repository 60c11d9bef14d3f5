// Hands a connection on to another place on this machine, if its first message names a session there: bytes both ways, at a
// bounded rate, with the client's address in a PROXY header. Nothing of it reaches a session here.

import { connect, isIPv6, type Socket } from 'node:net';
import type { Connection, Place } from '../../transport/mod.ts';

/** A connection that its first message names another place for. */
export interface HandedConnection {
  /** Delivers nothing more here; its owner is the callee from now on. */
  readonly connection: Connection;
  /** Bytes that came already, the first message included; none of them was answered. */
  readonly first: readonly Buffer[];
  /** Name of the listener that took it. */
  readonly listener: string;
  /** Its place among the connections of that listener. */
  readonly place: Place;
}

/**
 * Where the sessions of a name are: the port of a listener on this machine that takes a PROXY header, or a function that
 * takes the connection itself and guards it against guessed passwords.
 */
export type Elsewhere = Promise<number> | ((handed: HandedConnection) => void);

/** Bytes of one connection in a second, each way: a flood waits in its sender. */
const BYTES_PER_SECOND_MAX = 1_048_576;
const SLICE_MS = 100;
const SLICE_BYTES = (BYTES_PER_SECOND_MAX * SLICE_MS) / 1000;
const LOOPBACK = '127.0.0.1';

export class Relay {
  private readonly connection: Connection;
  private readonly onEnd: (reason: string) => void;
  private socket: Socket | null = null;
  /** Bytes that came before the other place was there. */
  private waiting: Buffer[] = [];
  private sliceBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private isOver = false;

  /** @param first bytes that came already */
  constructor(
    connection: Connection,
    first: readonly Buffer[],
    place: Promise<number>,
    onEnd: (reason: string) => void,
  ) {
    this.connection = connection;
    this.onEnd = onEnd;
    this.waiting.push(proxyHeader(connection), ...first);
    connection.onChunk = (chunk) => this.forward(chunk);
    connection.onClose = (reason) => this.end(reason);
    connection.pause();
    place.then(
      (port) => this.open(port),
      (error: unknown) => this.end(error instanceof Error ? error.message : String(error)),
    );
  }

  private open(port: number): void {
    if (this.isOver) return;
    const socket = connect({ host: LOOPBACK, port });
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('connect', () => {
      for (const chunk of this.waiting.splice(0)) socket.write(chunk);
      this.connection.resume();
    });
    socket.on('data', (chunk: Buffer) => {
      this.connection.send(chunk);
      // The client does not read: the buffers of the other place fill instead.
      if (this.connection.bufferedBytes > BYTES_PER_SECOND_MAX) {
        socket.pause();
        setTimeout(() => socket.resume(), SLICE_MS);
      }
    });
    socket.on('drain', () => this.read());
    socket.on('error', () => {});
    socket.on('close', () => this.end('the other place ended the connection'));
  }

  private forward(chunk: Buffer): void {
    const { socket } = this;
    if (socket === null || this.isOver) return;
    const isTaken = socket.write(chunk);
    this.sliceBytes += chunk.length;
    if (!isTaken || this.sliceBytes >= SLICE_BYTES) this.connection.pause();
    if (this.sliceBytes >= SLICE_BYTES) this.timer ??= setTimeout(() => this.nextSlice(), SLICE_MS);
  }

  private nextSlice(): void {
    this.timer = null;
    this.sliceBytes = 0;
    this.read();
  }

  private read(): void {
    if (!this.isOver && this.timer === null && this.socket?.writableNeedDrain === false) this.connection.resume();
  }

  private end(reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.connection.close();
    this.socket?.end();
    this.onEnd(reason);
  }
}

/** Version 1 of the PROXY header: the client's address, ours unknown. */
function proxyHeader({ remoteAddress, remotePort }: Connection): Buffer {
  const isV6 = isIPv6(remoteAddress);
  const own = isV6 ? '::1' : LOOPBACK;
  return Buffer.from(`PROXY ${isV6 ? 'TCP6' : 'TCP4'} ${remoteAddress} ${own} ${remotePort} 1\r\n`, 'latin1');
}
