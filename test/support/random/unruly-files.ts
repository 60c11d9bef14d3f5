// Accidental content of files: values of another type, names that mean something to the language, bytes of other
// encodings, deep nesting. For properties that ask for words instead of a stack.

import fc from 'fast-check';

/** Shaped like a password: it must never be seen under a secret's key. */
export const SECRET = 'hunter2hunter2';

/** Values of YAML and JSON; a key expects hardly any of them. */
const VALUES = [
  'null',
  '~',
  '',
  '[]',
  '{}',
  '""',
  '-1',
  '1e999',
  '-.inf',
  '.nan',
  '0x1F',
  '0o17',
  '1_000',
  '"\\u0000"',
  '"\\uD800"',
  '[[[[]]]]',
  '{a: {b: c}}',
  '{constructor: 1}',
  '{__proto__: {a: 1}}',
  '{toString: x, hasOwnProperty: y}',
  '[{a: 1}, null, [1]]',
  '[1, "1", null, true]',
  '!!binary aGk=',
  '!!set {a, b}',
  '!!omap [a: 1]',
  '!!timestamp 2026-01-01',
  '!!js/function x',
  '&a x',
  '*a',
  '&a [*a]',
  '<<: {a: 1}',
  '99999999999999999999',
  '0.1',
  'true',
  'No',
  '"0"',
  'off',
  '|\n  x',
  '>-\n  x\n\n  y',
  '"111"',
  '2026-01-01',
  '12:30:45',
  '? a\n: b',
  '%',
  '@x',
  '`x`',
  '"unended',
  "'unended",
  '[unended',
  '{unended',
  '\t- x',
  'file:/dev/null',
  'file:..',
  'env:',
  'env:HOME',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `${'{a: '.repeat(40)}${'}'.repeat(40)}`,
  'x'.repeat(5000),
  `"${SECRET}"`,
] as const;

const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'length',
  '0',
  '1.5',
  'null',
  'true',
  '? [a]',
  '"a b"',
  '"a/b~c.d[0]"',
  '"\\u0000"',
  '<<',
  'Ключ',
] as const;

const unrulyValue = fc.constantFrom(...VALUES);
const unrulyKey = fc.constantFrom(...KEYS);

const lineDamage = fc.record({
  line: fc.nat(60),
  kind: fc.constantFrom('drop', 'twice', 'value', 'item', 'key', 'indent', 'outdent', 'cut', 'add', 'wrong'),
  value: unrulyValue,
  key: unrulyKey,
});

/** Changes of the whole text: byte order marks, line ends, other encodings, a NUL. */
const wholeDamage = fc.constantFrom(
  'none',
  'none',
  'none',
  'none',
  'crlf',
  'cr',
  'bom',
  'latin1',
  'utf16',
  'nul',
  'empty',
  'half',
  'nested',
  'flow',
);

type Unruly = ReturnType<typeof unruly> extends fc.Arbitrary<infer T> ? T : never;

/** Up to `damages` of a file's lines, and perhaps one of the whole. */
export function unruly(damages = 3) {
  return fc.record({ lines: fc.array(lineDamage, { maxLength: damages }), whole: wholeDamage });
}

/** The file after all that. */
export function damagedBy({ lines: damages, whole }: Unruly, text: string): Buffer {
  const lines = text.split('\n');
  for (const { line, kind, value, key } of damages) {
    const at = line % lines.length;
    const old = lines[at] ?? '';
    const indent = /^[ -]*/.exec(old)?.[0] ?? '';
    if (kind === 'drop') lines.splice(at, 1);
    else if (kind === 'twice') lines.splice(at, 0, old);
    else if (kind === 'value') lines[at] = old.replace(/([:=]).*$/, (_, sign) => `${sign} ${value}`);
    else if (kind === 'item') lines.splice(at, 0, `${indent.replaceAll('-', ' ')}- ${value}`);
    else if (kind === 'key') lines[at] = old.replace(/[\w.]+([:=])/, (_, sign) => `${key}${sign}`);
    else if (kind === 'wrong') lines[at] = old.replace(/\w+([:=])/, (_, sign) => `wrong${sign}`);
    else if (kind === 'add') lines.splice(at, 0, `${indent.replaceAll('-', ' ')}${key}: ${value}`);
    else if (kind === 'indent') lines[at] = `  ${old}`;
    else if (kind === 'outdent') lines[at] = old.trimStart();
    else lines[at] = old.slice(0, Math.floor(old.length / 2));
  }
  const damaged = lines.join('\n');
  switch (whole) {
    case 'crlf':
      return Buffer.from(damaged.replaceAll('\n', '\r\n'));
    case 'cr':
      return Buffer.from(damaged.replaceAll('\n', '\r'));
    case 'bom':
      return Buffer.from(`\uFEFF${damaged}`);
    case 'latin1':
      return Buffer.from(`${damaged}# é\n`, 'latin1');
    case 'utf16':
      return Buffer.from(`\uFEFF${damaged}`, 'utf16le');
    case 'nul':
      return Buffer.from(`${damaged}\0`);
    case 'empty':
      return Buffer.alloc(0);
    case 'half':
      return Buffer.from(damaged.slice(0, damaged.length / 2));
    case 'nested':
      return Buffer.from(`${damaged}\nx: ${'['.repeat(5000)}`);
    case 'flow':
      return Buffer.from(`[${damaged}]`);
    default:
      return Buffer.from(damaged);
  }
}
