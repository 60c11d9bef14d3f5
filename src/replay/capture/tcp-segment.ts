// A captured packet as a TCP segment: Ethernet with VLAN tags, Linux cooked captures, loopback and raw IP; IPv4 and
// IPv6 with extension headers. Puts no IP fragments together: TCP avoids them.

export interface TcpSegment {
  /** `10.0.0.1:9876` or `[::1]:9876`. */
  readonly from: string;
  readonly to: string;
  readonly seq: number;
  /** Null without an acknowledgement. */
  readonly ack: number | null;
  readonly isSyn: boolean;
  readonly isReset: boolean;
  /** As much as the capture has: a snap length may cut it. */
  readonly payload: Buffer;
}

/** Why a packet has no segment that can be read; `other` for what is no TCP. */
export type NoSegment = 'linkType' | 'fragment' | 'other';

/** LINKTYPE_ values of tcpdump.org. */
const LinkType = {
  Null: 0,
  Ethernet: 1,
  RawBsd: 12,
  RawOpenBsd: 14,
  Raw: 101,
  Loop: 108,
  Sll: 113,
  Ipv4: 228,
  Ipv6: 229,
  Sll2: 276,
} as const;
const ETHER_IPV4 = 0x0800;
const ETHER_IPV6 = 0x86dd;
const VLAN_TAGS: readonly number[] = [0x8100, 0x88a8, 0x9100];
const VLANS_MAX = 4;
const TCP = 6;
/** IPv6 headers that may stand before TCP: hop-by-hop, routing, destination options. */
const EXTENSIONS: readonly number[] = [0, 43, 60];
const FRAGMENT = 44;
const EXTENSIONS_MAX = 8;

export function tcpSegmentOf(linkType: number, frame: Buffer): TcpSegment | NoSegment {
  const ip = networkLayer(linkType, frame);
  if (typeof ip === 'string') return ip;
  if (ip.length < 1) return 'other';
  const version = ip[0]! >> 4;
  return version === 4 ? ofIpv4(ip) : version === 6 ? ofIpv6(ip) : 'other';
}

function networkLayer(linkType: number, frame: Buffer): Buffer | NoSegment {
  switch (linkType) {
    case LinkType.Null:
    case LinkType.Loop:
      // The family differs between systems; the version of IP says it.
      return frame.subarray(4);
    case LinkType.Raw:
    case LinkType.RawBsd:
    case LinkType.RawOpenBsd:
    case LinkType.Ipv4:
    case LinkType.Ipv6:
      return frame;
    case LinkType.Ethernet:
      return ofEtherType(frame, 12);
    case LinkType.Sll:
      return ofEtherType(frame, 14);
    case LinkType.Sll2:
      return frame.length >= 20 && isIp(frame.readUInt16BE(0)) ? frame.subarray(20) : 'other';
    default:
      return 'linkType';
  }
}

const isIp = (type: number): boolean => type === ETHER_IPV4 || type === ETHER_IPV6;

function ofEtherType(frame: Buffer, typeAt: number): Buffer | NoSegment {
  for (let at = typeAt, tags = 0; at + 2 <= frame.length && tags <= VLANS_MAX; at += 4, tags++) {
    const type = frame.readUInt16BE(at);
    if (isIp(type)) return frame.subarray(at + 2);
    if (!VLAN_TAGS.includes(type)) break;
  }
  return 'other';
}

function ofIpv4(ip: Buffer): TcpSegment | NoSegment {
  const headerBytes = (ip[0]! & 0x0f) * 4;
  if (headerBytes < 20 || ip.length < headerBytes || ip[9] !== TCP) return 'other';
  // More fragments, or an offset.
  if ((ip.readUInt16BE(6) & 0x3fff) !== 0) return 'fragment';
  // The network card fills 0 in where it segments itself; padding of short Ethernet frames lies behind.
  const total = ip.readUInt16BE(2) || ip.length;
  const [source, target] = [12, 16].map((at) => [...ip.subarray(at, at + 4)].join('.'));
  return segmentIn(ip.subarray(headerBytes, Math.min(total, ip.length)), source!, target!);
}

function ofIpv6(ip: Buffer): TcpSegment | NoSegment {
  if (ip.length < 40) return 'other';
  const total = 40 + (ip.readUInt16BE(4) || ip.length);
  let next = ip[6]!;
  let at = 40;
  for (let count = 0; EXTENSIONS.includes(next) && count < EXTENSIONS_MAX && at + 2 <= ip.length; count++) {
    next = ip[at]!;
    at += (ip[at + 1]! + 1) * 8;
  }
  if (next === FRAGMENT) return 'fragment';
  if (next !== TCP) return 'other';
  const [source, target] = [8, 24].map((from) => `[${ipv6Text(ip.subarray(from, from + 16))}]`);
  return segmentIn(ip.subarray(at, Math.min(total, ip.length)), source!, target!);
}

/** RFC 5952: the longest run of zeros is left out. */
function ipv6Text(address: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => address.readUInt16BE(i * 2).toString(16));
  const runs = [...groups.join(':').matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const longest = runs.reduce((best, [run]) => (run.length > best.length ? run : best), '');
  if (longest === '') return groups.join(':');
  const [before, behind] = groups.join(':').split(new RegExp(`(?<![^:])${longest}(?![^:])`)) as [string, string];
  return `${before.replace(/:$/, '')}::${behind.replace(/^:/, '')}`;
}

function segmentIn(tcp: Buffer, source: string, target: string): TcpSegment | NoSegment {
  if (tcp.length < 20) return 'other';
  const headerBytes = (tcp[12]! >> 4) * 4;
  if (headerBytes < 20 || headerBytes > tcp.length) return 'other';
  const flags = tcp[13]!;
  return {
    from: `${source}:${tcp.readUInt16BE(0)}`,
    to: `${target}:${tcp.readUInt16BE(2)}`,
    seq: tcp.readUInt32BE(4),
    ack: (flags & 0x10) === 0 ? null : tcp.readUInt32BE(8),
    isSyn: (flags & 0x02) !== 0,
    isReset: (flags & 0x04) !== 0,
    payload: tcp.subarray(headerBytes),
  };
}
