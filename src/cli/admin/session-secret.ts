// `crossgate sessions secret NAME`: makes the secrets that a session's Logon is checked against, as files for the owner
// only. Nothing secret is printed: the paths are.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import { wholeOps } from '../../ops/mod.ts';
import { SESSIONS_DEFAULT, STATE_DEFAULT } from '../options/environment.ts';
import { wholeNumber } from '../options/whole-number.ts';

const KINDS = ['password', 'hmac-sha256', 'ed25519', 'ecdsa-p256'] as const;
type Kind = (typeof KINDS)[number];
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Entropy of generated secrets; base64url makes 32 characters of it, which every engine can send. */
const SECRET_BYTES = 24;
const CHOSEN_MIN = 12;
const HOUR_MS = 3_600_000;
/** A year. */
const VALID_HOURS_MAX = 8_760;
const CONTROL = /\p{Cc}/u;

interface SecretOptions {
  readonly kind: string;
  readonly stdin?: boolean;
  readonly replace?: boolean;
  readonly oldValidHours: string;
  readonly state?: string;
  readonly folder?: string;
  readonly json?: boolean;
}

/** Where files are written, and the folder that references are relative to. */
interface Target {
  readonly folder: string;
  readonly state: string;
}

/** A written file, and its purpose. */
interface Written {
  readonly path: string;
  readonly what: string;
}

export function addSecretCommand(sessions: Command): void {
  sessions
    .command('secret <name>')
    .description('make a password and its hash, or a key for signed logons, as files for the owner only')
    .option('--kind <kind>', `one of ${KINDS.join(', ')}`, 'password')
    .option('--replace', 'replace a password that is there; the old one stays valid for a while')
    .option('--old-valid-hours <number>', 'how long the old one stays valid beside --replace; 0: not at all', '24')
    .option('--stdin', 'hash the password on standard input instead of drawing one')
    .option('--state <directory>', 'state folder of the gateway (default: that of the configuration)')
    .option('--folder <path>', 'where to write (default: secrets in the state folder)')
    .option('--json', 'print JSON')
    .action(makeSecret);
}

async function makeSecret(name: string, options: SecretOptions): Promise<void> {
  const kind = KINDS.find((known) => known === options.kind);
  if (kind === undefined) throw new CrossgateError('XG_USAGE', `--kind is one of ${KINDS.join(', ')}`);
  if (!NAME.test(name))
    throw new CrossgateError('XG_USAGE', 'a name has letters, digits, `_`, `.` and `-`, at most 64');
  if (options.stdin === true && kind !== 'password') throw new CrossgateError('XG_USAGE', '--stdin takes a password');
  if (options.replace === true && kind !== 'password')
    throw new CrossgateError('XG_USAGE', '--replace takes a password: a key is one file for both, replace it together');
  const validMs = wholeNumber('--old-valid-hours', options.oldValidHours, 0, VALID_HOURS_MAX) * HOUR_MS;
  const state = options.state ?? (await configuredState());
  const target: Target = { folder: options.folder ?? join(state, 'secrets'), state };
  const written =
    kind === 'password'
      ? await writePassword(name, target, {
          fromInput: options.stdin === true,
          replacedFor: options.replace === true ? validMs : null,
        })
      : await writeKey(name, kind, target);
  if (options.json === true) console.log(JSON.stringify({ files: written }, null, 2));
  else for (const { path, what } of written) console.log(`${path}  ${what}`);
}

/** Make a password unless there is one, print where it is, and answer how a session file refers to it. */
export async function makePassword(name: string, sessions: string, state?: string): Promise<string> {
  const place = state ?? (await configuredState(sessions));
  const target: Target = { folder: join(place, 'secrets'), state: place };
  const path = join(target.folder, `${name}.password`);
  const reference = referenceTo(path, target);
  if (existsSync(path)) console.log(`${path}  is there already, and is kept`);
  else {
    const written = await writePassword(name, target, { fromInput: false, replacedFor: null });
    for (const { path: file, what } of written) console.log(`${file}  ${what}`);
  }
  return reference;
}

/**
 * The state folder that the gateway will read, despite other faults of its configuration: the secret may be the missing
 * part.
 */
async function configuredState(sessions = SESSIONS_DEFAULT): Promise<string> {
  const { loadConfiguration } = await wholeOps();
  const { exchangePart } = loadConfiguration({ directory: sessions, environment: process.env });
  if (exchangePart === null) return STATE_DEFAULT;
  const here = relative('', exchangePart.stateDirectory);
  return here.startsWith('..') ? exchangePart.stateDirectory : here;
}

/** A file as a session file refers to it: relative to the state folder, or in full if it lies elsewhere. */
function referenceTo(path: string, { state }: Target): string {
  const inside = relative(resolve(state), resolve(path));
  return `file:${inside.startsWith('..') ? resolve(path) : inside}`;
}

interface PasswordOptions {
  readonly fromInput: boolean;
  /** Milliseconds that the one before stays valid; null: none is replaced. */
  readonly replacedFor: number | null;
}

