// The PROXY header, versions 1 and 2, by which a load balancer names the client behind a connection.

/** Version 1 has at most 107 bytes; a version 2 header with more than this of extensions is refused. */
export const PROXY_HEADER_BYTES_MAX = 4096;

const V1_BYTES_MAX = 107;
const V2_FIXED_BYTES = 16;
const V2_SIGNATURE = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]);
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
  if ((family !== 'TCP4' && family !== 'TCP6') || address === undefined || !/^\d{1,5}$/.test(port ?? '')) {
    return invalid('its first line is malformed');
  }
  if (!/^[0-9a-fA-F.:]{2,45}$/.test(address)) return invalid('its source address is malformed');
  return { kind: 'header', length: end + 2, source: { address, port: Number(port) } };
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
  if (family === 1 && length >= V2_FIXED_BYTES + 12) {
    const address = bytes.subarray(16, 20).join('.');
    return { kind: 'header', length, source: { address, port: bytes.readUInt16BE(24) } };
  }
  if (family === 2 && length >= V2_FIXED_BYTES + 36) {
    const groups: string[] = [];
    for (let k = 16; k < 32; k += 2) groups.push(bytes.readUInt16BE(k).toString(16));
    return { kind: 'header', length, source: { address: groups.join(':'), port: bytes.readUInt16BE(48) } };
  }
  return { kind: 'header', length, source: null };
}
