// One order from NewOrderSingle to its end, as an OMS sees it: whole messages, in every order of the exchange's events.

import { expect, test } from 'vitest';
import { Desk, field, gatewayConfig, LIMIT, SESSION, summary, T0, workingDesk } from '../desk.ts';

test('NewOrderSingle becomes one create command, and New follows the first word of the exchange', () => {
  const desk = new Desk();
  expect(desk.oms(LIMIT)).toEqual([]);
  expect(desk.submitted).toEqual([
    expect.objectContaining({
      command: {
        kind: 'createOrder',
        clientOrderId: '1',
        symbol: 'BTCUSDC',
        type: 'LIMIT',
        side: 'BUY',
        price: '100',
        stopPrice: null,
        quantity: '2',
        timeInForce: 'GTC',
        allowBorrow: false,
        isMMP: null,
        tradingAccountId: '111000000000001',
      },
    }),
  ]);
  expect(desk.accepted(undefined, '9001')).toEqual([]);
  expect(desk.order({})).toEqual([
    '35=8|37=9001|11=o-1|17=9001-0|150=0|39=0|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|151=2|14=0|6=0|' +
      '60=20260105-12:00:00.000|',
  ]);
  expect(desk.trade({ quantity: '0.50000000', price: '100.0', baseFee: '0.00010000' })).toEqual([
    '35=8|37=9001|11=o-1|17=9001-7001-F|150=F|39=1|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|32=0.5|31=100|' +
      '151=1.5|14=0.5|6=100|60=20260105-12:00:00.000|381=50|136=1|137=0.0001|138=BTC|139=4|851=1|',
  ]);
  expect(desk.trade({ tradeId: '7002', quantity: '1.5', price: '99.9' })).toEqual([
    '35=8|37=9001|11=o-1|17=9001-7002-F|150=F|39=2|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|32=1.5|31=99.9|' +
      '151=0|14=2|6=99.925|60=20260105-12:00:00.000|381=149.85|851=1|',
  ]);
  expect(desk.order({ status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '2.0' })).toEqual([]);
});

test('the intent is recorded before the command that it announces', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const kinds = desk.effects
    .map((effect) => effect.kind)
    .filter((kind) => kind === 'persistOrder' || kind === 'submit');
  expect(kinds.at(-1)).toBe('submit');
  expect(new Set(kinds.slice(0, -1))).toEqual(new Set(['persistOrder']));
});

test('D6 a fill before any other word is preceded by New, with events in order and reversed', () => {
  const events = (desk: Desk): (() => void)[] => [
    () => desk.accepted(desk.submitted[0]!.commandId, '9001'),
    () => desk.order({ quantityFilled: '0.5', statusReasonCode: '6013' }),
    () => desk.trade({}),
  ];
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [2, 0, 1],
    [1, 2, 0, 2, 1],
  ]) {
    const desk = new Desk();
    desk.oms(LIMIT);
    for (const i of order) events(desk)[i]!();
    expect(summary(desk.sent)).toEqual(['0/0', 'F/1']);
  }
});

test('D6 PendingNew goes out when the outcome stays open longer than the setting, and at once with 0', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  expect(desk.advance(999)).toEqual([]);
  expect(summary(desk.advance(1))).toEqual(['A/A']);
  expect(summary(desk.order({}))).toEqual(['0/0']);
  const eager = new Desk(gatewayConfig({ pendingNewAfterMs: 0 }));
  expect(summary(eager.oms(LIMIT))).toEqual(['A/A']);
  expect(field(eager.sent[0], 37)).toBe('NONE');
});

test('O1 a terminal report waits for the missing trade, in either order of the frames', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  expect(desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' })).toEqual([]);
  expect(summary(desk.trade({}))).toEqual(['F/1', '4/4']);
  expect(field(desk.sent.at(-1), 14)).toBe('0.5');
  expect(field(desk.sent.at(-1), 151)).toBe('0');
  const other = new Desk();
  other.oms(LIMIT);
  other.order({});
  expect(summary(other.trade({}))).toEqual(['F/1']);
  const end = other.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' });
  expect(summary(end)).toEqual(['4/4']);
});

