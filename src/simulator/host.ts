// What the faces of the exchange share: settings, clock, the running venue, logins, nonces, faults and limits.

import type { Faults } from './faults.ts';
import type { ApiKey } from './key-files.ts';
import type { Logins } from './logins.ts';
import type { NonceGuard } from './nonce-guard.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Settings } from './settings.ts';
import type { SignatureVerifier } from './signature.ts';
import type { VenueRunner } from './venue-runner.ts';

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
