// One signed command of the bridge by itself: what is recorded before and after it, and for how long it counts as under way.

import { expect, test } from 'vitest';
import { Caller } from '../../../src/bridge/access.ts';
import { type CommandAnswer, CommandCalls } from '../../../src/bridge/commands/command-call.ts';
import type { BridgeExchange, BridgeFunction, UpstreamCommand } from '../../../src/bridge/port.ts';
import { Problem } from '../../../src/bridge/problem.ts';

const PATH = '/trading-api/v2/otc-command';
/** The exchange's answer about an id of the account. */
const OWN = { kind: 'answer', status: 200, headers: {}, body: '{"tradingAccountId":"1"}' } as const;
const COMMAND = { commandType: 'V1CancelAllOtcTrades', tradingAccountId: '1' };

/** Calls of a desk at an exchange that answers so, and what happened in which order. */
function desk(
  answer: Promise<UpstreamCommand>,
  {
    records = true,
    command = COMMAND,
    functions = ['otc-write'],
  }: {
    records?: boolean;
    command?: Readonly<Record<string, string>>;
    functions?: readonly BridgeFunction[];
  } = {},
) {
  const said: string[] = [];
  const send: BridgeExchange['send'] = async (_commandId, command) => {
    said.push(`sent ${JSON.stringify(command)}`);
    return await answer;
  };
  const token = { reference: 'env:T', read: () => 'x' };
  const caller = new Caller(
    { name: 'desk', token, credential: 'primary', tradingAccountIds: ['1'], functions },
    { send, get: async () => OWN } as unknown as BridgeExchange,
    1,
  );
  const audit = async (_who: string, action: string, detail: string): Promise<boolean> => {
    said.push(`${action}: ${detail}`);
    killSwitch = next;
    return records;
  };
  // Thrown while the first record is made.
  const next = command === COMMAND ? null : 'The kill switch of this gateway is on (drill)';
  let killSwitch: string | null = null;
  const calls = new CommandCalls({
    audit,
    killSwitchOf: () => killSwitch,
    legRefusalOf: () => null,
    tradeRefusalOf: () => null,
    cancel: async () => ({ kind: 'unknown', message: 'not asked' }),
    delayedCancelRefusalOf: () => null,
    limits: { negotiatedPerMinute: 100 } as never,
    log: () => {},
    now: () => 0,
  });
  const answered = (): Promise<CommandAnswer> => calls.call(PATH, caller, command);
  const call = (): Promise<number | string> =>
    answered().then(
      ({ status }) => status,
      (error: unknown) => (error instanceof Problem ? error.code : 'no problem'),
    );
  return { calls, answer: answered, call, said };
}

const outcomes: readonly (readonly [string, UpstreamCommand, number | string])[] = [
  [
    'accepted',
    {
      outcome: { kind: 'accepted', orderId: null, clientOrderId: null, requestId: '8' },
      result: { kind: 'answer', status: 200, headers: {}, body: '{"requestId":"8","otcTradeId":"9"}' },
    },
    200,
  ],
  ['unknown', { outcome: { kind: 'unknown', message: 'reset' }, result: { kind: 'broken', message: 'reset' } }, 202],
  [
    'refused',
    {
      outcome: { kind: 'refused', httpStatus: null, errorCode: null, errorCodeName: null, message: 'late' },
      result: null,
    },
    'exchange-gone',
  ],
];

test.each(outcomes)('U4 a command is recorded, sent once, and its outcome recorded: %s', async (kind, sent, status) => {
  const { call, said } = desk(Promise.resolve(sent));
  expect(await call()).toBe(status);
  expect(said).toEqual([
    `bridge: V1CancelAllOtcTrades: bridge-0-1 ${JSON.stringify(COMMAND)}`,
    `sent ${JSON.stringify({ kind: 'raw', path: PATH, fields: COMMAND })}`,
    // With what the exchange calls it, or why not.
    `bridge: outcome ${kind}: bridge-0-1 ${{ accepted: 'requestId=8 otcTradeId=9', unknown: 'reset', refused: 'late' }[kind]}`,
  ]);
});

