// A drop copy that names sessions, over a start behind which one of them is not configured any more (rule S9).

import { expect, test } from 'vitest';
import { Desk, dropCopyConfig, gatewayConfig, LIMIT, SESSION, sessionConfig, summary, textOf } from '../desk.ts';

const COPY = 'FIX.4.4:XG->COPY';
const OTHER = 'FIX.4.4:XG->OTHER';

const copyOf = (...sessionIds: string[]) =>
  dropCopyConfig({ sessionId: COPY, dropCopy: { sessionIds, elsewhere: false } });
const both = [sessionConfig(), sessionConfig({ sessionId: OTHER }), copyOf(SESSION, OTHER)];
/** The file of the one was removed, and its name taken from the list of the copy, which could not stay there. */
const without = [sessionConfig({ sessionId: OTHER }), copyOf(OTHER)];

function deskOf(sessions: typeof both) {
  const desk = new Desk({ ...gatewayConfig(), sessions });
  const startedWith = (next: typeof both): void => {
    Object.assign(desk, { config: { ...desk.config, sessions: next } });
    desk.restart();
  };
  let seen = 0;
  const copies = (): string[] => {
    const all = desk.effects.flatMap((effect) =>
      effect.kind === 'send' && effect.sessionId === COPY ? [textOf(effect.draft)] : [],
    );
    const fresh = all.slice(seen);
    seen = all.length;
    return summary(fresh);
  };
  return { desk, startedWith, copies };
}

test("S9 it receives the fate of that session's open orders, over later starts too", () => {
  const { desk, startedWith, copies } = deskOf(both);
  desk.oms(LIMIT);
  desk.order({});
  expect(copies()).toEqual(['0/0']);
  startedWith(without);
  desk.trade({ quantity: '1' });
  expect(copies()).toEqual(['F/1']);
  startedWith(without);
  // Whatever settings it has by then.
  desk.gateway.applyConfig(copyOf(OTHER));
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '1' });
  expect(copies()).toEqual(['4/4']);
});

test('S9 but not once that one is configured again, and not named', () => {
  for (const restarts of [false, true]) {
    const { desk, startedWith, copies } = deskOf(both);
    desk.oms(LIMIT);
    desk.order({});
    startedWith(without);
    if (restarts) startedWith([sessionConfig(), ...without]);
    else desk.gateway.applyConfig(sessionConfig());
    copies();
    desk.trade({ quantity: '1' });
    expect(copies()).toEqual([]);
  }
});

test('S9 nor once none of its orders was open: the copy never received them', () => {
  const { desk, startedWith, copies } = deskOf(both);
  startedWith(without);
  startedWith([sessionConfig(), ...without]);
  desk.oms(LIMIT);
  desk.order({});
  startedWith(without);
  desk.trade({ quantity: '1' });
  expect(copies()).toEqual([]);
});
