// Door of the transport room: TCP and TLS connections, bytes in and bytes out.

export { type ConnectOptions, connect } from './connect.ts';
export type { Connection, ConnectionTls } from './connection.ts';
export { type Listener, type ListenerTls, type ListenOptions, listen, type Refusal } from './listen.ts';
export { type CertificateOptions, createSelfSignedCertificate, type SelfSignedCertificate } from './self-signed.ts';