async function writePassword(
  name: string,
  target: Target,
  { fromInput, replacedFor }: PasswordOptions,
): Promise<Written[]> {
  // Read only now: the commands beside this one need nothing of the engine.
  const { CHOSEN_PASSWORD_COST, hashPassword, RANDOM_SECRET_COST } = await import('../../engine/mod.ts');
  const { folder } = target;
  const hashPath = join(folder, `${name}.password`);
  const what = `the hash, for the gateway: password: ${referenceTo(hashPath, target)}`;
  if (fromInput) {
    const chosen = (await text(process.stdin)).replace(/\r?\n$/, '');
    if (chosen.length < CHOSEN_MIN) {
      throw new CrossgateError('XG_USAGE', `a password has at least ${CHOSEN_MIN} characters`);
    }
    if (CONTROL.test(chosen)) {
      throw new CrossgateError('XG_USAGE', 'a password is one line, without control characters: no Logon could say it');
    }
    const renewed = await hashPassword(chosen, CHOSEN_PASSWORD_COST);
    if (replacedFor !== null)
      return [{ path: hashPath, what: `${what}; ${await replace(hashPath, renewed, replacedFor)}` }];
    if (!(await renew(hashPath, chosen, renewed))) await create(hashPath, renewed);
    return [{ path: hashPath, what }];
  }
  const drawn = randomBytes(SECRET_BYTES).toString('base64url');
  const clearPath = join(folder, `${name}.password.handover`);
  const hash = await hashPassword(drawn, RANDOM_SECRET_COST);
  let until = '';
  if (replacedFor === null) {
    await create(hashPath, hash);
    await create(clearPath, drawn);
  } else {
    // The new one is at hand before it counts.
    await overwrite(clearPath, drawn);
    until = `; ${await replace(hashPath, hash, replacedFor)}`;
  }
  return [
    { path: hashPath, what: `${what}${until}` },
    { path: clearPath, what: 'the password, for the counterparty: hand it over, then delete the file' },
  ];
}

async function writeKey(name: string, kind: Exclude<Kind, 'password'>, target: Target): Promise<Written[]> {
  const { folder } = target;
  if (kind === 'hmac-sha256') {
    const path = join(folder, `${name}.hmac`);
    await create(path, randomBytes(32).toString('base64url'));
    return [{ path, what: `the shared secret, for both sides: logon.signature.key: ${referenceTo(path, target)}` }];
  }
  const { publicKey, privateKey } =
    kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicPath = join(folder, `${name}.public.pem`);
  const privatePath = join(folder, `${name}.private.pem.handover`);
  await create(publicPath, publicKey.export({ type: 'spki', format: 'pem' }).toString().trimEnd());
  await create(privatePath, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trimEnd());
  return [
    {
      path: publicPath,
      what: `the public key, for the gateway: logon.signature.key: ${referenceTo(publicPath, target)}`,
    },
    { path: privatePath, what: 'the private key, for the counterparty: hand it over, then delete the file' },
  ];
}

/** Replace the hash of the same password by one of today's cost. @returns false if the file is absent, or another secret */
async function renew(path: string, chosen: string, renewed: string): Promise<boolean> {
  const { isPasswordHash, matchesPassword } = await import('../../engine/mod.ts');
  const present = await readFile(path, 'utf8').catch(() => null);
  const hash = present?.replace(/\r?\n$/, '') ?? '';
  if (!isPasswordHash(hash) || !(await matchesPassword(chosen, hash))) return false;
  await overwrite(path, renewed);
  return true;
}

/** Put a hash into the place of another one, which stays valid for a while. @returns until when, in words */
async function replace(path: string, hash: string, validMs: number): Promise<string> {
  const { configuredPassword, isPasswordHash, replacedPasswordText } = await import('../../engine/mod.ts');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) throw new CrossgateError('XG_USAGE', `there is no ${path} to replace: leave --replace out`);
  const { present } = configuredPassword(text.replace(/\r?\n$/, ''));
  if (validMs === 0) {
    await overwrite(path, hash);
    return 'the old one is not valid any more';
  }
  if (!isPasswordHash(present)) {
    const remedy = 'replace it with --old-valid-hours 0';
    throw new CrossgateError('XG_USAGE', `${path} has a password and not its hash, which cannot stay valid: ${remedy}`);
  }
  const until = Date.now() + validMs;
  await overwrite(path, replacedPasswordText(hash, present, until));
  return `the old one is valid until ${formatIso(until)}`;
}

/** Replace a file for the owner only, as a whole. */
async function overwrite(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  await create(draft, content);
  await rename(draft, path);
}

/** Write a new file for the owner only; one that is there is never overwritten. */
async function create(path: string, content: string): Promise<void> {
  const { createSecretFile } = await wholeOps();
  if (await createSecretFile(path, `${content}\n`)) return;
  throw new CrossgateError('XG_USAGE', `${path} is there already: delete it first, or choose another name`);
}
