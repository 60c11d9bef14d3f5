// The API key of an exchange login for a command that talks to the exchange without the gateway, or why there is none yet.

import { CrossgateError } from '../../base/errors.ts';
import type { Credential } from '../../exchange-client/mod.ts';
import type { ExchangePart } from '../../ops/mod.ts';
import { type CredentialConfig, readCredential } from '../../runtime/mod.ts';

/** @throws CrossgateError XG_SECRET_MISSING */
export function exchangeKey(credential: CredentialConfig, { simulator }: Pick<ExchangePart, 'simulator'>): Credential {
  try {
    return readCredential(credential);
  } catch (error) {
    // Beside the embedded exchange `crossgate check` says nothing of it: a start makes it.
    if (!(error instanceof CrossgateError) || simulator === null || !isMissing(error.cause)) throw error;
    const first = 'the first start of the gateway makes it, for its embedded exchange';
    throw new CrossgateError(error.code, `${error.message}; ${first}`, { cause: error });
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
