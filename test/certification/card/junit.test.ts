// A failed case is a finding about the OMS, and a failure in JUnit; one that our own side broke is an error.

import { expect, test } from 'vitest';
import { type CaseView, totalsOf } from '../../../src/certification/desk/desk-view.ts';
import { junitOf, totalsInWords } from '../../../src/certification/mod.ts';
import type { Verdict } from '../../../src/certification/run/case-result.ts';

function played(id: string, verdict: Verdict | null): CaseView {
  const step = { text: 'a step', detail: 'what came', tag: null, hint: 'a hint', evidence: ['in  35=1|'] };
  const steps = [{ ...step, verdict }];
  const result = verdict === null ? null : { id, verdict, startedAt: 0, endedAt: 1_500, steps };
  return { id, group: 'orders', title: id, rule: 'O1', obligation: 'mandatory', result };
}

const CASES = [
  played('orders.a', 'pass'),
  played('orders.b', 'fail'),
  played('orders.c', 'missing'),
  played('orders.d', 'broken'),
  played('orders.e', null),
];

test('a case that our side broke is an error, one that failed or was not seen a failure', () => {
  const xml = junitOf({ name: 'ACME', cases: CASES });
  expect(xml).toContain('name="ACME.orders" tests="5" failures="2" errors="1" skipped="1"');
  expect(xml).toMatch(/name="orders\.d: orders\.d" time="1\.500"><error message="what came">.*<\/error>/s);
  expect(xml.match(/<failure /g)).toHaveLength(2);
});

test('a case that our side broke counts as played and not as failed', () => {
  const totals = totalsOf(CASES);
  expect(totals).toMatchObject({ mandatory: 5, passed: 1, failed: 2, broken: 1, open: 1 });
  expect(totalsInWords(totals)).toBe(
    '1 of 5 mandatory cases passed, 2 failed, 1 not judged (play them again), 1 not played.',
  );
});
