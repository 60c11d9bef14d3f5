// AMM instructions of the simulated exchange: the venue's model, and its endpoints and topic over real sockets.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Decimal } from '../../../src/base/decimal.ts';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { ACCOUNT, Caller, type Json, startTestSimulator } from '../exchange-caller.ts';
import { A, B, VenueDesk } from '../venue-desk.ts';

function instruct(
  desk: VenueDesk,
  fields: { base?: string; quote?: string; lower?: string; upper?: string } = {},
): string {
  const { identifiers } = desk.venue.floor;
  const instructionId = identifiers.next(desk.now);
  desk.handle({
    kind: 'createInstruction',
    instructionId,
    requestId: identifiers.next(desk.now),
    tradingAccountId: A,
    symbol: 'BTCUSDC',
    baseQuantity: Decimal.of(fields.base ?? '10'),
    quoteQuantity: Decimal.of(fields.quote ?? '600000'),
    upperBound: Decimal.of(fields.upper ?? '66000'),
    lowerBound: Decimal.of(fields.lower ?? '54000'),
    feeTierId: '1',
  });
  return instructionId;
}

const terminate = (desk: VenueDesk, instructionId: string): unknown =>
  desk.handle({ kind: 'terminateInstruction', requestId: '1', tradingAccountId: A, symbol: 'BTCUSDC', instructionId });

describe('the model', () => {
  test.each([
    ['base alone', { quote: '0' }, [0, 10]],
    ['quote alone', { base: '0' }, [10, 0]],
  ])('an instruction may commit %s, and quotes one side', (_, fields, levels) => {
    const desk = new VenueDesk();
    const instructionId = instruct(desk, fields);
    const { book } = desk.venue.floor.markets.get('BTCUSDC')!;
    expect([book.levels('BUY', 99).length, book.levels('SELL', 99).length]).toEqual(levels);
    terminate(desk, instructionId);
    expect(desk.balance(A, 'BTC')).toEqual({ total: '100', locked: '0' });
    expect(book.size).toBe(0);
  });

  test('ten levels on each side, the first one spread fee away; committed assets leave the account', () => {
    const desk = new VenueDesk();
    instruct(desk);
    const { book } = desk.venue.floor.markets.get('BTCUSDC')!;
    expect([book.levels('BUY', 99).length, book.levels('SELL', 99).length]).toEqual([10, 10]);
    expect(book.bestPrice('BUY')?.trimmed().toString()).toBe('59976');
    expect(book.bestPrice('SELL')?.trimmed().toString()).toBe('60024.1');
    expect(desk.balance(A, 'BTC').total).toBe('90');
  });

  test('a fill moves its holdings, and the ladder is laid out around the new price', () => {
    const desk = new VenueDesk();
    const instructionId = instruct(desk);
    desk.place('BUY', '1', { account: B, price: '60100', timeInForce: 'IOC' });
    const { book } = desk.venue.floor.markets.get('BTCUSDC')!;
    expect(book.bestPrice('BUY')?.trimmed().toString()).toBe('60000');
    terminate(desk, instructionId);
    expect(desk.balance(A, 'BTC')).toEqual({ total: '99', locked: '0' });
    expect(Number(desk.balance(A, 'USDC').total)).toBeGreaterThan(10_060_000);
    expect(book.size).toBe(0);
  });

  test('without enough assets it ends at once (3005)', () => {
    const desk = new VenueDesk();
    const instructionId = instruct(desk, { base: '1000' });
    expect(desk.venue.floor.instructions.get(instructionId)).toMatchObject({ status: 'CLOSED', reason: 3005 });
    expect(desk.balance(A, 'BTC').total).toBe('100');
  });

  test("terminating twice, or another's, is a notice", () => {
    const desk = new VenueDesk();
    const instructionId = instruct(desk);
    terminate(desk, instructionId);
    terminate(desk, instructionId);
    terminate(desk, '1');
    expect(desk.notices()).toEqual([3032, 3002]);
  });

  test('whatever trades with it, it never spends more than it holds and nothing is lost', () => {
    const trade = fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      lots: fc.integer({ min: 1, max: 40 }),
    });
    const bounds = fc.record({
      lower: fc.integer({ min: 50_000, max: 59_000 }),
      upper: fc.integer({ min: 61_000, max: 70_000 }),
    });
    checkProperty(
      fc.property(bounds, fc.array(trade, { maxLength: 15 }), ({ lower, upper }, trades) => {
        const desk = new VenueDesk();
        const instructionId = instruct(desk, { lower: String(lower), upper: String(upper) });
        const { ledger } = desk.venue.floor;
        for (const { side, lots } of trades) {
          desk.place(
            side,
            Decimal.of('0.1')
              .multiply(Decimal.of(String(lots)))
              .toString(),
            { account: B, price: null },
          );
          for (const asset of ['BTC', 'USDC']) {
            const { total, locked } = ledger.balance(`amm-${instructionId}`, asset);
            expect(total.isNegative()).toBe(false);
            expect(locked.compare(total)).toBeLessThanOrEqual(0);
          }
        }
        terminate(desk, instructionId);
        for (const [asset, all] of [
          ['BTC', '300'],
          ['USDC', '30000000'],
        ] as const) {
          let sum = Decimal.ZERO;
          for (const account of ledger.accountIds()) sum = sum.add(ledger.balance(account, asset).total);
          expect(sum.trimmed().toString()).toBe(all);
        }
      }),
      60,
    );
  });
});

