// Looks through every file of the repository for what opens something: rule X5.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const KINDS: readonly (readonly [what: string, form: RegExp])[] = [
  ['private key', /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=\s]{40,}/g],
  ['web token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ['hash of a password', /scrypt[:$][\w=,:$+/-]{40,}/g],
  ['key of a cloud', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[pousr]_\w{36}\b|\bxox[abprs]-[\w-]{10,}/g],
  ['password in an address', /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"'`<>${}]+:[^\s/@"'`<>${}]{3,}@/g],
];
/** As long as a key of 32 bytes, and no word: letters of both cases and digits. */
const RANDOM_TEXT = /(?<![\w+/-])(?=[\w+/-]*\d)(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])[\w+/-]{40,}={0,2}/g;

/** Public, under any signature. */
const PUBLIC = /-----BEGIN (CERTIFICATE|PUBLIC KEY|X509 CRL)-----\n[A-Za-z0-9+/=\n]+-----END \1-----/g;

/** A look-alike that opens nothing. */
const HARMLESS: readonly RegExp[] = [
  // Placeholders of documents, and the passwords that tests look for in logs.
  /:(?:password|(?:\d*(?:[#?]|%2F))?hunter\d(?::hunter\d)?|hush|p,w|\[redacted\])@$/,
  // A web token of tests, with the word as its signature.
  /\.c2lnbmF0dXJl$/,
  /^0123456789ABCDEF/,
  // Names of daily files in the documents.
  /^4-EXCHANGE_TEST-ACME_OMS-\d{4}-\d\d-\d\d-(?:orders|trades)$/,
  // Paths, alone or behind the times that are signed with them.
  /\/trading-api\//,
  // The test vector of the rules of engagement for a signed Logon, and a public key of the exchange's documents.
  /^rLrtICnzQIChvtsst\+gTw3a0LZThYvECB4d5siX9lK0=$/,
  /^PUB_R1_/,
];

function filesOfRepository(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  return listed.split('\0').filter((file) => file !== '' && !/\.(?:png|gz)$|^package-lock\.json$/.test(file));
}

/** Digits spread over a text, as chance does it; names in camel case have few. */
function isRandom(text: string): boolean {
  return (text.match(/\d/g)?.length ?? 0) >= text.length / 16;
}

function secretsIn(file: string, text: string): string[] {
  const named = KINDS.flatMap(([what, form]) => [...text.matchAll(form)].map(([found]) => [what, found] as const));
  const random = [...text.replace(PUBLIC, '').matchAll(RANDOM_TEXT)].map(([found]) => ['random text', found] as const);
  return [...named, ...random.filter(([, found]) => isRandom(found))]
    .filter(([, found]) => !HARMLESS.some((known) => known.test(found)))
    .map(([what, found]) => `${file}: ${what} ${found.slice(0, 60)}`);
}

test('X5 no file of the repository holds a secret', () => {
  const files = filesOfRepository();
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => secretsIn(file, readFileSync(`${root}/${file}`, 'utf8')))).toEqual([]);
});

test('X5 a secret of each kind would be found', () => {
  const of = (length: number): string => 'aB3dE6gH9j'.repeat(10).slice(0, length);
  const planted = [
    `-----BEGIN EC ${'PRIVATE'} KEY-----\n${of(64)}\n`,
    `ey${'J'}${of(20)}.ey${'J'}${of(20)}.${of(40)}`,
    `$scr${'ypt'}$ln=15,r=8,p=1$${of(22)}$${of(43)}`,
    `AK${'IA'}ABCDEFGHIJ234567`,
    `postgres${'://'}crossgate:s3cret@db`,
    of(44),
  ];
  for (const text of planted) expect(secretsIn('planted', `x = "${text}"`), text).not.toEqual([]);
  const list = (kind: string): string => `-----BEGIN ${kind}-----\n${of(64)}\n-----END ${kind}-----\n`;
  expect(secretsIn('public', list('X509 CRL'))).toEqual([]);
  expect(secretsIn('planted', `${list('X509 CRL')}${of(44)}${list('X509 CRL')}`)).toHaveLength(1);
  expect(secretsIn('planted', list('ANYTHING'))).not.toEqual([]);
});
