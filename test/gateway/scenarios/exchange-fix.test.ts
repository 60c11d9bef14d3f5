// Messages to a `venue` session of FIX.4.4 instead of those that the exchange's own FIX lacks (rules D1, D6, D14).
// test/interop/exchange-dictionary.test.ts checks that all of it is in the exchange's dictionary.

import { expect, test } from 'vitest';
import { fromPrintable, viewOf } from '../../../src/wire/mod.ts';
import { Desk, dropCopyConfig, field, gatewayConfig, LIMIT, SESSION, sessionConfig } from '../desk.ts';

const VENUE = { dialect: 'venue' } as const;
const read = (text: string | undefined, ...tags: number[]): (string | null)[] => tags.map((tag) => field(text, tag));

test('D6 an order without an answer is not reported as PendingNew, after a restart or as a copy', () => {
  const copy = dropCopyConfig(VENUE);
  const config = gatewayConfig({ ...VENUE, pendingNewAfterMs: 0 }, { sessions: [sessionConfig(VENUE), copy] });
  const desk = new Desk(config);
  expect(desk.oms(LIMIT)).toEqual([]);
  desk.unknown();
  expect(desk.answers(() => desk.advance(400))).toEqual([]);
  desk.restart();
  expect(desk.answers(() => desk.advance(400))).toEqual([]);
  expect(desk.order({}).map((text) => read(text, 150, 39, 797))).toEqual([
    ['0', '0', null],
    ['0', '0', 'Y'],
  ]);
});

test('D14 a PossResend of a known order repeats its last report with 97=Y and the same ExecID', () => {
  const desk = new Desk(gatewayConfig(VENUE));
  desk.oms(LIMIT);
  // Nothing was reported yet: the first report is on its way.
  expect(desk.oms(`${LIMIT}97=Y|`)).toEqual([]);
  const again = (): string[] => desk.oms(`${LIMIT}97=Y|`);
  const repeated = (text: string | undefined): string => `${text}`.replace('35=8|', '35=8|97=Y|');
  expect(again()).toEqual([]);
  const [accepted] = desk.order({});
  expect(again()).toEqual([repeated(accepted)]);
  const [filled] = desk.trade({ quantity: '0.5' });
  expect(read(filled, 150, 32)).toEqual(['F', '0.5']);
  expect(again()).toEqual([repeated(filled)]);
  // A process without the fill does not report it as another one.
  desk.restart();
  expect(again().map((text) => read(text, 97, 150, 39, 14, 32))).toEqual([['Y', 'D', '1', '0.5', null]]);
  const [end] = desk.order({ status: 'CANCELLED', statusReasonCode: '6019', quantityFilled: '0.5' });
  expect(read(end, 150, 39, 378)).toEqual(['4', '4', null]);
  expect(again()).toEqual([repeated(end)]);
  desk.restart();
  expect(again().map((text) => read(text, 97, 150, 39, 17))).toEqual([['Y', '4', '4', field(end, 17)]]);
  expect(desk.submitted).toHaveLength(1);
});

test('D14 an order that was refused here is refused again by the same report', () => {
  const desk = new Desk(gatewayConfig(VENUE));
  const [refused] = desk.oms(LIMIT.replace('55=BTCUSDC', '55=NOSUCH'));
  expect(read(refused, 150, 39, 103)).toEqual(['8', '8', '1']);
  const [again] = desk.oms(`${LIMIT.replace('55=BTCUSDC', '55=NOSUCH')}97=Y|`);
  expect(read(again, 97, 150, 17)).toEqual(['Y', '8', field(refused, 17)]);
});

test("D1 refuses unsupported messages by their own answers: the exchange's own FIX has no j", () => {
  const desk = new Desk(gatewayConfig(VENUE));
  const refused = (request: string): string => {
    const view = viewOf(fromPrintable(request.replace('|', '|34=9|49=OMS|56=XG|50=me|'), 'FIX.4.4'))!;
    const [text, ...more] = desk.answers(() => desk.feed({ kind: 'refuse', sessionId: SESSION, view, text: 'no' }));
    expect(more).toEqual([]);
    return text!;
  };
  expect(read(refused(LIMIT), 35, 57, 11, 150, 39, 103, 58)).toEqual(['8', 'me', 'o-1', '8', '8', '99', 'no']);
  const cancel = refused('35=F|11=c-1|41=o-1|1=ACC1|55=BTCUSDC|');
  expect(read(cancel, 35, 57, 11, 41, 39, 434, 102, 1328)).toEqual(['9', 'me', 'c-1', 'o-1', '8', '1', '99', 'no']);
  expect(read(refused('35=q|11=q-1|530=7|1=ACC1|'), 35, 11, 531, 532, 58)).toEqual(['r', 'q-1', '0', '99', 'no']);
  expect(read(refused('35=x|320=x-1|559=4|'), 35, 320, 560, 146)).toEqual(['y', 'x-1', '1', '0']);
  expect(read(refused('35=H|11=o-1|55=BTCUSDC|54=1|'), 35, 58)).toEqual(['j', 'no']);
});

test("D1 a refused order echoes only values of the exchange's own FIX; its text names the fault", () => {
  const desk = new Desk(gatewayConfig(VENUE));
  const said = (more: string, ...tags: number[]): (string | null)[] =>
    read(desk.oms(`35=D|11=${more}|1=ACC1|55=BTCUSDC|54=1|38=2|${more}`)[0], ...tags);
  expect(said('40=3|99=90|', 40, 103)).toEqual(['4', '2013']);
  expect(said('40=2|44=100|59=6|', 40, 59, 103)).toEqual(['2', '1', '99']);
  expect(said('40=P|', 40, 103)).toEqual(['1', '2013']);
});

test("D6 rejects an order or amendment beyond the exchange's rate at once with its number", () => {
  const isAtOnce = (desk: Desk): (true | undefined)[] =>
    desk.effects.flatMap((effect) => (effect.kind === 'submit' ? [effect.isAtOnce] : []));
  const refusal = {
    kind: 'refused',
    httpStatus: null,
    errorCode: null,
    errorCodeName: null,
    message: 'rate',
    overRate: true,
  } as const;
  const desk = new Desk(gatewayConfig(VENUE));
  desk.oms(LIMIT);
  const { commandId } = desk.last();
  const [rejected] = desk.answers(() => desk.feed({ kind: 'outcome', commandId, outcome: refusal }));
  expect(read(rejected, 150, 39, 103)).toEqual(['8', '8', '3034']);
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  desk.order({ clientOrderId: '2' });
  desk.oms('35=G|11=g-1|41=o-2|1=ACC1|55=BTCUSDC|44=101|');
  desk.oms('35=F|11=c-1|41=o-2|1=ACC1|55=BTCUSDC|');
  expect(isAtOnce(desk)).toEqual([true, true, true, undefined]);
  const standard = new Desk(gatewayConfig());
  standard.oms(LIMIT);
  expect(isAtOnce(standard)).toEqual([undefined]);
});
