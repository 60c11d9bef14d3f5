// NewOrderList(E): orders one by one, their order kept, and ListStatus(N) at the beginning and at the end.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkProperty } from '../../support/random/seeded-property.ts';
import { Desk, field, gatewayConfig } from '../desk.ts';

const entry = (n: number, more = ''): string =>
  `11=l-${n}|67=${n}|1=ACC1|55=BTCUSDC|54=1|38=${n}|40=2|44=100|59=1|${more}`;
const list = (...entries: string[]): string =>
  `35=E|50=trader|66=list-1|394=3|68=${entries.length}|73=${entries.length}|${entries.join('')}`;

/** MsgType with 431 of each N and 11 of each 8. */
const outline = (messages: readonly string[]): string[] =>
  messages.map((text) =>
    field(text, 35) === 'N' ? `N ${field(text, 431)}` : `8 ${field(text, 11)} ${field(text, 39)}`,
  );

describe('NewOrderList', () => {
  test('its orders go out one by one in their order; N acknowledges, 8s and N carry ListID(66)', () => {
    const desk = new Desk();
    const answers = desk.oms(list(entry(1), entry(2), entry(3)));
    expect(outline(answers)).toEqual(['N 3']);
    expect(answers[0]).toContain('35=N|57=trader|66=list-1|429=1|82=1|431=3|83=1|');
    expect(answers[0]).toContain('68=3|73=3|11=l-1|14=0|39=A|151=1|84=0|6=0|11=l-2|14=0|39=A|');
    expect(desk.submitted.map(({ command }) => command.kind === 'createOrder' && command.quantity)).toEqual([
      '1',
      '2',
      '3',
    ]);
    const [report] = desk.order({ clientOrderId: '1', quantity: '1' });
    expect([field(report, 66), field(report, 57)]).toEqual(['list-1', 'trader']);
  });

  test.each(['43=Y', '122=20260105-12:00:00', '34=7', '2147483648=x'])(
    'a %s illegal in a body behind its orders changes none of them without validation',
    (field) => {
      const desk = new Desk();
      expect(outline(desk.oms(list(entry(1), entry(2, `${field}|`))))).toEqual(['N 3']);
      expect(desk.submitted).toHaveLength(2);
    },
  );

  test('an order that is refused keeps none of the others; N says why', () => {
    const desk = new Desk();
    const answers = desk.oms(list(entry(1), entry(2).replace('BTCUSDC', 'NOSUCH'), entry(3)));
    expect(outline(answers)).toEqual(['8 l-2 8', 'N 3']);
    expect(desk.submitted).toHaveLength(2);
    expect(answers[1]).toContain('11=l-2|14=0|39=8|151=0|84=0|6=0|103=1|58=Symbol(55)=NOSUCH is no market');
  });

  test('D13 an order without OrdType(40), which a list may leave out, is refused with 103=99 and the tag', () => {
    const [report] = new Desk().oms(list(entry(1).replace('40=2|', '')));
    expect([150, 103, 58].map((tag) => field(report, tag))).toEqual([
      '8',
      '99',
      'OrdType(40) is required to state the order type',
    ]);
  });

  test('sends list orders by ListSeqNo(67) in any wire order, and refuses a list with a duplicate', () => {
    const desk = new Desk();
    desk.oms(list(entry(3), entry(1), entry(2)));
    const quantities = desk.submitted.map(({ command }) => command.kind === 'createOrder' && command.quantity);
    expect(quantities).toEqual(['1', '2', '3']);
    const twice = desk.oms(list(entry(4), entry(5).replace('67=5', '67=4')).replace('list-1', 'list-2'));
    expect(outline(twice)).toEqual(['N 7']);
    expect(twice[0]).toContain('444=ListSeqNo(67)=4 stands twice');
    expect(desk.submitted).toHaveLength(3);
  });

  test('O5 reports a reused ClOrdID of a list in N for that entry, and creates no order for it', () => {
    const desk = new Desk();
    const within = desk.oms(list(entry(1), entry(2).replace('11=l-2', '11=l-1')));
    expect(outline(within)).toEqual(['8 l-1 A', 'N 3']);
    expect(field(within[0], 103)).toBe('6');
    expect(within[1]).toContain('68=2|73=2|11=l-1|14=0|39=A|151=1|84=0|6=0|11=l-1|14=0|39=8|151=0|84=0|6=0|103=6|');
    const again = desk.oms(list(entry(1)).replace('list-1', 'list-2'));
    expect(outline(again)).toEqual(['8 l-1 A', 'N 7']);
    expect(again[1]).toContain('444=Every ClOrdID(11) of the list was used before');
    // The order ends the list that it belongs to, and no other.
    const end = desk.order({ clientOrderId: '1', quantity: '1', status: 'CANCELLED', statusReasonCode: '6019' });
    expect(end.map((text) => field(text, 66))).toEqual(['list-1', 'list-1', 'list-1']);
    expect(end.at(-1)).toContain('431=6|83=1|');
    // Both name every entry of it: the last N none less than the first.
    expect(end.at(-1)).toContain('68=2|73=2|11=l-1|14=0|39=4|151=0|84=1|6=0|11=l-1|14=0|39=8|151=0|84=0|6=0|103=6|');
  });

  test('O5 names unmade entries in the last N, also after a restart and for a repeated list', () => {
    const desk = new Desk();
    desk.oms(list(entry(1)).replace('list-1', 'list-0'));
    const text = list(entry(1), entry(2), entry(3).replace('11=l-3', `11=${'x'.repeat(65)}`));
    const ofEach = (n: string | undefined): string[] =>
      (n ?? '')
        .split('|11=')
        .slice(1)
        .map((part) => `${part.split('|')[0]!.slice(0, 3)} ${/39=(.)/.exec(part)![1]}`);
    expect(ofEach(desk.oms(text).at(-1))).toEqual(['l-1 8', 'l-2 A', 'xxx 8']);
    desk.restart();
    expect(ofEach(desk.oms(text.replace('66=', '97=Y|66=')).at(-1))).toEqual(['l-1 8', 'l-2 A', 'xxx 8']);
    const end = desk.order({ clientOrderId: '2', quantity: '2', status: 'CANCELLED', statusReasonCode: '6019' });
    expect([field(end.at(-1), 431), ofEach(end.at(-1)), field(end.at(-1), 57)]).toEqual([
      '6',
      ['l-1 8', 'l-2 4', 'xxx 8'],
      'trader',
    ]);
  });

  test('when the last of its orders has ended, N says AllDone once, also after a restart', () => {
    const desk = new Desk();
    desk.oms(list(entry(1), entry(2)));
    desk.order({ clientOrderId: '1', orderId: '9001', quantity: '1' });
    desk.order({ clientOrderId: '2', orderId: '9002', quantity: '2' });
    expect(outline(desk.trade({ clientOrderId: '1', orderId: '9001', quantity: '1' }))).toEqual(['8 l-1 2']);
    desk.restart();
    const end = {
      clientOrderId: '2',
      orderId: '9002',
      quantity: '2',
      status: 'CANCELLED',
      statusReasonCode: '6019',
    } as const;
    const answers = desk.order(end);
    expect(outline(answers)).toEqual(['8 l-2 4', 'N 6']);
    expect(answers[1]).toContain('429=5|82=1|431=6|');
    expect(answers[1]).toContain('11=l-1|14=1|39=2|151=0|84=0|6=100|11=l-2|14=0|39=4|151=0|84=2|');
    expect(desk.order(end)).toEqual([]);
  });

  test.each([false, true])(
    "O1 follows a fill after a list's end with another N 431=6, also after a restart (ended apart: %s)",
    (ended) => {
      const desk = new Desk(gatewayConfig(), { ended });
      desk.oms(list(entry(1), entry(2)));
      for (const n of ['1', '2']) desk.accepted(desk.last(2 - Number(n)).commandId, `900${n}`);
      for (const n of ['1', '2']) {
        const of = { clientOrderId: n, orderId: `900${n}`, quantity: n } as const;
        desk.order({ ...of, status: 'CANCELLED', statusReasonCode: '6019' });
      }
      // Of a list that is done nothing stays in memory.
      if (ended) expect([...desk.records.keys()].filter((key) => key.startsWith('list|'))).toEqual([]);
      const fill = { clientOrderId: '2', orderId: '9002', quantity: '0.5' };
      const late = desk.trade({ ...fill, tradeId: '7001' });
      expect(outline(late)).toEqual(['8 l-2 4', 'N 6']);
      expect(late[1]).toContain('11=l-2|14=0.5|39=4|151=0|84=1.5|6=100|');
      expect(desk.trade({ ...fill, tradeId: '7001' })).toEqual([]);
      desk.restart();
      expect(outline(desk.trade({ ...fill, tradeId: '7001' })), 'told before').toEqual([]);
      expect(outline(desk.trade({ ...fill, tradeId: '7002' }))).toEqual(['8 l-2 4', 'N 6']);
      desk.restart();
      expect(desk.advance(60_000)).toEqual([]);
    },
  );

  test('U4 a list repeated with PossResend(97)=Y makes no second order; a used ListID(66) is refused whole', () => {
    const desk = new Desk();
    desk.oms(list(entry(1), entry(2)));
    const repeated = desk.oms(list(entry(1), entry(2)).replace('66=', '97=Y|66='));
    expect(outline(repeated)).toEqual(['8 l-1 A', '8 l-2 A', 'N 3']);
    const again = desk.oms(list(entry(4)));
    expect(outline(again)).toEqual(['N 7']);
    expect(field(again[0], 444)).toContain('ListID(66)=list-1 was used before');
    expect(desk.submitted).toHaveLength(2);
    desk.restart();
    expect(outline(desk.oms(list(entry(4))))).toEqual(['N 7']);
  });

  test.each([
    ['another order', list(entry(4))],
    ['one more', list(entry(1), entry(2))],
  ])('U4 refuses another list with PossResend(97)=Y under a used ListID(66) as a whole (%s)', (_, text) => {
    const desk = new Desk();
    desk.oms(list(entry(1)));
    desk.order({ clientOrderId: '1', quantity: '1', status: 'CANCELLED', statusReasonCode: '6019' });
    const answers = desk.oms(text.replace('66=', '97=Y|66='));
    expect(outline(answers)).toEqual(['N 7']);
    expect(field(answers[0], 444)).toContain('ListID(66)=list-1 was used before on this session for other orders');
    expect(desk.submitted).toHaveLength(1);
  });

  test.each([
    ['a fragment', list(entry(1)).replace('68=1', '68=2'), 'TotNoOrders(68)=2 but 1 orders follow'],
    ['orders that wait for an instruction', list(entry(1)).replace('73=', '433=2|73='), 'ListExecInstType(433)=2'],
    ['orders that hang together', list(entry(1)).replace('73=', '1385=1|73='), 'ContingencyType(1385)=1'],
  ])('%s is refused whole, with the reason, and no order is made', (_, text, why) => {
    const desk = new Desk();
    const answers = desk.oms(text);
    expect(outline(answers)).toEqual(['N 7']);
    expect(field(answers[0], 444)).toContain(why);
    expect(desk.submitted).toHaveLength(0);
  });

  test('O4 a list first seen as PossDup makes orders only while it is young, by OrigSendingTime(122)', () => {
    const desk = new Desk(gatewayConfig());
    const old = list(entry(1)).replace('66=', '43=Y|122=20260105-11:59:40|66=');
    expect(outline(desk.oms(old, { possDup: true }))).toEqual(['8 l-1 8', 'N 3', 'N 6']);
    expect(desk.submitted).toHaveLength(0);
  });

  test('D2 in FIX.4.2 a list works too, with ExecTransType(20) in its reports', () => {
    const sessionId = 'FIX.4.2:XG->OMS';
    const desk = new Desk(gatewayConfig({ beginString: 'FIX.4.2', sessionId }));
    desk.oms(list(entry(1, '21=1|')), { sessionId });
    const [report] = desk.order({ clientOrderId: '1', quantity: '1' });
    expect([field(report, 66), field(report, 20)]).toEqual(['list-1', '0']);
  });
});