test('a login of the gateway that the exchange takes no more is not the token of the caller', async () => {
  const said = { errorCode: '8008', errorCodeName: 'UNAUTHORIZED', message: 'no such login' };
  const { call } = desk(
    Promise.resolve({
      outcome: { kind: 'refused', httpStatus: 401, ...said },
      result: { kind: 'answer', status: 401, headers: {}, body: JSON.stringify(said) },
    }),
  );
  expect(await call()).toBe('exchange-error');
});

test('a command that the exchange refuses for its rate is answered with the time that it asks to wait', async () => {
  const said = { errorCode: '96000', errorCodeName: 'RATE_LIMIT_EXCEEDED', message: 'slower' };
  const { answer } = desk(
    Promise.resolve({
      outcome: { kind: 'refused', httpStatus: 429, ...said },
      result: { kind: 'answer', status: 429, headers: { 'retry-after': '7' }, body: JSON.stringify(said) },
    }),
  );
  await expect(answer()).rejects.toMatchObject({ code: 'exchange-refused', status: 429, retryAfterS: 7 });
});

test.each([
  [['otc-write', 'otc'], 'ask at "askAt" before you do.'],
  [['otc-write', 'amm'], 'ask at "askAt" before you do. This token may not: use a token with the function "otc".'],
] as const)('U3 an unknown outcome names the callers that may look it up: a caller with %j', async (functions, end) => {
  const { answer } = desk(Promise.resolve(outcomes[1]![1]), { functions });
  const { detail } = JSON.parse((await answer()).json) as { detail: string };
  expect(detail.slice(detail.indexOf('ask at'))).toBe(end);
});

test.each(outcomes)('U5 a command is under way until its outcome is there, and no longer: %s', async (_kind, sent) => {
  const { promise, resolve } = Promise.withResolvers<UpstreamCommand>();
  const { calls, call, said } = desk(promise);
  const [first, second] = [call(), call()];
  while (said.filter((text) => text.startsWith('sent')).length < 2) await new Promise(setImmediate);
  expect(calls.inFlight).toBe(2);
  resolve(sent);
  await Promise.all([first, second]);
  expect(calls.inFlight).toBe(0);
});

test('U5 a command is under way while it is recorded: the bridge closes only after its answer', async () => {
  const { calls, call, said } = desk(Promise.resolve(outcomes[0]![1]));
  const answered = call();
  expect(said).toEqual([expect.stringContaining('bridge: V1CancelAllOtcTrades: ')]);
  expect(calls.inFlight).toBe(1);
  expect(await answered).toBe(200);
  expect(calls.inFlight).toBe(0);
});

test('a command that cannot be recorded is not sent, and under way no longer', async () => {
  const { calls, call, said } = desk(
    Promise.reject(new Error('it was sent')).catch(() => outcomes[0]![1]),
    { records: false },
  );
  expect(await call()).toBe('audit-impossible');
  // A record that is only late is on disk all the same: behind it stands that it came to nothing.
  expect(said).toEqual([
    expect.stringContaining('bridge: V1CancelAllOtcTrades: bridge-0-1 '),
    'bridge: outcome refused: bridge-0-1 not sent: it could not be recorded in time',
  ]);
  expect(calls.inFlight).toBe(0);
});

test('O12 does not send a risky command if a kill switch is thrown during its record, and records that', async () => {
  const approve = { commandType: 'V1ApproveOtcTrade', otcTradeId: '7', tradingAccountId: '1' };
  const { call, said } = desk(new Promise(() => {}), { command: approve });
  expect(await call()).toBe('kill-switch');
  expect(said).toEqual([
    expect.stringContaining('bridge: V1ApproveOtcTrade: '),
    expect.stringMatching(/^bridge: outcome refused: \S+ The kill switch of this gateway is on \(drill\): /),
  ]);
});
