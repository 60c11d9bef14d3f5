// A proxy before the exchange that delivers a command twice and passes on only the second answer, having lost the
// first. The exchange has carried out the first, and refuses the nonce of the second.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandRelay, startCommandRelay } from '../../support/exchange/command-relay.ts';
import { ACCOUNT, type Desk, liquidity, startDesk } from '../desk.ts';

const AMM = '/trading-api/v2/amm-instructions';

let desk: Desk;
let relay: CommandRelay;
beforeEach(async () => {
  desk = await startDesk({
    via: async (exchangeUrl) => {
      relay = await startCommandRelay(exchangeUrl);
      return relay.url;
    },
  });
});
afterEach(async () => {
  await desk.close();
  relay.close();
});

test('U3 runs once; the caller learns that it is unknown and where to ask, operations by an alarm', async () => {
  relay.isTwice = (path) => path === AMM;
  const answer = await desk.post(AMM, liquidity());
  expect(answer.status, answer.text).toBe(202);
  const { askAt, commandId, detail } = answer.json;
  expect(detail).toMatch(
    /its nonce was refused, .*delivered twice.* It may have been carried out\. It is not sent again; ask/,
  );
  const asked = JSON.parse((await desk.get(String(askAt))).text) as unknown[];
  expect(asked).toHaveLength(1);
  expect(desk.alarms).toEqual([
    expect.stringMatching(/^outcome-open: the outcome is unknown of a V2AddLiquidity: its nonce was refused, /),
  ]);
  expect(desk.audited.at(-1)).toMatchObject({
    action: 'bridge: outcome unknown',
    detail: expect.stringContaining(String(commandId)),
  });
});

test('a cancel of negotiated trades is sent until it is answered: it may run twice', async () => {
  let deliveries = 0;
  relay.isTwice = () => ++deliveries === 1;
  const cancel = { commandType: 'V1CancelAllOtcTrades', tradingAccountId: ACCOUNT };
  const answer = await desk.post('/trading-api/v2/otc-command', cancel);
  expect(answer.status, answer.text).toBe(200);
  expect(relay.passed.filter(({ path }) => path.includes('otc')).map(({ statuses }) => statuses)).toEqual([
    [200, 400],
    [200],
  ]);
});