test.each([
  ['FIX.4.2', 'for each order of the list'],
  ['FIX.4.4', 'for each order of the list, or OrderMass(Cancel|Status)Request\\((q|AF)\\)'],
] as const)("D2 answers a K or M in %s with the version's message", (beginString, instead) => {
  const desk = new Desk(gatewayConfig({ beginString }));
  for (const msgType of ['K', 'M']) {
    const [answer] = desk.oms(`35=${msgType}|66=L-1|`);
    expect([field(answer, 35), field(answer, 380)]).toEqual(['j', '3']);
    expect(field(answer, 58)).toMatch(new RegExp(`${instead}$`));
  }
});

/** Possible events of a day with few ClOrdIDs and ListIDs: `bad` names an entry with an unknown symbol. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('list' as const),
    listID: fc.integer({ min: 1, max: 4 }),
    ids: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
    bad: fc.integer({ min: 0, max: 12 }),
    again: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('order' as const), id: fc.integer({ min: 1, max: 7 }), again: fc.boolean() }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat(20) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

/** The day by the rules: the used ClOrdIDs, and the owner of each list entry. */
class ListDay {
  readonly desk: Desk;
  readonly used = new Set<number>();
  /** By ListID: its ClOrdIDs, which of the entries are its own, and how often it was said to be done. */
  readonly lists = new Map<string, { ids: readonly number[]; own: readonly boolean[]; done: number }>();
  #open: string[] = [];
  #submitted = 0;