test('O1 the wait is bounded: the missing trade is looked up, then the end is reported with an alarm', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.5' });
  desk.advance(3_000);
  // Said again, or otherwise, it is the same end, and no new wait.
  desk.order({ status: 'CANCELLED', statusReasonCode: '6024', quantityFilled: '0.5', publishedAt: desk.now });
  desk.advance(1_999);
  expect(desk.lookups.length).toBeGreaterThan(0);
  expect(desk.lookups[0]).toMatchObject({ orderId: '9001', clientOrderId: '1' });
  const end = desk.advance(1);
  expect(summary(end)).toEqual(['4/4']);
  expect(field(end[0], 58)).not.toContain('6024');
  expect(desk.alarmNames()).toContain('trades-missing');
});

test('O1 reports a fill after the end with unchanged OrdStatus and an alarm; the order stays ended', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  desk.order({ status: 'CANCELLED', statusReasonCode: '6005' });
  const late = desk.trade({});
  expect(summary(late)).toEqual(['F/4']);
  expect(field(late[0], 14)).toBe('0.5');
  expect(field(late[0], 6)).toBe('100');
  expect(field(late[0], 151)).toBe('0');
  expect(desk.alarmNames()).toContain('late-fill');
  expect(desk.order({ status: 'OPEN' })).toEqual([]);
  expect(desk.trade({})).toEqual([]);
});

test('O2 one tradeId on both sides of a self-match gives two ExecIDs, the same after a restart', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.oms(LIMIT.replace('o-1', 'o-2').replace('54=1', '54=2'));
  desk.order({});
  desk.order({ orderId: '9002', clientOrderId: '2', side: 'SELL' });
  desk.trade({});
  desk.restart();
  expect(desk.trade({})).toEqual([]);
  desk.trade({ orderId: '9002', clientOrderId: '2', side: 'SELL' });
  const fills = desk.sent.filter((text) => field(text, 150) === 'F').map((text) => field(text, 17));
  expect(fills).toEqual(['9001-7001-F', '9002-7001-F']);
});

test('O3 and D10 CumQty and GrossTradeAmt are exact, AvgPx has price precision + 4 decimals, half-even', () => {
  const desk = new Desk();
  desk.oms(LIMIT.replace('38=2', '38=3'));
  desk.order({ quantity: '3' });
  desk.trade({ tradeId: '1', quantity: '1', price: '100.1' });
  const second = desk.trade({ tradeId: '2', quantity: '2', price: '100.2000001' });
  // (100.1 + 200.4000002) / 3 = 100.16666673…
  expect(field(second[0], 6)).toBe('100.16667');
  expect(field(second[0], 381)).toBe('200.4000002');
  expect(field(second[0], 14)).toBe('3');
});

test('D5 the rest of an IOC order expires: 150=C 39=C', () => {
  for (const frame of [
    { status: 'CLOSED', statusReasonCode: '6004' },
    { status: 'CANCELLED', statusReasonCode: '6004' },
    { status: 'CANCELLED', statusReasonCode: null },
  ] as const) {
    const desk = new Desk();
    desk.oms(LIMIT.replace('59=1', '59=3'));
    desk.order({ ...frame, quantityFilled: '0.5' });
    desk.trade({});
    expect(summary(desk.sent)).toEqual(['0/0', 'F/1', 'C/C']);
  }
});

test('D5 T5 the code decides whether the rest expired or was cancelled, for any status', () => {
  const ends = { C: ['6003', '6004', '6021', '3067'], 4: ['3020', '6005', '6007', '6019', '6022', '6023', '6024'] };
  for (const [expected, codes] of Object.entries(ends)) {
    for (const statusReasonCode of codes) {
      for (const status of ['CLOSED', 'CANCELLED'] as const) {
        const desk = workingDesk();
        expect(summary(desk.order({ status, statusReasonCode })), `${status} ${statusReasonCode}`).toEqual([
          `${expected}/${expected}`,
        ]);
      }
    }
  }
});

test('D5 rejects before New with the earlier notice; after New the end is Canceled with 378', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  const notice = {
    tradingAccountId: '111000000000001',
    orderId: '9001',
    clientOrderId: '1',
    requestId: null,
    errorCode: '3005',
    errorCodeName: 'INSUFFICIENT_BALANCE',
    message: 'Insufficient balance',
  };
  desk.feed({ kind: 'errorNotice', notice });
  const [rejected] = desk.order({ status: 'REJECTED', statusReasonCode: '3005', statusReason: 'Insufficient balance' });
  expect([field(rejected, 150), field(rejected, 39), field(rejected, 103)]).toEqual(['8', '8', '3']);
  expect(field(rejected, 58)).toContain('Insufficient balance');
  const working = new Desk();
  working.oms(LIMIT);
  working.order({});
  const [cancelled] = working.order({
    status: 'REJECTED',
    statusReasonCode: '3005',
    statusReason: 'Insufficient balance',
  });
  expect([field(cancelled, 150), field(cancelled, 39), field(cancelled, 378)]).toEqual(['4', '4', '8']);
  expect(field(cancelled, 58)).toContain('3005');
});

