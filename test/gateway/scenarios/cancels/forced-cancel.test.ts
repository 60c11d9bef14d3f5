// Cancels that the exchange forces (3020, 3021), by each session's dialect: in `venue` as the exchange's own FIX has
// them (exchange reference §7.2, leverage danger), 39=C with the code in 103.

import { describe, expect, test } from 'vitest';
import type { GatewaySessionConfig } from '../../../../src/gateway/mod.ts';
import { Desk, dropCopyConfig, field, gatewayConfig, LIMIT, SESSION, sessionConfig, textOf } from '../../desk.ts';

const COPY = 'FIX.4.4:XG->COPY';
const OTHER = 'FIX.4.4:XG->OTHER';
const FORCED = { status: 'CANCELLED', statusReasonCode: '3020', statusReason: null } as const;
const VENUE = { dialect: 'venue' } as const;
const STANDARD = { dialect: 'standard' } as const;

function deskOf(session: Partial<GatewaySessionConfig>, beside: readonly GatewaySessionConfig[] = []): Desk {
  const config = gatewayConfig(session);
  const desk = new Desk({ ...config, sessions: [...config.sessions, ...beside] });
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  return desk;
}

/** A session's messages while `act` ran. */
function told(desk: Desk, sessionId: string, act: () => unknown): string[] {
  const from = desk.effects.length;
  act();
  return desk.effects
    .slice(from)
    .flatMap((effect) => (effect.kind === 'send' && effect.sessionId === sessionId ? [textOf(effect.draft)] : []));
}

const end = (text: string | undefined): (string | null)[] => [150, 39, 103, 378].map((tag) => field(text, tag));

describe('a cancel that the exchange forced', () => {
  test.each(['3020', '3021'])('is 150=C 39=C with 103=%s in `venue`, and 150=4 39=4 in `standard`', (code) => {
    const [venue] = deskOf(VENUE).order({ ...FORCED, statusReasonCode: code });
    expect(end(venue)).toEqual(['C', 'C', code, null]);
    expect([field(venue, 151), field(venue, 11)]).toEqual(['0', 'o-1']);
    expect(field(venue, 58)).toContain(`(exchange reason ${code})`);
    expect(end(deskOf(STANDARD).order({ ...FORCED, statusReasonCode: code })[0])).toEqual(['4', '4', null, '8']);
  });

  test.each(['6019', '6022', '6023', '6024'])('is not one for reason %s: 150=4 39=4 in `venue` too (T5)', (code) => {
    expect(end(deskOf(VENUE).order({ ...FORCED, statusReasonCode: code })[0])).toEqual(['4', '4', null, null]);
  });

  test('is the same in the answer to H, after a restart, and with a fill that came late', () => {
    const desk = deskOf(VENUE);
    desk.order(FORCED);
    for (const restarts of [false, true]) {
      if (restarts) desk.restart();
      const [status] = desk.oms('35=H|11=o-1|1=ACC1|55=BTCUSDC|54=1|');
      expect(end(status)).toEqual(['I', 'C', '3020', null]);
    }
    const { timeline } = desk.gateway.findOrder('FIX.4.4:XG->OMS', 'o-1')!;
    expect(timeline.map(([, what]) => what).filter((what) => what.startsWith('150='))).toEqual([
      '150=0',
      expect.stringMatching(/^150=C /),
    ]);
    expect(end(desk.trade({ orderId: '9001' })[0])).toEqual(['F', 'C', null, null]);
    const [late] = desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|');
    expect([35, 434, 102, 39].map((tag) => field(late, tag))).toEqual(['9', '1', '0', 'C']);
    const standard = deskOf(STANDARD);
    standard.order(FORCED);
    expect(end(standard.oms('35=H|11=o-1|55=BTCUSDC|54=1|')[0])).toEqual(['I', '4', null, null]);
  });

  test("goes to each drop copy in its own dialect, independent of the order's session", () => {
    for (const [order, copy, expected] of [
      [VENUE, STANDARD, ['4', '4', null, '8']],
      [STANDARD, VENUE, ['C', 'C', '3020', null]],
    ] as const) {
      const desk = deskOf(order, [dropCopyConfig(copy)]);
      expect(told(desk, COPY, () => desk.order(FORCED)).map(end)).toEqual([expected]);
    }
  });

  test('answers no F in `venue`: that one failed, 9 with 39=C; in `standard` the cancel is its answer', () => {
    const venue = deskOf(VENUE);
    venue.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|');
    const [report, reject] = venue.order(FORCED);
    expect([field(report, 11), ...end(report)]).toEqual(['o-1', 'C', 'C', '3020', null]);
    expect([35, 11, 41, 434, 102, 39].map((tag) => field(reject, tag))).toEqual(['9', 'f-1', 'o-1', '1', '0', 'C']);
    const standard = deskOf(STANDARD);
    standard.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
    const answers = standard.order(FORCED);
    expect(answers.map((text) => [field(text, 35), field(text, 11), ...end(text)])).toEqual([
      ['8', 'f-1', '4', '4', null, '8'],
    ]);
  });

  test('answers no F of another session that speaks `venue` either (O7)', () => {
    const desk = deskOf(STANDARD, [sessionConfig({ sessionId: OTHER, reach: 'accounts', ...VENUE })]);
    desk.oms('35=F|11=x-1|41=NONE|37=9001|1=ACC1|55=BTCUSDC|', { sessionId: OTHER });
    const answers = told(desk, OTHER, () => desk.order(FORCED));
    expect(answers.map((text) => [35, 11, 102, 39].map((tag) => field(text, tag)))).toEqual([['9', 'x-1', '0', 'C']]);
    expect(told(desk, SESSION, () => desk.order(FORCED))).toEqual([]);
  });

  test.each([
    [VENUE, ['C', 'C', '3020', null], 'C'],
    [STANDARD, ['4', '4', null, '8'], '4'],
  ] as const)(
    "without its session's configuration answers no F either: both follow later (%o)",
    (dialect, report, status) => {
      const desk = deskOf(dialect);
      desk.oms('35=F|11=f-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|');
      const { config } = desk;
      Object.assign(desk, { config: { ...config, sessions: [sessionConfig({ sessionId: OTHER })] } });
      desk.restart();
      desk.order(FORCED);
      Object.assign(desk, { config });
      const [first, second, ...more] = told(desk, SESSION, () => desk.restart());
      expect([field(first, 11), ...end(first)]).toEqual(['o-1', ...report]);
      expect([35, 11, 41, 434, 102, 39].map((tag) => field(second, tag))).toEqual([
        '9',
        'f-1',
        'o-1',
        '1',
        '0',
        status,
      ]);
      expect(more).toEqual([]);
    },
  );

  test('while the session that asked for it by O7 is not configured answers no F of that either', () => {
    const other = sessionConfig({ sessionId: OTHER, reach: 'accounts', ...VENUE });
    const desk = deskOf(STANDARD, [other]);
    desk.oms('35=F|11=x-1|41=NONE|37=9001|1=ACC1|55=BTCUSDC|', { sessionId: OTHER });
    const { config } = desk;
    Object.assign(desk, { config: { ...config, sessions: config.sessions.slice(0, 1) } });
    desk.restart();
    desk.order(FORCED);
    Object.assign(desk, { config });
    const answers = told(desk, OTHER, () => desk.restart());
    expect(answers.map((text) => [35, 11, 102, 39].map((tag) => field(text, tag)))).toEqual([['9', 'x-1', '0', 'C']]);
  });
});
