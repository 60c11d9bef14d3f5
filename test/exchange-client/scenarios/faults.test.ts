// Every fault knob of the simulated exchange against the client: which outcome a command has (rule U1), that it left once,
// and that an order command after it works. The table must name every knob, so that a new one cannot go untested.

import { afterEach, expect, test, vi } from 'vitest';
import type { CommandOutcome, ExchangeEvent } from '../../../src/exchange/mod.ts';
import type { AnswerFault, FaultSettings, Operation, StreamFault } from '../../../src/simulator/control/faults.ts';
import { Reason } from '../../../src/simulator/venue/order.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { ACCOUNT, isFeed, isOrder, limitBuy, type Observed, openVenue, type Venue } from '../venue.ts';

/** A busy machine answers within it; an answer that does not come is waited for as long. */
const REQUEST_MS = 2_000;

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

async function connected(): Promise<{ control: Venue['simulator']['control'] } & Observed> {
  venue = await openVenue();
  const observed = venue.connect({ referenceSymbols: [], auctionSymbols: [], timeouts: { requestMs: REQUEST_MS } });
  await observed.client.start();
  await observed.until(isFeed('private', true));
  return { ...observed, control: venue.simulator.control };
}

/** Parts of a command's answer, and its resulting kind. */
const ANSWERS: Readonly<Record<AnswerFault['what'], CommandOutcome['kind']>> = {
  lost: 'unknown',
  hang: 'unknown',
  error: 'unknown',
  html: 'refused',
  malformed: 'unknown',
  truncated: 'unknown',
  empty: 'unknown',
};
const WHATS = Object.keys(ANSWERS) as AnswerFault['what'][];
const OPERATIONS = ['create', 'cancel', 'amend', 'command', 'any'] as const satisfies readonly Operation[];

const target = { symbol: 'BTCUSDC', tradingAccountId: ACCOUNT } as const;

test.each(WHATS.flatMap((what) => OPERATIONS.map((on) => [what, on] as const)))(
  'U1 answer "%s" of a command (%s) has one outcome that fits the order\'s existence',
  async (what, on) => {
    const { client, control, until, alarms } = await connected();
    const created = on === 'create' || on === 'any' || on === 'command';
    let orderId = '';
    if (!created) {
      await client.submit('before', limitBuy('1'));
      orderId = (await until(isOrder('1', 'OPEN'))).order.orderId;
    }
    // No read may take the fault that is meant for the command.
    const executed = what !== 'error' && what !== 'html';
    control.armAnswer({ what, on, executed });
    const outcome = created
      ? await client.submit('c', limitBuy('1'))
      : on === 'cancel'
        ? await client.submit('c', { kind: 'cancelOrder', orderId, clientOrderId: null, ...target })
        : await client.submit('c', {
            kind: 'amendOrder',
            orderId,
            clientOrderId: null,
            type: null,
            price: '49000.0',
            quantity: null,
            ...target,
          });
    // Rule C3: a cancel goes once more behind it.
    const goesAgain = what === 'html' && on === 'cancel';
    expect(outcome.kind).toBe(goesAgain ? 'accepted' : ANSWERS[what]);
    // The order's owner reports that.
    expect(alarms).not.toContain('outcome-open');
    const open = control.openOrders(ACCOUNT);
    if (created) expect(open).toHaveLength(executed ? 1 : 0);
    else expect(open).toHaveLength(on === 'cancel' && (executed || goesAgain) ? 0 : 1);
    control.clearFaults();
    // A page that blocks the address closes the gates for a second; other commands go on at once.
    if (what !== 'html') expect((await client.submit('after', limitBuy('2', '40000.0'))).kind).toBe('accepted');
  },
);

test.each([400, 401, 403, 404, 429, 500, 502, 503])('U1 an error body with HTTP %i', async (httpStatus) => {
  const { client, control } = await connected();
  control.armAnswer({ what: 'error', on: 'create', httpStatus, errorCode: 6105 });
  const outcome = await client.submit('c', limitBuy('1'));
  expect(outcome).toMatchObject(httpStatus < 500 ? { kind: 'refused', httpStatus } : { kind: 'unknown' });
});

test.each(WHATS)('a login that is answered by "%s" fails, and the next one works', async (what) => {
  venue = await openVenue();
  // A page that blocks the address closes the gates for a second, to logins too.
  const loginMs = what === 'hang' ? 2_000 : 10_000;
  const { client } = venue.connect({ referenceSymbols: [], timeouts: { loginMs } });
  venue.simulator.control.armAnswer({ what, on: 'login' });
  await expect(client.start()).rejects.toMatchObject({ code: expect.stringMatching(/^XG_EXCHANGE_/) });
  await client.start();
});

test.each(WHATS)('a read that is answered by "%s" is no answer, never a wrong one', async (what) => {
  const { client, control } = await connected();
  await client.submit('c', limitBuy('1'));
  control.armAnswer({ what, on: 'get', times: 50 });
  expect(await client.recent(ACCOUNT)).toBeNull();
  const lookup = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '1', commandId: null };
  expect((await client.lookup(lookup)).kind).toBe('failed');
});

const STREAMS: Readonly<Record<StreamFault['what'], string>> = {
  duplicate: 'is delivered once',
  suppress: 'is found by a read',
  reorder: 'is delivered all the same',
};

