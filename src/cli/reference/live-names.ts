// The names that completion scripts ask for: sessions and accounts, of the running gateway, or else of its configuration. It never
// says why there is none: an operator is typing.

import process from 'node:process';
import type { SessionView } from '../../administration/mod.ts';
import { wholeOps } from '../../ops/mod.ts';
import { sessionName } from '../../runtime/mod.ts';
import { type AdminClientOptions, askGateway } from '../admin/admin-client.ts';
import {
  AUTHORITY_DEFAULT,
  CLIENT_CERTIFICATE_DEFAULT,
  CLIENT_KEY_DEFAULT,
  SESSIONS_DEFAULT,
  STATE_DEFAULT,
  TOKEN_FILE_DEFAULT,
} from '../options/environment.ts';
import type { LiveNames } from './command-table.ts';

/** Longest wait for the names: a person is typing. */
const WITHIN_MS = 2_000;

/** As the commands have it that the names are for. */
const AS_USUAL: AdminClientOptions = {
  state: STATE_DEFAULT,
  ...(TOKEN_FILE_DEFAULT === undefined ? {} : { tokenFile: TOKEN_FILE_DEFAULT }),
  ...(AUTHORITY_DEFAULT === undefined ? {} : { authority: AUTHORITY_DEFAULT }),
  ...(CLIENT_CERTIFICATE_DEFAULT === undefined ? {} : { clientCertificate: CLIENT_CERTIFICATE_DEFAULT }),
  ...(CLIENT_KEY_DEFAULT === undefined ? {} : { clientKey: CLIENT_KEY_DEFAULT }),
};

interface Named {
  readonly name: string;
  readonly accounts: readonly string[];
}

/** Sorted, each once; none if there is neither a gateway nor a configuration. */
export async function liveNames(wanted: LiveNames): Promise<readonly string[]> {
  const sessions = await fromGateway().catch(fromFiles);
  const names = sessions.flatMap(({ name, accounts }) => (wanted === 'sessions' ? [name] : accounts));
  return [...new Set(names)].sort();
}

async function fromGateway(): Promise<readonly Named[]> {
  const { sessions } = await askGateway<{ sessions: SessionView[] }>(AS_USUAL, 'GET', '/api/sessions', undefined, {
    withinMs: WITHIN_MS,
  });
  return sessions;
}

async function fromFiles(): Promise<readonly Named[]> {
  const { loadConfiguration } = await wholeOps();
  const { config } = loadConfiguration({ directory: SESSIONS_DEFAULT, environment: process.env });
  if (config === null) return [];
  return config.sessions.map((session) => ({
    name: sessionName(session),
    accounts: session.gateway.accounts.map(({ account }) => account),
  }));
}
