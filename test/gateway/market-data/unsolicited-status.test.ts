// Unsolicited TradingSessionStatus(h), as the exchange's own FIX sends it (exchange reference §7.2), on the pure
// machine.

import { describe, expect, test } from 'vitest';
import { Validator } from '../../../src/dictionary/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { dictionary } from '../../support/generated.ts';
import { Desk, dropCopyConfig, gatewayConfig, market, SESSION } from '../desk.ts';

const VENUE = { dialect: 'venue' } as const;
const HALTED = '35=h|57=ADMIN|336=1|325=Y|340=1|1368=3|58=The exchange cannot be reached at the moment|';
const OPEN = '35=h|57=ADMIN|336=1|325=Y|340=2|1368=0|';

/** A desk with a logged-on session. */
function deskOf(more: Partial<GatewaySessionConfig>): Desk {
  const desk = new Desk(gatewayConfig(more));
  desk.feed({ kind: 'sessionUp', sessionId: SESSION });
  return desk;
}

const stream = (desk: Desk, live: boolean): string[] =>
  desk.answers(() => desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live }));
const markets = (desk: Desk, ...listed: Parameters<typeof market>[]): string[] =>
  desk.answers(() => desk.feed({ kind: 'markets', markets: listed.map((one) => market(...one)) }));