describe('over HTTP', () => {
  let simulator: Simulator;
  let caller: Caller;
  beforeAll(async () => {
    simulator = await startTestSimulator();
    caller = await Caller.loggedIn(simulator);
  });
  afterAll(() => simulator.close());

  const fields = {
    symbol: 'BTCUSDC',
    baseQuantity: '10',
    quoteQuantity: '600000',
    upperBound: '66000',
    lowerBound: '54000',
    feeTierId: '1',
    tradingAccountId: ACCOUNT,
  };
  const path = '/trading-api/v2/amm-instructions';
  const query = `tradingAccountId=${ACCOUNT}`;

  test('X2 create, list, read and terminate in both dialects, with frames on ammInstructions', async () => {
    const stream = await caller.stream();
    await stream.subscribe({ topic: 'ammInstructions' });
    const pairs = [
      ['v3', 'V3CreateAMMInstruction', 'V3TerminateAMMInstruction', 'instructionId', 'CreateAMMInstruction'],
      ['v2', 'V2AddLiquidity', 'V2RemoveLiquidity', 'liquidityId', 'AddLiquidity'],
    ] as const;
    for (const [dialect, create, remove, idName, name] of pairs) {
      const { json } = await caller.send({ commandType: create, ...fields }, { path, dialect });
      expect(json.message).toBe(`Command acknowledged - ${name}`);
      const instructionId = String(json.instructionId);
      const listed = (await caller.get(`${path}?${query}&status=OPEN`)).json as unknown as Json[];
      expect(listed).toMatchObject([
        { instructionId, status: 'OPEN', statusReasonCode: 1001, baseCurrentQuantity: '10.00000000' },
      ]);
      const asset = await caller.get(`/trading-api/v1/accounts/asset/BTC?${query}`);
      expect(asset.json).toMatchObject({ availableQuantity: '90.00000000', lockedQuantity: '10.00000000' });
      const command = { commandType: remove, [idName]: instructionId, symbol: 'BTCUSDC', tradingAccountId: ACCOUNT };
      expect((await caller.send(command, { dialect })).json.instructionId).toBe(instructionId);
      const ended = await caller.get(`${path}/${instructionId}?${query}`);
      expect(ended.json).toMatchObject({
        status: 'CLOSED',
        baseWithdrawQuantity: '10.00000000',
        currentValue: '0.0000',
      });
      await stream.find(
        (f) =>
          f.dataType === 'V1TAAmmInstruction' &&
          (f.data as Json).instructionId === instructionId &&
          (f.data as Json).status === 'CLOSED',
      );
    }
    stream.close();
  });

  test('refusals: tier, bounds, precision, market, account', async () => {
    const refused = async (changes: Json): Promise<string> => {
      const command = { commandType: 'V3CreateAMMInstruction', ...fields, ...changes };
      const { status, json } = await caller.send(command, { path, dialect: 'v3' });
      return `${status} ${json.message}`;
    };
    expect(await refused({ feeTierId: '99' })).toBe('400 feeTierId is not one of the market');
    expect(await refused({ lowerBound: '70000' })).toBe('400 lowerBound is not below upperBound');
    expect(await refused({ baseQuantity: '0.000000001' })).toMatch(/^400 baseQuantity .* more than 8 decimals/);
    expect(await refused({ symbol: 'BTC-USDC-PERP' })).toMatch(/^400 .* spot markets only/);
    expect(await refused({ tradingAccountId: '111000000000003' })).toBe('403 Unauthorized to execute command');
  });
});
