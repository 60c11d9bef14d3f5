// Values that are absurdly long come back cut: Text(58) stays readable, whatever was sent. Ids that are too long are refused.

import { expect, test } from 'vitest';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { Desk, field, LIMIT, SESSION, workingDesk } from '../desk.ts';

test.each([
  ['OrderQty(38)', LIMIT.replace('38=2', `38=${'9'.repeat(5_000)}`)],
  ['Price(44)', LIMIT.replace('44=100', `44=${'1'.repeat(5_000)}.5`)],
])('a number of thousands of digits in %s is refused, named, and not repeated whole', (name, order) => {
  const [answer] = new Desk().oms(order);
  expect(field(answer, 39)).toBe('8');
  const text = field(answer, 58)!;
  expect(text).toContain(`${name}=`);
  expect(text).toContain('characters) has more digits than');
  expect(text.length).toBeLessThan(200);
});

test("cuts the exchange's text in Text(58) to 500 characters, and no shorter", () => {
  const said = (length: number): string => {
    const reason = 'x'.repeat(length - ' (exchange reason 3020)'.length);
    const [report] = workingDesk().order({ status: 'CANCELLED', statusReasonCode: '3020', statusReason: reason });
    return field(report, 58)!.replace('Cancelled without a request of this session: ', '');
  };
  const whole = 500 - 'Cancelled without a request of this session: '.length;
  expect(said(whole)).toMatch(/^x+ \(exchange reason 3020\)$/);
  expect(said(whole + 1)).toMatch(/^x+ \(exchange reason 3\.\.\.$/);
  expect(said(5_000)).toHaveLength(whole);
});

/** The longest text that the journal takes for the key of a record, in bytes. */
const KEY_BYTES_MAX = 65_535;
const LONG = 'é'.repeat(40_000);
const HERE = '1=ACC1|55=BTCUSDC|54=1|';

/** Give a message to the desk in the excess of a rate. */
function hold(desk: Desk, text: string): string[] {
  const view = viewOf(fromPrintable(`${text}49=OMS|56=XG|34=9|52=20260105-12:00:00|60=20260105-12:00:00|`, 'FIX.4.4'))!;
  return desk.answers(() =>
    desk.feed({ kind: 'throttled', sessionId: SESSION, view, possDup: false, excess: 'hold', waitMs: 40 }),
  );
}

test('U4 an id that is too long for the key of a record is refused with its length, and ends nothing', () => {
  const desk = workingDesk();
  const messages = [
    `35=q|11=${LONG}|530=7|`,
    `35=F|11=${LONG}|41=o-1|${HERE}`,
    `35=G|11=${LONG}|41=o-1|${HERE}38=3|40=2|44=100|`,
    `35=E|66=${LONG}|394=3|68=1|73=1|11=e-1|67=1|${HERE}38=2|40=2|44=100|`,
    LIMIT.replace('o-1', LONG),
  ];
  for (const message of messages) {
    const [answer] = desk.oms(message);
    expect(field(answer, 58) ?? field(answer, 444)).toMatch(/must have 1 to (64|255) characters, this one has 40000$/);
  }
  const held = LIMIT.replace('o-1', LONG);
  expect(hold(desk, held)).toEqual([]);
  expect(desk.oms(`35=F|11=c-1|41=${LONG}|${HERE}`).map((text) => field(text, 39))).toEqual(['8']);
  expect(desk.advance(40).map((text) => field(text, 150))).toEqual(['8']);
  const kept = desk.effects.filter((effect) => effect.kind === 'persistOrder');
  const keys = kept.flatMap(({ key, ended = [] }) => [key, ...ended]);
  expect(Math.max(...keys.map((key) => Buffer.byteLength(key)))).toBeLessThan(KEY_BYTES_MAX);
  expect(desk.oms(`35=F|11=${'c'.repeat(255)}|41=o-1|${HERE}`).map((text) => field(text, 150))).toEqual(['6']);
});

test('a list ends although a ClOrdID(11) of it was one that no order can have', () => {
  const desk = new Desk();
  const entry = (n: number, clOrdID: string): string => `11=${clOrdID}|67=${n}|${HERE}38=2|40=2|44=100|`;
  desk.oms(`35=E|66=L-1|394=3|68=2|73=2|${entry(1, 'x'.repeat(65))}${entry(2, 'e-2')}`);
  desk.accepted(undefined, '9001');
  desk.order({});
  const told = desk.order({ status: 'CANCELLED', statusReasonCode: '3020' });
  expect([field(told.at(-1), 429), field(told.at(-1), 431)]).toEqual(['5', '6']);
});

const NINES = '9'.repeat(60);
/** One amount of 60 digits, as many as a number may have, in each place where an amount comes in. */
const AMOUNTS: readonly (readonly [name: string, act: (desk: Desk) => void])[] = [
  [
    'a Price(44) of a D that is refused',
    (desk) => void desk.oms(LIMIT.replace(/11=o-1(.*)44=100/, `11=o-2$144=.${NINES}`)),
  ],
  [
    'an OrderQty(38) of a D that is refused',
    (desk) => void desk.oms(LIMIT.replace(/11=o-1(.*)38=2/, `11=o-2$138=.${NINES}`)),
  ],
  [
    'price and quantity of a trade',
    (desk) => void desk.trade({ price: `100.${'0'.repeat(57)}`, quantity: `0.5${'0'.repeat(58)}` }),
  ],
  ['quantityFilled of an order', (desk) => void desk.order({ quantityFilled: `.${NINES}` })],
  [
    'quantity and price of a restated order',
    (desk) => void desk.order({ quantity: `3.${'0'.repeat(59)}`, price: `.${NINES}`, publishedAt: desk.now + 5 }),
  ],
];

test.each(AMOUNTS)('O3 O5 %s, of 60 digits: after a restart the order is read back and known', (_name, act) => {
  for (const ended of [false, true]) {
    const desk = new Desk(undefined, { ended });
    desk.oms(LIMIT);
    desk.accepted(undefined, '9001');
    desk.order({});
    act(desk);
    desk.restart();
    for (const clOrdID of ['o-1', 'o-2']) {
      expect(desk.oms(`35=H|11=${clOrdID}|55=BTCUSDC|54=1|`).map((text) => field(text, 150))).toEqual(['I']);
    }
  }
});

test.each([
  ['MassStatusReqID(584)', `35=AF|584=${LONG}|585=7|`],
  ['SecurityReqID(320)', `35=x|320=${LONG}|559=4|`],
  ['SecurityReqID(320)', `35=c|320=${LONG}|321=3|`],
  ['SecurityStatusReqID(324)', `35=e|324=${LONG}|55=BTCUSDC|263=1|`],
  ['Symbol(55)', `35=e|324=s-1|55=${LONG}|263=1|`],
  ['TradSesReqID(335)', `35=g|335=${LONG}|263=1|`],
  ['MDReqID(262)', `35=V|262=${LONG}|263=1|264=0|267=1|269=0|146=1|55=BTCUSDC|`],
])('a %s that thousands of answers would repeat is refused with 380=0 and its length', (name, request) => {
  const answers = workingDesk().oms(request);
  expect(answers.map((text) => [field(text, 35), field(text, 380), field(text, 58)])).toEqual([
    ['j', '0', `${name} must have 1 to 255 characters, this one has 40000`],
  ]);
});

test('O9 leaves out echoes too long for every report: 50, 115, 526 and a Parties group', () => {
  const desk = new Desk();
  const party = `453=1|448=${'p'.repeat(5_000)}|447=D|452=1|`;
  desk.oms(`${LIMIT}50=${LONG}|115=${LONG}|526=${LONG}|583=link|${party}`);
  desk.accepted(undefined, '9001');
  const [report] = desk.order({});
  expect([57, 128, 526, 453, 583].map((tag) => field(report, tag))).toEqual([null, null, null, null, 'link']);
});

test('C1 requests that are refused again and again with long values keep the record of their order short', () => {
  const desk = workingDesk();
  for (let n = 0; n < 50; n++) desk.oms(`35=F|11=f-${n}|41=o-1|55=${LONG}|54=1|`);
  desk.notice({ message: LONG, errorCode: '3032' });
  const { record } = desk.effects.findLast((effect) => effect.kind === 'persistOrder')!;
  expect(record.length).toBeLessThan(30_000);
});