describe('D4 TradingSessionStatus(h) goes unasked to a session of the `venue` dialect', () => {
  test('when the platform halts, once it lasted five seconds, and when it resumes', () => {
    const desk = deskOf(VENUE);
    expect(stream(desk, false)).toEqual([]);
    expect(desk.advance(4_999)).toEqual([]);
    expect(desk.advance(1)).toEqual([HALTED]);
    expect(desk.advance(60_000)).toEqual([]);
    expect(stream(desk, true)).toEqual([OPEN]);
    stream(desk, false);
    desk.advance(3_000);
    expect(stream(desk, true)).toEqual([]);
    expect(desk.advance(60_000)).toEqual([]);
  });

  test('after a Logon within the halt too, and to no session after the Logout', () => {
    const desk = new Desk(gatewayConfig(VENUE));
    stream(desk, false);
    desk.advance(60_000);
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    expect(desk.advance(5_000)).toEqual([HALTED]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    expect(stream(desk, true)).toEqual([]);
  });

  test('reports changes after an absence; a resend repeats an old halt, and a lasting one is sent anew', () => {
    const off = { marketEnabled: false };
    const desk = deskOf(VENUE);
    stream(desk, false);
    expect(desk.advance(5_000)).toEqual([HALTED]);
    expect(markets(desk, ['BTCUSDC', off], ['ETHUSDC'])).toHaveLength(1);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(markets(desk, ['BTCUSDC'], ['ETHUSDC', off])).toEqual([]);
    const up = (): string[] => desk.answers(() => desk.feed({ kind: 'sessionUp', sessionId: SESSION }));
    expect(up().map((text) => text.match(/340=.*55=[A-Z]+/)?.[0])).toEqual([
      '340=2|1368=0|55=BTCUSDC',
      '340=1|1368=3|55=ETHUSDC',
    ]);
    expect(desk.advance(5_000)).toEqual([HALTED]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(stream(desk, true)).toEqual([]);
    expect(up()).toEqual([OPEN]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    expect(up()).toEqual([]);
  });

  test('of a halt that ended during a short absence: nothing is repeated, but its end is', () => {
    const desk = deskOf(VENUE);
    stream(desk, false);
    expect(desk.advance(5_000)).toEqual([HALTED]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
    desk.feed({ kind: 'sessionUp', sessionId: SESSION });
    expect(desk.advance(4_000)).toEqual([]);
    expect(stream(desk, true)).toEqual([OPEN]);
    expect(desk.advance(60_000)).toEqual([]);
  });

  test.each(['before', 'after'])(
    'over a restart: halts begun or ended while the gateway was down, markets read %s its Logon',
    (when) => {
      const off = { marketEnabled: false };
      const desk = deskOf(VENUE);
      stream(desk, false);
      desk.advance(5_000);
      markets(desk, ['BTCUSDC', off], ['ETHUSDC']);
      desk.restart({ ready: false });
      const told = desk.answers(() => {
        if (when === 'after') desk.feed({ kind: 'sessionUp', sessionId: SESSION });
        desk.feed({ kind: 'markets', markets: [market('BTCUSDC'), market('ETHUSDC', off)] });
        if (when === 'before') desk.feed({ kind: 'sessionUp', sessionId: SESSION });
        desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
      });
      expect(told.map((text) => text.match(/340=\d.*(?=\|)/)?.[0])).toEqual([
        '340=2|1368=0|55=BTCUSDC',
        '340=1|1368=3|55=ETHUSDC|58=The market is switched off',
        '340=2|1368=0',
      ]);
      expect(desk.advance(60_000)).toEqual([]);
      // And the next one has nothing to tell.
      desk.restart({ ready: false });
      desk.feed({ kind: 'markets', markets: [market('BTCUSDC'), market('ETHUSDC', off)] });
      desk.feed({ kind: 'feed', credential: 'main', feed: 'private', live: true });
      expect(desk.answers(() => desk.feed({ kind: 'sessionUp', sessionId: SESSION }))).toEqual([]);
    },
  );

  test('over a restart within the halt: repeated if it lasts, and its end too', () => {
    const desk = deskOf(VENUE);
    stream(desk, false);
    desk.advance(5_000);
    for (const lasts of [true, false]) {
      desk.restart({ ready: false });
      desk.feed({ kind: 'sessionUp', sessionId: SESSION });
      expect(desk.advance(lasts ? 5_000 : 4_999)).toEqual(lasts ? [HALTED] : []);
    }
    expect(stream(desk, true)).toEqual([OPEN]);
  });

  test('when a market that it may trade halts, is listed no more or resumes, by its own name of it', () => {
    const desk = deskOf({ ...VENUE, symbols: ['BTCUSDC'], symbolAliases: { XBT: 'BTCUSDC' } });
    const off = { createOrderEnabled: false };
    expect(markets(desk, ['BTCUSDC', off], ['ETHUSDC', off], ['NEWUSDC', off])).toEqual([
      '35=h|57=ADMIN|336=1|325=Y|340=1|1368=3|55=XBT|58=The market takes no new orders|',
    ]);
    expect(markets(desk, ['BTCUSDC', off], ['ETHUSDC'])).toEqual([]);
    expect(markets(desk, ['BTCUSDC'], ['ETHUSDC'])).toEqual(['35=h|57=ADMIN|336=1|325=Y|340=2|1368=0|55=XBT|']);
    expect(markets(desk, ['ETHUSDC'])).toEqual([
      '35=h|57=ADMIN|336=1|325=Y|340=1|1368=3|55=XBT|58=The market is switched off|',
    ]);
  });

  test('passes our dictionary of the version; FIX.4.2 gets the platform alone', () => {
    for (const [version, of] of [
      ['FIX.4.2', dictionary('FIX42.xml')],
      ['FIX.4.4', dictionary('FIX44.xml')],
      ['FIXT.1.1', { transport: dictionary('FIXT11.xml'), applications: [dictionary('FIX50SP2.xml')] }],
    ] as const) {
      const desk = deskOf({ ...VENUE, beginString: version });
      markets(desk, ['BTCUSDC', { marketEnabled: false }], ['ETHUSDC']);
      stream(desk, false);
      desk.advance(5_000);
      expect(desk.sent).toHaveLength(version === 'FIX.4.2' ? 1 : 2);
      const validator = new Validator(of as ConstructorParameters<typeof Validator>[0]);
      for (const text of desk.sent) {
        const [msgType, ...rest] = text.split('|');
        const head = `${msgType}|49=XG|56=OMS|34=1|52=20260105-12:00:00.000`;
        expect(validator.validate(viewOf(fromPrintable(`${head}|${rest.join('|')}`, version))!), text).toBe(null);
      }
    }
  });

  test('is not sent twice after g, nor at all in `standard` or to a drop copy', () => {
    const asked = deskOf(VENUE);
    asked.oms('35=g|335=t|336=1|263=1|');
    expect(stream(asked, false)).toEqual([expect.stringContaining('|335=t|336=1|325=Y|340=1|1368=3|')]);
    expect(asked.advance(10_000)).toEqual([]);
    expect(stream(asked, true)).toHaveLength(1);
    const copy = dropCopyConfig(VENUE);
    const config = gatewayConfig();
    const others = new Desk({ ...config, sessions: [...config.sessions, copy] });
    for (const { sessionId } of others.config.sessions) others.feed({ kind: 'sessionUp', sessionId });
    stream(others, false);
    expect(others.advance(60_000)).toEqual([]);
    expect(markets(others, ['BTCUSDC', { marketEnabled: false }])).toEqual([]);
  });
});
