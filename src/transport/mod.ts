// Door of the transport room: TCP and TLS connections, bytes in and bytes out.

export { type ConnectOptions, connect, secureContextOf } from './connect.ts';
export type { Connection } from './connection.ts';
export { type Listener, type ListenOptions, listen, type Refusal } from './listen.ts';
export { CIPHERS_DEFAULT } from './listener-context.ts';
export { originOf } from './origin.ts';
export { createSelfSignedCertificate } from './self-signed.ts';
