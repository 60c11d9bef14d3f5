// Explains why a socket could not listen or connect, in the same words for every caller. Rooms with sockets open them.

import { CrossgateError } from './errors.ts';
import { hostPort } from './host-port.ts';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use by another process',
  EACCES: 'this user may not open that port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'the host name is not known',
  EMFILE: 'this process has as many files and sockets open as it may',
  ENFILE: 'this machine has as many files and sockets open as it may',
};

/** Make the error XG_LISTEN_FAILED: `who` is the subject of its sentence, empty for none. */
export function listenFailure(who: string, host: string, port: number, cause: unknown): CrossgateError {
  const { code, message } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
  const reason = REASONS[code ?? ''] ?? message ?? 'for an unknown reason';
  return new CrossgateError('XG_LISTEN_FAILED', `${who}cannot listen on ${hostPort(host, port)}: ${reason}`, { cause });
}

/** The system's reason for a failed connection, without Node's ` - Local (undefined:undefined)`. */
export function connectFailure({ message }: Pick<Error, 'message'>): string {
  return message.replace(/ - Local \([^)]*\)$/, '');
}
