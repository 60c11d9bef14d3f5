// Logons by the state of the journal, and their answers (rule J3).

import { beforeEach, expect, test } from 'vitest';
import type { StrayReferences } from '../../../src/gateway/mod.ts';
import { DamageGate } from '../../../src/runtime/admission/damage-gate.ts';
import { LogonGate } from '../../../src/runtime/admission/logon-gate.ts';
import type { EngineSessionConfig } from '../../../src/runtime/gateway-config.ts';
import type { DamagedPlace } from '../../../src/store/mod.ts';

const PLACE: DamagedPlace = { path: '00000002.xgj', offset: 64, bytes: 100, firstFrame: 7, lastFrame: 8 };
const ON_A = stray('a', true);

function stray(tradingAccountId: string, isNewer: boolean): StrayReferences {
  return { tradingAccountId, count: 2, highest: '17', isNewer };
}

const NONE = { keptOut: [], keptOutFor: () => null };

/** Accounts that were compared with the exchange, and what it has that the journal lacks. */
let reconciled: Set<string>;
let strays: StrayReferences[];

beforeEach(() => {
  reconciled = new Set(['a', 'b']);
  strays = [];
});

/** A session that a template would make of its first Logon. */
const NEW = 'NEW';
const newcomer = (sessionId: string): EngineSessionConfig | null => (sessionId === NEW ? session('a') : null);

const session = (...ids: string[]): EngineSessionConfig =>
  ({
    gateway: { accounts: ids.map((id) => ({ account: `ACC-${id}`, tradingAccountId: id, credential: 'main' })) },
  }) as never;
const sessions = new Map([
  ['A', session('a')],
  ['B', session('b')],
  ['BOTH', session('b', 'a')],
  ['COPY', session()],
]);

/** A gate of a journal with a damaged place that concerns these sessions. */
function gateOf(...concerned: string[]): { gate: LogonGate; damage: DamageGate } {
  const concerning = (sessionId: string): DamagedPlace | null => (concerned.includes(sessionId) ? PLACE : null);
  const found = concerned.length === 0 ? undefined : { places: [PLACE], lostBytes: PLACE.bytes, concerning };
  const damage = new DamageGate(found);
  const gateway = { isReconciled: (id: string) => reconciled.has(id), strayReferences: () => strays };
  return { gate: new LogonGate({ gateway, sessions, newcomer, damage, interruptions: NONE }), damage };
}

const refused = (gate: LogonGate): string[] => [...sessions.keys()].filter((id) => gate.refusal(id) !== null);
const heldByOperator = (gate: LogonGate): string[] =>
  [...sessions.keys()].filter((id) => gate.refusal(id)?.passes === false);

test('J3 admits a session once all its accounts were compared; until then it may retry', () => {
  const { gate } = gateOf();
  expect(refused(gate)).toEqual([]);
  reconciled.delete('a');
  expect(refused(gate)).toEqual(['A', 'BOTH']);
  expect(gate.refusal('BOTH')).toEqual({
    text: 'No Logon is accepted yet: account ACC-a is not compared with the exchange; try again',
    passes: true,
  });
  expect([gate.heldFor, gate.partlyHeldFor, gate.keptOutFor('A')]).toEqual([null, [], null]);
  // Whether there is such a session at all is said elsewhere.
  expect(gate.refusal('NOBODY')).toBe(null);
});

test('J3 a session to be made waits for its account, and for an operator if that has more', () => {
  const { gate } = gateOf();
  expect(gate.refusal(NEW)).toBe(null);
  reconciled.delete('a');
  expect(gate.refusal(NEW)?.passes).toBe(true);
  strays = [stray('a', false)];
  expect(gateOf('B').gate.refusal(NEW)?.passes).toBe(false);
});

test('J3 admits none while the exchange has newer references, until an operator opens', () => {
  const { gate } = gateOf();
  strays = [ON_A];
  expect(heldByOperator(gate)).toEqual(['A', 'B', 'BOTH', 'COPY']);
  expect(gate.heldFor).toBe(
    'the exchange has references of this gateway that its journal does not have (2 on a up to 17)',
  );
  expect(gate.keptOutFor('B')).toMatch(/sessions open/);
  strays = [];
  expect(refused(gate)).toEqual([]);
});

test('J3 references that an undamaged journal lacks keep out every session', () => {
  const { gate } = gateOf();
  strays = [stray('a', false)];
  expect(heldByOperator(gate)).toEqual(['A', 'B', 'BOTH', 'COPY']);
});

test("J3 possibly damaged references keep out only their account's sessions", () => {
  const { gate } = gateOf('NOBODY');
  strays = [stray('a', false)];
  expect(heldByOperator(gate)).toEqual(['A', 'BOTH']);
  expect(gate.refusal('BOTH')?.text).toMatch(/account ACC-a has orders that this gateway lost/);
  expect(gate.keptOutFor('A')).toMatch(/account ACC-a/);
  expect([gate.heldFor, gate.keptOutFor('B')]).toEqual([null, null]);
  expect(gate.partlyHeldFor.join()).toMatch(/2 on a up to 17/);
  // One that is newer cannot have stood there.
  strays = [stray('a', false), stray('b', true)];
  expect(heldByOperator(gate)).toEqual(['A', 'B', 'BOTH', 'COPY']);
  expect(gate.heldFor).toMatch(/\(2 on b up to 17\)$/);
});

