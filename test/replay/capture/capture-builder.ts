// Network captures for tests: TCP segments over IPv4 or IPv6, in the link layers and file formats that captures have.

export interface SentSegment {
  /** Whether the client sends it. */
  readonly isClient: boolean;
  readonly seq: number;
  readonly bytes: Buffer;
  /** S, F, R, as in tcpdump; an acknowledgement is always there but for the first SYN. */
  readonly flags?: string;
  readonly ack?: number;
  /** Ms since the beginning of the capture. */
  readonly at: number;
}

export interface Endpoints {
  readonly isIpv6?: boolean;
  readonly clientPort: number;
  readonly serverPort: number;
}

export type Link = 'ethernet' | 'vlan' | 'null' | 'loop' | 'sll' | 'sll2' | 'raw';
const LINK_TYPES: Readonly<Record<Link, number>> = {
  ...{ ethernet: 1, vlan: 1, null: 0, loop: 108, sll: 113, sll2: 276, raw: 101 },
};

export const CAPTURE_BEGAN = Date.UTC(2026, 10, 21, 10);

export interface Packet {
  readonly at: number;
  readonly bytes: Buffer;
}

export function packetOf(segment: SentSegment, of: Endpoints, link: Link): Packet {
  return { at: CAPTURE_BEGAN + segment.at, bytes: linked(ipPacket(tcp(segment, of), segment.isClient, of), of, link) };
}

function tcp(
  { isClient, seq, bytes, flags = '', ack = 1 }: SentSegment,
  { clientPort, serverPort }: Endpoints,
): Buffer {
  const header = Buffer.alloc(24);
  header.writeUInt16BE(isClient ? clientPort : serverPort, 0);
  header.writeUInt16BE(isClient ? serverPort : clientPort, 2);
  header.writeUInt32BE(seq >>> 0, 4);
  header.writeUInt32BE(ack >>> 0, 8);
  const isFirst = flags.includes('S') && isClient;
  const bits = (flags.includes('F') ? 1 : 0) | (flags.includes('S') ? 2 : 0) | (flags.includes('R') ? 4 : 0);
  header[12] = 6 << 4;
  header[13] = bits | (isFirst ? 0 : 0x10);
  header.writeUInt16BE(65_535, 14);
  // An option of four bytes: a maximum segment size.
  header.writeUInt32BE(0x020405b4, 20);
  return Buffer.concat([header, bytes]);
}

function ipPacket(payload: Buffer, isClient: boolean, { isIpv6 = false }: Endpoints): Buffer {
  const [client, server] = isIpv6
    ? [Buffer.from('20010db8000000000000000000000001', 'hex'), Buffer.from('20010db8000000000000000000000002', 'hex')]
    : [Buffer.from([10, 0, 0, 1]), Buffer.from([10, 0, 0, 2])];
  const addresses = Buffer.concat(isClient ? [client, server] : [server, client]);
  if (isIpv6) {
    const header = Buffer.alloc(8);
    header[0] = 0x60;
    // Destination options before TCP: eight bytes of padding.
    header.writeUInt16BE(payload.length + 8, 4);
    header[6] = 60;
    header[7] = 64;
    return Buffer.concat([header, addresses, Buffer.from([6, 0, 1, 4, 0, 0, 0, 0]), payload]);
  }
  const header = Buffer.alloc(12);
  header[0] = 0x45;
  header.writeUInt16BE(20 + payload.length, 2);
  header[6] = 0x40;
  header[8] = 64;
  header[9] = 6;
  return Buffer.concat([header, addresses, payload]);
}

function linked(ip: Buffer, { isIpv6 = false }: Endpoints, link: Link): Buffer {
  const type = Buffer.from(isIpv6 ? [0x86, 0xdd] : [0x08, 0x00]);
  switch (link) {
    case 'ethernet': {
      const frame = Buffer.concat([Buffer.alloc(12, 2), type, ip]);
      return frame.length >= 60 ? frame : Buffer.concat([frame, Buffer.alloc(60 - frame.length, 0x55)]);
    }
    case 'vlan':
      return Buffer.concat([Buffer.alloc(12, 2), Buffer.from([0x81, 0, 0, 7]), type, ip]);
    case 'null':
      return Buffer.concat([Buffer.from([isIpv6 ? 30 : 2, 0, 0, 0]), ip]);
    case 'loop':
      return Buffer.concat([Buffer.from([0, 0, 0, isIpv6 ? 30 : 2]), ip]);
    case 'sll':
      return Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0]), type, ip]);
    case 'sll2':
      return Buffer.concat([type, Buffer.from([0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 2, 2, 2, 2, 2, 2, 0, 0]), ip]);
    case 'raw':
      return ip;
  }
}

export function pcap(packets: readonly Packet[], link: Link, order: 'LE' | 'BE' = 'LE', isNano = false): Buffer {
  const u32 = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [i, value] of values.entries())
      if (order === 'LE') bytes.writeUInt32LE(value, i * 4);
      else bytes.writeUInt32BE(value, i * 4);
    return bytes;
  };
  const version = order === 'LE' ? Buffer.from([2, 0, 4, 0]) : Buffer.from([0, 2, 0, 4]);
  const head = Buffer.concat([u32(isNano ? 0xa1b23c4d : 0xa1b2c3d4), version, u32(0, 0, 262_144, LINK_TYPES[link])]);
  const records = packets.map(({ at, bytes }) => {
    const fraction = (at % 1000) * (isNano ? 1_000_000 : 1_000);
    return Buffer.concat([u32(Math.floor(at / 1000), fraction, bytes.length, bytes.length), bytes]);
  });
  return Buffer.concat([head, ...records]);
}
