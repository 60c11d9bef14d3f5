// Random days whose session is not configured for a part of them, in every style: once it is back it is told what it would have
// been told, field by field. A failure prints fast-check's seed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { checkProperty } from '../../support/seeded-property.ts';
import { SESSION, sessionConfig } from '../desk.ts';
import { KINDS, type KindStep, KindsDay } from '../kinds-day.ts';

type Style = Partial<GatewaySessionConfig>;

/** What happens while nobody can write for the session. */
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

/** What the session was told of a day, in the middle of which it is away or there. */
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

/** An end that the exchange forces answers an F or not by the dialect, which nobody knows while the session is away. */
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
  // The end of a list is told when the session is there, behind all that it missed.
  const kinds = KINDS.filter((kind) => kind !== 'settings' && kind !== 'E');
  checkProperty(
    fc.property(steps(kinds, 5, 60), steps(AWAY, 1, 30), (before, meanwhile) => {
      // For a session that is away no order is sent in the place of a cancelled one (rule O6), and PendingNew is not told.
      const style: Style = { dialect, beginString, ...version, pendingNewAfterMs: 86_400_000 };
      const days = [before, meanwhile].map((day) => (dialect === 'standard' ? day.map(unforced) : day));
      const [first, second] = days as [KindStep[], KindStep[]];
      expect(told(style, true, first, second)).toEqual(told(style, false, first, second));
    }),
    100,
  );
});
