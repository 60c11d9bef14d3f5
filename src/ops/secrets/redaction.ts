// Hides values that must never be printed: secrets recognised by their key's name or their shape. The log,
// configuration problems and the effective configuration use it, so that no call site has to.

import { REDACTED, redactedText } from '../../base/redacted-text.ts';

const SECRET_KEY =
  /pass(word|phrase|wd|code)|^pwd$|secret|private[-_]?key|api[-_]?key|token|authorization|cookie|credential_?key|signature|^jwt$|^pin$|^(554|925|1402|1404)$/i;

/** Whether a value under this key is secret by its name. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

const TEXT_MAX = 8192;
/** Read on behind the cut: what begins before it is recognised as a whole. */
const BEYOND = 1024;

/** The text with secrets of known shape blacked out, cut at 8,192 characters. */
export function redactText(text: string): string {
  if (text.length <= TEXT_MAX) return redactedText(text);
  return `${redactedText(text.slice(0, TEXT_MAX + BEYOND)).slice(0, TEXT_MAX)}… (${text.length} characters)`;
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
  // A field as tag and value.
  if (Array.isArray(value) && value.length === 2 && isSecretKey(String(value[0]))) return [value[0], REDACTED];
  if (value instanceof Set || Array.isArray(value)) return [...value].slice(0, ENTRIES_MAX).map(below);
  if ('toJSON' in value && typeof value.toJSON === 'function') return below(value.toJSON());
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const isSecretField = 'tag' in value && 'value' in value && isSecretKey(String(value.tag));
  const isSecret = (key: string): boolean => isSecretKey(key) || (isSecretField && key === 'value');
  const copy: Record<string, unknown> = {};
  for (const [key, item] of entries.slice(0, ENTRIES_MAX)) {
    copy[String(key)] = isSecret(String(key)) && item !== null && item !== undefined ? REDACTED : below(item);
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
