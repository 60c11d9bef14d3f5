// Rows of logins, nonce range and time: how a login comes about and ends.

import { Caller } from '../simulator/exchange-caller.ts';
import * as account from './account-schemas.ts';
import { type EndpointRow, type LoginRow, question } from './endpoint-row.ts';
import * as market from './market-schemas.ts';

/** A client that starts is logged in; what it needs of the login is in its answer. */
const logsIn =
  (keyName: string): LoginRow['client'] =>
  async (_situation, connect) => {
    const client = connect(keyName);
    await client.start();
    await client.close();
  };

export const LOGIN_ENDPOINTS: readonly EndpointRow[] = [
  question('nonce', 'Nonce', market.Nonce),
  question('nonceOfDocument', 'Nonce', market.Nonce),
  question('time', 'CurrentExchangeTimeResponse', market.Time),
  {
    kind: 'login',
    method: 'POST',
    path: '/trading-api/v2/users/login',
    command: null,
    needs: 'none',
    answers: 'LoginResponse',
    schema: account.Login,
    shape: 'one',
    ask: ({ demo }) => demo.ecdsaLogin(),
    client: logsIn('demo-ecdsa'),
  },
  {
    kind: 'login',
    method: 'GET',
    path: '/trading-api/v1/users/hmac/login',
    command: null,
    needs: 'none',
    answers: 'LoginResponse',
    schema: account.Login,
    shape: 'one',
    ask: ({ demoHmac }) => demoHmac.hmacLogin(),
    client: logsIn('demo-hmac'),
  },
  {
    kind: 'login',
    method: 'GET',
    path: '/trading-api/v1/users/logout',
    command: null,
    needs: 'login',
    answers: '(empty)',
    schema: null,
    shape: 'one',
    ask: async ({ other, simulator }) => {
      const once = await Caller.loggedIn(simulator, 'other-hmac', other.now);
      return once.get('/trading-api/v1/users/logout');
    },
    client: async ({ simulator }, connect) => {
      const before = simulator.control.logins;
      const client = connect('demo-hmac');
      await client.start();
      if (simulator.control.logins !== before + 1) throw new Error('a client that starts has one login');
      await client.close();
      if (simulator.control.logins !== before) throw new Error('a client that closes gives its login back');
    },
  },
];
