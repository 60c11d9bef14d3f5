// Defaults of options from the environment. An empty variable counts as absent, as for the gateway itself.

import process from 'node:process';

/** Folder of the configuration. */
export const SESSIONS_DEFAULT = variable('CROSSGATE_SESSIONS') ?? 'sessions';

/** State folder of the gateway. */
export const STATE_DEFAULT = variable('CROSSGATE_STATE') ?? '.crossgate';

/** File with a token of one's own. */
export const TOKEN_FILE_DEFAULT = variable('CROSSGATE_TOKEN_FILE');

/** Certificates that the admin API's is to be signed by. */
export const AUTHORITY_DEFAULT = variable('CROSSGATE_AUTHORITY');

/** The certificate for an admin API that demands one. */
export const CLIENT_CERTIFICATE_DEFAULT = variable('CROSSGATE_CLIENT_CERTIFICATE');
export const CLIENT_KEY_DEFAULT = variable('CROSSGATE_CLIENT_KEY');

function variable(name: string): string | undefined {
  return process.env[name] || undefined;
}
