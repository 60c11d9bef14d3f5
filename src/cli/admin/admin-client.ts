// Asks the admin API of a running gateway, found by its state folder: address and token lie there. An answer that says no
// becomes an error with the gateway's own sentence.

import { readFile } from 'node:fs/promises';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import type { ActionResult } from '../../engine/mod.ts';
import { readAdminAddress, readAdminToken, VERSION_HEADER } from '../../ops/mod.ts';
import { hasEnded } from '../../store/mod.ts';
import {
  AUTHORITY_DEFAULT,
  CLIENT_CERTIFICATE_DEFAULT,
  CLIENT_KEY_DEFAULT,
  STATE_DEFAULT,
  TOKEN_FILE_DEFAULT,
} from '../options/environment.ts';
import { operatorName } from '../options/operator.ts';
import { VERSION } from '../options/version.ts';
import { tlsFailure, tlsOptions } from './admin-tls-client.ts';
import { askDirectly, type DirectAnswer } from './direct-request.ts';

export interface AdminClientOptions {
  readonly state: string;
  /** File with a token of one's own. */
  readonly tokenFile?: string;
  /** Files for an admin API with TLS. */
  readonly authority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  /** Of a gateway that runs several; all of them otherwise. */
  readonly partition?: string;
  readonly json?: boolean;
}

const TIMEOUT_MS = 30_000;
const UNAUTHORIZED = 401;
const UNAVAILABLE = 503;

/** The version of the gateway that answered a command, by its options; null: it says none. */
const heard = new WeakMap<object, string | null>();

/** Add the options that every command of this kind has. */
export function withAdminOptions(command: Command): Command {
  return command
    .option('--state <directory>', 'state folder of the gateway', STATE_DEFAULT)
    .option('--token-file <path>', "file with a token of one's own (admin.users)", TOKEN_FILE_DEFAULT)
    .option('--authority <path>', 'certificates to trust at an admin API with TLS, PEM', AUTHORITY_DEFAULT)
    .option('--client-certificate <path>', 'certificate to show there, PEM', CLIENT_CERTIFICATE_DEFAULT)
    .option('--client-key <path>', 'private key of that, PEM', CLIENT_KEY_DEFAULT)
    .option('--partition <name>', 'only this partition, of a gateway that runs several')
    .option('--json', 'as JSON');
}

export interface Asking {
  /** Status codes besides 200 that are answers too. */
  readonly answers?: readonly number[];
  /** Longest wait for the answer; the work may continue after it. */
  readonly withinMs?: number;
}

/**
 * One request.
 * @throws CrossgateError XG_ADMIN_UNREACHABLE, XG_ADMIN_REFUSED
 */
export async function askGateway<T>(
  options: AdminClientOptions,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  { answers = [], withinMs = TIMEOUT_MS }: Asking = {},
): Promise<T> {
  const { url, process: owner, sharedToken, tls } = await readAdminAddress(options.state);
  if (owner !== null && hasEnded(owner)) {
    // A stranger's process on that port would receive the token.
    const where = url === null ? '' : ` at ${url}`;
    throw new CrossgateError('XG_ADMIN_UNREACHABLE', `the gateway${where} was killed: start it again`);
  }
  if (url === null) {
    const remedy = 'set `admin.enabled: true` in gateway.yaml and start it again';
    throw new CrossgateError('XG_ADMIN_UNREACHABLE', `the gateway takes no commands, its admin API is off: ${remedy}`);
  }
  if (!sharedToken && options.tokenFile === undefined) {
    const remedy = 'name the file of your own with --token-file, or in CROSSGATE_TOKEN_FILE';
    throw new CrossgateError('XG_ADMIN_REFUSED', `the gateway takes no shared token (admin.sharedToken): ${remedy}`);
  }
  const token =
    options.tokenFile === undefined ? await readAdminToken(options.state) : await readToken(options.tokenFile);
  const overTls = url.startsWith('https:') ? { tls: await tlsOptions(options, tls) } : {};
  let response: DirectAnswer;
  try {
    response = await askDirectly(addressOf(path, url, options), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-crossgate-operator': operatorName(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: withinMs,
      ...overTls,
    });
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError';
    const text = isLate
      ? `the gateway has not answered at ${url} within ${withinMs / 1_000} s: the action may have been done, or may still be done`
      : (tlsFailure(cause, url) ?? `the gateway does not answer at ${url}: is it running?`);
    throw new CrossgateError('XG_ADMIN_UNREACHABLE', text, { cause });
  }
  const answer = parsed(response.text);
  // The note of a gateway that was killed is still there, and its port somebody else's.
  if (answer === null) throw new CrossgateError('XG_ADMIN_UNREACHABLE', `what answers at ${url} is no gateway`);
  // It says its version only to callers with a token; a node that stands by asks for no token.
  const said = response.headers[VERSION_HEADER];
  const version = typeof said === 'string' ? said : null;
  const isSaid = response.status !== UNAUTHORIZED && (response.status !== UNAVAILABLE || version !== null);
  if (isSaid) tellVersion(options, version);
  if (isSuccess(response.status) || answers.includes(response.status)) {
    tellSilent(answer);
    return answer as T;
  }
  // The gateway speaks of the shared token: it cannot know which one was meant.
  if (response.status === UNAUTHORIZED && options.tokenFile !== undefined) {
    const remedy =
      'is it that of a user who was listed under `admin.users` when the gateway started? (A file that was changed takes a second or two to be read again.)';
    throw new CrossgateError(
      'XG_ADMIN_REFUSED',
      `the gateway does not know the token in ${options.tokenFile}: ${remedy}`,
    );
  }
  const detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? String(answer.detail) : null;
  throw new CrossgateError('XG_ADMIN_REFUSED', detail ?? `the gateway answered ${response.status}`);
}

