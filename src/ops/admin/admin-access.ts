// Access to the admin API: a token readable for the gateway's user only, and a note of its address, so that the command
// line finds both in the state folder. admin-token.ts makes the token; admin-api.ts checks requests.

import { chmod, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { isDiskFull } from '../../base/disk-full.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { EngineLog } from '../../engine/mod.ts';
import { writersOf } from '../checks/file-modes.ts';

/** Of a token that is made; none is shorter. */
export const ADMIN_TOKEN_BYTES = 32;

/** Names the gateway's version in every answer to a caller with a token; for others it would point at known holes. */
export const VERSION_HEADER = 'x-crossgate-version';

/** Answer of /healthz on a standby node (standby-server.ts): it cancels nothing. */
export const STANDING_BY = 'standing by';

/** The file that holds the token. */
export function adminTokenFile(stateDirectory: string): string {
  return join(stateDirectory, 'secrets', 'admin.token');
}

/** The file that says where the admin API of the running gateway listens. */
function adminAddressFile(stateDirectory: string): string {
  return join(stateDirectory, 'admin.json');
}

/** Message and remedy for a file with other content. */
export const NO_ADMIN_TOKEN = `holds no admin token, which has ${ADMIN_TOKEN_BYTES} to 256 printable characters`;
const IS_MADE = 'a gateway that runs makes another within seconds, or the next start does';
export const ADMIN_TOKEN_REMEDY = `delete the file, and ${IS_MADE}`;

/** Text that a request can carry, and a gateway looks for in it. */
const CARRIED = /^[\x21-\x7e]{1,256}$/;
const IS_NOT_YOURS =
  'run this as the owner of the file, or with a token of your own (`admin.users` in gateway.yaml, `--token-file`)';
const IS_CLOSED =
  "run this as the gateway's user, or have others find it with `chmod 711` on the state folder and a token of their own";
const NOT_ALLOWED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);

/** Whether that is the token, of whatever file. */
export function isAdminToken(text: string): boolean {
  const token = text.trim();
  return token.length >= ADMIN_TOKEN_BYTES && CARRIED.test(token);
}

/** Read the token. @throws CrossgateError XG_SECRET_MISSING */
export async function readAdminToken(stateDirectory: string): Promise<string> {
  const file = adminTokenFile(stateDirectory);
  const token = await readFile(file, 'utf8').catch((cause: unknown) => {
    const why = `${reasonOf(cause) ?? `it is not there; ${IS_MADE}`}${isNotAllowed(cause) ? `; ${IS_NOT_YOURS}` : ''}`;
    throw new CrossgateError('XG_SECRET_MISSING', `the admin token cannot be read from ${file}: ${why}`, { cause });
  });
  if (!isAdminToken(token)) {
    throw new CrossgateError('XG_SECRET_MISSING', `${file} ${NO_ADMIN_TOKEN}: ${ADMIN_TOKEN_REMEDY}`);
  }
  return token.trim();
}

/** Address of a gateway's admin API, and the owner of that port. */
export interface AdminNote {
  /** Null where it is switched off. */
  readonly url: string | null;
  /** The mark of its process; null if it left none. */
  readonly process: string | null;
  /** False: commands need the token of a user. */
  readonly sharedToken: boolean;
  /** How commands know that it is this gateway which answers; absent over HTTP. */
  readonly tls?: NotedTls;
}

export interface NotedTls {
  /** Certificates to trust, PEM; null: those of the system. */
  readonly authority: string | null;
  /** The name in its certificate: the address that a command asks at is mostly another one. */
  readonly serverName: string;
}

/**
 * Say where the admin API listens. A disk without room for the note keeps no gateway from running, which has orders to cancel:
 * commands do not find it then.
 */
export async function writeAdminAddress(stateDirectory: string, note: AdminNote, log: EngineLog): Promise<void> {
  const file = adminAddressFile(stateDirectory);
  const text = `${JSON.stringify(note)}\n`;
  const draft = `${file}.new`;
  try {
    await writeFile(draft, text);
    // Operators with their own accounts read it, and only its owner writes it, under any umask; some file systems know
    // no modes.
    await chmod(draft, 0o644).catch(() => {});
    await rename(draft, file);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await rm(draft, { force: true }).catch(() => {});
    await overwrite(file, text).catch(() => {
      log('error', `commands do not find this gateway: there is no room for ${file}`, { error });
    });
  }
}

