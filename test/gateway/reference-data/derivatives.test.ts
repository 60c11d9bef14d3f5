// Reference data of derivatives on the pure machine: fields of each version, filters of lists, and changes of a list.

import { describe, expect, test } from 'vitest';
import { everyMarket } from '../../support/campaigns/sent-campaign.ts';
import { Desk, field, gatewayConfig, SESSION } from '../desk.ts';

const OPTION = 'BTC-USDC-20291228-60000-P';

function deskOf(
  beginString: string,
  dialect: 'standard' | 'venue' = 'standard',
  applVerID: '7' | '8' | '9' = '9',
): Desk {
  const desk = new Desk(gatewayConfig({ beginString, dialect, defaultApplVerID: applVerID }));
  desk.feed({ kind: 'markets', markets: everyMarket() });
  return desk;
}

const symbolsIn = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => [...text.matchAll(/\|55=([^|]*)/g)].map(([, symbol]) => symbol!));

describe('an option', () => {
  test.each([
    ['FIX.4.2', '|55=BTC-USDC-20291228-60000-P|167=OPT|200=202912|205=28|201=0|202=60000|231=1|15=USDC|'],
    [
      'FIX.4.4',
      `|55=${OPTION}|461=OPXXXX|167=OPT|200=202912|541=20291228|201=0|202=60000|947=USDC|231=1|711=1|311=BTC|15=USDC|`,
    ],
    [
      'FIXT.1.1',
      `|55=${OPTION}|461=OPXXXX|167=OPT|200=202912|541=20291228|1079=08:00:00Z|202=60000|947=USDC|231=1|969=0.1|1193=C|201=0|711=1|311=BTC|15=USDC|`,
    ],
  ])('has its terms in d of %s', (version, fields) => {
    expect(deskOf(version).oms(`35=c|320=r|321=0|55=${OPTION}|`)[0]).toContain(fields);
  });

  test('has no terms in y of the exchange’s own FIX, and all of them in d', () => {
    const desk = deskOf('FIX.4.4', 'venue');
    expect(desk.oms(`35=x|320=r|559=0|55=${OPTION}|`)[0]).toContain(`|146=1|55=${OPTION}|1647=2|`);
    expect(desk.oms(`35=c|320=r|321=0|55=${OPTION}|`)[0]).toContain(
      '|167=OPT|200=202912|541=20291228|201=0|202=60000|',
    );
  });
});

describe('SecurityListRequest(x) narrows the list', () => {
  const DATED = 'BTC-USDC-20291228';
  const PERP = 'BTC-USDC-PERP';
  test.each([
    ['559=1|167=OPT|', [OPTION]],
    ['559=1|167=FUT|', [PERP, DATED]],
    ['559=1|167=FOR|', ['BTCUSDC', 'ETHUSDC']],
    ['559=1|461=OPXXXX|', [OPTION]],
    ['559=1|461=FXXXXX|', [PERP, DATED]],
    ['559=1|711=1|311=ETH|', ['ETHUSDC']],
    ['559=1|541=20291228|711=1|311=BTC|', [DATED, OPTION]],
    ['559=1|167=OPT|200=202912|201=0|202=60000.00|', [OPTION]],
    ['559=1|167=OPT|201=1|', []],
    ['559=1|167=CORP|', []],
    ['559=4|167=OPT|', [OPTION]],
    [`559=0|55=${PERP}|`, [PERP]],
  ])('%s', (request, symbols) => {
    const answers = deskOf('FIX.4.4').oms(`35=x|320=r|${request}`);
    expect(symbolsIn(answers)).toEqual(symbols);
    expect(answers.map((text) => field(text, 560))).toEqual([symbols.length === 0 ? '2' : '0']);
  });

  test('559=1 without a field of the instrument is no request', () => {
    expect(field(deskOf('FIX.4.4').oms('35=x|320=r|559=1|')[0], 560)).toBe('1');
  });

  test('321=3 of c is narrowed alike, in FIX.4.2 by the underlying in 146', () => {
    const desk = deskOf('FIX.4.2');
    expect(symbolsIn(desk.oms('35=c|320=r|321=3|146=1|311=ETH|'))).toEqual(['ETHUSDC']);
    expect(symbolsIn(desk.oms('35=c|320=r|321=3|167=OPT|'))).toEqual([OPTION]);
    expect(field(desk.oms('35=c|320=r|321=3|167=CORP|')[0], 323)).toBe('6');
  });
});

describe('a list with 263=1', () => {
  const without = (symbol: string) => everyMarket().filter((one) => one.symbol !== symbol);
  const change = (desk: Desk, markets: ReturnType<typeof everyMarket>): string[] =>
    desk.answers(() => desk.feed({ kind: 'markets', markets }));

  test('is followed by BK for each kind of change, with 1324 in the entries from FIX.5.0SP1 on', () => {
    for (const [applVerID, entry] of [
      ['7', '146=1|55='],
      ['9', '146=1|1324=D|55='],
    ] as const) {
      const desk = deskOf('FIXT.1.1', 'standard', applVerID);
      desk.oms('35=x|320=r|559=1|167=OPT|263=1|50=me|');
      expect(change(desk, without('ETHUSDC'))).toEqual([]);
      const [gone] = change(desk, without(OPTION));
      expect(gone).toMatch(/^35=BK\|57=me\|964=1\|320=r\|322=r-u1\|560=0\|393=1\|980=D\|/);
      expect(gone).toContain(`|${entry}${OPTION}|`);
      expect(field(change(desk, everyMarket())[0], 980)).toBe('A');
      const moved = everyMarket().map((one) => ({ ...one, tickSize: '0.5' }));
      const [modified, ...others] = change(desk, moved);
      expect([field(modified, 980), others]).toEqual(['M', []]);
      // A halt is no change of the list.
      expect(
        change(
          desk,
          moved.map((one) => ({ ...one, marketEnabled: false })),
        ),
      ).toEqual([]);
      desk.oms('35=x|320=r|559=1|263=2|');
      expect(change(desk, without(OPTION))).toEqual([]);
    }
  });

  test('comes again as a whole in FIX.4.4, until the session ends', () => {
    const desk = deskOf('FIX.4.4');
    desk.oms('35=x|320=r|559=1|167=OPT|263=1|');
    const [gone] = change(desk, without(OPTION));
    expect(gone).toContain('|320=r|322=r-1|560=2|');
    expect(symbolsIn(change(desk, everyMarket()))).toEqual([OPTION]);
    desk.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'logout' });
    expect(change(desk, without(OPTION))).toEqual([]);
  });

  test('is one of 20 at most', () => {
    const desk = deskOf('FIX.4.4');
    for (let i = 0; i < 20; i++) expect(desk.oms(`35=x|320=r-${i}|559=4|263=1|`)[0]).toMatch(/^35=y/);
    expect(desk.oms('35=x|320=more|559=4|263=1|')).toEqual([expect.stringMatching(/^35=j\|.*20 lists are subscribed/)]);
    expect(desk.oms('35=x|320=r-3|559=4|263=1|')[0]).toMatch(/^35=y/);
  });
});
