// Finds secrets in text by their shape: FIX fields with any separator, addresses, headers, JSON, XML, assignments,
// keys. In doubt it hides too much. Every repetition is bounded, because a stranger may have written the text.

/** The mark that replaces a secret. */
export const REDACTED = '[redacted]';

/** No secret has a shape without one of these: most text is looked at once only. */
const SUSPECT =
  /(?:554|925|96|1402|1404)["'\\]{0,8}\s?[=:,]|:\/\/|PRIVATE KEY|\beyJ|bearer|basic|pass|pwd|secret|private|token|authori[sz]ation|cookie|api[-_ ]?key|signature|\bjwt|\$scrypt/i;

const NAME = 'pass(?:word|phrase|wd|code)s?|pwd|secret|private[-_ ]?key|api[-_ ]?key|token|authori[sz]ation|cookie|jwt';
/** Password, NewPassword, EncryptedPassword, EncryptedNewPassword. */
const TAG = '(?:554|925|1402|1404)';
/** How logs write SOH in letters. */
const SOH = String.raw`\^A|<SOH>|\\x01|\\u0001|\\001|%01`;
/** The value of a field up to the next one, or to the end of its line; stars are no secret. */
const VALUE = String.raw`(?!\*+(?:[\p{Cc}|]|$))(?:(?!\|\d{1,5}=)[^\p{Cc}])*`;
const QUOTED = String.raw`"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$)`;
const WORD = String.raw`(?!\[redacted\]|"|')[^\s,;|<>&\p{Cc}"]+`;

const shape = (...parts: readonly string[]): RegExp => new RegExp(parts.join(''), 'giu');

/** A possible JWT is taken as a whole, even if it turns out to be none, so that no text is scanned twice. */
const JWT = /\beyJ([\w-]*)(\.[\w-]+\.[\w-]*)?/g;
const JWT_HEADER_MIN = 5;

const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]{0,32}PRIVATE KEY-----|$)/g, REDACTED],
  [/\$scrypt\$[^\s"'|\p{Cc}]+/gu, REDACTED],
  [shape(String.raw`((?:^|[^\d.]|${SOH})0{0,4}${TAG}=)`, VALUE), `$1${REDACTED}`],
  // RawData(96), a signed logon's, only where a field begins: prices are written so too.
  [shape(String.raw`((?:^|[\p{Cc}|;]|${SOH})96=)`, VALUE), `$1${REDACTED}`],
  // scheme://user:password@host, the password as people write it too.
  [/(:\/\/[^\s:/@"'<>]{0,256}:)[^\s"'<>]{0,256}@/g, `$1${REDACTED}@`],
  [/\b(Bearer|Basic)\s{1,8}[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  // A member of JSON, also of JSON in a text of JSON, by its name or by the tag that it is.
  [
    shape(
      String.raw`((\\{0,8}["'])[^"'\\]{0,64}(?:${NAME}|signature|(?<!\d)${TAG}(?!\d))[^"'\\]{0,64}\2\s{0,8}:\s{0,8})`,
      String.raw`(?:(\\{0,8}["'])(?:(?!\3)(?:\\.|[^\\]))*(?:\3|$)|[^\s,\}\]"'\\[\{]+)`,
    ),
    `$1"${REDACTED}"`,
  ],
  [
    shape(
      String.raw`(tag\\{0,8}["']?\s{0,8}:\s{0,8}\\{0,8}["']?${TAG}(?!\d)[^\{\}]{0,200}?value\\{0,8}["']?\s{0,8}:\s{0,8})`,
      String.raw`(?:"(?:[^"\\]|\\.)*"|[^\s,\}]+)`,
    ),
    `$1"${REDACTED}"`,
  ],
  [shape(String.raw`(<[\w:.\-]{0,64}(?:${NAME})[\w:.\-]{0,64}[^<>]{0,256}>)[^<]+`), `$1${REDACTED}`],
  // A header has all of its line.
  [/((?:authori[sz]ation|cookie)\s{0,8}[=:]\s{0,8})[^\r\n"]+/gi, `$1${REDACTED}`],
  [
    shape(
      String.raw`((?:(?:${NAME})[\w\-]{0,64}(?:\(\d{1,4}\))?\s{0,8}[=:]|signature\s{0,8}=)\s{0,8})`,
      `(?:${QUOTED}|${WORD})`,
    ),
    `$1${REDACTED}`,
  ],
  [shape(String.raw`(--?(?:${NAME})\s{1,8})[^\s\-]\S*`), `$1${REDACTED}`],
];

/** Length of a stranger's text that is examined; the rest is dropped. */
const WORDS_MAX = 4_096;

/** Makes a stranger's error text fit to pass on: it may repeat our request, and with it our login. */
export function strangersWords(said: string): string {
  return redactedText(said.slice(0, WORDS_MAX));
}

/** The text with secrets of known shape blacked out. */
export function redactedText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  let redacted = text.replace(JWT, (match, header: string, rest: string | undefined) =>
    rest === undefined || header.length < JWT_HEADER_MIN ? match : REDACTED,
  );
  for (const [secret, replacement] of SHAPES) redacted = redacted.replace(secret, replacement);
  return redacted;
}
