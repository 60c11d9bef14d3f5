// Echoed fields of a message outside the order's reports: its writer (57, 128, 129), and the names of the order and its
// market (rules O9, D11, O6, D10).

import { describe, expect, test } from 'vitest';
import { Desk, dropCopyConfig, field, gatewayConfig, LIMIT, SESSION, sessionConfig, workingDesk } from '../desk.ts';
import { MarketDesk, V } from '../market-desk.ts';

const BY = '50=trader|115=FIRM|116=dealer|';
const addressOf = (text: string | undefined): (string | null)[] => [57, 128, 129].map((tag) => field(text, tag));
const ENTRY = '11=e-1|67=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|';
const LIST = `35=E|${BY}66=L-1|394=3|68=1|73=1|${ENTRY}`;

describe('O9 returns SenderSubID(50) as 57, OnBehalfOfCompID(115) as 128 and OnBehalfOfSubID(116) as 129', () => {
  test.each([
    ['r', `35=q|${BY}11=q-1|530=7|`],
    ['r that refuses', `35=q|${BY}11=q-1|530=1|`],
    ['8 about an order that is not known', `35=H|${BY}11=none|55=BTCUSDC|54=1|`],
    ['8 that says that no order is open', `35=AF|${BY}584=m-1|585=7|`],
    ['N', LIST],
    ['N that refuses', LIST.replace('68=1', '68=2')],
    ['j', `35=R|${BY}131=Q1|146=1|55=BTCUSDC|`],
    ['9 about an order that is not known', `35=F|${BY}11=c-1|41=none|1=ACC1|55=BTCUSDC|54=1|`],
    ['y', `35=x|${BY}320=s-1|559=4|`],
  ])('in %s', (_, message) => {
    expect(addressOf(new Desk().oms(message)[0])).toEqual(['trader', 'FIRM', 'dealer']);
  });

  test('in N when all orders of the list have ended', () => {
    const desk = new Desk();
    desk.oms(LIST);
    desk.accepted(undefined, '9001');
    desk.order({});
    const told = desk.order({ status: 'CANCELLED', statusReasonCode: '3020' });
    expect([field(told.at(-1), 429), ...addressOf(told.at(-1))]).toEqual(['5', 'trader', 'FIRM', 'dealer']);
  });
});

test("O9 echoes a Parties group without an overlay's fields, each entry with its own", () => {
  const desk = new Desk();
  const sub = '802=2|523=desk|803=4|9001=7|523=floor|803=26|9001=8|';
  desk.oms(LIMIT.replace('55=', `453=2|448=a|447=D|452=3|9000=x|448=b|447=D|452=1|${sub}9000=y|55=`));
  desk.accepted(undefined, '9001');
  const [told] = desk.order({});
  expect(told).toContain('|453=2|448=a|447=D|452=3|448=b|447=D|452=1|802=2|523=desk|803=4|523=floor|803=26|17=9001-0|');
});

