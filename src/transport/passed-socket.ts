// A plain socket on its way to another process: out of its connection here, and into one there. No byte is lost, and none is
// delivered twice: reading stops before the socket leaves, and bytes read by then travel with it.

import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Connection, type ConnectionLimits, type Remote, SocketConnection } from './connection.ts';
import { nextConnectionId } from './connection-id.ts';

/** The handle under a socket: Node.js has no other way to stop reading at once (`pause` lets one more chunk in). */
interface Readable {
  readonly _handle: { reading: boolean; readStop(): number; close(): void } | null;
}

/** Take the socket of a connection, paused, to splice or to pass it; null if the connection has ended. */
export function detachSocket(connection: Connection): Socket | null {
  return connection instanceof SocketConnection ? connection.detach() : null;
}

/**
 * How to close a socket that is about to be sent to another process, should that end without having taken it. Node.js closes
 * the handle only with the acknowledgement of the other process: without one, the client would wait on an open connection.
 */
export function closerOf(socket: Socket): () => void {
  const { _handle: handle } = socket as unknown as Readable;
  return () => {
    socket.destroy();
    handle?.close();
  };
}

/**
 * Make a detached socket ready to be sent to another process: it reads nothing more. Returns the bytes that came behind
 * those delivered; null for a socket that is encrypted here, or closed.
 */
export function stopReading(socket: Socket): Buffer | null {
  const { _handle: handle } = socket as unknown as Readable;
  if (handle === null || socket instanceof TLSSocket) return null;
  const rest: Buffer[] = [];
  // Each `read` starts reading again, and nothing comes in before the end of this turn.
  for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
    rest.push(chunk);
  }
  handle.reading = false;
  handle.readStop();
  return Buffer.concat(rest);
}

/** The connection of a socket that another process has accepted and, where it was encrypted, decrypts. */
export function adoptSocket(
  socket: Socket,
  first: Uint8Array,
  remote: Remote,
  limits: ConnectionLimits,
): SocketConnection {
  socket.allowHalfOpen = true;
  if (first.length > 0) socket.unshift(first);
  return new SocketConnection(socket, nextConnectionId(), remote, limits);
}
