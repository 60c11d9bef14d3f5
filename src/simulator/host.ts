// Parts that the faces of the exchange share: settings, clock, the running venue, logins, nonces, faults and limits.

import type { Logins } from './access/logins.ts';
import type { NonceGuard } from './access/nonce-guard.ts';
import type { RateLimits } from './access/rate-limits.ts';
import type { SignatureVerifier } from './access/signature.ts';
import type { Faults } from './control/faults.ts';
import type { Settings } from './settings.ts';
import type { VenueRunner } from './venue/venue-runner.ts';
import type { ApiKey } from './world/key-files.ts';

export interface Host {
  readonly settings: Settings;
  /** All keys by name; those of users who are added later are added here. */
  readonly keys: Map<string, ApiKey>;
  readonly runner: VenueRunner;
  readonly logins: Logins;
  readonly nonces: NonceGuard;
  readonly signatures: SignatureVerifier;
  readonly faults: Faults;
  readonly limits: RateLimits;
}
