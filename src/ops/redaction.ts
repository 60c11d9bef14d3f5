// What must never be printed: secrets recognised by the name of their key or by their shape. Used by the log, by
// configuration problems and by the effective configuration, so that no call site has to think of it.

export const REDACTED = '[redacted]';

const SECRET_KEY =
  /pass(word|phrase|wd)|secret|private_?key|api_?key|token|authorization|cookie|credential_?key|signature|^jwt$|^pin$/i;

/** Whether a value under this key is secret by its name. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

// FIX: Password(554), NewPassword(925), RawData(96, signed logons), EncryptedPassword(1402), EncryptedNewPassword(1404).
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/(^|[\p{Cc}|^\s])(554|925|96|1402|1404)=[^\p{Cc}|]*/gu, `$1$2=${REDACTED}`],
  // A password in an address: scheme://user:password@host.
  [/(:\/\/[^\s:/@]*:)[^\s/]*@/g, `$1${REDACTED}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [
    /("[^"]*(?:password|secret|privateKey|token|authorization|cookie)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi,
    `$1"${REDACTED}"`,
  ],
  [
    /\b(password|passwd|secret|privateKey|token|authorization|cookie)(\s*[=:]\s*)[^\s,;|\p{Cc}"]+/giu,
    `$1$2${REDACTED}`,
  ],
];

const TEXT_MAX = 8192;

/** The text with secrets of known shape blacked out, cut at 8,192 characters. */
export function redactText(text: string): string {
  let redacted = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}… (${text.length} characters)` : text;
  for (const [shape, replacement] of SECRET_SHAPES) redacted = redacted.replace(shape, replacement);
  return redacted;
}

const DEPTH_MAX = 6;
const VALUES_MAX = 2000;
const ENTRIES_MAX = 100;

/** A copy of any value fit for printing as JSON: secrets blacked out, depth and size bounded, bytes named by length. */
export function redactValue(value: unknown): unknown {
  return redactNode(value, 0, { left: VALUES_MAX });
}

interface Budget {
  left: number;
}

function redactNode(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return `(${value.length} bytes)`;
  budget.left -= 1;
  if (depth >= DEPTH_MAX || budget.left < 0) return '(more)';
  const below = (item: unknown): unknown => redactNode(item, depth + 1, budget);
  if (value instanceof Error) return redactError(value, below);
  if (value instanceof Set || Array.isArray(value)) return [...value].slice(0, ENTRIES_MAX).map(below);
  if ('toJSON' in value && typeof value.toJSON === 'function') return below(value.toJSON());
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const copy: Record<string, unknown> = {};
  for (const [key, item] of entries.slice(0, ENTRIES_MAX)) {
    copy[String(key)] = isSecretKey(String(key)) && item !== null && item !== undefined ? REDACTED : below(item);
  }
  return copy;
}

function redactError(error: Error, below: (item: unknown) => unknown): unknown {
  const { name, message, stack, cause } = error;
  return {
    name,
    ...('code' in error ? { code: below(error.code) } : {}),
    message: redactText(message),
    ...(stack === undefined ? {} : { stack: redactText(stack) }),
    ...(cause === undefined ? {} : { cause: below(cause) }),
  };
}