function addressOf(path: string, url: string, { partition }: AdminClientOptions): URL {
  const address = new URL(path, url);
  if (partition !== undefined) address.searchParams.set('partition', partition);
  return address;
}

interface ToldPartition {
  readonly name: string;
  readonly node: string;
  readonly answered?: boolean;
  readonly state: string;
}

/** Beside the output: partitions of the gateway with nothing of theirs in the answer. It is not whole, and the exit code says so. */
function tellSilent(answer: unknown): void {
  const { partitions } = (answer ?? {}) as { readonly partitions?: unknown };
  if (!Array.isArray(partitions)) return;
  for (const { name, node, answered, state } of partitions as ToldPartition[]) {
    if (answered !== false) continue;
    process.exitCode = 1;
    console.error(terminalLines(`crossgate: nothing of partition ${name} on node ${node} is shown: ${state}`));
  }
}

/**
 * A command that prints the gateway's answer: a gateway of another version may lack the expected fields.
 * @throws CrossgateError XG_ADMIN_REFUSED then, naming the missing field
 */
export function understood<Args extends readonly unknown[]>(
  command: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await command(...args);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const part = /\(reading '(\w+)'\)/.exec(cause.message)?.[1];
      const what = part === undefined ? cause.message : `the part with \`${part}\` is missing`;
      throw notUnderstood(what, args.find(isHeard), cause);
    }
  };
}

/** Exit code of a command that only proposed: a second person has to confirm. */
const PROPOSED = 4;

/** Whether an answer says that the action waits for a second person. */
export function isProposal(result: object): boolean {
  return 'proposal' in result;
}

/** Print the result of an action, in the gateway's words. @throws CrossgateError XG_ADMIN_REFUSED if it has none */
export function tell(result: Pick<ActionResult, 'text'>, options: AdminClientOptions): void {
  if (typeof result === 'object' && result !== null && isProposal(result)) process.exitCode = PROPOSED;
  if (isPartial(result)) process.exitCode = 1;
  if (options.json) console.log(JSON.stringify(result, null, 2));
  else if (typeof result?.text !== 'string') throw notUnderstood('it does not state the result', options);
  else console.log(terminalLines(result.text));
}

/** Whether only some partitions of the gateway did it. */
const isPartial = (result: object | null): boolean => result !== null && 'partial' in result;
const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const isHeard = (one: unknown): one is object => typeof one === 'object' && one !== null && heard.has(one);

function notUnderstood(what: string, options: object | undefined, cause?: unknown): CrossgateError {
  const version = options === undefined ? null : (heard.get(options) ?? null);
  const why =
    version === VERSION ? 'this is a bug' : `the gateway is of another version (${versions(version)}): ${REMEDY}`;
  return new CrossgateError('XG_ADMIN_REFUSED', `the gateway's answer is not understood (${what}): ${why}`, { cause });
}

const REMEDY = 'use the command of its own';

function versions(version: string | null): string {
  if (version === null) return `the gateway does not say its version; this command has version ${VERSION}`;
  return `the gateway is of version ${version}, this command of ${VERSION}`;
}

/** Once, beside the output: the same command of another version may do something else. */
function tellVersion(options: object, version: string | null): void {
  if (version !== VERSION && !heard.has(options)) console.error(`crossgate: ${versions(version)}: ${REMEDY}`);
  heard.set(options, version);
}

/** Null if it is no JSON, which every answer of a gateway is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function readToken(path: string): Promise<string> {
  let token: string;
  try {
    token = (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    const { message } = cause as Error;
    throw new CrossgateError('XG_SECRET_MISSING', `the token cannot be read from ${path}: ${message}`, { cause });
  }
  // Other content of such a file would fit no request.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CrossgateError('XG_SECRET_MISSING', `${path} holds no token: one line of printable characters is one`);
}
