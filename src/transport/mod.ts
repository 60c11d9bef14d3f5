// Door of the transport room: TCP and TLS connections, bytes in and bytes out.

export { clientRefusal } from './client-refusal.ts';
export { type ConnectOptions, connect, secureContextOf } from './connect.ts';
export type { Connection } from './connection.ts';
export { listen } from './listen.ts';
export type { Listener, ListenOptions, Refusal } from './listen-options.ts';
export { CIPHERS_DEFAULT, ServerContexts } from './listener-context.ts';
export type { Place } from './places.ts';
export { createSelfSignedCertificate } from './self-signed.ts';
