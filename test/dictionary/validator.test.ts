import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadDictionary, sessionRejectReasonIn, Validator, type ValidatorSwitches } from '../../src/dictionary/mod.ts';
import { QuickPass } from '../../src/dictionary/quick-pass.ts';
import { EnumerationTable, Format, formatOf, isDataType, isWellFormed } from '../../src/dictionary/value-format.ts';
import { FrameWriter, fromPrintable, MessageDraft, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';

const fix44 = dictionary('FIX44.xml');
const HEAD = '49=OMS|56=XG|34=2|52=20261121-10:00:00.000|';
const ORDER = '11=o-1|1=main|55=BTCUSDC|54=1|60=20261121-10:00:00.000|38=1.5|40=2|44=100.25|59=1|';

/** The validator's verdict, as `373=reason 371=tag`; `ok` if none. */
function say(
  text: string,
  switches: Partial<ValidatorSwitches> = {},
  validator = new Validator(fix44, switches),
): string {
  const view = viewOf(fromPrintable(text));
  if (view === null) throw new Error(`does not frame: ${text}`);
  const fault = validator.validate(view);
  return fault === null ? 'ok' : `373=${fault.sessionRejectReason} 371=${fault.refTagID}`;
}
const order = (change: string, switches?: Partial<ValidatorSwitches>): string =>
  say(`35=D|${HEAD}${ORDER}${change}`, switches);

test.each(['message', 'entryCount'])('restarts its running count before it is too large: %s', (counter) => {
  const pass = new QuickPass(2);
  Object.assign(pass, { [counter]: 0x7000_0000 - 1 });
  pass.beginMessage();
  pass.beginEntry();
  const before = pass.message;
  pass.seen.fill(1);
  pass.seenInEntry.fill(1);
  pass.beginMessage();
  if (counter === 'entryCount') expect(before).toBe(1);
  // Nothing counts as seen in the first message, or entry, of the new count.
  expect([pass.message, [...pass.seen], [...pass.seenInEntry]]).toEqual([1, [0, 0], [0, 0]]);
  pass.beginEntry();
  expect(pass.mark).toBe(1);
});

describe('D13 a value outside the dictionary is Reject(3)', () => {
  test('D13 a complete order passes', () => {
    expect(order('')).toBe('ok');
  });

  test('D13 a value outside the enumeration: 373=5', () => {
    expect(say(`35=D|${HEAD}${ORDER.replace('54=1', '54=Z')}`)).toBe('373=5 371=54');
    expect(say(`35=D|${HEAD}${ORDER.replace('59=1', '59=x')}`)).toBe('373=5 371=59');
    expect(order('18=G z|')).toBe('373=5 371=18');
    expect(order('18=G  1|')).toBe('373=5 371=18');
    expect(order('18=G 1|')).toBe('ok');
    expect(order('581=5|')).toBe('373=5 371=581');
    // The first character of some of its values is none of them, nor are two of them one.
    const encoded = ['UTF-8', 'U', 'S', 'UTF-8 EUC-JP'].map((value) => say(`35=D|${HEAD}347=${value}|${ORDER}`));
    expect(encoded).toEqual(['ok', '373=5 371=347', '373=5 371=347', '373=5 371=347']);
  });

  test('D13 a value with NUL before one of the enumeration is none of it: 373=5', () => {
    const types = new EnumerationTable(['FUT', 'OPT', 'REPO', 'A', 'LONGEST']);
    const has = (text: string): boolean => types.has(Buffer.from(text, 'latin1'), 0, text.length);
    expect(['FUT', 'REPO', 'A', 'LONGEST'].map(has)).toEqual([true, true, true, true]);
    expect(['\0FUT', '\0\0\0FUT', '\0A', 'A\0', '\0LONGEST', '\0'].some(has)).toBe(false);
  });

  test('D13 every standard TimeInForce passes, so that the gateway can refuse unsupported ones', () => {
    for (const timeInForce of '01234567') {
      expect(say(`35=D|${HEAD}${ORDER.replace('59=1', `59=${timeInForce}`)}`)).toBe('ok');
    }
  });

  test('D13 a conditionally required field is the gateway’s matter', () => {
    expect(say(`35=D|${HEAD}${ORDER.replace('44=100.25|', '')}`)).toBe('ok');
    expect(say(`35=D|${HEAD}${ORDER.replace('38=1.5|', '')}`)).toBe('ok');
  });
});

describe('S5 each SessionRejectReason', () => {
  test('S5 373=0 for a field that does not begin with a tag, and for a tag of no FIX version', () => {
    expect(order('abc=1|')).toBe('373=0 371=null');
    expect(order('=1|')).toBe('373=0 371=null');
    expect(order('4999=1|')).toBe('373=0 371=4999');
  });

  test('S5 373=1 for a required tag missing, the first of the dictionary', () => {
    expect(say(`35=D|${HEAD}`)).toBe('373=1 371=11');
    expect(say(`35=D|${HEAD}${ORDER.replace('55=BTCUSDC|', '')}`)).toBe('373=1 371=55');
    expect(say(`35=D|49=OMS|34=2|52=20261121-10:00:00.000|${ORDER}`)).toBe('373=1 371=56');
    expect(say(`35=0|49=OMS|56=XG|52=20261121-10:00:00.000|`)).toBe('373=1 371=34');
  });

  test('S5 373=2 for a tag that the message does not have', () => {
    expect(order('112=x|')).toBe('373=2 371=112');
    expect(order('1409=0|')).toBe('373=2 371=1409');
    expect(order('448=x|')).toBe('373=2 371=448');
  });

  test('S5 373=3 for a tag of the users’ range that is not agreed', () => {
    expect(order('9999=x|')).toBe('373=3 371=9999');
    expect(order('99999999=x|')).toBe('373=3 371=99999999');
    expect(order('5000=x|')).toBe('373=3 371=5000');
    expect(order('20002=Y|')).toBe('ok');
    expect(order('8004=1|')).toBe('373=2 371=8004');
  });

  test('S5 373=4 for a tag without a value', () => {
    expect(order('58=|')).toBe('373=4 371=58');
    expect(say(`35=D|49=OMS|56=XG|34=2|52=|${ORDER}`)).toBe('373=4 371=52');
  });

  test('S5 373=6 for a value of the wrong format, by data type', () => {
    const wrong: Record<string, string[]> = {
      '38': ['abc', '1.2.3', '.', '-', '1e5', '1,5', '+1', ' 1'],
      '60': [
        '20261121',
        '20261121-10:00',
        '20261321-10:00:00',
        '20260230-10:00:00',
        '20261121-24:00:00',
        '20261121-10:60:00.000',
        '20261121-10:00:61',
        '20261121-10:00:61.000',
        '20261121-10:00:61.000000',
        '20261121-10:00:00.',
        '2026-11-21T10:00:00',
      ],
      '54': ['11'],
      '377': ['y', 'YES', '1'],
      '432': ['2026112', '20261131', '20260229', '2026-11-21'],
      '200': ['2026', '202613', '202611w6', '20261131'],
      '581': ['1.0', 'x'],
    };
    for (const [tag, values] of Object.entries(wrong)) {
      for (const value of values) {
        const replaced = ORDER.replace(new RegExp(`(?<!\\d)${tag}=[^|]*\\|`), '');
        expect(say(`35=D|${HEAD}${replaced}${tag}=${value}|`), `${tag}=${value}`).toBe(`373=6 371=${tag}`);
      }
    }
    expect(say(`35=D|49=OMS|56=XG|34=x|52=20261121-10:00:00.000|${ORDER}`)).toBe('373=6 371=34');
    expect(say(`35=D|49=OMS|56=XG|34=-2|52=20261121-10:00:00.000|${ORDER}`)).toBe('373=6 371=34');
  });

  test('S5 values of the right format pass, by data type', () => {
    for (const value of ['1', '1.', '.5', '-1.5', '0001.5000', '123456789012345678901234567890.1']) {
      expect(say(`35=D|${HEAD}${ORDER.replace('38=1.5', `38=${value}`)}`), value).toBe('ok');
    }
    for (const value of ['20261121-10:00:60', '20240229-23:59:59.123456', '20241231-00:00:00.123456789012']) {
      expect(say(`35=D|${HEAD}${ORDER.replace('60=20261121-10:00:00.000', `60=${value}`)}`), value).toBe('ok');
    }
    for (const value of ['202611', '20261130', '202611w5']) expect(order(`200=${value}|`), value).toBe('ok');
    expect(order('432=20240229|')).toBe('ok');
  });

  test('S5 answers 373=6 to a data field with a length that does not fit', () => {
    expect(order('354=3|355=abc|')).toBe('ok');
    expect(order('354=4|355=abc|')).toBe('373=6 371=355');
  });

  test('S5 373=1 for data without its length, 373=14 where that is not right before it, in groups too', () => {
    expect(order('355=abc|')).toBe('373=1 371=354');
    expect(order('355=abc|354=3|')).toBe('373=14 371=355');
    expect(order('354=3|58=x|355=abc|')).toBe('373=14 371=355');
    const news = (line: string): string => say(`35=B|${HEAD}148=h|33=2|58=a|354=1|355=b|${line}`);
    expect(news('58=c|354=1|355=d|')).toBe('ok');
    expect(news('58=c|355=d|')).toBe('373=14 371=355');
    expect(say(`35=B|${HEAD}148=h|33=1|58=c|355=d|`)).toBe('373=1 371=354');
    expect(say(`35=B|${HEAD}148=h|33=1|58=c|96=d|`)).toBe('373=1 371=95');
    expect(order('355=abc|', { validateFieldsOutOfOrder: false })).toBe('ok');
  });

  test('S5 accepts a Signature(89) before its length, as engines send that sort the trailer', () => {
    expect(order('93=3|89=abc|')).toBe('ok');
    expect(order('89=abc|93=3|')).toBe('ok');
    expect(order('89=a\x01c|93=3|')).not.toBe('ok');
    expect(order('89=abc|')).toBe('373=1 371=93');
  });

  test('S5 data without its length passes where the dictionary of a house has no length in that message', () => {
    const logon = `35=A|${HEAD}98=0|108=30|96=abc|`;
    const xml = readFileSync('dictionaries/FIX44.xml', 'utf8');
    const ofLogon = /(<message name='Logon'[^>]*>[\s\S]*?)<field name='RawDataLength' required='N'\/>/;
    expect(xml).toMatch(ofLogon);
    const house = new Validator(loadDictionary(xml.replace(ofLogon, '$1'), 'house.xml'));
    expect(say(logon)).toBe('373=1 371=95');
    expect(say(logon, {}, house)).toBe('ok');
    expect(say(`35=A|${HEAD}98=0|108=30|95=3|96=abc|`, {}, house)).toBe('373=2 371=95');
  });

  test('S5 373=11 for a MsgType that is none of the version’s', () => {
    for (const msgType of ['ZZ', '?', 'abcdefgh', '\0D', '\0AF', '\0\0'])
      expect(say(`35=${msgType}|${HEAD}`), msgType).toBe('373=11 371=35');
  });

  test('S5 373=13 for a tag that appears more than once outside groups', () => {
    expect(order('55=ETHUSDC|')).toBe('373=13 371=55');
    expect(say(`35=D|${HEAD}49=OMS|${ORDER}`)).toBe('373=13 371=49');
  });

  test('S5 373=14 for a header field in the body, and a body field in the trailer', () => {
    expect(order('50=trader|')).toBe('373=14 371=50');
    expect(say(`35=D|${HEAD}93=1|89=x|${ORDER}`)).toBe('373=14 371=11');
    expect(order('93=1|89=x|')).toBe('ok');
  });

  test('S5 373=15 for group fields out of order', () => {
    expect(order('453=1|447=D|448=x|452=3|')).toBe('373=15 371=447');
    expect(order('453=1|448=x|452=3|447=D|')).toBe('373=15 371=447');
    expect(order('453=1|448=x|447=D|452=3|')).toBe('ok');
    // Behind another group too.
    const inquiry = (symbols: string): string => say(`35=V|${HEAD}262=r|263=0|264=1|267=1|269=0|146=1|${symbols}`);
    expect(inquiry('48=1|55=A|')).toBe('373=15 371=48');
  });

  test('S5 373=16 for a count that is not that of the entries', () => {
    const entries = '448=a|447=D|452=3|448=b|447=D|452=1|';
    expect(order(`453=2|${entries}`)).toBe('ok');
    for (const count of ['1', '3', '2147483648'])
      expect(order(`453=${count}|${entries}`), count).toBe('373=16 371=453');
    expect(order('453=1|58=x|')).toBe('373=16 371=453');
    // A fault in a surplus entry stands behind it.
    expect(order('453=1|448=a|448=b|452=x|')).toBe('373=16 371=453');
    expect(order('453=0|')).toBe('ok');
    expect(order(`453=0|${entries}`)).toBe('373=16 371=453');
    // Without an entry nothing is required of one.
    const inquiry = `35=V|${HEAD}262=r|263=0|264=1|`;
    expect(say(`${inquiry}267=0|146=1|55=A|`)).toBe('ok');
    expect(say(`${inquiry}267=1|269=0|146=0|`)).toBe('ok');
    expect(order('453=-1|')).toBe('373=6 371=453');
  });

  test('S5 nested groups are checked in their entry', () => {
    const sub = (count: number, entries: string): string => `453=1|448=a|447=D|452=3|802=${count}|${entries}`;
    expect(order(sub(2, '523=x|803=1|523=y|803=2|'))).toBe('ok');
    expect(order(sub(1, '523=x|803=1|523=y|803=2|'))).toBe('373=16 371=802');
    expect(order(sub(1, '523=x|803=one|'))).toBe('373=6 371=803');
    expect(order(sub(1, '523=x|523=y|'))).toBe('373=16 371=802');
    expect(order('453=2|448=a|802=1|523=x|448=b|802=1|523=y|')).toBe('ok');
    // Of two faults the first on the wire, whether a group or what stands around it has it.
    expect(order('453=3|448=a|802=2|523=x|448=b|')).toBe('373=16 371=802');
    expect(order('453=1|448=a|802=2|523=x|803=1|452=3|49=OMS|')).toBe('373=16 371=802');
    expect(order('453=2|448=a|802=1|803=1|523=x|448=b|')).toBe('373=15 371=803');
  });

  test('S5 a tag twice in one group entry is 373=13, a required one missing in an entry 373=1', () => {
    expect(order('453=1|448=a|447=D|447=D|')).toBe('373=13 371=447');
    expect(say(`35=V|${HEAD}262=r|263=0|264=1|267=1|269=0|146=2|55=A|48=1|55=B|`)).toBe('ok');
    expect(say(`35=X|${HEAD}268=2|279=0|269=0|279=1|269=1|`)).toBe('ok');
    expect(say(`35=B|${HEAD}148=h|33=1|354=1|355=x|`)).toBe('373=15 371=354');
    const list = (first: string, second: string): string =>
      say(`35=E|${HEAD}66=l|394=3|68=2|73=2|11=a|67=1|${first}|38=1|11=b|67=2|${second}|38=2|`);
    expect(list('55=B|54=1', '55=C|54=2')).toBe('ok');
    expect(list('55=B', '55=C|54=2')).toBe('373=1 371=54');
    expect(list('55=B|54=1', '55=C')).toBe('373=1 371=54');
    expect(list('54=1', '55=C|54=2')).toBe('373=1 371=55');
    expect(list('78=1|79=x|55=B|54=1', '78=1|79=x|54=2')).toBe('373=1 371=55');
    expect(list('78=1|79=x|55=B', '78=1|79=x|55=C|54=2')).toBe('373=1 371=54');
    // An entry too many, or too few, is found behind the required fields of the one before it.
    expect(say(`35=E|${HEAD}66=l|394=3|68=2|73=1|11=a|67=1|55=B|54=1|11=b|67=2|`)).toBe('373=16 371=73');
    expect(say(`35=E|${HEAD}66=l|394=3|68=2|73=1|11=a|67=1|55=B|11=b|67=2|`)).toBe('373=1 371=54');
  });

  test('S5 answers data without its length in a group entry before later faults', () => {
    const news = (entries: string): string => say(`35=B|${HEAD}148=h|33=2|${entries}`);
    expect(news('58=a|355=b|')).toBe('373=1 371=354');
    expect(news('58=a|354=1|355=b|58=c|355=d|58=e|')).toBe('373=14 371=355');
    expect(news('58=a|355=b|58=c|4999=1|')).toBe('373=1 371=354');
  });

  test('S5 373 is left out where a version does not have it', () => {
    const sent = (beginString: string) =>
      [0, 5, 11, 13, 17, 99].map((reason) => sessionRejectReasonIn(beginString, reason));
    expect(sent('FIX.4.0')).toEqual([null, null, null, null, null, null]);
    expect(sent('FIX.4.1')).toEqual([null, null, null, null, null, null]);
    expect(sent('FIX.4.2')).toEqual([0, 5, 11, null, null, null]);
    expect(sent('FIX.4.3')).toEqual([0, 5, 11, 13, 17, null]);
    expect(sent('FIX.4.4')).toEqual([0, 5, 11, 13, 17, 99]);
    expect(sent('FIXT.1.1')).toEqual([0, 5, 11, 13, 17, 99]);
  });
});

test('the text names the tag and its field', () => {
  const view = viewOf(fromPrintable(`35=D|${HEAD}${ORDER.replace('55=BTCUSDC|', '')}`))!;
  expect(new Validator(fix44).validate(view)).toEqual({
    sessionRejectReason: 1,
    refTagID: 55,
    text: 'Required tag missing: Symbol(55)',
  });
  const textOf = (more: string) =>
    new Validator(fix44).validate(viewOf(fromPrintable(`35=D|${HEAD}${ORDER}${more}`))!)?.text;
  expect(textOf('355=a|')).toBe('Required tag missing: EncodedTextLen(354), right before EncodedText(355)');
  expect(textOf('354=1|58=b|355=a|')).toBe(
    'Tag specified out of required order: EncodedText(355) does not stand right behind EncodedTextLen(354)',
  );
});

test('passes an undefined standard message type with its header checked, for the gateway to answer', () => {
  expect(say(`35=S|${HEAD}66=list|394=1|68=1|73=1|11=x|67=1|`)).toBe('ok');
  expect(say(`35=S|${HEAD}11=x|54=anything|`)).toBe('ok');
  expect(say(`35=S|49=OMS|34=2|52=20261121-10:00:00.000|11=x|`)).toBe('373=1 371=56');
  // Quote, MassQuote and CollateralAssignment with fields and groups that only the version's full dictionary has.
  expect(say(`35=S|${HEAD}117=q-1|55=BTCUSDC|132=54000|133=66000|`)).toBe('ok');
  expect(say(`35=i|${HEAD}117=q-1|296=1|302=a|295=2|299=1|55=BTCUSDC|299=2|55=ETHUSDC|`)).toBe('ok');
  expect(say(`35=AY|${HEAD}902=c-1|895=0|1=main|`)).toBe('ok');
  expect(say(`35=S|${HEAD}117=q-1|132=1|34=2|`)).toBe('373=13 371=34');
  // A value of its header is looked at, one of its body is not, whatever the field is elsewhere.
  expect(say(`35=S|${HEAD}117=q-1|132=x|54=Z|60=|`)).toBe('ok');
  expect(say(`35=S|${HEAD.replace('34=2', '34=x')}117=q-1|132=x|`)).toBe('373=6 371=34');
  expect(say(`35=S|${HEAD}43=x|117=q-1|`)).toBe('373=6 371=43');
  expect(say(`35=S|${HEAD}57=|117=q-1|`)).toBe('373=4 371=57');
  expect(say(`35=S|${HEAD}627=1|628=h|629=x|117=q-1|`)).toBe('373=6 371=629');
});

test('D3 F and G are accepted with and without 54, 38 and 40', () => {
  const cancel = '41=o-1|11=c-1|1=main|55=BTCUSDC|60=20261121-10:00:00.000|';
  for (const msgType of ['F', 'G']) {
    for (const more of ['', '54=1|', '38=1|', '40=2|', '54=1|38=1|40=2|']) {
      expect(say(`35=${msgType}|${HEAD}${cancel}${more}`), `${msgType} ${more}`).toBe('ok');
    }
  }
});

test('the exchange’s own reports pass: custom tags, venue numbers, post only', () => {
  const report =
    '37=1|17=e|150=8|39=8|103=3069|1=main|55=BTCUSDC|54=1|38=1|40=p|151=0|14=0|6=0|544=2|1057=Y|20000=0.1|20001=USDC|8004=1|8006=USDC|1369=9|797=Y|574=7|136=1|137=0.1|138=USDC|139=4|';
  expect(say(`35=8|${HEAD}${report}`)).toBe('ok');
  expect(say(`35=9|${HEAD}37=1|11=c|41=o|39=0|434=2|102=3034|1328=Rate limit error|`)).toBe('ok');
});

describe('switches', () => {
  test('ValidateIncomingMessage=N checks nothing', () => {
    expect(say(`35=ZZ|${HEAD}`, { validateIncomingMessage: false })).toBe('ok');
  });

  test('ValidateFieldsOutOfOrder=N lets header fields stand in the body', () => {
    expect(order('50=trader|', { validateFieldsOutOfOrder: false })).toBe('ok');
    expect(order('50=trader|58=x|', { validateFieldsOutOfOrder: false })).toBe('ok');
  });

  test('a field of the header that may stand in the body too may, once; no other may', () => {
    const switches = { headerFieldsInBody: [115] };
    expect(order('115=FIRM|')).toBe('373=14 371=115');
    expect(order('115=FIRM|', switches)).toBe('ok');
    expect(order('115=FIRM|58=x|', switches)).toBe('ok');
    expect(order('115=FIRM|115=OTHER|', switches)).toBe('373=13 371=115');
    expect(order('50=trader|', switches)).toBe('373=14 371=50');
  });

  test('ValidateFieldsHaveValues=N lets empty values pass', () => {
    expect(order('58=|', { validateFieldsHaveValues: false })).toBe('ok');
    // Later fields are checked as ever.
    expect(order('58=|18=_|', { validateFieldsHaveValues: false })).toBe('373=5 371=18');
  });

  test('ValidateUserDefinedFields=N lets unknown tags from 5000 pass', () => {
    expect(order('9999=x|', { validateUserDefinedFields: false })).toBe('ok');
    expect(order('5000=x|', { validateUserDefinedFields: false })).toBe('ok');
    expect(order('8004=1|', { validateUserDefinedFields: false })).toBe('ok');
    expect(order('4999=x|', { validateUserDefinedFields: false })).toBe('373=0 371=4999');
  });

  test('AllowUnknownMsgFields=Y lets standard tags pass that the message does not have', () => {
    expect(order('112=x|', { allowUnknownMsgFields: true })).toBe('ok');
    expect(order('4999=x|', { allowUnknownMsgFields: true })).toBe('ok');
    expect(order('112=x|112=y|', { allowUnknownMsgFields: true })).toBe('373=13 371=112');
    expect(order('9999=x|', { allowUnknownMsgFields: true })).toBe('373=3 371=9999');
    expect(order('5000=x|', { allowUnknownMsgFields: true })).toBe('373=3 371=5000');
    expect(order('=x|', { allowUnknownMsgFields: true })).toBe('373=0 371=null');
  });

  test('ValidateUnorderedGroupFields=N lets group fields stand in any order after the first', () => {
    expect(order('453=1|448=x|452=3|447=D|', { validateUnorderedGroupFields: false })).toBe('ok');
    expect(order('453=1|447=D|448=x|452=3|', { validateUnorderedGroupFields: false })).toBe('373=15 371=447');
    expect(order('453=1|448=x|452=3|447=D|452=1|', { validateUnorderedGroupFields: false })).toBe('373=13 371=452');
  });
});

/** Says a News that ends with fields of an overlay. */
function newsWith(overlay: string): (fields: string) => string {
  const text = readFileSync(new URL('../../dictionaries/FIX44.xml', import.meta.url), 'utf8');
  const house = new Validator(loadDictionary(text, 'FIX44.xml', [{ xmlText: overlay, fileName: 'OVER.xml' }]));
  return (fields) => say(`35=B|${HEAD}148=x|33=1|58=y|${fields}`, {}, house);
}

test('a field that a group and its message have stands behind the group once an entry cannot take it', () => {
  const overlay = `<fix type='FIX' major='4' minor='4'><messages><message name='News' msgtype='B' msgcat='app'>
    <group name='NoNotes' required='N'><field name='Note' required='Y'/><field name='Desk' required='N'/></group>
    <field name='Desk' required='N'/></message></messages>
    <fields><field number='9000' name='Desk' type='STRING'/><field number='9901' name='NoNotes' type='NUMINGROUP'/>
    <field number='9002' name='Note' type='STRING'/></fields></fix>`;
  const news = newsWith(overlay);
  expect(news('9901=1|9002=a|9000=in|9000=behind|')).toBe('ok');
  expect(news('9901=1|9002=a|9000=in|9000=behind|9000=again|')).toBe('373=13 371=9000');
  expect(news('9901=2|9002=a|9000=in|9000=behind|9002=b|')).toBe('373=16 371=9901');
});

test('each entry of a group that begins with a group has the required fields of one', () => {
  const overlay = `<fix type='FIX' major='4' minor='4'><messages><message name='News' msgtype='B' msgcat='app'>
    <group name='NoDesks' required='N'><group name='NoTraders' required='Y'><field name='Trader' required='Y'/></group>
    <field name='Desk' required='Y'/></group></message></messages>
    <fields><field number='9901' name='NoDesks' type='NUMINGROUP'/><field number='9002' name='NoTraders' type='NUMINGROUP'/>
    <field number='9003' name='Trader' type='STRING'/><field number='9004' name='Desk' type='STRING'/></fields></fix>`;
  const news = newsWith(overlay);
  expect(news('9901=2|9002=1|9003=a|9004=x|9002=2|9003=b|9003=c|9004=y|')).toBe('ok');
  expect(news('9901=2|9002=1|9003=a|9004=x|9002=1|9003=b|')).toBe('373=1 371=9004');
  expect(news('9901=2|9002=1|9003=a|9002=1|9003=b|9004=y|')).toBe('373=1 371=9004');
});

test('of several faults the first on the wire is answered, also within a group', () => {
  const order = (group: string): string => say(`35=D|${HEAD}${ORDER}${group}`, {}, new Validator(fix44));
  expect(order('453=1|448=A|452=x|447=D|')).toBe('373=6 371=452');
  expect(order('453=1|448=A|452=1|447=D|18=_|')).toBe('373=15 371=447');
  expect(order('453=1|448=A|447=|802=1|803=1|523=x|')).toBe('373=4 371=447');
  expect(order('453=2|448=A|447=D|452=x|')).toBe('373=16 371=453');
  expect(order('453=1|448=A|447=D|452=x|')).toBe('373=6 371=452');
  const news = (line: string): string => say(`35=B|${HEAD}148=x|33=1|${line}`, {}, new Validator(fix44));
  expect(news('58=|355=ab|')).toBe('373=4 371=58');
  expect(news('58=y|355=ab|148=|')).toBe('373=1 371=354');
});

test('a tag above the largest of the dictionary is none of it, wherever it stands', () => {
  const largest = Math.max(...fix44.fields.keys());
  for (const tag of [largest + 1, largest + 2]) {
    for (const text of [
      `35=0|${tag}=x|${HEAD}112=x|`,
      `35=0|${HEAD}112=x|${tag}=x|`,
      `35=B|${HEAD}148=x|33=1|58=y|${tag}=x|`,
    ]) {
      const own = new Validator(fix44);
      expect(say(text, {}, own), text).toBe(`373=3 371=${tag}`);
    }
  }
});

describe('FIX.5.0SP2 over FIXT.1.1', () => {
  const validator = new Validator({ transport: dictionary('FIXT11.xml'), applications: [dictionary('FIX50SP2.xml')] });
  const sayFixt = (text: string): string => say(`8=FIXT.1.1|9=…|${text}`, {}, validator);

  test('session messages are checked by the transport’s dictionary', () => {
    expect(sayFixt(`35=A|${HEAD}98=0|108=30|1137=9|`)).toBe('ok');
    expect(sayFixt(`35=A|${HEAD}98=0|108=30|`)).toBe('373=1 371=1137');
    expect(sayFixt(`35=A|${HEAD}98=0|108=30|1137=z|`)).toBe('373=5 371=1137');
  });

  test('application messages are checked by the application’s', () => {
    expect(sayFixt(`35=D|1128=9|${HEAD}${ORDER}`)).toBe('ok');
    expect(sayFixt(`35=D|1128=9|${HEAD}${ORDER.replace('59=1', '59=B')}`)).toBe('ok');
    expect(sayFixt(`35=D|${HEAD}${ORDER.replace('54=1', '54=Z')}`)).toBe('373=5 371=54');
    expect(sayFixt(`35=ZZ|${HEAD}`)).toBe('373=11 371=35');
    expect(sayFixt(`35=CA|${HEAD}11=x|`)).toBe('ok');
  });

  test('an application’s dictionary with session messages of its own takes nothing from the transport’s', () => {
    const whole = `<fix type='FIX' major='5' minor='0' servicepack='2'><header/><trailer/><messages>
      <message name='Logon' msgtype='A' msgcat='admin'><group name='NoMsgTypes' required='N'>
        <field name='RefMsgType' required='N'/></group><field name='DefaultApplVerID' required='N'/></message></messages>
      <fields><field number='384' name='NoMsgTypes' type='NUMINGROUP'/><field number='372' name='RefMsgType' type='STRING'/>
      <field number='1137' name='DefaultApplVerID' type='STRING'/></fields></fix>`;
    const applications = [loadDictionary(whole, 'FIX50SP2.xml')] as const;
    const own = new Validator({ transport: dictionary('FIXT11.xml'), applications });
    expect(say(`8=FIXT.1.1|9=…|35=A|${HEAD}98=0|108=30|`, {}, own)).toBe('373=1 371=1137');
    expect(say(`8=FIXT.1.1|9=…|35=A|${HEAD}98=0|108=30|384=1|372=D|1130=9|1137=9|`, {}, own)).toBe('ok');
  });

  test("an application dictionary's overlay of header and session messages counts too", () => {
    const overlay = `<fix type='FIX' major='5' minor='0' servicepack='2'><header><field name='Route' required='N'/></header>
      <messages><message name='Logon' msgtype='A' msgcat='admin'><field name='Desk' required='N'/></message></messages>
      <fields><field number='9000' name='Desk' type='STRING'/><field number='9901' name='Route' type='STRING'/></fields></fix>`;
    const text = readFileSync(new URL('../../dictionaries/FIX50SP2.xml', import.meta.url), 'utf8');
    const application = loadDictionary(text, 'FIX50SP2.xml', [{ xmlText: overlay, fileName: 'FIX50SP2.overlay.xml' }]);
    const own = new Validator({ transport: dictionary('FIXT11.xml'), applications: [application] });
    const judge = (message: string): string => say(`8=FIXT.1.1|9=…|${message}`, {}, own);
    expect(judge(`35=A|${HEAD}9901=north|98=0|108=30|1137=9|9000=rates|`)).toBe('ok');
    expect(judge(`35=A|${HEAD}98=0|108=30|9000=rates|`)).toBe('373=1 371=1137');
    expect(judge(`35=D|${HEAD}9901=north|${ORDER}`)).toBe('ok');
    expect(judge(`35=D|${HEAD}${ORDER}9901=north|`)).toBe('373=14 371=9901');
  });

  test('ApplVerID(1128) chooses among several application versions', () => {
    const several = new Validator({
      transport: dictionary('FIXT11.xml'),
      applications: [dictionary('FIX50SP2.xml'), fix44],
    });
    const text = `${HEAD}${ORDER.replace('59=1', '59=B')}`;
    expect(say(`8=FIXT.1.1|35=D|${text}`, {}, several)).toBe('ok');
    expect(say(`8=FIXT.1.1|35=D|1128=9|${text}`, {}, several)).toBe('ok');
    expect(say(`8=FIXT.1.1|35=D|1128=6|${text}`, {}, several)).toBe('373=5 371=59');
  });
});

test('D2 FIX.4.2 needs 20 in 8 and 21 in D and G', () => {
  const validator = new Validator(dictionary('FIX42.xml'));
  const say42 = (text: string): string => say(`8=FIX.4.2|${text}`, {}, validator);
  expect(say42(`35=D|${HEAD}${ORDER}`)).toBe('373=1 371=21');
  expect(say42(`35=D|${HEAD}21=1|${ORDER}`)).toBe('ok');
  const report = '37=1|17=e|150=1|39=1|55=A|54=1|151=1|14=1|6=1|';
  expect(say42(`35=8|${HEAD}${report}`)).toBe('373=1 371=20');
  expect(say42(`35=8|${HEAD}20=0|${report}`)).toBe('ok');
  expect(say42(`35=8|${HEAD}20=0|${report.replace('150=1', '150=F')}`)).toBe('373=5 371=150');
  expect(say42(`35=q|${HEAD}11=x|`)).toBe('373=11 371=35');
});

test('one validator serves message after message without remembering any', () => {
  const validator = new Validator(fix44);
  const writer = new FrameWriter();
  const header = {
    beginString: 'FIX.4.4',
    senderCompID: 'A',
    targetCompID: 'B',
    msgSeqNum: 1,
    sendingTime: '20261121-10:00:00',
  };
  for (let i = 0; i < 1000; i++) {
    const view = viewOf(writer.encode(header, new MessageDraft('1').add(112, String(i))))!;
    expect(validator.validate(view)).toBeNull();
    expect(validator.validate(viewOf(writer.encode(header, new MessageDraft('1')))!)?.refTagID).toBe(112);
  }
});

/** A value as it stands in a frame, between others. */
function inFrame(value: string): [bytes: Buffer, from: number, to: number] {
  return [Buffer.from(`9${value}9`, 'latin1'), 1, 1 + value.length];
}

const DATES = ['20240229', '20000229', '20260101', '20260131', '20260430', '20261231'];
const NO_DATES =
  '20230229 19000229 20240230 20260230 20260431 20260631 20260931 20261131 20261301 20260001 20260100 20260132'.split(
    ' ',
  );
const TIMES = [
  '00:00:00',
  '23:59:60',
  '10:00:00.123',
  '10:00:00.123456',
  '10:00:00.123456789',
  '10:00:00.123456789012',
  '10:00:00.1',
  '10:00:00.1234',
  '10:00:00.123456789012345',
];
const NO_TIMES = [
  '24:00:00',
  '10:60:00',
  '10:00:61',
  '1:00:00',
  '10:00',
  '10-00:00',
  '10:00-00',
  'x0:00:00',
  '10:x0:00',
  '10:00:x0',
].concat([
  '10:00:00.',
  '10:00:00.',
  '10:00:00,123',
  '10:00:00.12x',
  '0::00:00',
  '10:0;:00',
  '10:00:0<',
  '/9:00:00',
  '10:/9:00',
  '10:00:/9',
]);

test.each([
  ['Integer', ['0', '-1', '007'], ['-', '1.0', '+1', '1-', 'x', ':', '/']],
  ['NonNegative', ['0', '12', '90'], ['-1', '1.0', 'x', '1:', '1/']],
  [
    'Decimal',
    ['1', '-1.5', '.5', '5.', '-.5', '0', '-90.09'],
    ['-', '.', '-.', '1.2.3', '1e5', '+1', '1,5', '1-', '1:', '1/'],
  ],
  ['Character', ['a', ' '], ['ab']],
  ['Boolean', ['Y', 'N'], ['y', 'n', '1', 'YN']],
  ['UtcTimestamp', TIMES.map((time) => `20261121-${time}`), NO_TIMES.map((time) => `20261121-${time}`)],
  ['UtcTimestamp', DATES.map((date) => `${date}-10:00:00`), NO_DATES.map((date) => `${date}-10:00:00`)],
  ['UtcTimestamp', [], ['20261121 10:00:00', '20261121', '20261121-10:00']],
  ['UtcTime', TIMES, NO_TIMES],
  ['Date', DATES, [...NO_DATES, '2026121', '202612011', '2026-1-1', '2026013x', '202601', '202601w1']],
  // The characters behind 9 are digits of ten and more, if they are taken for one.
  ['Date', [], ['2026112:', '20260:21', '202:1121', ':0261121']],
  ['MonthYear', [...DATES, '202601', '202612', '202601w1', '202601w5'], [...NO_DATES, '202600', '202613', '2026']],
  [
    'MonthYear',
    [],
    ['202601w0', '202601w6', '202601w', '202613w1', '202601x1', '20260x', '20260:', '202:01w1', '2026011'],
  ],
  ['DayOfMonth', ['1', '09', '31'], ['0', '32', '001', 'x', '0:', '1?', '-1']],
  [
    'TzTime',
    [
      '07:39Z',
      '07:39',
      '02:39-05',
      '15:39+08',
      '13:09+05:30',
      '10:00:00',
      '10:00:00.123456+14',
      '23:59:60Z',
      '00:00-00:00',
    ],
    [
      '7:39Z',
      '24:00Z',
      '10:60Z',
      '10:00z',
      '10:00ZZ',
      '10:00+',
      '10:00+5',
      '10:00+15',
      '10:00+05:60',
      '10:00+0530',
      '10:00:0Z',
    ],
  ],
  ['TzTime', [], ['', 'Z', '10', '10:00 Z', '10:00:00,1Z', '10:00+05:3x', '10:00:00Z+01', '+05:30', '1::00Z']],
  [
    'TzTimestamp',
    [
      '20060901-07:39Z',
      '20060901-02:39-05',
      '20060901-15:39+08',
      '20060901-13:09+05:30',
      '20060901-10:00:00.000001',
      '20240229-10:00Z',
    ],
    [
      '20060901',
      '20060901-',
      '20060901 07:39Z',
      '20230229-10:00Z',
      '2006-09-01-10:00Z',
      '20060901-25:00Z',
      '20060901T10:00Z',
      '',
    ],
  ],
  ['TwoLetters', ['GB', 'de'], ['G', 'GBR', 'G1', '', '[]', '@A']],
  ['MultipleCharacters', ['2', '2 A F'], ['', ' ', '2 ', ' 2', '2  A', 'AB', '2 AB']],
  ['MultipleValues', ['2', 'AB C DEF'], ['', ' ', 'AB ', ' AB', 'AB  C']],
  ['Tenor', ['D5', 'W13', 'M3', 'Y10'], ['', 'D', 'D0', 'D-1', 'X1', '5D', 'M1.5', 'd5', 'M00']],
  ['Reserved100', ['100', '4711'], ['99', '', '-100', '1e3', '100.5']],
  ['Reserved1000', ['1000'], ['999', 'x']],
  ['Reserved4000', ['4000', '99999'], ['3999', 'x']],
  ['Any', ['', 'anything'], []],
] as const)('373=6: valid and invalid values of the format %s', (name, good, bad) => {
  const isGood = (value: string): boolean => isWellFormed(Format[name], ...inFrame(value));
  expect(good.filter((value) => !isGood(value))).toEqual([]);
  expect(bad.filter(isGood)).toEqual([]);
});

test('373=5: an enumeration has its values of any length, and no other', () => {
  const values = ['A', '7', '\xff', 'REPO', 'AB', 'FUT', 'ZZ', 'ABCDEF', 'ABCDEFG', 'LONGER VALUE'];
  const table = new EnumerationTable(values);
  const has = (value: string): boolean => table.has(...inFrame(value));
  expect(values.filter((value) => !has(value))).toEqual([]);
  const others = ['B', 'a', '!', 'BA', 'AC', 'FU', 'FUU', 'FUTA', 'ABCDEG', 'ABCDEFH', 'ABCDEFGH', 'LONGER'];
  expect(others.filter(has)).toEqual([]);
  expect(['ABCDEFG', 'AB'].filter((value) => new EnumerationTable(['A']).has(...inFrame(value)))).toEqual([]);
  expect(['A', 'A 7 FUT', 'ABCDEFG A'].filter((each) => !table.hasEach(...inFrame(each)))).toEqual([]);
  expect(['A  7', 'A ', ' A', 'A B', 'B A', ''].filter((each) => table.hasEach(...inFrame(each)))).toEqual([]);
});

test('a TENOR or a reserved range adds to the values that its field enumerates', () => {
  const messages = `<message name='Quote' msgtype='D' msgcat='app'>
    <field name='SettlType' required='N'/><field name='Reason' required='N'/><field name='Free' required='N'/></message>`;
  const fields = `<field number='35' name='MsgType' type='STRING'/>
    <field number='63' name='SettlType' type='TENOR'><value enum='0' description='REGULAR'/><value enum='FX' description='X'/></field>
    <field number='9901' name='Reason' type='Reserved100Plus'><value enum='1' description='ONE'/></field>
    <field number='9002' name='Free' type='Reserved1000Plus'/>`;
  const xml = `<fix type='FIX' major='5' minor='0'><header><field name='MsgType' required='Y'/></header><trailer/>
    <messages>${messages}</messages><components/><fields>${fields}</fields></fix>`;
  const validator = new Validator(loadDictionary(xml, 'TEST.xml'), { allowUnknownMsgFields: true });
  const judge = (body: string): number | null =>
    validator.validate(viewOf(fromPrintable(`35=D|${body}`))!)?.sessionRejectReason ?? null;
  for (const good of ['63=0|', '63=FX|', '63=M3|', '9901=1|', '9901=100|', '9002=7|', '9002=1000|']) {
    expect([good, judge(good)]).toEqual([good, null]);
  }
  expect(['63=1|', '63=M0|', '9901=2|', '9901=99|', '9002=x|'].map(judge)).toEqual([5, 5, 5, 5, 6]);
});

test('every type name of the dictionaries of QuickFIX C++, /J, /n and Go is known, in any case of letters', () => {
  const names = `AMT BOOLEAN CHAR COUNTRY CURRENCY DATA DATE DAYOFMONTH DAY-OF-MONTH EXCHANGE FLOAT INT LANGUAGE LENGTH LOCALMKTDATE
    LOCALMKTTIME MONTHYEAR MONTH-YEAR MULTIPLECHARVALUE MULTIPLESTRINGVALUE MULTIPLEVALUESTRING NUMINGROUP PATTERN PERCENTAGE PRICE
    PRICEOFFSET QTY QUANTITY RESERVED100PLUS RESERVED1000PLUS RESERVED4000PLUS SEQNUM STRING TAGNUM TENOR TIME TZTIMEONLY
    TZTIMESTAMP UTCDATE UTCDATEONLY UTCTIMEONLY UTCTIMESTAMP XID XIDREF XMLDATA`;
  expect(names.split(/\s+/).filter((name) => !isDataType(name))).toEqual([]);
  const fields = names
    .split(/\s+/)
    .map((name, i) => `<field number='${9000 + i}' name='F${i}' type='${name.toLowerCase()}'/>`);
  const xml = `<fix type='FIX' major='5' minor='0'><fields>${fields.join('')}</fields></fix>`;
  expect(loadDictionary(xml, 'TEST.xml').warnings).toEqual([]);
});

test('checks a DAY-OF-MONTH of a stock dictionary like a DAYOFMONTH', () => {
  expect(isDataType('DAY-OF-MONTH')).toBe(true);
  expect(formatOf('DAY-OF-MONTH', 'FIX.4.2')).toBe(Format.DayOfMonth);
});
