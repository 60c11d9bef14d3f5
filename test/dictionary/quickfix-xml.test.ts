import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CrossgateError } from '../../src/base/errors.ts';
import { loadDictionary, renderDictionary, Validator } from '../../src/dictionary/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';

/** A small dictionary with these parts. */
function xml(parts: { header?: string; messages?: string; components?: string; fields?: string }): string {
  return `<fix type='FIX' major='4' minor='4' servicepack='0'>
<header>${parts.header ?? "<field name='MsgType' required='Y'/>"}</header>
<messages>${parts.messages ?? ''}</messages>
<trailer/>
<components>${parts.components ?? ''}</components>
<fields><field number='35' name='MsgType' type='STRING'/>
<field number='1' name='Account' type='STRING'/>
<field number='54' name='Side' type='CHAR'><value enum='1' description='BUY'/></field>
<field number='453' name='NoPartyIDs' type='NUMINGROUP'/>
<field number='448' name='PartyID' type='STRING'/>${parts.fields ?? ''}</fields>
</fix>`;
}

function problem(text: string, overlay?: string): string {
  try {
    loadDictionary(text, 'TEST.xml', overlay === undefined ? [] : [{ xmlText: overlay, fileName: 'OVER.xml' }]);
  } catch (error) {
    expect((error as CrossgateError).code).toBe('XG_DICTIONARY_INVALID');
    return (error as CrossgateError).message;
  }
  return 'no problem';
}

const ORDER = (inner: string): string => `<message name='Order' msgtype='D' msgcat='app'>${inner}</message>`;

test('our dictionaries say which version they are', () => {
  const facts = ['FIX42.xml', 'FIX44.xml', 'FIXT11.xml', 'FIX50.xml', 'FIX50SP1.xml', 'FIX50SP2.xml'].map((name) => {
    const { version, beginString, applVerID } = dictionary(name);
    return [version, beginString, applVerID];
  });
  expect(facts).toEqual([
    ['FIX.4.2', 'FIX.4.2', '4'],
    ['FIX.4.4', 'FIX.4.4', '6'],
    ['FIXT.1.1', 'FIXT.1.1', null],
    ['FIX.5.0', 'FIXT.1.1', '7'],
    ['FIX.5.0SP1', 'FIXT.1.1', '8'],
    ['FIX.5.0SP2', 'FIXT.1.1', '9'],
  ]);
});

test('names and meanings are found both ways', () => {
  const fix44 = dictionary('FIX44.xml');
  expect(fix44.fieldName(11)).toBe('ClOrdID');
  expect(fix44.fieldName(4711)).toBeNull();
  expect(fix44.tagOf('ClOrdID')).toBe(11);
  expect(fix44.tagOf('Nonsense')).toBeNull();
  expect(fix44.messageName('D')).toBe('NewOrderSingle');
  expect(fix44.messageName('E')).toBe('NewOrderList');
  expect(fix44.messageName('??')).toBeNull();
  expect(fix44.enumName(39, '1')).toBe('PartiallyFilled');
  expect(fix44.enumName(39, 'z')).toBeNull();
  expect(fix44.enumName(11, 'x')).toBeNull();
  expect(fix44.messages.get('D')?.category).toBe('app');
  expect(fix44.messages.get('A')?.category).toBe('admin');
});

test('resolves components in place; members of an optional component become optional', () => {
  const components = `<component name='Who'><field name='Account' required='Y'/>
    <group name='NoPartyIDs' required='Y'><field name='PartyID' required='Y'/></group></component>`;
  const members = (required: string) =>
    loadDictionary(
      xml({
        components,
        messages: ORDER(`<component name='Who' required='${required}'/><field name='Side' required='Y'/>`),
      }),
      'TEST.xml',
    ).messages.get('D')!.members;
  expect(members('Y').map((member) => [member.field.name, member.required])).toEqual([
    ['Account', true],
    ['NoPartyIDs', true],
    ['Side', true],
  ]);
  expect(members('N').map((member) => [member.field.name, member.required])).toEqual([
    ['Account', false],
    ['NoPartyIDs', false],
    ['Side', true],
  ]);
  const group = members('N')[1]!;
  expect(group.kind === 'group' && group.members[0]?.required).toBe(true);
});

