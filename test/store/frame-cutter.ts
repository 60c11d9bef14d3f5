// A proxy before PostgreSQL that knows where the frames of its protocol end, and cuts the connection at any of them.

import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

/** Where the connection is cut: at which frame of all, and whether that one still passes. */
export interface Cut {
  readonly at: number;
  readonly passes: boolean;
}

export class FrameCutter {
  /** Frames that have passed, in both directions, of all connections. */
  frames = 0;
  /** Passed frames, in short. */
  readonly log: string[] = [];
  cut: Cut | null = null;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer({ noDelay: true }, (client) => {
      const server = createConnection({ ...target, noDelay: true });
      this.#pipe(client, server, '>');
      this.#pipe(server, client, '<');
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
    });
  }

  static async open(target: { readonly host: string; readonly port: number }): Promise<FrameCutter> {
    const cutter = new FrameCutter(target);
    cutter.#server.listen(0, '127.0.0.1');
    await once(cutter.#server, 'listening');
    return cutter;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #pipe(from: Socket, to: Socket, direction: '>' | '<'): void {
    let rest = Buffer.alloc(0);
    // The first message of a client has no type.
    let isFirst = direction === '>';
    from.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const head = isFirst ? 0 : 1;
        if (rest.length < head + 4) return;
        const length = head + rest.readUInt32BE(head);
        if (rest.length < length) return;
        const frame = rest.subarray(0, length);
        rest = rest.subarray(length);
        this.frames++;
        this.log.push(`${direction}${isFirst ? '*' : String.fromCharCode(frame[0]!)}`);
        isFirst = false;
        if (this.frames !== this.cut?.at) {
          to.write(frame);
          continue;
        }
        // Passed frames are under way before the end of the connection.
        if (this.cut.passes) to.end(frame);
        else to.destroy();
        from.destroy();
        return;
      }
    });
  }
}