  constructor(ended: boolean) {
    this.desk = new Desk(gatewayConfig(), { ended });
  }

  step(one: typeof step extends fc.Arbitrary<infer T> ? T : never): void {
    if (one.kind === 'list') this.#list(one);
    else if (one.kind === 'order') this.#order(one);
    else if (one.kind === 'restart') this.desk.restart();
    else this.end(one.which);
  }

  #list({ listID, ids, bad, again }: { listID: number; ids: number[]; bad: number; again: boolean }): void {
    const name = `list-${listID}`;
    const entries = ids.map((id, i) => {
      const text = entry(i + 1)
        .replace(/^11=l-\d+/, `11=l-${id}`)
        .replace(/38=\d+/, '38=1');
      return i === bad ? text.replace('BTCUSDC', 'NOSUCH') : text;
    });
    const text = list(...entries).replace('list-1', name);
    const known = this.lists.get(name);
    const answers = this.desk.oms(again ? text.replace('66=', '97=Y|66=') : text);
    const acks = answers.filter((answer) => field(answer, 35) === 'N' && field(answer, 431) !== '6');
    expect(acks, 'one N for each E').toHaveLength(1);
    const told = acks[0]!
      .split('|11=')
      .slice(1)
      .map((part) => [Number(part.split('|')[0]!.slice(2)), /\|39=8\|.*\|103=6(\||$)/.test(part)]);
    if (known !== undefined && !(again && `${known.ids}` === `${ids}`)) {
      expect([field(acks[0], 431), this.#creates()]).toEqual(['7', 0]);
      return;
    }
    const own = known?.own ?? ids.map((id, i) => !this.used.has(id) && ids.indexOf(id) === i);
    const isNone = own.every((is) => !is);
    expect(field(acks[0], 431)).toBe(isNone ? '7' : '3');
    expect(told, 'each entry is told as what it is').toEqual(ids.map((id, i) => [id, !own[i]]));
    expect(this.#creates()).toBe(known === undefined ? own.filter((is, i) => is && i !== bad).length : 0);
    if (known === undefined) this.lists.set(name, { ids, own, done: 0 });
    for (const id of ids) this.used.add(id);
    this.#countDone(answers);
  }

  #order({ id, again }: { id: number; again: boolean }): void {
    this.desk.oms(`35=D|11=l-${id}|1=ACC1|55=BTCUSDC|54=1|38=1|40=2|44=100|59=1|${again ? '97=Y|' : ''}`);
    expect(this.#creates(), 'a ClOrdID runs once').toBe(this.used.has(id) ? 0 : 1);
    this.used.add(id);
  }

  /** The exchange ends one of those that are open, if there is one. */
  end(which: number): void {
    const [clientOrderId] = this.#open.splice(which % Math.max(1, this.#open.length), 1);
    if (clientOrderId === undefined) return;
    const of = { clientOrderId, orderId: `9${clientOrderId}`, quantity: '1' } as const;
    this.#countDone(this.desk.order({ ...of, status: 'CANCELLED', statusReasonCode: '6019' }));
  }

  endAll(): void {
    while (this.#open.length > 0) this.end(0);
  }

  #creates(): number {
    const fresh = this.desk.submitted.slice(this.#submitted).map(({ command }) => command);
    this.#submitted = this.desk.submitted.length;
    for (const one of fresh) if (one.kind === 'createOrder') this.#open.push(one.clientOrderId);
    return fresh.length;
  }

  #countDone(answers: readonly string[]): void {
    for (const answer of answers) {
      if (field(answer, 35) !== 'N' || field(answer, 431) !== '6') continue;
      this.lists.get(field(answer, 66)!)!.done++;
    }
  }
}

test('O5 U4 runs random lists over few ClOrdIDs once each, with one report per entry and one end', () => {
  checkProperty(
    fc.property(fc.array(step, { maxLength: 25 }), fc.boolean(), (steps, ended) => {
      const day = new ListDay(ended);
      for (const one of steps) day.step(one);
      day.endAll();
      for (const [name, { own, done }] of day.lists) expect([name, done]).toEqual([name, own.includes(true) ? 1 : 0]);
    }),
    100,
  );
});
