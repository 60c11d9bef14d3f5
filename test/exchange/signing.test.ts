import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacLoginString, loginPayload, stringToSign } from '../../src/exchange/mod.ts';

const SECRET = 'test-secret-0123456789';
const BODY =
  '{"commandType":"V3CreateOrder","clientOrderId":"1001","symbol":"BTCUSDC","type":"LIMIT","side":"BUY",' +
  '"price":"55071.5000","quantity":"1.87000000","timeInForce":"GTC","allowBorrow":false,' +
  '"tradingAccountId":"111000000000001"}';
const REQUEST = {
  timestamp: '1700000000000',
  nonce: '1700000000000000',
  method: 'POST',
  path: '/trading-api/v2/orders',
  body: BODY,
};

test('the string to sign gives the digest and HMAC signature of the published vector', () => {
  const digest = createHash('sha256').update(stringToSign(REQUEST)).digest('hex');
  expect(digest).toBe('ac46c9e72136ca5bf9ea3ec56873e75c3c0b339d4a077f50e20a2001fbc48b7d');
  expect(createHmac('sha256', SECRET).update(digest).digest('hex')).toBe(
    '509c0191b73645351448c6edd663c8a3b2d3ed4dd4bff55a281b4c53f021f65c',
  );
});

test('X1 the HMAC login signs the raw string, as in the published vector', () => {
  const text = hmacLoginString({ timestamp: '1700000000000', nonce: '1700000000' });
  expect(text).toBe('17000000000001700000000GET/trading-api/v1/users/hmac/login');
  expect(createHmac('sha256', SECRET).update(text).digest('hex')).toBe(
    '85e37369e77809548d63b614382fe98d7e5ebc1b0721eaacfee9e6f63eb53f19',
  );
});

test('spaces and newlines of the body are not signed, those inside texts included', () => {
  const spaced = '{ "remarks": "two words",\r\n  "quantity": "1" }\n';
  expect(stringToSign({ ...REQUEST, body: spaced })).toBe(
    '17000000000001700000000000000POST/trading-api/v2/orders{"remarks":"twowords","quantity":"1"}',
  );
  // No other white space: the exchange removes none.
  expect(stringToSign({ ...REQUEST, body: '{"remarks":"a\u00a0b\u2028c"}' })).toContain('"a\u00a0b\u2028c"');
});

test('the login payload has the documented order of fields and is valid for five minutes', () => {
  expect(JSON.stringify(loginPayload('user-1', 1_700_000_000))).toBe(
    '{"userId":"user-1","nonce":1700000000,"expirationTime":1700000300,"biometricsUsed":false,"sessionKey":null}',
  );
});