test('D5 a triggered stop is 150=D with Text in standard 4.4 and 150=7 in the venue dialect', () => {
  const stop = '35=D|11=s-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=4|44=100|99=101|59=1|';
  for (const [dialect, execType] of [
    ['standard', 'D'],
    ['venue', '7'],
  ] as const) {
    const desk = new Desk(gatewayConfig({ dialect }));
    desk.oms(stop);
    desk.order({ type: 'STOP_LIMIT' });
    const triggered = desk.order({ type: 'LMT', statusReasonCode: '6012', publishedAt: T0 + 1 });
    expect(summary(triggered)).toEqual([`${execType}/0`]);
    expect(field(triggered[0], 378)).toBe(dialect === 'standard' ? '8' : null);
    expect(field(triggered[0], 58)).toContain('StopPx(99)=101');
    const { timeline, stopPx } = desk.gateway.findOrder('FIX.4.4:XG->OMS', 's-1')!;
    expect([timeline.at(-1)![1], stopPx]).toEqual([expect.stringMatching(`^150=${execType} Stop triggered`), '101']);
    expect(desk.order({ type: 'LMT', statusReasonCode: '6012', publishedAt: T0 + 2 })).toEqual([]);
  }
});

test('D5 triggers an untriggered stop before its first fill, but not after its end or a rejection', () => {
  const stop = '35=D|11=s-1|1=ACC1|55=BTCUSDC|54=1|38=2|40=4|44=100|99=101|59=1|';
  const desk = new Desk();
  desk.oms(stop);
  desk.order({ type: 'STOP_LIMIT' });
  expect(summary(desk.trade({}))).toEqual(['D/0', 'F/1']);
  const ended = new Desk();
  ended.oms(stop);
  ended.order({ type: 'STOP_LIMIT' });
  ended.order({ type: 'STOP_LIMIT', status: 'CANCELLED', statusReasonCode: '6005' });
  expect(summary(ended.trade({}))).toEqual(['F/4']);
  const rejected = new Desk();
  rejected.oms(stop);
  expect(summary(rejected.order({ status: 'REJECTED', statusReasonCode: '3005' }))).toEqual(['8/8']);
});

test('O1 looks up a fill that a working order counts and that was not reported', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.accepted(undefined, '9001');
  desk.order({});
  desk.advance(60_000);
  desk.lookups.splice(0);
  expect(desk.order({ quantityFilled: '0.5', publishedAt: desk.now })).toEqual([]);
  desk.advance(5_000);
  expect(desk.lookups).toMatchObject([{ orderId: '9001' }]);
});

test('unsolicited cancels are reported with 378 and the reason of the exchange', () => {
  for (const code of ['3020', '3021', '6019', '6005']) {
    const desk = new Desk();
    desk.oms(LIMIT);
    desk.order({});
    const [report] = desk.order({ status: 'CANCELLED', statusReasonCode: code, statusReason: null });
    expect([field(report, 150), field(report, 39), field(report, 378)]).toEqual(['4', '4', '8']);
    expect(field(report, 58)).toContain(code);
  }
});

test('D5 gives a cancel by the exchange its own reason, despite other cancel requests meanwhile', () => {
  const [mass, gone] = [workingDesk(), workingDesk()];
  mass.oms('35=q|11=q-1|530=7|1=ACC1|');
  gone.feed({ kind: 'sessionDown', sessionId: SESSION, end: 'disconnect' });
  for (const desk of [mass, gone]) {
    expect(desk.last().command.kind).toBe('cancelOrder');
    const [report] = desk.order({ status: 'CANCELLED', statusReasonCode: '6019', publishedAt: desk.now + 1 });
    expect([150, 39, 378].map((tag) => field(report, tag))).toEqual(['4', '4', '8']);
    expect(field(report, 58)).toContain('Cancelled without a request of this session');
  }
});