test('an overlay adds fields, values, members and messages', () => {
  const base = xml({ messages: ORDER("<field name='Side' required='Y'/>") });
  const overlay = `<fix type='FIX' major='4' minor='4'><header><field name='Account' required='N'/></header>
    <messages>${ORDER("<field name='Desk' required='N'/>")}
    <message name='Ping' msgtype='UP' msgcat='app'><field name='Desk' required='Y'/></message></messages>
    <fields><field number='9000' name='Desk' type='STRING'/>
    <field number='54' name='Side'><value enum='2' description='SELL'/></field></fields></fix>`;
  const merged = loadDictionary(base, 'TEST.xml', [{ xmlText: overlay, fileName: 'OVER.xml' }]);
  expect(merged.enumName(54, '1')).toBe('Buy');
  expect(merged.enumName(54, '2')).toBe('Sell');
  expect(merged.fields.get(54)?.type).toBe('CHAR');
  expect(merged.messages.get('D')?.members.map((member) => member.field.name)).toEqual(['Side', 'Desk']);
  expect(merged.messageName('UP')).toBe('Ping');
  expect(merged.header.map((member) => member.field.name)).toEqual(['MsgType', 'Account']);
});

test('an overlay gives a user-defined field of ours its own meaning', () => {
  const overlay = `<fix type='FIX' major='4' minor='4'><header/><trailer/>
    <messages>${ORDER("<field name='HouseNote' required='N'/>")}</messages>
    <fields><field number='9001' name='HouseNote' type='STRING'/></fields></fix>`;
  const base = readFileSync('dictionaries/FIX44.xml', 'utf8');
  const merged = loadDictionary(base, 'FIX44.xml', [{ xmlText: overlay, fileName: 'OVER.xml' }]);
  const named = (msgType: string) =>
    merged.messages.get(msgType)!.members.find(({ field }) => field.tag === 9001)?.field;
  expect(named('D')).toMatchObject({ name: 'HouseNote', type: 'STRING' });
  expect(named('A')).toEqual(named('D'));
  expect(merged.fieldName(9001)).toBe('HouseNote');
});

test('a file joined with its transport has one name for a tag, that of the overlay', () => {
  const overlay = `<fix type='FIX' major='5' minor='0' servicepack='2'><header/><trailer/>
    <messages>${ORDER("<field name='HouseNote' required='N'/>")}</messages>
    <fields><field number='9001' name='HouseNote' type='STRING'/></fields></fix>`;
  const base = readFileSync('dictionaries/FIX50SP2.xml', 'utf8');
  const merged = loadDictionary(base, 'FIX50SP2.xml', [{ xmlText: overlay, fileName: 'OVER.xml' }]);
  const joined = loadDictionary(renderDictionary(merged, dictionary('FIXT11.xml')), 'JOINED.xml');
  const named = (msgType: string) =>
    joined.messages.get(msgType)!.members.find(({ field }) => field.tag === 9001)?.field.name;
  expect([named('A'), named('D')]).toEqual(['HouseNote', 'HouseNote']);
});

test('an overlay adds fields to a group that is there, and to a group in it', () => {
  const overlay = (section: string, element: string): { xmlText: string; fileName: string } => ({
    xmlText: `<fix type='FIX' major='4' minor='4'><${section}><${element}><group name='NoPartyIDs' required='N'>
      <field name='Desk' required='Y'/>
      <group name='NoPartySubIDs' required='N'><field name='Floor' required='N'/></group>
    </group></${element.split(' ')[0]}></${section}>
    <fields><field number='9000' name='Desk' type='STRING'/><field number='9901' name='Floor' type='INT'/></fields></fix>`,
    fileName: 'OVER.xml',
  });
  const text = readFileSync(new URL('../../dictionaries/FIX44.xml', import.meta.url), 'utf8');
  const head = '35=D|49=OMS|56=GATE|34=2|52=20261121-10:11:12|11=o-1|55=X|54=1|60=20261121-10:11:12|38=1|40=1|';
  for (const added of [
    overlay('messages', "message name='NewOrderSingle' msgtype='D' msgcat='app'"),
    overlay('components', "component name='Parties'"),
  ]) {
    const merged = loadDictionary(text, 'FIX44.xml', [added]);
    const judge = (group: string): unknown =>
      new Validator(merged).validate(viewOf(fromPrintable(`${head}${group}`))!)?.text ?? null;
    expect(judge('453=2|448=a|802=1|523=b|803=4|9901=7|9000=rates|448=c|9000=fx|')).toBeNull();
    expect(judge('453=1|448=a|802=1|523=b|803=4|9901=7|')).toContain('Required tag missing: Desk(9000)');
    const groups = merged.messages.get('D')!.members.filter(({ field }) => field.tag === 453);
    expect(groups).toHaveLength(1);
  }
});

