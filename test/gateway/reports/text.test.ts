// Texts of the gateway in the character set of each session, and EncodedText(355) beside one that the set cannot hold.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SENT } from '../../../src/dictionary/sent-fields.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { Desk, field, gatewayConfig, LIMIT, workingDesk } from '../desk.ts';
import { MarketDesk, V } from '../market-desk.ts';

/** A text as it stands in a message: one character for each byte. */
const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const WHY = 'Börse gestört: 取引停止';

/** Refuse a D with words of an operator. */
function refused(session: Partial<GatewaySessionConfig>): string {
  const desk = new Desk(gatewayConfig(session));
  desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', target: null, who: 'ann', why: WHY } as never);
  return desk.oms(LIMIT).at(-1)!;
}

describe('Text(58) of the gateway', () => {
  test("in ISO-8859-1 keeps that set's characters, with all of it in EncodedText(355), UTF-8 (347)", () => {
    const report = refused({});
    expect(field(report, 58)).toContain('Börse gestört: ????');
    const encoded = field(report, 355)!;
    expect(encoded).toContain(utf8(WHY));
    expect(field(report, 354)).toBe(`${encoded.length}`);
    expect(field(report, 347)).toBe('UTF-8');
    // The length stands right before its data, and the data holds no separator.
    expect(report).toContain(`|354=${encoded.length}|355=${encoded}|`);
    expect(encoded.includes('\u0001')).toBe(false);
  });

  test('on a session of UTF-8 or Shift_JIS that has every character stands alone', () => {
    const report = refused({ charset: 'UTF-8' });
    expect(field(report, 58)).toContain(utf8(WHY));
    for (const tag of [347, 354, 355]) expect(field(report, tag)).toBeNull();
  });

  test.each([
    ['FIX.4.2', 'standard', true],
    ['FIX.4.2', 'venue', true],
    ['FIXT.1.1', 'venue', true],
    ['FIX.4.4', 'venue', false],
  ] as const)('D1 in %s %s: EncodedText(355) is there: %s', (beginString, dialect, isThere) => {
    const applVerID = beginString === 'FIXT.1.1' ? ({ defaultApplVerID: '9' } as const) : {};
    const report = refused({ beginString, dialect, ...applVerID });
    expect([field(report, 347), field(report, 355) !== null]).toEqual([isThere ? 'UTF-8' : null, isThere]);
    expect(field(report, 58)).toContain('Börse gestört: ????');
  });

  test('OrderCancelReject(9) and MarketDataRequestReject(Y) say it so too', () => {
    const desk = workingDesk(gatewayConfig({ symbolAliases: {} }));
    desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', target: null, who: 'ann', why: WHY } as never);
    desk.sent.length = 0;
    const [reject] = desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|38=2|44=101|').slice(-1);
    expect(field(reject, 35)).toBe('9');
    expect(field(reject, 355)).toContain(utf8(WHY));
    const market = new MarketDesk();
    market.oms(V('m', 1, { types: '4' }));
    const [ended] = market.market({ kind: 'marketRefused', topic: 'tick', subject: 'BTCUSDC', reason: WHY });
    expect([field(ended, 35), field(ended, 355)?.includes(utf8(WHY))]).toEqual(['Y', true]);
  });
});

describe('on a session of UTF-8', () => {
  const SYMBOL = utf8('ビットコイン');

  test("echoes the counterparty's bytes in our text once", () => {
    const desk = new Desk(gatewayConfig({ charset: 'UTF-8' }));
    const report = desk.oms(LIMIT.replace('55=BTCUSDC', `55=${SYMBOL}`)).at(-1)!;
    expect(field(report, 58)).toContain(`Symbol(55)=${SYMBOL} is no market`);
    const market = new MarketDesk({ charset: 'UTF-8' });
    const [rejected] = market.told(() => market.oms(V('m', 1, { symbols: SYMBOL })));
    expect(field(rejected, 58)).toBe(`Symbol(55)=${SYMBOL} is not traded on this session`);
    expect(field(rejected, 355)).toBeNull();
    const [unknown] = desk.oms(`35=ZZ|58=${SYMBOL}|`);
    expect(field(unknown, 35)).toBe('j');
  });

  test('words of ours stand beside them', () => {
    const desk = new Desk(gatewayConfig({ charset: 'UTF-8' }));
    desk.feed({ kind: 'killSwitch', action: 'throw', scope: 'all', target: null, who: 'ann', why: WHY } as never);
    const [status] = desk.oms(`35=H|11=${SYMBOL}|55=BTCUSDC|54=1|`);
    expect(field(status, 58)).toContain(`ClOrdID(11)=${SYMBOL} is no order`);
    expect(field(desk.oms(LIMIT).at(-1), 58)).toContain(utf8(WHY));
  });
});

test('D1 each Text(58) that the gateway sends has EncodedText(355) beside it in the dictionary', () => {
  const ours = Object.keys(SENT).filter((msgType) => '8 9 j r N Y B W X h f d y'.split(' ').includes(msgType));
  for (const version of ['FIX42', 'FIX44', 'FIX50', 'FIX50SP2']) {
    const xml = readFileSync(new URL(`../../../dictionaries/${version}.xml`, import.meta.url), 'utf8');
    for (const [, msgType = '', body = ''] of xml.matchAll(
      /<message name='\w+' msgtype='(\w+)'[^>]*>([\s\S]*?)<\/message>/g,
    )) {
      if (!ours.includes(msgType)) continue;
      const places = (name: string): string[] =>
        [...body.matchAll(new RegExp(`( +)<field name='${name}'`, 'g'))].map(([, at = '']) => at);
      expect([version, msgType, places('EncodedText')]).toEqual([version, msgType, places('Text')]);
    }
  }
});