test('O9 sends market data and status changes to the firm behind a hub that asked', () => {
  const desk = new MarketDesk();
  const ask = (message: string): string[] => desk.oms(message.replace('|', `|${BY}`));
  const told = desk.told(() => {
    ask(V('m', 1, { types: '0 Q A' }));
    ask(V('m', 1));
    ask('35=e|324=s|55=BTCUSDC|263=1|');
    ask('35=g|335=t|263=1|');
    desk.book([['49999.0', '1']], []);
    desk.book([['49999.0', '2']], []);
    desk.phase({ phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' });
    desk.noii();
  });
  const types = told.map((text) => field(text, 35));
  expect(new Set(types)).toEqual(new Set(['W', 'X', 'Y', 'B', 'f', 'h']));
  expect(told.map(addressOf)).toEqual(told.map(() => ['trader', 'FIRM', 'dealer']));
});

test("O9 r echoes a mass cancel's limits: 55 and 54, and 526 of the request", () => {
  const [mass] = workingDesk().oms('35=q|11=q-1|526=second|530=1|55=BTCUSDC|54=2|');
  expect([field(mass, 55), field(mass, 54), field(mass, 526), field(mass, 533)]).toEqual([
    'BTCUSDC',
    '2',
    'second',
    '0',
  ]);
});

test('O9 a 9 has the ListID(66) of an order that came in a list, and its 526 and 583', () => {
  const desk = new Desk();
  desk.oms(LIST.replace('11=e-1|', '11=e-1|526=second|583=link|'));
  const [reject] = desk.oms('35=G|11=g-1|41=e-1|1=ACC1|55=BTCUSDC|54=1|38=3|40=2|44=100|');
  const echoed = [526, 583, 66].map((tag) => field(reject, tag));
  expect([field(reject, 35), ...echoed]).toEqual(['9', 'second', 'link', 'L-1']);
});

test('O9 a 9 of FIX.4.2 has Account(1) and ListID(66)', () => {
  const desk = new Desk(gatewayConfig({ beginString: 'FIX.4.2' }));
  desk.oms(LIST.replace('59=1|', '59=1|21=1|'));
  const [reject] = desk.oms('35=G|11=g-1|41=e-1|1=ACC1|55=BTCUSDC|54=1|21=1|38=3|40=2|44=100|');
  expect([field(reject, 35), field(reject, 1), field(reject, 66)]).toEqual(['9', 'ACC1', 'L-1']);
});

test('O6 a 9 has the present id of the exchange in 198 where 37 is that of the first leg', () => {
  const desk = workingDesk(gatewayConfig({ replaceByCancelAndNew: true }));
  desk.trade({});
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|54=1|38=3|40=2|44=101|');
  desk.accepted();
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' });
  desk.order({ orderId: '9002', clientOrderId: '2', price: '101', quantity: '2.5' });
  const [reject] = desk.oms('35=F|11=c-1|41=g-1|1=ACC1|55=BTCUSDC|54=2|');
  expect([field(reject, 35), field(reject, 37), field(reject, 198)]).toEqual(['9', '9001', '9002']);
});

test('D10 a fill of FIX.4.2 has GrossTradeAmt(381)', () => {
  const [fill] = workingDesk(gatewayConfig({ beginString: 'FIX.4.2' })).trade({});
  expect([field(fill, 150), field(fill, 381)]).toEqual(['1', '50']);
});

test("O8 echoes 48 and 22 of an order by SecurityID(48); a copy uses its session's names", () => {
  const copies = dropCopyConfig({ symbolAliases: { BITCOIN: 'BTCUSDC' } });
  const config = gatewayConfig();
  const desk = new Desk({ ...config, sessions: [sessionConfig({ symbolAliases: { BBG1: 'BTCUSDC' } }), copies] });
  desk.oms(LIMIT.replace('55=BTCUSDC', '55=[N/A]|48=BBG1|22=A'), { sessionId: SESSION });
  desk.accepted(undefined, '9001');
  const named = desk.order({}).map((text) => [55, 48, 22].map((tag) => field(text, tag)));
  expect(named).toEqual([
    ['[N/A]', 'BBG1', 'A'],
    ['BITCOIN', null, null],
  ]);
});

test("O9 refuses a D to its sender, also with another firm's ClOrdID(11) behind the session", () => {
  const desk = new Desk();
  desk.oms(`${LIMIT}50=one|115=FIRM1|116=a|`);
  desk.accepted(undefined, '9001');
  desk.order({});
  const [reject] = desk.oms(`${LIMIT}50=two|115=FIRM2|116=b|`);
  expect([field(reject, 150), field(reject, 39), ...addressOf(reject)]).toEqual(['8', '0', 'two', 'FIRM2', 'b']);
  const [fill] = desk.trade({});
  expect(addressOf(fill)).toEqual(['one', 'FIRM1', 'a']);
});

test('D11 an F, a G and their 9 that have no SenderSubID(50) are answered to that of the order', () => {
  const desk = new Desk();
  desk.oms(`${LIMIT}${BY}`);
  desk.accepted(undefined, '9001');
  desk.order({});
  const request = (type: string, id: string): string =>
    `35=${type}|11=${id}|41=o-1|1=ACC1|55=BTCUSDC|54=1|40=2|44=101|`;
  const answers = [
    ...desk.oms(request('G', 'g-1')),
    ...desk.refused(400, '6042', 'no'),
    ...desk.oms(request('G', 'g-1')),
  ];
  answers.push(...desk.oms(request('F', 'c-1')), ...desk.order({ status: 'CANCELLED', statusReasonCode: '6005' }));
  expect(answers.map((text) => [field(text, 35), ...addressOf(text)])).toEqual(
    ['8', '9', '9', '8', '8'].map((type) => [type, 'trader', 'FIRM', 'dealer']),
  );
});

/** The writer: 50 and 115 as written. */
const WRITERS = [
  '',
  '50=trader|',
  '115=FIRM|',
  BY,
  '50=other|',
  '115=OTHER|116=x|',
  '50=other|115=OTHER|116=x|',
  '50=other|115=FIRM|',
  '115=FIRM|116=second|',
];

test.each(WRITERS)(
  'O9 D11 no answer names one firm (128) and a sub of another (57, 129): the order is of "%s"',
  (owner) => {
    for (const asker of WRITERS) {
      const named = (writer: string) => [50, 115, 116].map((tag) => field(`35=D|${writer}`, tag));
      // Another firm's permissions follow below.
      if (named(asker)[1] !== null && named(owner)[1] !== null && named(asker)[1] !== named(owner)[1]) continue;
      const desk = new Desk(gatewayConfig({ replaceByCancelAndNew: true }));
      desk.oms(`${LIMIT}${owner}`);
      desk.accepted(undefined, '9001');
      desk.order({});
      desk.trade({});
      const request = (type: string, id: string, more = '') =>
        desk.oms(`35=${type}|11=${id}|41=o-1|1=ACC1|55=BTCUSDC|54=1|${asker}${more}`);
      const answers = [
        ...request('G', 'g-1', '38=2|40=2|44=100|'),
        ...request('G', 'g-2', '38=2|40=2|44=101|'),
        ...desk.refused(400, '6042', 'no'),
        ...request('F', 'c-1'),
        ...desk.refused(400, '6043', 'no'),
        ...desk.oms(`35=q|11=q-1|530=7|${asker}`).slice(1),
        ...desk.refused(400, '6043', 'no'),
        ...desk.oms(`35=H|11=o-1|55=BTCUSDC|54=1|${asker}`),
        ...request('G', 'g-3', '38=2|40=2|44=101|'),
        ...desk.accepted(),
        ...desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5', publishedAt: 9e12 }),
        ...desk.accepted(undefined, '9002'),
        ...desk.order({ orderId: '9002', clientOrderId: '3', quantity: '1.5', price: '101' }),
        ...request('F', 'c-2'),
        ...desk.accepted(),
        ...desk.order({
          orderId: '9002',
          clientOrderId: '3',
          quantity: '1.5',
          price: '101',
          status: 'CANCELLED',
          statusReasonCode: '6005',
        }),
      ];
      const [[sub, firm, dealer], [ownerSub, ownerFirm, ownerDealer]] = [named(asker), named(owner)];
      const ofBoth = [[sub, firm, dealer].join(), [ownerSub, ownerFirm, ownerDealer].join()];
      if (firm === ownerFirm)
        for (const who of [sub, ownerSub])
          for (const whose of [dealer, ownerDealer]) ofBoth.push([who, firm, whose].join());
      const told = answers.map((text) => addressOf(text).join());
      expect([told.length, told.filter((each) => !ofBoth.includes(each))]).toEqual([11, []]);
      // A named requester is answered; H by the order's owner.
      const mine = told.filter((_, i) => field(answers[i], 150) !== 'I');
      if (sub !== null && firm !== null && dealer !== null) expect(new Set(mine)).toEqual(new Set([ofBoth[0]]));
      expect(desk.alarms.map(({ alarm }) => alarm)).toEqual(['cancel-incomplete']);
    }
  },
);

describe('O9 an order that one firm behind a session entered (115)', () => {
  const OTHER = '50=other|115=OTHER|';
  const cancel = (id: string, writer: string): string => `35=F|11=${id}|41=o-1|1=ACC1|55=BTCUSDC|54=1|${writer}`;
  const told = (answers: readonly string[]) =>
    answers.map((text) => [128, 11, 41, 35, 150, 39, 378].map((tag) => field(text, tag) ?? '').join(' '));

  function working(): Desk {
    const desk = new Desk();
    desk.oms(`${LIMIT}${BY}`);
    desk.accepted(undefined, '9001');
    desk.order({});
    return desk;
  }

  test("is cancelled by another firm's F: each gets its own ClOrdID, and fills go to the owner", () => {
    const desk = working();
    expect(told(desk.oms(cancel('f-1', OTHER)))).toEqual(['OTHER f-1 o-1 8 6 6 ']);
    expect(told(desk.oms(cancel('f-2', OTHER)))).toEqual(['OTHER f-2 o-1 9  0 ']);
    desk.accepted();
    expect(told(desk.trade({}))).toEqual(['FIRM o-1  8 F 1 ']);
    desk.restart();
    const end = desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' });
    expect(told(end)).toEqual(['FIRM o-1  8 4 4 8', 'OTHER f-1 o-1 8 4 4 ']);
    expect(end.map((text) => field(text, 58))).toEqual([
      'Cancelled by another firm behind this session that trades this account',
      'The order was entered by another firm behind this session',
    ]);
    expect(new Set(end.map((text) => field(text, 17))).size).toBe(2);
    expect(told(desk.oms(cancel('f-1', `${OTHER}97=Y|`)))).toEqual(['OTHER o-1  8 I 4 ']);
    expect(field(desk.oms(cancel('f-1', OTHER))[0], 102)).toBe('6');
  });

  test("D15 answers another firm's H, AF, or repeated D with 97=Y with the status", () => {
    const desk = working();
    for (const message of ['35=H|11=o-1|55=BTCUSDC|54=1|', '35=AF|584=m-1|585=7|', LIMIT.replace('11=', '97=Y|11=')]) {
      expect(told(desk.oms(`${message}${OTHER}`))).toEqual(['OTHER o-1  8 I 0 ']);
      for (const own of [BY, '']) expect(told(desk.oms(`${message}${own}`))).toEqual(['FIRM o-1  8 I 0 ']);
    }
  });

  test("goes to another firm without its owner's Parties(453) and SecondaryClOrdID(526)", () => {
    const theirs = '526=NAME-9|583=LINK-3|453=1|448=CLIENT-7|447=D|452=3|';
    const leaks = (answers: readonly string[]): string[] => {
      expect(answers.length).toBeGreaterThan(0);
      const toOther = answers.filter((text) => field(text, 128) === 'OTHER');
      return toOther.filter((text) => /CLIENT-7|NAME-9|LINK-3/.test(text));
    };
    const desk = new Desk();
    desk.oms(`${LIMIT}${BY}${theirs}`);
    desk.accepted(undefined, '9001');
    const [own] = desk.order({});
    expect(own).toContain('526=NAME-9|583=LINK-3|453=1|448=CLIENT-7|');
    const asks = ['35=H|11=o-1|55=BTCUSDC|54=1|', '35=AF|584=m-1|585=7|', LIMIT.replace('11=', '97=Y|11='), LIMIT];
    for (const message of asks) expect(leaks(desk.oms(`${message}${OTHER}`))).toEqual([]);
    const g = cancel('g-1', OTHER).replace('35=F', '35=G').replace('54=1|', '54=1|40=2|38=2|44=101|');
    expect(leaks(desk.oms(g))).toEqual([]);
    expect(leaks(desk.oms(`35=q|11=q-1|530=7|${OTHER}`))).toEqual([]);
    expect(leaks(desk.refused(400, '6043', 'no'))).toEqual([]);
    expect(leaks(desk.oms(cancel('f-1', OTHER)))).toEqual([]);
    expect(leaks(desk.oms(cancel('f-2', OTHER)))).toEqual([]);
    const end = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
    expect(leaks(end)).toEqual([]);
    expect(end[0]).toContain('526=NAME-9|583=LINK-3|453=1|448=CLIENT-7|');
  });

  test('stays open if the exchange refuses that: only the requester gets a 9', () => {
    const desk = working();
    desk.oms(cancel('f-1', OTHER));
    expect(told(desk.refused(400, '6043', 'no'))).toEqual(['OTHER f-1 o-1 9  0 ']);
    expect(desk.alarms).toEqual([]);
    expect(told(desk.oms(cancel('f-3', '')))).toEqual(['FIRM f-3 o-1 8 6 6 ']);
  });

  test.each([
    ['115=OTHER|', '8'],
    ['115=FIRM|', ''],
    ['', ''],
  ])('goes to its owner with 378 if another firm\'s q cancels it: the q has "%s"', (writer, reason) => {
    const desk = working();
    expect(field(desk.oms(`35=q|11=q-1|530=7|${writer}`)[0], 533)).toBe('1');
    const end = desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
    expect(told(end)).toEqual([`FIRM o-1  8 4 4 ${reason}`]);
  });

  test('is not replaced by another one, which its owner would not know under that ClOrdID: 9, 102=99', () => {
    const desk = working();
    const [reject] = desk.oms(cancel('g-1', OTHER).replace('35=F', '35=G').replace('54=1|', '54=1|40=2|38=2|44=101|'));
    expect([35, 434, 102, 39, 128].map((tag) => field(reject, tag))).toEqual(['9', '2', '99', '0', 'OTHER']);
    expect(field(reject, 58)).toContain('ClOrdID(11)=o-1 was entered by another firm (OnBehalfOfCompID(115))');
    expect(desk.submitted).toHaveLength(1);
  });
});

test('D11 a 9 behind a q without SenderSubID(50) is answered to that of the order', () => {
  const desk = new Desk();
  desk.oms(`${LIMIT}${BY}`);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.oms('35=q|11=q-1|530=7|');
  const [reject] = desk.refused(400, '6043', 'no');
  expect([field(reject, 35), ...addressOf(reject)]).toEqual(['9', 'trader', 'FIRM', 'dealer']);
});

test("O9 answers H, AF, F and q on others' orders to the requester, not the owner", () => {
  const other = 'FIX.4.4:XG->OMS2';
  const config = gatewayConfig({ reach: 'accounts' });
  const desk = new Desk({ ...config, sessions: [...config.sessions, sessionConfig({ sessionId: other })] });
  desk.oms(`${LIMIT}50=owner|115=OWN|116=o|`, { sessionId: other });
  desk.accepted(undefined, '9001');
  desk.order({});
  for (const message of [`35=H|${BY}11=none|37=9001|55=BTCUSDC|54=1|`, `35=AF|${BY}584=m-1|585=7|`]) {
    expect(addressOf(desk.oms(message)[0])).toEqual(['trader', 'FIRM', 'dealer']);
  }
  const answers = [
    ...desk.oms(`35=F|${BY}11=f-1|41=NONE|37=9001|1=ACC1|55=BTCUSDC|54=1|`),
    ...desk.refused(400, '6043', 'no'),
    ...desk.oms(`35=q|${BY}11=q-1|530=7|`),
    ...desk.accepted(),
    ...desk.order({ status: 'CANCELLED', statusReasonCode: '6005' }),
  ];
  const told = answers.map((text) => [field(text, 35), field(text, 150), ...addressOf(text)].join());
  const asker = 'trader,FIRM,dealer';
  expect(told).toEqual([`8,6,${asker}`, `9,,${asker}`, `r,,${asker}`, '8,4,owner,OWN,o', `8,4,${asker}`]);
});
