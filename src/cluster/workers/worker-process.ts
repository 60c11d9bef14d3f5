// One partition as the node sees it: its process, and the connections that were handed to it. Leaves starting it again to the
// supervisor, and what it does to partition-worker.ts.

import type { ChildProcess } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import type { HandedConnection } from '../../engine/mod.ts';
import { closerOf, detachSocket, type Place, relayHeader, stopReading } from '../../transport/mod.ts';
import type { RunningPartition } from './partition-host.ts';
import type { FromWorker, Serving, ToWorker } from './worker-messages.ts';

/** Connections on their way to a process that takes none: it is stuck. */
const UNDER_WAY_MAX = 1_000;

interface Handed {
  /** Its own end of it: without a handle once it was passed. */
  readonly socket: Socket;
  readonly close: () => void;
  readonly place: Place;
}

export class WorkerProcess implements RunningPartition {
  readonly name: string;
  readonly pid: number;
  readonly adminUrl: string;
  readonly nodeToken: string;
  readonly bridgeUrl: string | null;
  readonly journal: string;
  readonly isReady: boolean;
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #relayPath: string;
  readonly #handed = new Map<number, Handed>();
  #lastId = 0;
  #underWay = 0;

  constructor(name: string, child: ChildProcess, serving: Serving & { nodeToken: string }, ended: Promise<string>) {
    this.name = name;
    this.pid = child.pid!;
    this.#child = child;
    this.adminUrl = serving.adminUrl;
    this.nodeToken = serving.nodeToken;
    this.bridgeUrl = serving.bridgeUrl;
    this.journal = serving.journal;
    this.isReady = serving.isReady;
    this.#relayPath = serving.relayPath;
    this.ended = ended;
    child.on('message', (message) => this.#heard(message as FromWorker));
    void ended.then(() => {
      // Their other ends are gone with the process, taken or not.
      for (const { close } of [...this.#handed.values()]) close();
      this.#handed.clear();
    });
  }

  async stop(): Promise<void> {
    this.#say({ kind: 'stop' });
    await this.ended;
  }

  tell(message: unknown): void {
    this.#say({ kind: 'told', message });
  }

  take({ connection, first, listener, place }: HandedConnection): void {
    if (!this.#child.connected || this.#underWay >= UNDER_WAY_MAX) {
      const why = this.#child.connected ? 'takes no connections' : 'is not there';
      connection.destroy(`the process of partition ${this.name} ${why}`);
      return;
    }
    const socket = detachSocket(connection);
    if (socket === null) return;
    place.waits();
    const id = ++this.#lastId;
    const { remoteAddress, remotePort, tls } = connection;
    // One that another node relays over TLS comes from a plain client too, and is spliced.
    const rest = tls === null ? stopReading(socket) : null;
    if (rest === null) {
      const close = (): void => void socket.destroy();
      this.#keep(id, { socket, close, place });
      place.onEvicted = close;
      this.#splice(socket, [relayHeader({ remoteAddress, remotePort, tls, listener, id: String(id) }), ...first]);
      return;
    }
    this.#keep(id, { socket, close: closerOf(socket), place });
    place.onEvicted = (reason) => this.#say({ kind: 'evict', id, reason });
    const message = { id, listener, remoteAddress, remotePort, first: Buffer.concat([...first, rest]) };
    this.#say({ kind: 'connection', ...message }, socket, () => this.#over(id));
  }

  #keep(id: number, handed: Handed): void {
    const { socket } = handed;
    this.#handed.set(id, handed);
    socket.once('close', () => this.#handed.delete(id));
    socket.on('error', () => {});
  }

  /** Bytes both ways until either side ends; each side presses back on the other. */
  #splice(client: Socket, before: readonly Buffer[]): void {
    const worker = connect({ path: this.#relayPath, allowHalfOpen: true });
    const end = (): void => {
      client.destroy();
      worker.destroy();
    };
    worker.on('error', end);
    worker.once('close', end);
    client.once('close', end);
    for (const bytes of before) worker.write(bytes);
    client.pipe(worker);
    worker.pipe(client);
  }

  #heard(message: FromWorker): void {
    if (message.kind === 'proved') this.#handed.get(message.id)?.place.proved();
    else if (message.kind === 'over') this.#over(message.id);
  }

  #over(id: number): void {
    this.#handed.get(id)?.socket.destroy();
  }

  /** @param onFailed it cannot be said any more */
  #say(message: ToWorker, socket?: Socket, onFailed: () => void = () => {}): void {
    if (!this.#child.connected) {
      onFailed();
      return;
    }
    if (socket !== undefined) this.#underWay++;
    this.#child.send(message, socket, {}, (error) => {
      if (socket !== undefined) this.#underWay--;
      if (error !== null) onFailed();
    });
  }
}
