// The exchange's REST endpoints in one list: what the server is built from and what the contract suite compares its table with.
// Paths below /control are not among them: they are no part of the exchange.

import { accountRoutes } from './rest-accounts.ts';
import { ammRoutes } from './rest-amm.ts';
import { custodyRoutes } from './rest-custody.ts';
import { derivativeRoutes } from './rest-derivatives.ts';
import { idbRoutes } from './rest-idb.ts';
import { loginRoutes } from './rest-login.ts';
import { marketDataRoutes } from './rest-market-data.ts';
import { mmpRoutes } from './rest-mmp.ts';
import { orderRoutes } from './rest-orders.ts';
import { otcRoutes } from './rest-otc.ts';
import { portfolioMarginRoutes } from './rest-portfolio-margin.ts';
import type { Route } from './route.ts';

/** Every endpoint of the exchange. `nonceAuthenticated`: whether the nonce range needs a login (rule X4). */
export function exchangeRoutes(nonceAuthenticated: boolean): Route[] {
  return [
    ...loginRoutes(nonceAuthenticated),
    ...orderRoutes,
    ...accountRoutes,
    ...ammRoutes,
    ...portfolioMarginRoutes,
    ...derivativeRoutes,
    ...mmpRoutes,
    ...otcRoutes,
    ...idbRoutes,
    ...custodyRoutes,
    ...marketDataRoutes,
  ];
}