test('values may stand in <values>, and may be open', () => {
  const fields = `<field number='40' name='OrdType' type='CHAR' allowOtherValues='Y'><values><value enum='1' description='MARKET'/></values></field>`;
  const loaded = loadDictionary(xml({ fields }), 'TEST.xml');
  expect(loaded.enumName(40, '1')).toBe('Market');
  expect(loaded.fields.get(40)?.open).toBe(true);
  expect(loaded.fields.get(54)?.open).toBe(false);
  // An overlay that adds a value leaves both as they are.
  const more = [40, 54].map((tag) => {
    const name = tag === 40 ? 'OrdType' : 'Side';
    return `<field number='${tag}' name='${name}'><value enum='2' description='MORE'/></field>`;
  });
  const xmlText = `<fix type='FIX' major='4' minor='4'><fields>${more.join('')}</fields></fix>`;
  const merged = loadDictionary(xml({ fields }), 'TEST.xml', [{ xmlText, fileName: 'OVER.xml' }]);
  expect([40, 54].map((tag) => merged.fields.get(tag)?.open)).toEqual([true, false]);
});

test('a value that a dictionary does not list is refused, unless its field allows others', () => {
  const fields = `<field number='40' name='OrdType' type='CHAR' allowOtherValues='Y'><value enum='1' description='MARKET'/></field>`;
  const messages = ORDER("<field name='OrdType' required='N'/><field name='Side' required='N'/>");
  const validator = new Validator(loadDictionary(xml({ fields, messages }), 'TEST.xml'), {
    allowUnknownMsgFields: true,
  });
  const judge = (body: string): number | null =>
    validator.validate(viewOf(fromPrintable(`35=D|${body}`))!)?.sessionRejectReason ?? null;
  expect(judge('40=1|54=1|')).toBeNull();
  expect(judge('40=Z|54=1|')).toBeNull();
  expect(judge('40=1|54=9|')).toBe(5);
});

test('a field of the header that a message lists as required is required there', () => {
  const header = "<field name='MsgType' required='Y'/><field name='Account' required='N'/>";
  const messages = `${ORDER("<field name='Account' required='Y'/><field name='Side' required='N'/>")}<message name='Free' msgtype='U1' msgcat='app'><field name='Side' required='N'/></message>`;
  const validator = new Validator(loadDictionary(xml({ header, messages }), 'TEST.xml'), {
    allowUnknownMsgFields: true,
  });
  const judge = (text: string): number | null =>
    validator.validate(viewOf(fromPrintable(text))!)?.sessionRejectReason ?? null;
  expect(judge('35=D|1=main|54=1|')).toBeNull();
  expect(judge('35=D|54=1|')).toBe(1);
  expect(judge('35=U1|54=1|')).toBeNull();
});

test('entries of a group may begin with a group of their own', () => {
  const fields = `<field number='9100' name='NoDesks' type='NUMINGROUP'/><field number='9101' name='NoTraders' type='NUMINGROUP'/>
<field number='9102' name='Trader' type='STRING'/><field number='9103' name='Desk' type='STRING'/>`;
  const messages =
    ORDER(`<group name='NoDesks' required='N'><group name='NoTraders' required='N'><field name='Trader' required='Y'/></group>
<field name='Desk' required='Y'/></group>`);
  const validator = new Validator(loadDictionary(xml({ fields, messages }), 'TEST.xml'), {
    allowUnknownMsgFields: true,
  });
  const judge = (group: string): string | null =>
    validator.validate(viewOf(fromPrintable(`35=D|${group}`))!)?.text ?? null;
  expect(judge('9100=2|9101=1|9102=ann|9103=fx|9101=2|9102=bob|9102=eve|9103=rates|')).toBeNull();
  expect(judge('9100=2|9101=1|9102=ann|9101=1|9102=bob|9103=rates|')).toBe('Required tag missing: Desk(9103)');
  expect(judge('9100=1|9101=1|9102=ann|9103=fx|9101=1|9102=bob|9103=rates|')).toContain('NoDesks(9100)');
});

