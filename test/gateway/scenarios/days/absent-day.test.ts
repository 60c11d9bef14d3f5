// Random days with a session absent for a part, in every style: back again it receives the missed reports, field by
// field. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../../src/gateway/mod.ts';
import { checkProperty } from '../../../support/random/seeded-property.ts';
import { SESSION, sessionConfig } from '../../desk.ts';
import { KINDS, type KindStep, KindsDay } from '../../kinds-day.ts';

type Style = Partial<GatewaySessionConfig>;

/** Events while the session cannot be written for. */
const AWAY = [
  ...['fill', 'fill', 'fill', 'trigger', 'end', 'cross', 'time'],
  ...['deliver', 'deliver', 'deliver', 'deliver', 'deliver', 'repeat', 'answer', 'lose', 'lookup', 'lookup'],
] as KindStep[0][];
const OTHER = sessionConfig({ sessionId: 'FIX.4.4:XG->OTHER' });
const RESTART: KindStep = ['restart', 0, 0, false];

const steps = (kinds: readonly KindStep[0][], minLength: number, maxLength: number): fc.Arbitrary<KindStep[]> =>
  fc.array(fc.tuple(fc.constantFrom(...kinds), fc.nat(1_000), fc.nat(1_000), fc.boolean()), {
    minLength,
    maxLength,
    size: 'max',
  });

/** The session's reports of a day, with an absence in the middle or without. */
function told(style: Style, isAway: boolean, before: readonly KindStep[], meanwhile: readonly KindStep[]): string[] {
  const day = new KindsDay(style, {});
  const { desk } = day;
  const config = { ...desk.config, sessions: [...desk.config.sessions, OTHER] };
  const begin = (sessions: readonly GatewaySessionConfig[]): void => {
    Object.assign(desk, { config: { ...config, sessions } });
    day.act(RESTART);
  };
  for (const step of before) day.act(step);
  begin(isAway ? config.sessions.slice(1) : config.sessions);
  for (const step of meanwhile) day.act(step);
  begin(config.sessions);
  day.settle();
  return day.told.filter(({ sessionId }) => sessionId === SESSION).map(({ text }) => text);
}

/** An end forced by the exchange answers an F or not by dialect, which is unknown while the session is away. */
const unforced = ([kind, which, amount, flag]: KindStep): KindStep => [kind, which, kind === 'end' ? 2 : amount, flag];

test.each([
  ['standard', 'FIX.4.4'],
  ['standard', 'FIX.4.2'],
  ['standard', 'FIXT.1.1'],
  ['venue', 'FIX.4.4'],
  ['venue', 'FIX.4.2'],
  ['venue', 'FIXT.1.1'],
] as const)('O2 S11 a session that was away receives the same (%s, %s)', (dialect, beginString) => {
  const version = beginString === 'FIXT.1.1' ? { defaultApplVerID: '9' as const } : {};
  // The end of a list comes when the session is there, after its missed reports.
  const kinds = KINDS.filter((kind) => kind !== 'settings' && kind !== 'E');
  checkProperty(
    fc.property(steps(kinds, 5, 60), steps(AWAY, 1, 30), (before, meanwhile) => {
      // For an absent session no order replaces a cancelled one (rule O6), and PendingNew is not sent.
      const style: Style = { dialect, beginString, ...version, pendingNewAfterMs: 86_400_000 };
      const days = [before, meanwhile].map((day) => (dialect === 'standard' ? day.map(unforced) : day));
      const [first, second] = days as [KindStep[], KindStep[]];
      expect(told(style, true, first, second)).toEqual(told(style, false, first, second));
    }),
    100,
  );
});