test('a session with possibly damaged records stays out until an operator admits it', () => {
  const { gate, damage } = gateOf('A', 'COPY');
  expect(heldByOperator(gate)).toEqual(['A', 'COPY']);
  expect(gate.keptOutFor('COPY')).toMatch(/00000002\.xgj: a frame is damaged at offset 64/);
  expect(gate.partlyHeldFor).toEqual([expect.stringContaining('no Logon is accepted of A, COPY,')]);
  expect(damage.accept('COPY', 'ops', 'compared')).toEqual({
    kind: 'damageAccepted',
    sessionId: 'COPY',
    who: 'ops',
    why: 'compared',
  });
  expect([heldByOperator(gate), damage.isShut]).toEqual([['A'], true]);
  damage.accept(null, 'ops', 'all of it');
  expect([refused(gate), damage.isShut, gate.partlyHeldFor]).toEqual([[], false, []]);
  // Lost records stay lost.
  expect(damage.lostBytes).toBe(100);
});

test('names ten of thousands of barred sessions, so that the remedy stays visible', () => {
  const names = Array.from({ length: 3000 }, (_, k) => `S${k}`);
  const damage = new DamageGate({ places: [PLACE], lostBytes: PLACE.bytes, concerning: () => PLACE });
  const [text = ''] = damage.inWords(names);
  expect(text).toMatch(/no Logon is accepted of S0, S1, .*, S9 and 2990 more sessions, whose records .*run `crossgate/);
  expect(text.length).toBeLessThan(600);
});

test('describes the undamaged alternative by kind: file, database row, later record', () => {
  const saidOf = (place: DamagedPlace): (string | null)[] => {
    const damage = new DamageGate({ places: [place], lostBytes: 1, concerning: () => place });
    const gateway = { isReconciled: () => true, strayReferences: () => [] };
    const gate = new LogonGate({ gateway, sessions, newcomer, damage, interruptions: NONE });
    return [gate.keptOutFor('A'), ...damage.inWords(['A'])];
  };
  const every = (text: string): unknown[] => [expect.stringContaining(text), expect.stringContaining(text)];
  expect(saidOf(PLACE)).toEqual(every(' put the file back, or '));
  expect(saidOf({ ...PLACE, row: 7 })).toEqual(every(' put the row back from a backup of the database, or '));
  expect(saidOf({ ...PLACE, isOfLaterVersion: true })).toEqual(every(' start the version that wrote it, or '));
});

test('S11 a session with a partial import stays out until repeated, or its numbers are agreed', () => {
  const numbers = { series: 2, nextSenderMsgSeqNum: 101, nextTargetMsgSeqNum: 1 };
  const part = { sessionId: 'A', numbers, loggedOn: false, provenMsgSeqNum: 0, countedAt: null } as const;
  const damage = new DamageGate(undefined, [
    { ...part, importBegun: true },
    { ...part, sessionId: 'B' },
  ]);
  const gateway = { isReconciled: () => true, strayReferences: () => [] };
  const gate = new LogonGate({ gateway, sessions, newcomer, damage, interruptions: NONE });
  expect([heldByOperator(gate), damage.isShut, damage.hasPlaces]).toEqual([['A'], true, false]);
  expect(gate.refusal('A')?.text).toMatch(/the numbers of this session are not whole/);
  expect(gate.keptOutFor('A')).toMatch(
    /an import of A was begun and did not come to its end: do it again with --replace/,
  );
  expect(gate.partlyHeldFor).toEqual([expect.stringMatching(/^no Logon of A is accepted: an import of A was begun/)]);
  expect(damage.endsWithNumbers('A')).toBe(true);
  damage.acceptPlaces('A', 'ops', 'agreed');
  expect([refused(gate), damage.isShut, gate.keptOutFor('A')]).toEqual([[], false, null]);
});

test('bars a session with messages that ended the gateway repeatedly, and no other', () => {
  const keptOutFor = (sessionId: string): string | null => (sessionId === 'A' ? 'a bug' : null);
  const gateway = { isReconciled: () => true, strayReferences: () => [] };
  const damage = new DamageGate(undefined);
  const gate = new LogonGate({ gateway, sessions, newcomer, damage, interruptions: { keptOut: ['A'], keptOutFor } });
  expect(heldByOperator(gate)).toEqual(['A']);
  expect([gate.keptOutFor('A'), gate.keptOutFor('B')]).toEqual([
    expect.stringMatching(/^a bug: `crossgate sessions open NAME`/),
    null,
  ]);
  expect(gate.partlyHeldFor).toEqual(['no Logon of A is accepted: a bug']);
});

test('a record of unknown owner bars all, and is opened for all only', () => {
  const { gate, damage } = gateOf();
  const record = { key: 'kill|all|', text: '{"v":7}', reason: 'of another version', keys: [] };
  damage.addUnreadable([{ ...record, sessionId: 'A' }], 'journal');
  expect([heldByOperator(gate), damage.isOfAll]).toEqual([['A'], false]);
  expect(gate.keptOutFor('A')).toContain('`crossgate sessions open NAME`');
  damage.addUnreadable([{ ...record, sessionId: null }], 'journal');
  expect([heldByOperator(gate), damage.isOfAll]).toEqual([['A', 'B', 'BOTH', 'COPY'], true]);
  expect(gate.keptOutFor('A')).toContain('run `crossgate sessions open`');
  damage.accept(null, 'ops', 'compared');
  expect([refused(gate), damage.isOfAll]).toEqual([[], false]);
});
