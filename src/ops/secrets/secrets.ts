// Secrets by reference: `env:NAME` or `file:PATH`, read when needed, never kept. And, for the embedded simulated exchange
// only, the secrets that a first start creates. Leaves API keys of the simulated exchange to the simulator.

import { isUtf8 } from 'node:buffer';
import { randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import { giveToOwnerOfFolder, makeFolder, type SecretReference } from '../../engine/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import { writersOf } from '../checks/file-modes.ts';
import { tlsDoors, type WithDoors } from '../checks/tls-doors.ts';
import { handwritten } from '../configuration/file-states.ts';
import { isPattern } from '../configuration/session-template.ts';

const SECRET_BYTES_MAX = 65_536;
const OWNER_ONLY = 0o600;
const DAY_MS = 86_400_000;
/** Ends the name of a draft. */
const DRAFT_END = /\.[0-9a-f]{12}\.draft$/;
/** Errors of file systems without hard links. */
const WITHOUT_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The environment as the process got it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The path behind a `file:` reference (relative to the state directory unless absolute), or null for another kind. */
export function secretFile(reference: string, stateDirectory: string): string | null {
  if (!reference.startsWith('file:')) return null;
  const path = reference.slice('file:'.length);
  return isAbsolute(path) ? path : resolve(stateDirectory, path);
}

/** A reference that reads its secret when asked. */
export function secretReference(reference: string, stateDirectory: string, environment: Environment): SecretReference {
  return {
    reference,
    read() {
      const path = secretFile(reference, stateDirectory);
      const value = path === null ? environment[reference.slice('env:'.length)] : readSecretFile(reference, path);
      if (value === undefined) throw missing(reference, 'this environment variable is not set');
      const text = value.replace(/\r?\n$/, '');
      if (text === '') throw missing(reference, 'it is empty');
      return text;
    },
  };
}

function missing(reference: string, why: string, cause?: unknown): CrossgateError {
  return new CrossgateError('XG_SECRET_MISSING', `the secret ${reference} cannot be read: ${why}`, { cause });
}

function readSecretFile(reference: string, path: string): string {
  try {
    const bytes = handwritten(path, SECRET_BYTES_MAX);
    // Anybody on the machine could put a secret of theirs there, to log on with.
    if (writersOf(path) === 'everybody') {
      throw missing(reference, `every user of this machine may change ${path}: make another secret, with mode 600`);
    }
    if (bytes === 'endless') throw missing(reference, `${path} is no file but a pipe or a device`);
    if (bytes === 'too large') throw missing(reference, `the file ${path} is too large for a secret`);
    // With other characters in it, it would be another secret.
    if (!isUtf8(bytes) || bytes.includes(0)) throw missing(reference, `the file ${path} is not UTF-8 text`);
    // Some editors put a byte order mark at the begin of a file.
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof CrossgateError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw missing(reference, code === 'ENOENT' ? `there is no file ${path}` : `the file ${path} (${code})`, error);
  }
}

/** Why a secret cannot be read, or null if it can. The secret itself is dropped. */
export function secretProblem(secret: SecretReference): string | null {
  try {
    secret.read();
    return null;
  } catch (error) {
    if (error instanceof CrossgateError) return error.message;
    throw error;
  }
}

/** The file of a reference and its mode, if somebody besides the owner may do anything with it; null otherwise. */
export function openToOthers(
  reference: string,
  stateDirectory: string,
): { readonly path: string; readonly mode: string } | null {
  const path = secretFile(reference, stateDirectory);
  if (path === null || !existsSync(path)) return null;
  const mode = statSync(path).mode & 0o777;
  return (mode & 0o077) === 0 ? null : { path, mode: mode.toString(8).padStart(3, '0') };
}

/** Makes a self-signed pair in PEM. Given by the caller, because the room that has it is not this one's to enter. */
export type CreateCertificate = (options: {
  readonly commonName: string;
}) => Promise<{ readonly keyPem: string; readonly certificatePem: string }>;

/**
 * Create what a first start with the embedded simulated exchange needs and does not have: FIX passwords, tokens of the
 * bridge, and the TLS pair of listeners with `selfSigned`. Files are for the owner only. An existing one is never
 * touched, but for a self-signed pair about to expire, which is made anew. Without the embedded simulated exchange
 * nothing is created. Returns the files created, for people. @throws CrossgateError XG_TLS_INVALID if only half of a pair
 * is there
 */
export async function ensureDemoSecrets(
  config: Pick<EngineConfig, 'simulator' | 'stateDirectory' | 'sessions'> & WithDoors,
  createCertificate: CreateCertificate,
): Promise<string[]> {
  removeLeftDrafts(join(config.stateDirectory, 'secrets'));
  if (config.simulator === null) return [];
  const created: string[] = [];
  const texts = [
    ...config.sessions.map(({ password }) => password),
    ...(config.bridge?.callers ?? []).map(({ token }) => token),
  ];
  for (const secret of texts) {
    // Of a template: a file for each counterparty, which only people can hand out.
    if (secret === null || isPattern(secret.reference)) continue;
    const path = secretFile(secret.reference, config.stateDirectory);
    if (path !== null && (await createSecretFile(path, `${randomBytes(18).toString('base64url')}\n`)))
      created.push(path);
  }
  for (const { host, tls } of tlsDoors(config)) {
    if (!tls.selfSigned) continue;
    const certificate = secretFile(tls.certificate.reference, config.stateDirectory);
    const key = secretFile(tls.key.reference, config.stateDirectory);
    if (certificate === null || key === null) continue;
    const commonName = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    if (await ensurePair(certificate, key, () => createCertificate({ commonName }))) created.push(certificate, key);
  }
  return created;
}

/** Remove leftovers of processes that were killed while making a secret: they are unread, and secrets all the same. */
function removeLeftDrafts(folder: string): void {
  const before = Date.now() - DAY_MS;
  try {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (DRAFT_END.test(name) && statSync(path).mtimeMs < before) rmSync(path, { force: true });
    }
  } catch {
    // No folder yet, or one of others: that a draft stays does no harm to a start.
  }
}

