// Converts text to the bytes of a character set and back without loss. A character that the set lacks is an error,
// never replaced. Bytes are strings with one character each, as everywhere in messages. Message writers choose the set.

/** Names of MessageEncoding(347), and those that houses agree on beside them. */
export const CHARSETS = [
  'US-ASCII',
  'ISO-8859-1',
  'ISO-8859-2',
  'ISO-8859-15',
  'windows-1252',
  'UTF-8',
  'Shift_JIS',
  'EUC-JP',
  'ISO-2022-JP',
  'GBK',
  'Big5',
  'EUC-KR',
] as const;
/** Name of a character set that texts can be written in. */
export type Charset = (typeof CHARSETS)[number];

/** Default for values of messages: one character for each byte. */
export const LATIN1: Charset = 'ISO-8859-1';

// biome-ignore lint/suspicious/noControlCharactersInRegex: what ASCII has
const ASCII = /^[\x00-\x7f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what has a byte of its own
const ONE_BYTE_EACH = /^[\x00-\xff]*$/;
/** NEC's selection of IBM's characters, which have a place of their own behind it: written there, they come back. */
const DOUBLED_LEADS: Partial<Record<Charset, readonly number[]>> = { Shift_JIS: [0xed, 0xee] };
const TO_KANJI = '\x1b$B';
const TO_ASCII = '\x1b(B';

const BY_NAME: ReadonlyMap<string, Charset> = new Map(CHARSETS.map((name) => [name.toLowerCase(), name]));

/** The set that MessageEncoding(347) or a setting names, in any case; null if it is none of {@link CHARSETS}. */
export function charsetNamed(name: string): Charset | null {
  return BY_NAME.get(name.toLowerCase()) ?? null;
}

/** Text as bytes; null if the set lacks a character of it. */
export function encodeText(text: string, charset: Charset): string | null {
  if (charset !== 'ISO-2022-JP' && ASCII.test(text)) return text;
  switch (charset) {
    case 'US-ASCII':
      return null;
    case 'ISO-8859-1':
      return ONE_BYTE_EACH.test(text) ? text : null;
    case 'UTF-8':
      return text.isWellFormed() ? Buffer.from(text, 'utf8').toString('latin1') : null;
    case 'ISO-2022-JP':
      return encodeIso2022Jp(text);
    default:
      return encodeByTable(text, tableOf(charset));
  }
}

/** The same with `?` for characters that the set lacks, for texts that must go out in any case. */
export function encodeLossy(text: string, charset: Charset): string {
  return encodeText(text, charset) ?? [...text].map((one) => encodeText(one, charset) ?? '?').join('');
}

/** Bytes as text; as they are, a character each, where they are none of the set. */
export function decodeText(bytes: string, charset: Charset): string {
  if (charset === 'ISO-8859-1' || (charset !== 'ISO-2022-JP' && ASCII.test(bytes))) return bytes;
  if (charset === 'US-ASCII') return bytes;
  const text = decoderOf(charset).decode(Buffer.from(bytes, 'latin1'));
  if (!text.includes('\ufffd')) return text;
  // It stands for bytes that are none of the set, and in UTF-8 for itself as well.
  return charset === 'UTF-8' && Buffer.from(text).toString('latin1') === bytes ? text : bytes;
}

/**
 * Decode what a counterparty wrote within words of ours, where it still stands as the bytes of its set. In UTF-8 the form of the
 * bytes shows them: text of people of that form, such as `Ã¶`, is rare (**assumed**). In other sets the words stay as they are.
 */
export function decodeEchoes(text: string, charset: Charset): string {
  if (charset !== 'UTF-8' || ASCII.test(text)) return text;
  return text.replace(/[\x80-\xff]+/g, (bytes) => decodeText(bytes, charset));
}

type Decoder = InstanceType<typeof TextDecoder>;

const decoders = new Map<Charset, Decoder>();

function decoderOf(charset: Charset): Decoder {
  const known = decoders.get(charset) ?? new TextDecoder(charset, { ignoreBOM: true });
  decoders.set(charset, known);
  return known;
}

const tables = new Map<Charset, ReadonlyMap<string, string>>();

/** Bytes by character: the decoder's answers, the other way round. Made when first needed, some thousand entries. */
function tableOf(charset: Charset): ReadonlyMap<string, string> {
  const known = tables.get(charset);
  if (known !== undefined) return known;
  const table = new Map<string, string>();
  const decoder = decoderOf(charset);
  const take = (bytes: readonly number[]): void => {
    const text = decoder.decode(Uint8Array.from(bytes));
    if ([...text].length !== 1 || text === '\ufffd' || table.has(text)) return;
    table.set(text, String.fromCharCode(...bytes));
  };
  for (let byte = 0; byte <= 0xff; byte++) take([byte]);
  const doubled = DOUBLED_LEADS[charset] ?? [];
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    if (doubled.includes(lead)) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) take([lead, trail]);
  }
  tables.set(charset, table);
  return table;
}

function encodeByTable(text: string, table: ReadonlyMap<string, string>): string | null {
  let bytes = '';
  for (const character of text) {
    const found = table.get(character);
    if (found === undefined) return null;
    bytes += found;
  }
  return bytes;
}

/** JIS X 0208 between escapes: the bytes of EUC-JP without their highest bit. A control character of its own would end it. */
function encodeIso2022Jp(text: string): string | null {
  if (text.includes('\x1b')) return null;
  const table = tableOf('EUC-JP');
  let bytes = '';
  let isKanji = false;
  for (const character of text) {
    const found = table.get(character);
    const isPair = found?.length === 2 && found.charCodeAt(0) >= 0xa1;
    if (found === undefined || (!isPair && !ASCII.test(found))) return null;
    if (isPair !== isKanji) bytes += isPair ? TO_KANJI : TO_ASCII;
    isKanji = isPair;
    bytes += isPair ? String.fromCharCode(found.charCodeAt(0) & 0x7f, found.charCodeAt(1) & 0x7f) : found;
  }
  const whole = isKanji ? bytes + TO_ASCII : bytes;
  return decodeText(whole, 'ISO-2022-JP') === text ? whole : null;
}