test.each(Object.entries(STREAMS) as [StreamFault['what'], string][])(
  'a fill with a frame that meets "%s" %s',
  async (what) => {
    const { client, control, until, events } = await connected();
    await client.submit('c', limitBuy('1', '50000.0', '1'));
    await until(isOrder('1', 'OPEN'));
    control.armStream({ what, dataType: 'V1TATrade' });
    control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
    control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
    const ids = (): string[] => events.flatMap((e) => (e.kind === 'trade' ? [e.trade.tradeId] : []));
    const due = what === 'suppress' ? 1 : 2;
    while (ids().length < due) await new Promise((resolve) => setTimeout(resolve, 5));
    await until(
      (e): e is Extract<ExchangeEvent, { kind: 'order' }> =>
        e.kind === 'order' && e.order.quantityFilled === '0.00200000',
    );
    expect(ids()).toHaveLength(due);
    expect(new Set(ids()).size).toBe(due);
    expect((await client.recent(ACCOUNT))?.trades).toHaveLength(2);
  },
);

/** The knobs that are no answers and no frames: each is turned, looked at, and turned back. */
const OTHERS: Readonly<
  Record<
    Exclude<keyof FaultSettings, 'answers' | 'streams'>,
    (at: Awaited<ReturnType<typeof connected>>) => Promise<void>
  >
> = {
  subscriptions: async ({ control, until, events }) => {
    const from = events.length;
    // Without its orders a stream is of no use: it is opened anew until they are granted.
    control.armSubscription({ topic: 'orders', subject: ACCOUNT, times: 2 });
    control.cutStreams('private');
    await until(isFeed('private', false), from);
    await until(isFeed('private', true), from);
    expect(control.armedFaults).toBe(0);
  },
  rejections: async ({ client, control, until }) => {
    control.armRejection({ reason: Reason.invalidPrice });
    expect((await client.submit('c', limitBuy('1'))).kind).toBe('accepted');
    expect((await until(isOrder('1', 'REJECTED'))).order.statusReasonCode).toBe(String(Reason.invalidPrice));
  },
  latency: async ({ client, control }) => {
    control.setLatency({ kind: 'uniform', minMs: 20, maxMs: 40 });
    const all = await Promise.all([1, 2, 3].map((i) => client.submit(`c${i}`, limitBuy(String(i)))));
    expect(all.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    control.setLatency({ kind: 'uniform', minMs: 2 * REQUEST_MS, maxMs: 2 * REQUEST_MS });
    expect((await client.submit('late', limitBuy('9'))).kind).toBe('unknown');
    control.setLatency(null);
  },
  streamsSilent: async ({ client, control, events }) => {
    control.silenceStreams(true);
    await client.submit('c', limitBuy('1'));
    expect((await client.recent(ACCOUNT))?.orders).toHaveLength(1);
    expect(events.some(({ kind }) => kind === 'order')).toBe(false);
    control.silenceStreams(false);
  },
  commandsHeld: async ({ client, control }) => {
    control.holdCommands();
    const answers = [client.submit('c', limitBuy('1')), client.submit('d', limitBuy('2'))];
    expect((await client.recent(ACCOUNT))?.orders).toEqual([]);
    control.releaseCommands();
    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  },
  globalBreach: async ({ client, control, alarms }) => {
    control.setGlobalBreach(true);
    expect(await client.submit('c', limitBuy('1'))).toMatchObject({ kind: 'refused', httpStatus: 429 });
    expect(alarms).toContain('rate-limited');
    control.setGlobalBreach(false);
    // It went out once, and the next one waits for the pause instead of running into it.
    expect((await client.submit('c2', limitBuy('2'))).kind).toBe('accepted');
  },
  timed: async ({ client, control, until, events }) => {
    for (const what of ['cutStreams', 'expireLogins', 'restart'] as const) {
      const from = events.length;
      control.armTimed({ what, which: 'private', key: null, memory: true, everyMs: 5 });
      await until(isFeed('private', false), from);
      await until(isFeed('private', true), from);
    }
    expect((await client.submit('c', limitBuy('1'))).kind).toBe('accepted');
  },
  clockOffsetMs: async ({ client, control, alarms }) => {
    control.setClockOffset(3_600_000);
    expect((await client.submit('c', limitBuy('1'))).kind).toBe('refused');
    // A refusal for the time compares the clocks.
    let i = 1;
    await vi.waitFor(async () => {
      i++;
      expect((await client.submit(`c${i}`, limitBuy(String(i)))).kind).toBe('accepted');
    }, PATIENCE_MS);
    expect(alarms).toContain('clock-offset');
  },
};

test.each(Object.entries(OTHERS))('the knob %s', async (_knob, turn) => {
  await turn(await connected());
});

test('an upgrade that is answered by a page raises the alarm, and the stream comes back', async () => {
  const { control, until, events, alarms } = await connected();
  const from = events.length;
  control.armAnswer({ what: 'html', on: 'stream', times: 2 });
  control.cutStreams('private');
  await until(isFeed('private', false), from);
  await until(isFeed('private', true), from);
  expect(alarms).toContain('address-blocked');
});

test.each([true, false])('a restart of the exchange, memory kept: %s', async (memory) => {
  const { client, control, until, events } = await connected();
  await client.submit('c', limitBuy('1'));
  await until(isOrder('1', 'OPEN'));
  const from = events.length;
  control.restart(memory);
  await until(isFeed('private', true), from);
  expect((await client.recent(ACCOUNT))?.orders).toHaveLength(memory ? 1 : 0);
  expect((await client.submit('c2', limitBuy('2'))).kind).toBe('accepted');
});
