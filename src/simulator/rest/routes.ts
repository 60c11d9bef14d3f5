// The exchange's REST endpoints in one list: the server is built from it, and the contract suite compares its table
// with it. Paths below /control are not among them: they are no part of the exchange.

import { accountRoutes } from './accounts.ts';
import { ammRoutes } from './amm.ts';
import { custodyRoutes } from './custody.ts';
import { derivativeRoutes } from './derivatives.ts';
import { idbRoutes } from './idb.ts';
import { loginRoutes } from './login.ts';
import { marketDataRoutes } from './market-data.ts';
import { mmpRoutes } from './mmp.ts';
import { orderRoutes } from './orders.ts';
import { otcRoutes } from './otc.ts';
import { portfolioMarginRoutes } from './portfolio-margin.ts';
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
