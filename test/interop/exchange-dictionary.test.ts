// D1: the exchange's published data dictionary accepts everything that a `venue` session of FIX.4.4 is sent. Every message of days
// with every kind of answer is held to it by our validator, and the table that the gateway goes by to the file itself. The same
// through another engine: quickfix-venue.test.ts.

import { expect, test } from 'vitest';
import {
  DEFAULT_SWITCHES,
  EXCHANGE_MESSAGES,
  EXCHANGE_REQUESTS,
  EXCHANGE_SESSION_REJECT_REASONS,
  EXCHANGE_SESSION_STATUSES,
  EXCHANGE_VALUES,
  loadDictionary,
  Validator,
} from '../../src/dictionary/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { faultIn } from '../gateway/message-faults.ts';
import { sentByGateway, sentBySession } from '../support/campaigns/sent-campaign.ts';
import { describeWith } from '../support/requirement.ts';
import { exchangeDictionary, exchangeDictionaryText } from './exchange-dictionary.ts';

const bySession = await sentBySession({ sendsSessionStatus: true });
const ADMIN = '0 1 2 3 4 5 A'.split(' ');

describeWith(exchangeDictionary(), 'the data dictionary of the exchange', () => {
  const text = exchangeDictionaryText();
  const dictionary = loadDictionary(text, 'fix-dictionary.xml');
  const validator = new Validator(dictionary, DEFAULT_SWITCHES);

  test('D1 the table of the gateway has its messages, fields and values, and no others', () => {
    const body = (msgType: string): string => new RegExp(`msgtype="${msgType}"[\\s\\S]*?</message>`).exec(text)![0];
    const tagOf = new Map([...text.matchAll(/number="(\d+)" name="(\w+)"/g)].map(([, tag, name]) => [name!, +tag!]));
    const tagsIn = (part: string): number[] =>
      [...part.matchAll(/name="(\w+)" required/g)].map(([, n]) => tagOf.get(n!)!);
    const sorted = (numbers: Iterable<number>): number[] => [...new Set(numbers)].sort((a, b) => a - b);
    for (const [msgType, { tags, required }] of EXCHANGE_MESSAGES) {
      expect(sorted(tags), msgType).toEqual(sorted(tagsIn(body(msgType))));
      const outer = body(msgType).replace(/(<group[^>]*>)[\s\S]*<\/group>/g, '$1');
      const always = [...outer.matchAll(/name="(\w+)" required="Y"/g)].map(([, n]) => tagOf.get(n!)!);
      expect(sorted(required), msgType).toEqual(sorted(always));
    }
    const valuesOf = (tag: number): string[] => {
      const [, list = ''] = new RegExp(`<field number="${tag}"[^>]*>([\\s\\S]*?)</field>`).exec(text) ?? [];
      return [...list.matchAll(/enum="([^"]+)"/g)].map(([, value]) => value!);
    };
    for (const [tag, values] of EXCHANGE_VALUES) expect([...values].sort(), `${tag}`).toEqual(valuesOf(tag).sort());
    expect([...EXCHANGE_SESSION_REJECT_REASONS].sort()).toEqual(valuesOf(373).sort());
    expect([...EXCHANGE_SESSION_STATUSES].sort()).toEqual(valuesOf(1409).sort());
    const enumerated = [...text.matchAll(/<field number="(\d+)"[^>]*[^/]>/g)].map(([, tag]) => Number(tag));
    const sent = [...EXCHANGE_MESSAGES.values()].flatMap(({ tags }) => [...tags]);
    const isOfThem = (tag: number): boolean => sent.includes(tag) && enumerated.includes(tag);
    expect([...EXCHANGE_VALUES.keys()].sort()).toEqual([...EXCHANGE_VALUES.keys()].filter(isOfThem).sort());
    expect(sorted(sent.filter((tag) => enumerated.includes(tag) && !EXCHANGE_VALUES.has(tag)))).toEqual([]);
    const known = [...text.matchAll(/msgtype="(\w)"/g)].map(([, msgType]) => msgType!);
    expect(known.filter((one) => !ADMIN.includes(one)).sort()).toEqual(
      [...EXCHANGE_MESSAGES.keys(), ...EXCHANGE_REQUESTS].sort(),
    );
  });

  test('D1 it accepts every message that the gateway sends, but answers to requests that it does not have', () => {
    const sent = sentByGateway().filter(({ version, isVenue }) => isVenue && version === 'FIX.4.4');
    const isBeyond = ({ msgType, text: said }: (typeof sent)[number]): boolean =>
      !EXCHANGE_MESSAGES.has(msgType) || /\|(335|150=I)/.test(said);
    const held = sent.filter((message) => !isBeyond(message));
    expect([...new Set(held.map(({ msgType }) => msgType))].sort()).toEqual(['8', '9', 'B', 'h', 'r', 'y']);
    const faults = held.flatMap(({ text: said }, i) => {
      const fault = faultIn(said, 'FIX.4.4', validator, i + 1);
      return fault === null ? [] : [`${fault} in ${said}`];
    });
    expect(faults).toEqual([]);
    // Messages beyond it answer no request that it has.
    const answers = new Set(sent.filter(isBeyond).map(({ msgType }) => msgType));
    expect([...answers].sort()).toEqual('8 AE AO AP AQ AR BA BF BG N UBR ULR UMR W X Y d f h j'.split(' '));
  });

  test('D1 it accepts every session message of a `venue` session', () => {
    const isOurs = (msgType: string): boolean => ADMIN.includes(msgType) || msgType === 'B';
    const sent = bySession.filter(({ version, msgType }) => version === 'FIX.4.4' && isOurs(msgType));
    expect(sent.length).toBeGreaterThan(100);
    const faults = sent.flatMap(({ text: said }) => {
      const fault = validator.validate(viewOf(fromPrintable(said, 'FIX.4.4'))!);
      return fault === null ? [] : [`${fault.text} in ${said}`];
    });
    // A Logon that asks for more than the exchange's own FIX has is answered with it; 553 is ours where we call.
    const isAsked = (fault: string): boolean => /\|35=A\|/.test(fault) && /\b(789|464|553)\b/.test(fault);
    expect(faults.filter((fault) => !isAsked(fault))).toEqual([]);
  });
});