test('a message of a house has a MsgType of any length', () => {
  const msgTypes = ['U1', 'UTRADE', 'UTRADES', 'UTRADE2', 'UREPORTS'];
  const messages = msgTypes.map(
    (msgType, i) =>
      `<message name='M${i}' msgtype='${msgType}' msgcat='app'><field name='${i % 2 === 0 ? 'Account' : 'Side'}' required='Y'/></message>`,
  );
  const validator = new Validator(loadDictionary(xml({ messages: messages.join('') }), 'TEST.xml'), {
    allowUnknownMsgFields: true,
  });
  const judge = (msgType: string, body: string): number | null =>
    validator.validate(viewOf(fromPrintable(`35=${msgType}|${body}`))!)?.sessionRejectReason ?? null;
  expect(msgTypes.map((msgType, i) => judge(msgType, i % 2 === 0 ? '1=main|' : '54=1|'))).toEqual(
    msgTypes.map(() => null),
  );
  expect(msgTypes.map((msgType, i) => judge(msgType, i % 2 === 0 ? '54=1|' : '1=main|'))).toEqual(
    msgTypes.map(() => 1),
  );
});

test('every error names file, line and column', () => {
  expect(problem(xml({ messages: ORDER("<field name='Nope' required='Y'/>") }))).toMatch(
    /^TEST\.xml:3:\d+: field Nope is not defined in <fields>$/,
  );
  expect(problem(xml({ messages: ORDER("<component name='Nope' required='Y'/>") }))).toMatch(
    /^TEST\.xml:3:\d+: component Nope is not defined$/,
  );
  expect(problem(xml({ messages: ORDER("<thing name='x'/>") }))).toContain('<thing> is not expected here');
  expect(problem(xml({ messages: ORDER("<group name='NoPartyIDs' required='N'/>") }))).toContain('needs at least one');
  expect(problem(xml({ messages: ORDER('') + ORDER('') }))).toContain('message D is defined twice');
  expect(problem(xml({ fields: "\n<field number='1' name='Again'/>" }))).toMatch(
    /^TEST\.xml:11:\d+: field 1 is defined twice \(Account\)$/,
  );
  expect(problem(xml({ fields: "<field number='2' name='Account'/>" }))).toContain('field name Account is used twice');
  for (const number of ['x', '1e5', '0x10', '-1', '0', '1000000']) {
    expect(problem(xml({ fields: `<field number='${number}' name='New'/>` }))).toContain('number must be');
  }
  expect(problem(xml({ fields: "<field name='New'/>" }))).toContain('<field> needs the attribute number');
  expect(problem('<fix type="FIX" major="4"><fields/></fix>')).toContain('needs the attribute minor');
  expect(problem('<other/>')).toMatch(/^TEST\.xml:1:\d+: the root must be <fix>/);
  expect(problem('')).toMatch(/^TEST\.xml:1:/);
  expect(problem('<fix><fields></fix>')).toMatch(/^TEST\.xml:1:\d+: /);
  expect(problem(xml({}), '<fix')).toMatch(/^OVER\.xml:1:/);
});

test('reports all faults of a dictionary and its overlay in one run, in order of place', () => {
  const text = xml({
    messages: `
${ORDER(`
<field name='Nope'/>
<component name='Missing'/>
<component name='A'/>
<component name='Self'/>
<group name='NoDesks' required='N'><field name='Account'/></group>
<group name='NoPartyIDs' required='N'/>
<thing name='x'/>
<field name='Wrong'/>
<field name='Again'/>`)}
${ORDER('')}
<field name='Stray'/>`,
    components: `
<component name='A'><component name='B'/></component>
<component name='B'><component name='A'/></component>
<component name='Self'><component name='Self'/><field name='Account'/></component>`,
    fields: `
<field number='0' name='Wrong' type='STRING'/>
<field number='1' name='Again' type='STRING'/>
<field number='2' name='Side' type='CHAR'/>
<field name='Numberless' type='STRING'/>
<field number='40' name='OrdType' type='CHAR'><price enum='1'/></field>`,
  });
  const overlay = "<fix><fields>\n<field number='54' name='Seite'/></fields></fix>";
  const told = problem(text, overlay).replaceAll(/^(\w+\.xml:\d+):\d+/gm, '$1');
  expect(told.split('\n')).toEqual([
    'TEST.xml:5: field Nope is not defined in <fields>',
    'TEST.xml:6: component Missing is not defined',
    'TEST.xml:9: group NoDesks has no count field: field NoDesks is not defined in <fields>',
    'TEST.xml:10: a group needs at least one field',
    'TEST.xml:11: <thing> is not expected here',
    'TEST.xml:14: message D is defined twice',
    'TEST.xml:15: <field> is not expected in <messages>',
    'TEST.xml:19: component A contains itself, by B',
    'TEST.xml:20: component Self contains itself',
    'TEST.xml:26: number must be from 1 to 999999',
    'TEST.xml:27: field 1 is defined twice (Account)',
    'TEST.xml:28: field name Side is used twice',
    'TEST.xml:29: <field> needs the attribute number',
    'TEST.xml:30: <price> is not expected in <field>',
    'OVER.xml:2: field 54 is defined twice (Side)',
  ]);
});

