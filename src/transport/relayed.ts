// Connections that another process of the gateway has accepted and decrypted: a PROXY header, version 2, says who the client is,
// how it proved itself in TLS, and which listener took it. Only a private socket may believe such a header: anybody who reaches
// it can claim any certificate.

import { chmodSync, rmSync } from 'node:fs';
import { createServer, isIPv4, type Socket, SocketAddress } from 'node:net';
import { plainAddress } from '../base/places/origin.ts';
import { listenFailure } from '../base/socket-failure.ts';
import type { Connection, ConnectionLimits, ConnectionTls } from './connection.ts';
import { adoptSocket } from './passed-socket.ts';
import { parseProxyHeader, readProxyHeader, V2_ADDRESS_BYTES, V2_FIXED_BYTES, V2_SIGNATURE } from './proxy-protocol.ts';

/** Types of extensions (PROXY protocol 2.2); from 0xE0 on they are an application's own. */
const UNIQUE_ID = 0x05;
const SSL = 0x20;
const SSL_VERSION = 0x21;
const SSL_CN = 0x22;
const SSL_CIPHER = 0x23;
const LISTENER = 0xe0;
const FINGERPRINT = 0xe1;
const PARTITION = 0xe2;
/** Bits of the client in an SSL extension: it uses TLS, and showed a certificate. */
const CLIENT_SSL = 0x01;
const CLIENT_CERTIFICATE = 0x02;
/** Client bits and the result of the verification stand before the extensions inside. */
const SSL_FIXED_BYTES = 5;

export interface RelayedConnection {
  readonly connection: Connection;
  readonly facts: RelayFacts;
}

/** Facts of a client for the process that its connection is relayed to. */
export interface RelayFacts {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly tls: ConnectionTls | null;
  /** Name of the listener that took it. */
  readonly listener: string;
  /** Its number at the process that relays it. */
  readonly id: string;
  /** The partition that its first message names; null or absent: not said. */
  readonly partition?: string | null;
}

/** The header that precedes the bytes of a relayed connection. */
export function relayHeader(facts: RelayFacts): Buffer {
  const { remoteAddress, remotePort, tls, listener, id, partition = null } = facts;
  const isV4 = isIPv4(remoteAddress);
  const addresses = Buffer.alloc(V2_ADDRESS_BYTES[isV4 ? 1 : 2]!);
  if (isV4) Buffer.from(remoteAddress.split('.').map(Number)).copy(addresses);
  else v6Bytes(remoteAddress).copy(addresses);
  addresses.writeUInt16BE(remotePort, isV4 ? 8 : 32);
  const extensions = [extension(UNIQUE_ID, id), extension(LISTENER, listener)];
  if (partition !== null) extensions.push(extension(PARTITION, partition));
  if (tls !== null) {
    const { protocol, cipher, peerCommonName, peerCertificateFingerprint } = tls;
    const fixed = Buffer.alloc(SSL_FIXED_BYTES);
    fixed[0] = CLIENT_SSL | (peerCertificateFingerprint === null ? 0 : CLIENT_CERTIFICATE);
    // 0: it showed a certificate, which an authority of the listener has signed.
    fixed.writeUInt32BE(peerCertificateFingerprint === null ? 1 : 0, 1);
    const inside = [fixed, extension(SSL_VERSION, protocol), extension(SSL_CIPHER, cipher)];
    if (peerCommonName !== null) inside.push(extension(SSL_CN, peerCommonName));
    extensions.push(extension(SSL, Buffer.concat(inside)));
    if (peerCertificateFingerprint !== null) extensions.push(extension(FINGERPRINT, peerCertificateFingerprint));
  }
  const rest = Buffer.concat([addresses, ...extensions]);
  const fixed = Buffer.from([...V2_SIGNATURE, 0x21, isV4 ? 0x11 : 0x21, 0, 0]);
  fixed.writeUInt16BE(rest.length, 14);
  return Buffer.concat([fixed, rest]);
}