test("O9 echoes the OMS's 1, 11, 15, 21, 453, 526, 583; 115 as 128 and 50 as 57 (D11)", () => {
  const desk = new Desk();
  desk.oms(`35=D|50=trader|115=FIRM|${LIMIT.slice(5)}526=second|583=link|453=1|448=CLI|447=D|452=3|15=USDC|21=1|`);
  const [report] = desk.order({});
  expect(report).toBe(
    '35=8|57=trader|128=FIRM|37=9001|11=o-1|526=second|583=link|453=1|448=CLI|447=D|452=3|15=USDC|21=1|17=9001-0|' +
      '150=0|39=0|1=ACC1|55=BTCUSDC|54=1|38=2|40=2|44=100|59=1|151=2|14=0|6=0|60=20260105-12:00:00.000|',
  );
  const [bare] = new Desk().oms(LIMIT.replace('1=ACC1|', '1=NONE|').replace('55=', '453=0|55='));
  expect([field(bare, 150), field(bare, 453)]).toEqual(['8', null]);
});

test('O11 orders and trades of others are never reported to an order session', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  desk.order({});
  expect(desk.order({ orderId: '777', clientOrderId: null })).toEqual([]);
  expect(desk.trade({ orderId: '777', clientOrderId: null })).toEqual([]);
  expect(desk.trade({ orderId: '778', clientOrderId: '99999999' })).toEqual([]);
});

test('reports a trade without our reference once the acknowledgement identifies the order', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  expect(desk.trade({ clientOrderId: null })).toEqual([]);
  expect(summary(desk.accepted(undefined, '9001'))).toEqual(['0/0', 'F/1']);
  const framed = new Desk();
  framed.oms(LIMIT);
  framed.trade({ clientOrderId: null });
  expect(summary(framed.order({ quantityFilled: '0.5' }))).toEqual(['0/0', 'F/1']);
});

test('does so after any number of foreign trades without a reference, with commands under way', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  for (let n = 0; n < 1_000; n++) desk.trade({ orderId: `${5_000 + n}`, tradeId: `${n}`, clientOrderId: null });
  desk.trade({ clientOrderId: null });
  expect(summary(desk.accepted(undefined, '9001'))).toEqual(['0/0', 'F/1']);
});

test('stamps an order or fill without a time with the present TransactTime(60), not 1970', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const said = [...desk.order({ createdAt: 0 }), ...desk.trade({ createdAt: 0 })];
  expect(said.map((text) => [field(text, 150), field(text, 60)])).toEqual([
    ['0', '20260105-12:00:00.000'],
    ['F', '20260105-12:00:00.000'],
  ]);
});

test('venue dialect reports carry 1057, rebates and the fee of the side, and no pending replace', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
  desk.oms(LIMIT.replace('40=2', '40=p'));
  desk.order({ type: 'POST_ONLY' });
  const [fill] = desk.trade({ tradeRebateAmount: '0.0010', tradeRebateAssetSymbol: 'USDC' });
  expect(field(fill, 40)).toBe('p');
  expect(field(fill, 1057)).toBe('N');
  expect([field(fill, 20000), field(fill, 20001)]).toEqual(['0.001', 'USDC']);
  expect([field(fill, 136), field(fill, 137), field(fill, 138), field(fill, 139)]).toEqual(['1', '0', 'BTC', '4']);
});

test("D1 reports post-only in the standard dictionary's terms: 40=2 with 18=6", () => {
  const desk = new Desk();
  desk.oms(LIMIT.replace('40=2', '40=p'));
  expect(desk.last().command).toMatchObject({ type: 'POST_ONLY' });
  const [report] = desk.order({ type: 'POST_ONLY' });
  expect([field(report, 40), field(report, 18)]).toEqual(['2', '6']);
  desk.oms(LIMIT.replace('o-1', 'o-2').replace('40=2', '40=2|18=6'));
  expect(desk.last().command).toMatchObject({ type: 'POST_ONLY' });
});

test('a margin order reports its loan in the venue dialect', () => {
  const desk = new Desk(gatewayConfig({ dialect: 'venue' }));
  desk.oms(`${LIMIT}544=2|`);
  expect(desk.last().command).toMatchObject({ allowBorrow: true });
  const [report] = desk.order({ borrowedQuantity: '12.50' });
  expect([field(report, 544), field(report, 8004), field(report, 8006)]).toEqual(['2', '12.5', 'USDC']);
  const standard = new Desk();
  standard.oms(`${LIMIT}544=2|`);
  expect(field(standard.order({ borrowedQuantity: '12.50' })[0], 8004)).toBeNull();
});