/** Whether a self-signed pair was made: there was none, or it was about to expire. @throws CrossgateError XG_TLS_INVALID if only half is there */
async function ensurePair(
  certificate: string,
  key: string,
  create: () => ReturnType<CreateCertificate>,
): Promise<boolean> {
  const [hasCertificate, hasKey] = [existsSync(certificate), existsSync(key)];
  if (hasCertificate !== hasKey) {
    const [there, absent] = hasKey ? [key, certificate] : [certificate, key];
    throw new CrossgateError('XG_TLS_INVALID', `${there} is there but ${absent} is not: restore it, or delete both`);
  }
  if (hasCertificate && !hasExpired(certificate)) return false;
  const pair = await create();
  const first = await draftOf(certificate, pair.certificatePem);
  const second = await draftOf(key, pair.keyPem).catch((error: unknown) => {
    rmSync(first.draft, { force: true });
    throw error;
  });
  // Both in one go: a start that is interrupted leaves both or none.
  const drafts = [first, second];
  if (!hasCertificate) return drafts.map(putInPlace).every(Boolean);
  for (const { path, draft } of drafts) renameSync(draft, path);
  return true;
}

/** Whether a certificate ends within a day. One that cannot be read is left to the listener to complain about. */
function hasExpired(path: string): boolean {
  try {
    return new X509Certificate(readFileSync(path)).validToDate.getTime() < Date.now() + DAY_MS;
  } catch {
    return false;
  }
}

/**
 * Write a new file for the owner only. Readers, and a process that ends meanwhile, find it whole or not at all. False
 * if it exists already.
 * @throws CrossgateError XG_SECRET_MISSING
 */
export async function createSecretFile(path: string, text: string): Promise<boolean> {
  if (existsSync(path)) return false;
  return putInPlace(await draftOf(path, text));
}

/** A file that is written and is not in its place yet. */
interface Draft {
  readonly path: string;
  readonly draft: string;
}

async function draftOf(path: string, text: string): Promise<Draft> {
  // A name of its own: another process may be making the same file.
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    makeFolder(dirname(path));
    const file = await open(draft, 'wx', OWNER_ONLY);
    try {
      giveToOwnerOfFolder(draft);
      await file.writeFile(text);
      await file.sync();
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    return { path, draft };
  } catch (error) {
    throw cannotBeCreated(path, error);
  }
}

/** In one go: no signal comes in between. False if a file is there already, which stays. @throws CrossgateError XG_SECRET_MISSING */
function putInPlace({ path, draft }: Draft): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (existsSync(path)) return false;
    if (!WITHOUT_LINKS.has(code)) throw cannotBeCreated(path, error);
    renameSync(draft, path);
    return true;
  } finally {
    rmSync(draft, { force: true });
  }
}

function cannotBeCreated(path: string, cause: unknown): CrossgateError {
  const { message } = cause as Error;
  return new CrossgateError('XG_SECRET_MISSING', `the secret file ${path} cannot be created: ${message}`, { cause });
}