function extension(type: number, value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  const head = Buffer.from([type, 0, 0]);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function v6Bytes(address: string): Buffer {
  // The short form has `::` for as many zeros as are missing.
  const [head = '', tail = ''] = new SocketAddress({ address, family: 'ipv6' }).address.split('::');
  const groups = (text: string): number[] =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [front, back] = [groups(head), groups(tail)];
  const all = [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Extensions by type, of a whole header or of another extension; null if they are cut short. */
function extensionsIn(bytes: Buffer): ReadonlyMap<number, Buffer> | null {
  const found = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    if (at + 3 > bytes.length) return null;
    const end = at + 3 + bytes.readUInt16BE(at + 1);
    if (end > bytes.length) return null;
    found.set(bytes[at]!, bytes.subarray(at + 3, end));
    at = end;
  }
  return found;
}

/** The facts in a whole header of version 2; null if it lacks them. */
export function relayFactsIn(header: Buffer): RelayFacts | null {
  const parsed = parseProxyHeader(header);
  if (parsed.kind !== 'header' || parsed.source === null || !header.subarray(0, 12).equals(V2_SIGNATURE)) return null;
  const from = V2_FIXED_BYTES + (V2_ADDRESS_BYTES[header[13]! >> 4] ?? 0);
  const extensions = extensionsIn(header.subarray(from, parsed.length));
  const [listener, id] = [extensions?.get(LISTENER), extensions?.get(UNIQUE_ID)];
  if (extensions === null || listener === undefined || id === undefined) return null;
  const { address, port } = parsed.source;
  const tls = tlsIn(extensions);
  if (tls === undefined) return null;
  const remoteAddress = plainAddress(address);
  const names = { listener: listener.toString(), id: id.toString() };
  return { remoteAddress, remotePort: port, tls, ...names, partition: extensions.get(PARTITION)?.toString() ?? null };
}

/** Null: the client uses no TLS; undefined: the extension is malformed. */
function tlsIn(extensions: ReadonlyMap<number, Buffer>): ConnectionTls | null | undefined {
  const ssl = extensions.get(SSL);
  if (ssl === undefined) return null;
  const inside = ssl.length < SSL_FIXED_BYTES ? null : extensionsIn(ssl.subarray(SSL_FIXED_BYTES));
  if (inside === null) return undefined;
  // A certificate that was not verified proves nothing.
  const hasCertificate = (ssl[0]! & CLIENT_CERTIFICATE) !== 0 && ssl.readUInt32BE(1) === 0;
  return {
    protocol: inside.get(SSL_VERSION)?.toString() ?? 'unknown',
    cipher: inside.get(SSL_CIPHER)?.toString() ?? 'unknown',
    peerCommonName: hasCertificate ? (inside.get(SSL_CN)?.toString() ?? null) : null,
    peerCertificateFingerprint: hasCertificate ? (extensions.get(FINGERPRINT)?.toString() ?? null) : null,
  };
}

export interface RelayListener {
  close(): Promise<void>;
}

export interface RelayOptions {
  /** Time for the header. */
  readonly headerTimeoutMs: number;
  readonly limits: ConnectionLimits;
}

/**
 * Take relayed connections at a socket file in a folder that only this user enters; one that is left over is replaced.
 * @throws CrossgateError XG_LISTEN_FAILED
 */
export async function listenRelayed(
  path: string,
  options: RelayOptions,
  onConnection: (relayed: RelayedConnection) => void,
): Promise<RelayListener> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    takeRelayed(socket, options, onConnection);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure('', path, 0, error)));
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return {
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      rmSync(path, { force: true });
    },
  };
}

/** Read the header of a socket that is believed, plain or TLS and not read yet; without one in time it is destroyed. */
export function takeRelayed(
  socket: Socket,
  { headerTimeoutMs, limits }: RelayOptions,
  onConnection: (relayed: RelayedConnection) => void,
): void {
  readHeader(socket, headerTimeoutMs, (facts, rest) => {
    const { remoteAddress: address, remotePort: port, tls } = facts;
    onConnection({ connection: adoptSocket(socket, rest, { address, port, tls }, limits), facts });
  });
}

/** Read the header of a paused socket; without one in time the socket is destroyed. */
function readHeader(socket: Socket, timeoutMs: number, onFacts: (facts: RelayFacts, rest: Buffer) => void): void {
  const end = (): void => void socket.destroy();
  const timer = setTimeout(end, timeoutMs);
  const onError = (): void => {};
  socket.on('error', onError);
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', end);
  readProxyHeader(socket, (header, seen) => {
    socket.off('end', end);
    clearTimeout(timer);
    const facts = header.kind === 'invalid' ? null : relayFactsIn(seen.subarray(0, header.length));
    if (facts === null || header.kind === 'invalid') end();
    else onFacts(facts, seen.subarray(header.length));
  });
}