/** Into the room of the note that is there, of a process that was killed. @throws the system's error */
async function overwrite(file: string, text: string): Promise<void> {
  const there = await open(file, 'r+');
  try {
    await there.write(text, 0);
    await there.truncate(text.length);
  } finally {
    await there.close();
  }
}

/** Remove the note. If a disk keeps it, no gateway counts as running by it: commands see that its process is gone. */
export async function removeAdminAddress(stateDirectory: string, log: EngineLog): Promise<void> {
  try {
    await rm(adminAddressFile(stateDirectory), { force: true });
  } catch (error) {
    log('warn', 'the note of where the admin API listens cannot be removed', { error });
  }
}

/**
 * Where the admin API of a gateway listens, unless that was killed: then its port may be somebody else's.
 * @throws CrossgateError XG_ADMIN_UNREACHABLE if no gateway was started
 */
export async function readAdminAddress(stateDirectory: string): Promise<AdminNote> {
  const file = adminAddressFile(stateDirectory);
  try {
    const json: unknown = JSON.parse(await readFile(file, 'utf8'));
    const doubt = await doubtOf(file, stateDirectory);
    if (doubt !== null) throw new CrossgateError('XG_ADMIN_UNREACHABLE', `${file} is not believed: ${doubt}`);
    if (typeof json === 'object' && json !== null && 'url' in json) {
      const { url } = json;
      const process = 'process' in json && typeof json.process === 'string' ? json.process : null;
      const sharedToken = !('sharedToken' in json && json.sharedToken === false);
      const tls = 'tls' in json ? notedTls(json.tls) : null;
      if (typeof url === 'string' || url === null)
        return { url, process, sharedToken, ...(tls === null ? {} : { tls }) };
    }
  } catch (cause) {
    if (cause instanceof CrossgateError) throw cause;
    const reason = reasonOf(cause);
    const none = `no gateway is running with the state folder ${stateDirectory} (--state names another one)`;
    const remedy = isNotAllowed(cause) ? `; ${IS_CLOSED}` : '';
    const text = reason === null ? none : `${file} cannot be read: ${reason}${remedy}`;
    throw new CrossgateError('XG_ADMIN_UNREACHABLE', text, { cause });
  }
  throw new CrossgateError('XG_ADMIN_UNREACHABLE', `${file} does not say where the admin API listens`);
}

function notedTls(json: unknown): NotedTls | null {
  const { authority, serverName } = (json ?? {}) as { readonly authority?: unknown; readonly serverName?: unknown };
  if (typeof serverName !== 'string') return null;
  return { authority: typeof authority === 'string' ? authority : null, serverName };
}

/**
 * Why a note may be a forgery that asks commands for their token; null if it is the gateway's. The gateway's user owns the
 * state folder; a container may run as another user on a mounted folder, and so may the command beside it.
 */
async function doubtOf(file: string, stateDirectory: string): Promise<string | null> {
  const writers = writersOf(file) ?? writersOf(stateDirectory);
  if (writers === 'everybody') return 'every user of this machine may change it or its folder';
  if (process.getuid === undefined) return null;
  const [{ uid }, folder] = await Promise.all([stat(file), stat(stateDirectory)]);
  if (uid === folder.uid || uid === 0 || uid === process.getuid()) return null;
  return `it belongs to user ${uid}, and the state folder to user ${folder.uid}`;
}

/** Why a file that is there cannot be read, such as a user that may not; null if it is not there, or holds something else. */
function reasonOf(cause: unknown): string | null {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  return code === undefined || code === 'ENOENT' || code === 'ENOTDIR' ? null : message;
}

function isNotAllowed(cause: unknown): boolean {
  return NOT_ALLOWED.has(((cause ?? {}) as NodeJS.ErrnoException).code);
}
