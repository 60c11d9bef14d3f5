// Every status reason code and every HTTP error code, made by the exchange on purpose over its control endpoint and
// recognised by the client, for any target (exchange catalogue, Appendix D; exchange reference §5). The table below is
// by area of the registry and walks through all its codes: a code or an area that cannot be made, or is not heard,
// fails here.

import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AccountCommand,
  accountCommand,
  type CommandOutcome,
  HTTP_ERRORS,
  parseExactJson,
  STATUS_REASONS,
  type StatusReasonArea,
  statusReasonText,
} from '../../../src/exchange/mod.ts';
import type { ReadResult } from '../../../src/exchange-client/reads/read-answers.ts';
import { ACCOUNT, isFeed, isOrder, limitBuy, type Observed, openVenue, type Venue } from '../venue.ts';

let venue: Venue;
let observed: Observed;
let ids = 0;

beforeAll(async () => {
  venue = await openVenue();
  observed = venue.connect({
    credential: venue.credential('demo-ecdsa'),
    referenceSymbols: [],
    auctionSymbols: [],
    rates: { ordersPerSecond: 1e6, otherPerSecond: 1e6, addressPer10Seconds: 1e7, custodyPerMinute: 1e6 },
  });
  await observed.client.start();
  await observed.until(isFeed('private', true));
});
afterAll(() => venue.close());

async function arm(faults: object): Promise<void> {
  const body = JSON.stringify(faults);
  const { status } = await fetch(`${venue.simulator.url}/control/faults`, { method: 'POST', body });
  if (status !== 200) throw new Error(`the exchange cannot make ${body}`);
}

async function submit(command: AccountCommand): Promise<CommandOutcome> {
  return observed.client.submit(`command ${++ids}`, accountCommand(command, 'v2'));
}

const codeOf = (outcome: CommandOutcome): string | null => (outcome.kind === 'refused' ? outcome.errorCode : null);
const rowsOf = (answer: ReadResult): Record<string, unknown>[] =>
  answer.kind === 'failed' ? [] : (parseExactJson(answer.body) as Record<string, unknown>[]);

/** An order is acknowledged; the error notice and the order carry the code. */
async function order(): Promise<string | null> {
  const { client, events, until } = observed;
  const clientOrderId = String(++ids);
  expect((await client.submit(`order ${clientOrderId}`, limitBuy(clientOrderId))).kind).toBe('accepted');
  const { order: rejected } = await until(isOrder(clientOrderId, 'REJECTED'));
  const notice = events.find((event) => event.kind === 'errorNotice' && event.notice.orderId === rejected.orderId);
  const noticed = notice?.kind === 'errorNotice' ? notice.notice.errorCode : null;
  return noticed === rejected.statusReasonCode ? noticed : null;
}

/** A withdrawal is refused at the door; a transfer is acknowledged and REJECTED in the history. */
async function custody(code: string): Promise<string | null> {
  const { client } = observed;
  if (Number(code) < 8400) {
    const place = { destinationId: '00', symbol: 'USDC', network: 'ETH', quantity: '10' };
    return codeOf(await submit({ kind: 'withdraw', ...place }));
  }
  const places = { fromTradingAccountId: ACCOUNT, toTradingAccountId: '111000000000002' };
  const outcome = await submit({ kind: 'transferAsset', assetSymbol: 'USDC', quantity: '1', ...places });
  const requestId = outcome.kind === 'accepted' ? (outcome.requestId ?? '') : '';
  const day = (ms: number): string => new Date(Date.now() + ms).toISOString();
  const range = { 'createdAtDatetime[gte]': day(-3_600_000), 'createdAtDatetime[lte]': day(3_600_000) };
  const [row] = rowsOf(await client.call('transfers', { requestId, status: 'REJECTED', ...range }));
  return row === undefined ? null : String(row.statusReasonCode);
}

/** A command is refused at the door, or the trade is acknowledged and REJECTED. */
async function otc(): Promise<string | null> {
  const clientOtcTradeId = String(++ids);
  const { outcome, result } = await observed.client.send(`command ${++ids}`, {
    kind: 'createOtcTrade',
    sharedMatchKey: `refusalKey${clientOtcTradeId.padStart(6, '0')}`,
    clientOtcTradeId,
    tradingAccountId: ACCOUNT,
    isTaker: true,
    remarks: null,
    trades: [{ symbol: 'BTC-USDC-PERP', side: 'BUY', price: '60000', quantity: '0.1' }],
  });
  // A refused nonce says nothing certain of the trade (rule U3).
  if (outcome.kind === 'unknown' && result?.kind === 'answer') {
    expect(outcome.message).toMatch(/^its nonce was refused/);
    return String((parseExactJson(result.body) as { errorCode: unknown }).errorCode);
  }
  if (outcome.kind !== 'accepted') return codeOf(outcome);
  const question = { tradingAccountId: ACCOUNT, clientOtcTradeId, status: 'REJECTED' };
  const [row] = rowsOf(await observed.client.call('otcTrades', question));
  return row === undefined ? null : String(row.statusReasonCode);
}

const AREAS: Readonly<Record<StatusReasonArea, (code: string) => Promise<string | null>>> = {
  order,
  mmp: order,
  rate: order,
  custody,
  otc,
};

test.each(Object.entries(AREAS))('every status reason code of the area %s is heard', async (area, refused) => {
  const codes = Object.keys(STATUS_REASONS[area as StatusReasonArea]);
  const heard: (string | null)[] = [];
  for (const code of codes) {
    await arm({ rejections: [{ reason: Number(code) }] });
    heard.push(await refused(code));
    expect(statusReasonText(code), code).not.toBeNull();
  }
  expect(heard).toEqual(codes);
  expect(venue.simulator.control.armedFaults).toBe(0);
});

test('every HTTP error code is heard, with its name', async () => {
  const heard: string[] = [];
  for (const [code, { name }] of Object.entries(HTTP_ERRORS)) {
    const fault = { what: 'error', on: 'create', httpStatus: 400, errorCode: Number(code), errorCodeName: name };
    await arm({ answers: [fault] });
    const outcome = await observed.client.submit(`http ${code}`, limitBuy(String(++ids)));
    heard.push(outcome.kind === 'refused' ? `${outcome.errorCode} ${outcome.errorCodeName}` : outcome.kind);
  }
  expect(heard).toEqual(Object.entries(HTTP_ERRORS).map(([code, { name }]) => `${code} ${name}`));
});

test('a code that is in no table cannot be made', async () => {
  for (const reason of [9998, '9001', 8400.5, null]) {
    await expect(arm({ rejections: [{ reason }] })).rejects.toThrow('cannot make');
  }
});
