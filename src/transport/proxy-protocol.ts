// The PROXY header, versions 1 and 2, by which a load balancer names the client behind a connection.

import { isIPv4, isIPv6, type Socket, SocketAddress } from 'node:net';

/** Version 1 has at most 107 bytes; a version 2 header with more than this of extensions is refused. */
const PROXY_HEADER_BYTES_MAX = 4096;

const V1_BYTES_MAX = 107;
const PORT_MAX = 65_535;
export const V2_FIXED_BYTES = 16;
/** Both addresses and both ports, by family: IPv4, IPv6. */
export const V2_ADDRESS_BYTES: Readonly<Record<number, number>> = { 1: 12, 2: 36 };
export const V2_SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
const V1_SIGNATURE = Buffer.from('PROXY ', 'latin1');

export type ProxyHeader =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid'; readonly reason: string }
  /** `source` null: the balancer speaks for itself (health check), or does not know. */
  | {
      readonly kind: 'header';
      readonly length: number;
      readonly source: { readonly address: string; readonly port: number } | null;
    };

const INCOMPLETE: ProxyHeader = { kind: 'incomplete' };

function invalid(reason: string): ProxyHeader {
  return { kind: 'invalid', reason };
}

function startsLike(bytes: Buffer, signature: Buffer): boolean {
  const count = Math.min(bytes.length, signature.length);
  return bytes.compare(signature, 0, count, 0, count) === 0;
}

/** Parse the header at the beginning of a connection. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  if (bytes.length === 0) return INCOMPLETE;
  if (startsLike(bytes, V2_SIGNATURE)) return bytes.length < V2_FIXED_BYTES ? INCOMPLETE : parseV2(bytes);
  if (startsLike(bytes, V1_SIGNATURE)) return bytes.length < V1_SIGNATURE.length ? INCOMPLETE : parseV1(bytes);
  return invalid('the connection begins with something else');
}

function parseV1(bytes: Buffer): ProxyHeader {
  const end = bytes.indexOf('\r\n', 0, 'latin1');
  if (end === -1) return bytes.length < V1_BYTES_MAX ? INCOMPLETE : invalid('its first line does not end');
  if (end + 2 > V1_BYTES_MAX) return invalid('its first line is too long');
  const [, family, address, , port] = bytes.toString('latin1', 0, end).split(' ');
  if (family === 'UNKNOWN') return { kind: 'header', length: end + 2, source: null };
  const isPort = /^\d{1,5}$/.test(port ?? '') && Number(port) <= PORT_MAX;
  if ((family !== 'TCP4' && family !== 'TCP6') || address === undefined || !isPort) {
    return invalid('its first line is malformed');
  }
  // A zone, which isIPv6 permits, means nothing on another machine.
  const isAddress = family === 'TCP4' ? isIPv4(address) : isIPv6(address) && !address.includes('%');
  if (!isAddress) return invalid('its source address is malformed');
  const source = { address: family === 'TCP4' ? address : asSocketsWrite(address), port: Number(port) };
  return { kind: 'header', length: end + 2, source };
}

/** The canonical short form of an IPv6 address, so that a client is recognised in any notation. */
function asSocketsWrite(address: string): string {
  return new SocketAddress({ address, family: 'ipv6' }).address;
}

function parseV2(bytes: Buffer): ProxyHeader {
  const versionAndCommand = bytes[12]!;
  if (versionAndCommand >> 4 !== 2) return invalid('its version is not 2');
  const length = V2_FIXED_BYTES + bytes.readUInt16BE(14);
  if (length > PROXY_HEADER_BYTES_MAX) return invalid('it is too long');
  if (bytes.length < length) return INCOMPLETE;
  const command = versionAndCommand & 0x0f;
  if (command === 0) return { kind: 'header', length, source: null };
  if (command !== 1) return invalid('its command is not known');
  const family = bytes[13]! >> 4;
  if (length < V2_FIXED_BYTES + (V2_ADDRESS_BYTES[family] ?? 0)) return invalid('its addresses are cut short');
  if (family === 1) {
    const address = bytes.subarray(16, 20).join('.');
    return { kind: 'header', length, source: { address, port: bytes.readUInt16BE(24) } };
  }
  if (family === 2) {
    const groups: string[] = [];
    for (let k = 16; k < 32; k += 2) groups.push(bytes.readUInt16BE(k).toString(16));
    const source = { address: asSocketsWrite(groups.join(':')), port: bytes.readUInt16BE(48) };
    return { kind: 'header', length, source };
  }
  return { kind: 'header', length, source: null };
}

/** Read a paused socket until its header is complete or invalid. @param onHeader gets all that was read */
export function readProxyHeader(
  socket: Socket,
  onHeader: (header: Exclude<ProxyHeader, { readonly kind: 'incomplete' }>, seen: Buffer) => void,
): void {
  let seen = Buffer.alloc(0);
  const onReadable = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      seen = Buffer.concat([seen, chunk]);
      if (seen.length > PROXY_HEADER_BYTES_MAX) break;
    }
    const header = parseProxyHeader(seen);
    if (header.kind === 'incomplete') return;
    socket.off('readable', onReadable);
    onHeader(header, seen);
  };
  socket.on('readable', onReadable);
}