test('warns of equal duplicate fields, unknown types, invalid counts and unused components', () => {
  const loaded = loadDictionary(
    xml({
      fields: `
<field number='1' name='Account' type='INT'/>
<field number='9901' name='House' type='PRCE'/>
<field number='9002' name='NoHouses' type='STRING'/>`,
      messages: `
${ORDER(`<field name='Side'/><field name='Side'/>
<group name='NoHouses' required='N'><field name='House'/></group>`)}`,
      components: `
<component name='Unused'><field name='Nope'/></component>`,
    }),
    'TEST.xml',
  );
  expect(loaded.warnings.map((warning) => warning.replace(/^(\w+\.xml:\d+):\d+/, '$1'))).toEqual([
    'TEST.xml:4: Side is listed twice in <message> Order',
    'TEST.xml:5: the count field of group NoHouses is of type STRING, and not NUMINGROUP',
    'TEST.xml:8: field Nope is not defined in <fields>',
    'TEST.xml:14: field 1 is defined twice (Account): the first definition counts',
    'TEST.xml:15: House(9901) is of type PRCE, which no version of FIX has: its values are not checked, and it is no data field',
  ]);
  expect(loaded.fields.get(1)?.type).toBe('STRING');
  expect(dictionary('FIX44.xml').warnings).toEqual([]);
});

test("places the begin of an element to the character, also with its name at a line's end", () => {
  const at = (text: string): string | undefined =>
    /^TEST\.xml:(\d+:\d+): /.exec(problem(xml({ messages: ORDER(text) })))?.[1];
  const column = "<messages><message name='Order' msgtype='D' msgcat='app'>".length + 1;
  expect(at("<thing name='x'/>")).toBe(`3:${column}`);
  expect(at("\n  <thing name='x'/>")).toBe('4:3');
  expect(at("\n<thing\nname='x'/>")).toBe('4:1');
});

test('a component that contains itself is refused', () => {
  const components = "<component name='A'><component name='A' required='Y'/></component>";
  expect(problem(xml({ components, messages: ORDER("<component name='A' required='Y'/>") }))).toContain(
    'component A contains itself',
  );
});

test('groups without end, and components that double one another, are refused where they stand', () => {
  const groups = `${"<group name='NoX' required='N'>".repeat(5000)}${'</group>'.repeat(5000)}`;
  expect(problem(xml({ messages: ORDER(groups) }))).toMatch(/^TEST\.xml:\d+:\d+: group NoX has no count field/);
  expect(problem(xml({ messages: ORDER(groups) }))).toContain('\nand 15 more');
  // 63 groups and the field in the last.
  const deep = (count: number): string => {
    const field = "<field name='Account' required='N'/>";
    return "<group name='NoPartyIDs' required='N'>".repeat(count) + field + '</group>'.repeat(count);
  };
  expect(problem(xml({ messages: ORDER(deep(63)) }))).toBe('no problem');
  expect(problem(xml({ messages: ORDER(deep(64)) }))).toContain('nested deeper than 64');
  const each = (count: number, make: (k: number) => string): string =>
    Array.from({ length: count }, (_, k) => make(k)).join('');
  const group = (name: string, k: number): string => `<group name='${name}${k}' required='N'>
    <component name='C${k - 1}' required='N'/></group>`;
  const inside = (k: number): string =>
    k === 0 ? "<field name='Account' required='N'/>" : group('A', k) + group('B', k);
  const components = each(25, (k) => `<component name='C${k}'>${inside(k)}</component>`);
  const fields = each(
    25,
    (k) => `<field number='${6000 + k}' name='A${k}'/><field number='${7000 + k}' name='B${k}'/>`,
  );
  expect(problem(xml({ components, fields, messages: ORDER("<component name='C24' required='N'/>") }))).toMatch(
    /component C15 has more than 50000 members/,
  );
});

test('a DOCTYPE, and so every entity, is refused', () => {
  const bomb = `<!DOCTYPE fix [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml({})}`;
  expect(problem(bomb)).toMatch(/^TEST\.xml:1:\d+: a DOCTYPE is not allowed/);
  expect(problem(xml({ fields: '&a;' }))).toMatch(/^TEST\.xml:/);
});
