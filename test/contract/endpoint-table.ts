// The table of the exchange's REST endpoints: one row per endpoint, or per command where an endpoint takes several.
// endpoints.test.ts and client.test.ts make tests of every row; table, router, client and bridge must agree.

import { ACCOUNT_ENDPOINTS } from './account-endpoints.ts';
import { CUSTODY_ENDPOINTS } from './custody-endpoints.ts';
import type { EndpointRow } from './endpoint-row.ts';
import { LOGIN_ENDPOINTS } from './login-endpoints.ts';
import { MARKET_ENDPOINTS } from './market-endpoints.ts';
import { NEGOTIATED_ENDPOINTS } from './negotiated-endpoints.ts';
import { ORDER_COMMAND_ENDPOINTS } from './order-command-endpoints.ts';

/** Every endpoint of the exchange. */
export const ENDPOINT_TABLE: readonly EndpointRow[] = [
  ...LOGIN_ENDPOINTS,
  ...ACCOUNT_ENDPOINTS,
  ...ORDER_COMMAND_ENDPOINTS,
  ...CUSTODY_ENDPOINTS,
  ...MARKET_ENDPOINTS,
  ...NEGOTIATED_ENDPOINTS,
];
