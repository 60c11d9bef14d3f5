// What a configuration trades on, in words, for check, console and the reports of changes (rule S8). Which it is follows from
// the settings: gateway-checks.ts.

import { venueOf } from '../checks/gateway-checks.ts';
import type { GatewaySettings } from '../schema/gateway-schema.ts';
import type { LoadedConfiguration } from './configuration.ts';

const VENUES = {
  simulator: 'a simulated exchange',
  test: 'a test venue',
  production: 'a production exchange',
} as const;

/** Of a configuration whose gateway.yaml could be read. */
export function venueIn({ effective }: LoadedConfiguration): string {
  // Checked by its schema.
  return VENUES[venueOf(effective.get('gateway')!.values as GatewaySettings) ?? 'simulator'];
}
