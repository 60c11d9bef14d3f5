// How long a list of revoked certificates holds (RFC 5280, 5.1): the runtime holds certificates against one and says nothing of it.

import type { EpochMs } from '../../base/time.ts';

const LIST = /-----BEGIN X509 CRL-----([^-]*)-----END X509 CRL-----/g;
const Tag = { integer: 0x02, utcTime: 0x17, generalizedTime: 0x18 } as const;
/** Version, algorithm, issuer, this update, and behind them the next update. */
const FIELDS_MAX = 5;

/** Until when a list holds, and since when. */
interface Validity {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** Of each list in a text of PEM; none of one that names no next update, or cannot be read. */
export function revocationsIn(pem: string): Validity[] {
  return [...pem.matchAll(LIST)].flatMap(([, base64]) => validityOf(Buffer.from(base64!, 'base64')) ?? []);
}

function validityOf(list: Buffer): Validity | null {
  // The signed part of the list.
  const signed = contentAt(contentAt(list));
  const fields: Element[] = [];
  let next = elementAt(signed, 0);
  for (; next !== null && fields.length < FIELDS_MAX; next = elementAt(signed, next.end)) fields.push(next);
  const [, , thisUpdate, nextUpdate] = fields[0]?.tag === Tag.integer ? fields.slice(1) : fields;
  const [from, until] = [thisUpdate, nextUpdate].map((field) => (field === undefined ? null : timeOf(field)));
  return from == null || until == null ? null : { from, until };
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** An element of DER; null where there is none, or not a whole one. */
function elementAt(bytes: Buffer, at: number): Element | null {
  const tag = bytes[at];
  const short = bytes[at + 1];
  if (tag === undefined || short === undefined) return null;
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  if (lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) return null;
  const from = at + 2 + lengthBytes;
  const end = from + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes));
  return end > bytes.length ? null : { tag, content: bytes.subarray(from, end), end };
}

/** Content of the first element. */
function contentAt(bytes: Buffer): Buffer {
  return elementAt(bytes, 0)?.content ?? Buffer.alloc(0);
}

/** Years of two digits are those from 1950 to 2049. */
function timeOf({ tag, content }: Element): EpochMs | null {
  const isShort = tag === Tag.utcTime;
  if (!isShort && tag !== Tag.generalizedTime) return null;
  const text = content.toString('latin1');
  const digits = isShort ? `${text < '5' ? '20' : '19'}${text}` : text;
  const [, year, ...rest] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits) ?? [];
  if (year === undefined) return null;
  const [month, day, hour, minute, second] = rest.map(Number);
  return Date.UTC(Number(year), month! - 1, day, hour, minute, second);
}
