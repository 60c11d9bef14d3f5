import { expect, onTestFinished, test } from 'vitest';
import type { SessionView } from '../../../src/administration/mod.ts';
import { SESSION_STEP_MS, SessionRing } from '../../../src/ops/metrics/session-ring.ts';

function world() {
  const sessions = new Map<string, { out: number; in: number; queued: number | null; resends: number }>();
  const state = { now: 1_000, sessions };
  const view = ([sessionId, { out, in: into, queued, resends }]: [
    string,
    { out: number; in: number; queued: number | null; resends: number },
  ]) =>
    ({
      sessionId,
      status: {
        numbers: { nextSenderMsgSeqNum: out, nextTargetMsgSeqNum: into },
        gap: queued === null ? null : { beginSeqNo: 1, endSeqNo: 2, queued },
      },
      resendRequests: { in: 0, out: resends },
    }) as unknown as SessionView;
  const ring = new SessionRing({
    now: () => state.now,
    sessions: () => [...sessions].map((one) => view(one as never)),
  } as never);
  onTestFinished(() => ring.close());
  const sample = (): void => {
    ring.sample();
    state.now += SESSION_STEP_MS;
  };
  return { ring, sessions, sample };
}

test('a session has its next numbers, the messages behind a gap, and the ResendRequests of each step', () => {
  const { ring, sessions, sample } = world();
  sessions.set('A', { out: 5, in: 7, queued: null, resends: 3 });
  sample();
  sessions.set('A', { out: 6, in: 7, queued: 4, resends: 5 });
  sample();
  expect(ring.plots('A', 0)).toEqual({
    stepMs: SESSION_STEP_MS,
    at: [1_000, 11_000],
    series: {
      'session.out': [5, 6],
      'session.in': [7, 7],
      'session.waiting': [0, 4],
      'session.resends': [0, 2],
    },
  });
  expect(ring.plots('A', 1_000).at).toEqual([11_000]);
});

test('a session that is gone has no values from then on, and is forgotten after the hour', () => {
  const { ring, sessions, sample } = world();
  sessions.set('A', { out: 5, in: 7, queued: null, resends: 0 });
  sample();
  sessions.clear();
  sample();
  expect(ring.plots('A', 0).series['session.out']).toEqual([5, null]);
  for (let n = 0; n < 360; n++) sample();
  expect(ring.plots('A', 0).at).toHaveLength(360);
  expect(new Set(ring.plots('A', 0).series['session.out'])).toEqual(new Set([null]));
});
