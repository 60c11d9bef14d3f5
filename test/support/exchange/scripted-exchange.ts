// A scripted exchange's answers to everything but commands, enough for a client to start: one market, a login, a range
// of nonces. Leaves the answers to commands, and what is looked at, to the tests.

import type { ExchangeClientOptions } from '../../../src/exchange-client/mod.ts';
import { type RawAnswer, rawAnswer } from './raw-http-server.ts';

const MARKET = {
  symbol: 'BTCUSDC',
  marketType: 'SPOT',
  tickSize: '0.1',
  pricePrecision: 1,
  quantityPrecision: 8,
  minQuantityLimit: '0',
  maxQuantityLimit: '100',
};

/** The answer to a read; 404 to anything else. */
export function readAnswer(request: string): RawAnswer {
  if (request.includes('/login')) return rawAnswer(200, '{"authorizer":"A","token":"T"}');
  if (request.includes('/nonce')) return rawAnswer(200, '{"lowerBound":0,"upperBound":"99999999999999999"}');
  if (request.includes('/markets ')) return rawAnswer(200, JSON.stringify([MARKET]));
  return rawAnswer(404, '{"message":"no"}');
}

type Scripted = Omit<ExchangeClientOptions, 'log' | 'onAlarm' | 'onNonceCeiling'>;

/** A client's options for a scripted exchange, with an account. */
export function scriptedOptions(baseUrl: string, tradingAccountIds: readonly string[]): Scripted {
  return {
    name: 'scripted',
    baseUrl,
    credential: { kind: 'hmac', publicKey: 'public', secret: 'very-secret' },
    dialect: 'v2',
    prehash: 'hexdigest',
    tradingAccountIds,
    auctionSymbols: [],
    referenceSymbols: [],
    nonceMode: 'window',
    nonceCeiling: null,
    now: Date.now,
  };
}
