// Look-ups by the thousand, as after a restart or seconds of silence: their turns.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LookupTurns, POLL_MS } from '../../../src/exchange-client/reads/lookup-turns.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Turns of an exchange that has room for so many questions; `looks`: how often it was asked whether it has. */
function open() {
  const turns = new LookupTurns();
  const told: string[] = [];
  const state = { room: 0, looks: 0 };
  const [orders, history, owner] = [{}, {}, {}];
  const ask = (name: string, turn: number, limit: object = orders): void => {
    const waitMs = (): number => {
      state.looks++;
      return state.room > 0 ? 0 : 100;
    };
    const take = (): string => {
      state.room--;
      return name;
    };
    void turns.room(turn, { limit, owner, waitMs, take, withinMs: 60_000 }).then((one) => told.push(one ?? 'none'));
  };
  const rest = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(POLL_MS));
  return { turns, told, state, ask, rest, history };
}

test('queues look-ups by the thousand without scanning them all', async () => {
  const { turns, told, state, ask, rest } = open();
  for (let i = 0; i < 1_000; i++) ask(`${i}`, turns.next('1'));
  expect(state.looks).toBe(1);
  state.room = 3;
  await rest();
  expect(told).toEqual(['0', '1', '2']);
});

test('sends a query of an earlier look-up, or of another limit, at once if there is room', async () => {
  const { turns, told, state, ask, history } = open();
  const first = turns.next('1');
  for (let i = 0; i < 10; i++) ask(`${i}`, turns.next('1'));
  state.room = 1;
  ask('its next', first);
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(['its next']);
  state.room = 1;
  ask('of the history', turns.next('1'), history);
  await vi.advanceTimersByTimeAsync(0);
  // The longest wait goes first there too.
  expect(told.at(-1)).toBe('0');
  state.room = 1;
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(told.at(-1)).toBe('1');
});
