// Shrinking a replay that differs: against acceptors with a known fault, until only what the fault needs is left.

import { describe, expect, test } from 'vitest';
import { ReplayLog } from '../../../src/replay/kept-message.ts';
import { LogSessions } from '../../../src/replay/log-sessions.ts';
import { loggedMessage } from '../../../src/replay/logged-message.ts';
import { differenceToKeep, shrink } from '../../../src/replay/shrink/shrink.ts';
import { planReplay, type ReplayPlan } from '../../../src/replay/target/replay-plan.ts';
import { type ReplayResult, ReplayRun } from '../../../src/replay/target/replay-run.ts';
import { fromPrintable, Tag, viewOf } from '../../../src/wire/mod.ts';

const NOW = Date.UTC(2026, 10, 22, 12);

/** A log of orders, each acknowledged; `cancelled` ones have a cancel behind all orders. */
function planOf(orders: readonly string[], cancelled: readonly string[] = []): ReplayPlan {
  let n = 0;
  const request = (body: string): string =>
    `35=${body[0]}|49=OMS|56=XG|34=${++n}|52=20261121-12:00:00.000|${body.slice(2)}`;
  const answer = (body: string): string => `35=8|49=XG|56=OMS|34=${n}|52=20261121-12:00:00.000|37=9|17=${n}|${body}`;
  const bodies = [
    ...orders.flatMap((id) => [request(`D|11=${id}|55=B|`), answer(`11=${id}|150=0|39=0|58=fine|`)]),
    ...cancelled.flatMap((id) => [request(`F|11=${id}x|41=${id}|`), answer(`11=${id}x|41=${id}|150=4|39=4|58=fine|`)]),
  ];
  const [log, sessions] = [new ReplayLog(), new LogSessions()];
  for (const body of bodies) {
    const message = loggedMessage(fromPrintable(body), { at: null, session: null, counted: true, note: '' });
    log.add(message, sessions.directionOf(message));
  }
  const plan = planReplay(log, null);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

/** Replays a plan at an acceptor that answers a request wrongly if `isWrong` says so of those before it and itself. */
function replayed(plan: ReplayPlan, isWrong: (before: readonly string[], id: string) => boolean): ReplayResult {
  const run = new ReplayRun(plan, { prefix: '', volatile: [] });
  const before: string[] = [];
  for (let draft = run.take(NOW); draft !== null; draft = run.take(NOW)) {
    const id = draft.get(Tag.ClOrdID)!;
    const original = draft.get(Tag.OrigClOrdID);
    const state = original === null ? '150=0|39=0|' : `41=${original}|150=4|39=4|`;
    const text = isWrong(before, id) ? 'wrong' : 'fine';
    const body = `35=8|49=XG|56=OMS|34=1|37=77|17=${before.length + 1}|11=${id}|${state}58=${text}|`;
    run.received(viewOf(fromPrintable(body))!, NOW);
    before.push(id);
  }
  return run.result('');
}

function shrunk(plan: ReplayPlan, isWrong: (before: readonly string[], id: string) => boolean) {
  const kept = differenceToKeep(replayed(plan, isWrong))!;
  const shrinking = shrink(plan, kept);
  let attempts = 0;
  let next = shrinking.next();
  while (next.done !== true) {
    attempts++;
    next = shrinking.next(replayed(next.value, isWrong));
  }
  const left = next.value;
  const ids = left.requests.map(({ message }) => message.view().string(Tag.ClOrdID));
  return { ids, attempts, left };
}

const ORDERS = Array.from({ length: 40 }, (_, i) => `o${i}`);

describe('a log is shrunk to', () => {
  test('one request that is enough, in one attempt', () => {
    expect(shrunk(planOf(ORDERS), (_, id) => id === 'o17')).toMatchObject({ ids: ['o17'], attempts: 1 });
  });

  test('the two orders that the fault needs', () => {
    const { ids, attempts } = shrunk(planOf(ORDERS), (before, id) => id === 'o30' && before.includes('o5'));
    expect(ids).toEqual(['o5', 'o30']);
    expect(attempts).toBeLessThan(30);
  });

  test('a cancel and its order, without the orders of others', () => {
    const plan = planOf(ORDERS, ['o3', 'o7', 'o30']);
    const { ids, left } = shrunk(plan, (before, id) => id === 'o7x' && before.includes('o7'));
    expect(ids).toEqual(['o7', 'o7x']);
    expect(left.requests.map(({ index, answersBefore }) => [index, answersBefore])).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(left.answers.map(({ request }) => request)).toEqual([0, 1]);
  });

  test('a cancel alone where its order does not matter', () => {
    expect(shrunk(planOf(ORDERS, ['o7']), (_, id) => id === 'o7x').ids).toEqual(['o7x']);
  });

  test('all that a fault needs after many requests', () => {
    const { ids } = shrunk(planOf(ORDERS), (before, id) => id === 'o39' && before.length >= 5);
    expect(ids).toHaveLength(6);
    expect(ids.at(-1)).toBe('o39');
  });
});

test('another difference of the same request does not count as the one to keep', () => {
  const plan = planOf(['a', 'b', 'c']);
  const result = replayed(plan, (before, id) => id === 'c' && before.includes('a'));
  const kept = differenceToKeep(result)!;
  expect(kept.request.label).toBe('ClOrdID=c');
  const shrinking = shrink(plan, kept);
  let next = shrinking.next();
  while (next.done !== true) {
    // Without b nothing is answered at all: that is no difference in Text(58).
    const isAnswered = next.value.requests.some(({ label }) => label === 'ClOrdID=b');
    const run = new ReplayRun(next.value, { prefix: '', volatile: [] });
    run.take(NOW);
    next = shrinking.next(
      isAnswered ? replayed(next.value, (before, id) => id === 'c' && before.includes('a')) : run.result(''),
    );
  }
  expect(next.value.requests.map(({ label }) => label)).toEqual(['ClOrdID=a', 'ClOrdID=b', 'ClOrdID=c']);
});

test('nothing is kept where requests were not sent', () => {
  const run = new ReplayRun(planOf(['a']), { prefix: '', volatile: [] });
  expect(differenceToKeep(run.result('no connection'))).toBeNull();
});
