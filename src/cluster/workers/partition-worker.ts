// The process of a partition, towards the node that started it: its orders at the begin, the connections that it is handed,
// and its end when the node is gone.

import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import type { EngineLimits } from '../../engine/mod.ts';
import {
  adoptSocket,
  type Connection,
  type ConnectionLimits,
  LIMITS_DEFAULT,
  listenRelayed,
  type Place,
  type RelayListener,
} from '../../transport/mod.ts';
import type { Beginning, FromWorker, Serving, ToWorker } from './worker-messages.ts';

/** The system's limit of a socket file's path, with its end. */
const SOCKET_PATH_BYTES_MAX = 100;
const PING_MS = 500;

/** Takes connections as a listener hands them over. */
type Accept = (connection: Connection, listener: string, place: Place) => void;

export class PartitionWorker {
  readonly beginning: Beginning;
  /** Resolves with the reason once it has to stop: the node said so, or is gone. */
  readonly stopped: Promise<string>;
  /** Called with each message of `RunningPartition.tell`. */
  onTold: (message: unknown) => void = () => {};
  readonly #places = new Map<number, Place>();
  #accept: Accept = (connection) => connection.destroy('this partition does not serve yet');
  #limits: ConnectionLimits = LIMITS_DEFAULT;
  #relay: RelayListener | null = null;
  #relayFolder: string | null = null;
  readonly #ping: NodeJS.Timeout;

  private constructor(beginning: Beginning) {
    this.beginning = beginning;
    this.stopped = new Promise((resolve) => {
      process.once('disconnect', () => resolve('the node is gone'));
      process.on('message', (message: ToWorker, socket?: unknown) => {
        if (message.kind === 'stop') resolve('the node stops this partition');
        else this.#heard(message, socket);
      });
      if (!process.connected) resolve('the node is gone');
    });
    this.#ping = setInterval(() => say({ kind: 'ping' }), PING_MS);
    this.#ping.unref();
  }

  /** @throws CrossgateError XG_USAGE if no node started this process */
  static async begin(): Promise<PartitionWorker> {
    if (process.send === undefined) {
      throw new CrossgateError('XG_USAGE', '--partition is for processes that `crossgate start` itself starts');
    }
    const beginning = await new Promise<Beginning>((resolve, reject) => {
      process.once('message', (message: ToWorker) => {
        if (message.kind === 'begin') resolve(message);
        else reject(new CrossgateError('XG_USAGE', 'the node did not say which partition this is'));
      });
      process.once('disconnect', () => reject(new CrossgateError('XG_ENGINE_CLOSED', 'the node is gone')));
    });
    return new PartitionWorker(beginning);
  }

  standing(): void {
    say({ kind: 'standing' });
  }

  applied(): void {
    say({ kind: 'applied' });
  }

  /**
   * Take connections from now on, and say so.
   * @param folder state folder of the partition, for the socket file of relayed connections
   * @throws CrossgateError XG_LISTEN_FAILED
   */
  async serve(
    folder: string,
    limits: EngineLimits,
    accept: Accept,
    facts: Omit<Serving, 'kind' | 'relayPath'>,
  ): Promise<void> {
    this.#accept = accept;
    this.#limits = { ...LIMITS_DEFAULT, outboundBytesMax: limits.outboundBytesMax };
    const relayPath = this.#relayPath(folder);
    const options = { headerTimeoutMs: limits.logonTimeoutMs, limits: this.#limits };
    this.#relay = await listenRelayed(relayPath, options, ({ connection, facts: { listener, id } }) =>
      accept(connection, listener, this.#placeOf(Number(id), connection)),
    );
    say({ kind: 'serving', relayPath, ...facts });
  }

  /** Take no connections any more. */
  async close(): Promise<void> {
    this.#accept = (connection) => connection.destroy('this partition stops');
    clearInterval(this.#ping);
    await this.#relay?.close();
    if (this.#relayFolder !== null) rmSync(this.#relayFolder, { recursive: true, force: true });
  }

  /** Nothing more is said: the process may end. */
  static leave(): void {
    if (process.connected) process.disconnect();
  }

  /** In the folder of the partition; in one of our own where that path is too long for the system. */
  #relayPath(folder: string): string {
    const path = join(folder, 'relay.sock');
    if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return path;
    this.#relayFolder = mkdtempSync(join(tmpdir(), 'crossgate-'));
    return join(this.#relayFolder, 'relay.sock');
  }

  #heard(message: ToWorker, socket: unknown): void {
    if (message.kind === 'evict') this.#places.get(message.id)?.onEvicted(message.reason);
    else if (message.kind === 'told') this.onTold(message.message);
    else if (message.kind === 'connection') {
      const { id, first, listener, remoteAddress: address, remotePort: port } = message;
      // The system may not have given it to us.
      if (!(socket instanceof Socket)) {
        say({ kind: 'over', id });
        return;
      }
      socket.once('close', () => {
        this.#places.delete(id);
        say({ kind: 'over', id });
      });
      const connection = adoptSocket(socket, first, { address, port }, this.#limits);
      const place = this.#placeOf(id, connection);
      this.#places.set(id, place);
      this.#accept(connection, listener, place);
    }
  }

  /** The node keeps the places of its listeners. */
  #placeOf(id: number, connection: Connection): Place {
    return {
      waits: () => {},
      proved: () => say({ kind: 'proved', id }),
      onEvicted: (reason) => connection.destroy(reason),
    };
  }
}

function say(message: FromWorker): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {});
}
