// Defaults of options from the environment. An empty variable counts as absent, as for the gateway itself.

import process from 'node:process';

/** Folder of the configuration. */
export const SESSIONS_DEFAULT = variable('CROSSGATE_SESSIONS') ?? 'sessions';

/** State folder of the gateway. */
export const STATE_DEFAULT = variable('CROSSGATE_STATE') ?? '.crossgate';

/** File with a token of one's own. */
export const TOKEN_FILE_DEFAULT = variable('CROSSGATE_TOKEN_FILE');

function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