test('S7 a throttled D is answered by 8, a throttled G by 9, each with the wait in Text', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const [rejected] = desk.refused(429, '96000', 'Rate limit exceeded');
  expect(summary([rejected!])).toEqual(['8/8']);
  expect(field(rejected, 58)).toContain('wait a second');
  desk.oms(LIMIT.replace('o-1', 'o-2'));
  desk.order({ orderId: '9002', clientOrderId: '2' });
  desk.oms('35=G|11=g-1|41=o-2|1=ACC1|55=BTCUSDC|44=101|');
  const [reject] = desk.refused(429, '96000', 'Rate limit exceeded');
  expect([field(reject, 35), field(reject, 434), field(reject, 39)]).toEqual(['9', '2', '0']);
  expect(field(reject, 58)).toContain('wait a second');
});

test('U1 a refusal for an ended gateway login says that nothing was carried out, and the remedy', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const [rejected] = desk.refused(401, '8006', 'JWT is missing, invalid or ended');
  expect(summary([rejected!])).toEqual(['8/8']);
  expect(field(rejected, 58)).toContain(
    'JWT is missing, invalid or ended; it was not carried out, and the gateway logs in to the exchange anew: send it again',
  );
});

test('U1 a refusal for a nonce of the gateway says so, with the remedy', () => {
  const desk = new Desk();
  desk.oms(LIMIT);
  const [rejected] = desk.refused(400, '2035', 'Invalid nonce');
  expect(summary([rejected!])).toEqual(['8/8']);
  expect(field(rejected, 58)).toBe(
    'Refused by the exchange (HTTP 400): Invalid nonce; it was not carried out, unless something on the way delivered it twice, which reports show then; the nonce is of the gateway, not yours: ' +
      'send it again under a new ClOrdID(11) (exchange code 2035)',
  );
});

test('D7 OrderID stays the same for a chain and is NONE where there is none yet', () => {
  const desk = new Desk(gatewayConfig({ pendingNewAfterMs: 0 }));
  expect(field(desk.oms(LIMIT)[0], 37)).toBe('NONE');
  desk.order({});
  desk.oms('35=G|11=g-1|41=o-1|1=ACC1|55=BTCUSDC|44=101|');
  desk.trade({ clientOrderId: '2', price: '101', createdAt: T0 + 5 });
  // A frame from before the replacement shows the old terms: it restates nothing.
  expect(desk.order({ publishedAt: T0 + 4 })).toEqual([]);
  expect(new Set(desk.sent.slice(1).map((text) => field(text, 37)))).toEqual(new Set(['9001']));
});

test("D11 sends an unsolicited report to the order's trader, in TargetSubID(57)", () => {
  const desk = new Desk();
  desk.oms(`35=D|50=trader-7|${LIMIT.slice(5)}`);
  const reference = (desk.last().command as { clientOrderId: string }).clientOrderId;
  desk.accepted(undefined, '9001');
  const ours = { orderId: '9001', clientOrderId: reference };
  expect(field(desk.order({ ...ours, statusReasonCode: '6001' })[0], 57)).toBe('trader-7');
  const [unsolicited] = desk.order({ ...ours, status: 'CANCELLED', statusReasonCode: '3020' });
  expect([field(unsolicited, 150), field(unsolicited, 57)]).toEqual(['4', 'trader-7']);
});

test('a rejection by notice and by frame says the same reason once', () => {
  for (const message of ['Insufficient balance', 'Something else']) {
    const desk = new Desk();
    desk.oms(LIMIT);
    const names = { tradingAccountId: '111000000000001', clientOrderId: '1', orderId: null, requestId: null };
    desk.feed({ kind: 'errorNotice', notice: { ...names, errorCode: '3005', errorCodeName: null, message } });
    const reason = { statusReasonCode: '3005', statusReason: 'Insufficient balance' };
    const text = field(desk.order({ status: 'REJECTED', ...reason })[0], 58) ?? '';
    expect(text.split(message)).toHaveLength(2);
    expect(text).toContain('Insufficient balance');
  }
});
