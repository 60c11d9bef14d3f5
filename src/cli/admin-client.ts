// Asks the admin API of a running gateway, found by its state folder: address and token lie there. An answer that says no
// becomes an error with the gateway's own sentence.

import { readFile } from 'node:fs/promises';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../base/errors.ts';
import { readAdminAddress, readAdminToken } from '../ops/mod.ts';
import { operatorName } from './operator.ts';

export interface AdminClientOptions {
  readonly state: string;
  /** File with a token of one's own. */
  readonly tokenFile?: string;
  readonly json?: boolean;
}

const TIMEOUT_MS = 30_000;
const UNAUTHORIZED = 401;

/** Add the options that every command of this kind has. */
export function withAdminOptions(command: Command): Command {
  return command
    .option('--state <directory>', 'state folder of the gateway', process.env.CROSSGATE_STATE ?? '.crossgate')
    .option('--token-file <path>', "file with a token of one's own (admin.users)", process.env.CROSSGATE_TOKEN_FILE)
    .option('--json', 'as JSON');
}

/**
 * One request; `answers` names status codes besides 200 that are answers too.
 * @throws CrossgateError XG_ADMIN_UNREACHABLE, XG_ADMIN_REFUSED
 */
export async function askGateway<T>(
  options: AdminClientOptions,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  answers: readonly number[] = [],
): Promise<T> {
  const url = await readAdminAddress(options.state);
  const token =
    options.tokenFile === undefined ? await readAdminToken(options.state) : await readToken(options.tokenFile);
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'x-crossgate-operator': operatorName(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    text = await response.text();
  } catch (cause) {
    throw new CrossgateError('XG_ADMIN_UNREACHABLE', `the gateway does not answer at ${url}: is it running?`, {
      cause,
    });
  }
  const answer = parsed(text);
  // The note of a gateway that was killed is still there, and its port somebody else's.
  if (answer === null) throw new CrossgateError('XG_ADMIN_UNREACHABLE', `what answers at ${url} is no gateway`);
  if (response.ok || answers.includes(response.status)) return answer as T;
  // The gateway speaks of the shared token: it cannot know which one was meant.
  if (response.status === UNAUTHORIZED && options.tokenFile !== undefined) {
    const remedy = 'is it listed under `admin.users`, and was the gateway started since?';
    throw new CrossgateError(
      'XG_ADMIN_REFUSED',
      `the gateway does not know the token in ${options.tokenFile}: ${remedy}`,
    );
  }
  const detail = typeof answer === 'object' && answer !== null && 'detail' in answer ? String(answer.detail) : null;
  throw new CrossgateError('XG_ADMIN_REFUSED', detail ?? `the gateway answered ${response.status}`);
}

/**
 * A command that shows what the gateway answers: what a gateway of another version says may lack what this one looks for.
 * @throws CrossgateError XG_ADMIN_REFUSED then, with what was missing
 */
export function understood<Args extends readonly unknown[]>(
  command: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await command(...args);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const remedy = 'if it is of another version, use the command of its own; else this is a bug';
      const text = `the gateway's answer is not understood (${cause.message}): ${remedy}`;
      throw new CrossgateError('XG_ADMIN_REFUSED', text, { cause });
    }
  };
}

/** Null if it is no JSON, which is what every answer of a gateway is. */
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
    throw new CrossgateError('XG_SECRET_MISSING', `the token cannot be read from ${path}`, { cause });
  }
  // What else is in such a file no request could carry.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CrossgateError('XG_SECRET_MISSING', `${path} holds no token: one line of printable characters is one`);
}
