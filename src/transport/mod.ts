// Door of the transport room: TCP and TLS connections, bytes in and bytes out.

export { clientRefusal } from './client-refusal.ts';
export { type ConnectOptions, connect, secureContextOf } from './connect.ts';
export { type Connection, type ConnectionLimits, LIMITS_DEFAULT } from './connection.ts';
export { listen } from './listen.ts';
export type { Listener, ListenOptions, Refusal } from './listen-options.ts';
export { CIPHERS_DEFAULT, ServerContexts } from './listener-context.ts';
export { adoptSocket, closerOf, detachSocket, stopReading } from './passed-socket.ts';
export type { Place } from './places.ts';
export { listenRelayed, type RelayedConnection, type RelayListener, relayHeader, takeRelayed } from './relayed.ts';
export { createSelfSignedCertificate } from './self-signed.ts';
