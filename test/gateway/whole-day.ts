// One day of one session with every kind of answer that a gateway gives, for what must hold of all of them.

import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { Desk, gatewayConfig, LIMIT, sessionConfig } from './desk.ts';

/** Every kind of message that a gateway sends, on one session. */
export function wholeDay(
  beginString: string,
  dialect: 'standard' | 'venue',
  defaultApplVerID: '7' | '8' | '9' = '9',
): string[] {
  const limits = { ...sessionConfig().limits, orderQtyMax: '50' };
  const desk = new Desk(gatewayConfig({ beginString, dialect, defaultApplVerID, limits, pendingNewAfterMs: 0 }));
  desk.feed({ kind: 'feed', credential: 'main', feed: 'auction', live: true });
  desk.phase({});
  let orders = 0;
  const next = (text: string): { orderId: string; clientOrderId: string } => {
    orders++;
    desk.oms(text.replace('11=o-1|', `11=o-${orders}|50=trader|115=FIRM|21=1|15=USDC|`));
    return { orderId: `${9000 + orders}`, clientOrderId: `${orders}` };
  };
  const full = next(`${LIMIT}544=1|`);
  desk.order(full);
  desk.trade({ ...full, baseFee: '0.0001', quoteFee: '0.05', tradeRebateAmount: '1', tradeRebateAssetSymbol: 'USDC' });
  desk.trade({ ...full, tradeId: '7002', quantity: '1.5', isTaker: true });
  const cancelled = next(LIMIT.replace('40=2', '40=p'));
  desk.order({ ...cancelled, type: 'POST_ONLY' });
  desk.oms('35=G|11=g-1|41=o-2|1=ACC1|55=BTCUSDC|54=1|21=1|40=2|18=6|38=2|44=101|');
  desk.now += 1;
  desk.order({ ...cancelled, clientOrderId: '3', price: '101', type: 'POST_ONLY' });
  orders++;
  desk.oms('35=G|11=g-2|41=g-1|1=ACC1|55=BTCUSDC|54=1|21=1|40=2|38=2|44=101.01|');
  desk.oms('35=F|11=c-1|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.order({ ...cancelled, clientOrderId: '3', price: '101', status: 'CANCELLED', statusReasonCode: '6005' });
  desk.oms('35=F|11=c-2|41=g-1|1=ACC1|55=BTCUSDC|54=1|');
  desk.oms('35=F|11=c-3|41=nothing|1=ACC1|55=BTCUSDC|54=1|');
  const stop = next(LIMIT.replace('40=2|44=100', '40=4|44=100|99=101'));
  desk.order({ ...stop, type: 'STOP_LIMIT' });
  desk.order({ ...stop, type: 'LMT', publishedAt: desk.now + 1 });
  desk.order({ ...stop, type: 'LMT', quantity: '1', publishedAt: desk.now + 2 });
  desk.order({ ...stop, status: 'CANCELLED', statusReasonCode: '3020' });
  const ioc = next(LIMIT.replace('59=1', '59=3'));
  desk.order({ ...ioc, status: 'CLOSED', statusReasonCode: '6004' });
  const auction = next(LIMIT.replace('59=1', '59=5'));
  desk.order({ ...auction, timeInForce: 'GTX' });
  desk.trade({ ...auction, auctionId: 'A-1' });
  desk.order({ ...auction, status: 'CLOSED', statusReasonCode: '6021', quantityFilled: '0.5' });
  next(LIMIT);
  desk.refused(400, '3005', 'Insufficient balance');
  for (const bad of ['38=60', '1=NONE', '55=XXX', '44=100.01', '59=6']) {
    const tag = bad.slice(0, bad.indexOf('=') + 1);
    const kept = LIMIT.split('|').filter((part) => part !== '' && !part.startsWith(tag));
    desk.oms(`${kept.join('|').replace('o-1', `bad-${bad}`)}|21=1|${bad}|`);
  }
  desk.oms(`${LIMIT}21=1|`);
  desk.oms(`${LIMIT}21=1|97=Y|`);
  desk.oms('35=H|11=o-1|55=BTCUSDC|54=1|');
  desk.oms('35=H|11=nothing|55=BTCUSDC|54=1|');
  desk.oms('35=AF|584=m-1|585=7|');
  desk.oms('35=AF|584=m-2|585=1|55=ETHUSDC|');
  const swept = next(LIMIT);
  desk.order(swept);
  desk.oms('35=q|11=q-1|530=7|1=ACC1|');
  desk.order({ ...swept, status: 'CANCELLED', statusReasonCode: '6005' });
  desk.oms('35=q|11=q-2|530=4|1=ACC1|');
  desk.oms('35=V|262=md-1|263=1|264=1|');
  const tooMuch = viewOf(fromPrintable(`35=H|34=9|49=OMS|56=XG|11=o-1|55=BTCUSDC|54=1|`, beginString))!;
  const { sessionId } = desk.config.sessions[0]!;
  desk.feed({ kind: 'throttled', sessionId, view: tooMuch, possDup: false, excess: 'refuse', waitMs: 40 });
  next(LIMIT);
  desk.unknown();
  const last = next(LIMIT);
  desk.order(last);
  desk.feed({ kind: 'sessionDown', sessionId: desk.config.sessions[0]!.sessionId, end: 'disconnect' });
  desk.order({ ...last, status: 'CANCELLED', statusReasonCode: '6005' });
  return desk.sent;
}
