// The exchange of a configuration, in words, for check, console and change reports (rule S8). gateway-checks.ts derives
// it from the settings.

import { venueOf } from '../checks/gateway-checks.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import type { LoadedConfiguration } from './configuration.ts';

const VENUES = {
  simulator: 'a simulated exchange',
  test: 'a test venue',
  production: 'a production exchange',
} as const;

/** For a configuration with a readable gateway.yaml. */
export function venueIn({ effective }: LoadedConfiguration): string {
  // Checked by its schema.
  return VENUES[venueOf(effective.get('gateway')!.values as GatewaySettings) ?? 'simulator'];
}
