// The whole conversations in the rules of engagement, made by running them on the gateway and a session machine.

import type { ExchangeOrder, ExchangeTrade } from '../../../src/exchange/mod.ts';
import type { GatewaySessionConfig } from '../../../src/gateway/mod.ts';
import { ACCOUNT } from '../../gateway/desk.ts';
import { Conversation } from './conversation.ts';

type Style = Pick<GatewaySessionConfig, 'beginString' | 'dialect'>;
const FIX44: Style = { beginString: 'FIX.4.4', dialect: 'standard' };
const FIX42: Style = { beginString: 'FIX.4.2', dialect: 'standard' };
const VENUE: Style = { beginString: 'FIX.4.4', dialect: 'venue' };

const ORDER_ID = '297735387747975680';
const OF_ORDER = { orderId: ORDER_ID, price: '60000.0', quantity: '0.50000000', statusReason: null };
const order = (more: Partial<ExchangeOrder> = {}) => ({ ...OF_ORDER, ...more });
const trade = (tradeId: string, quantity: string, more: Partial<ExchangeTrade> = {}) => ({
  orderId: ORDER_ID,
  tradeId,
  quantity,
  price: '59999.5',
  baseFee: '0.00004000',
  ...more,
});
const handled = ({ beginString }: Style): string => (beginString === 'FIX.4.2' ? '21=1|' : '');
const terms = `1=${ACCOUNT}|55=BTCUSDC|54=1|60=now|`;

/** New, partly filled, cancelled. */
function limitOrder(style: Style): Conversation {
  const talk = new Conversation(style);
  talk.oms(`35=D|50=trader1|11=A-1001|${handled(style)}${terms}38=0.5|40=2|44=60000.0|59=1|`);
  talk.exchange('the exchange takes more than a second to answer', () => undefined);
  talk.wait(1_000);
  talk.exchange('the exchange has the order', (desk) => {
    desk.accepted(undefined, ORDER_ID);
    desk.order(order({ createdAt: desk.now - 12 }));
  });
  talk.exchange('0.2 of it are bought', (desk) =>
    desk.trade(trade('100020000000000060', '0.20000000', { createdAt: desk.now - 7 })),
  );
  talk.oms(`35=F|50=trader1|41=A-1001|11=A-1002|${terms}38=0.5|`);
  talk.exchange('the exchange has cancelled the rest', (desk) => {
    desk.accepted();
    const ended = { status: 'CANCELLED', statusReasonCode: '6005', quantityFilled: '0.20000000' } as const;
    desk.order(order({ ...ended, publishedAt: desk.now }));
  });
  return talk;
}

/** New, replaced, filled; an F that comes too late. */
function replacedOrder(style: Style): Conversation {
  const talk = new Conversation(style);
  talk.oms(`35=D|50=trader1|11=A-1001|${handled(style)}${terms}38=0.5|40=2|44=60000.0|59=1|`);
  talk.exchange('the exchange has the order', (desk) => {
    desk.accepted(undefined, ORDER_ID);
    desk.order(order({ createdAt: desk.now - 12 }));
  });
  talk.oms(`35=G|50=trader1|41=A-1001|11=A-1004|${handled(style)}${terms}38=0.5|40=2|44=59990.0|`);
  talk.exchange('the exchange has amended the order', (desk) => {
    desk.accepted();
    desk.order(order({ clientOrderId: '2', price: '59990.0', publishedAt: desk.now - 3 }));
  });
  talk.exchange('all of it is bought', (desk) => {
    const more = { clientOrderId: '2', price: '59990.0', createdAt: desk.now - 7 };
    desk.trade(trade('100020000000000060', '0.50000000', more));
    const ended = { status: 'CLOSED', statusReasonCode: '6002', quantityFilled: '0.50000000' } as const;
    desk.order(order({ clientOrderId: '2', price: '59990.0', ...ended, publishedAt: desk.now }));
  });
  talk.oms(`35=F|50=trader1|41=A-1004|11=A-1005|${terms}38=0.5|`);
  return talk;
}

/** Refused outside an auction; filled in part in one with a postponed cross. */
function auctionOrder(style: Style): Conversation {
  const talk = new Conversation(style);
  const gtx = (id: string) => `35=D|50=trader1|11=${id}|${handled(style)}${terms}38=0.5|40=2|44=60000.0|59=5|`;
  const minute = 60_000;
  const at = talk.desk.now;
  const times = { startTime: at, lockdownTime: at + 5 * minute, scheduledCrossTime: at + 6 * minute };
  talk.exchange('the last auction is over', (desk) =>
    desk.phase({ ...times, auctionId: '6', eventType: 'AUCTION_CROSS_COMPLETED' }),
  );
  talk.oms(gtx('A-1001'));
  talk.exchange('an auction begins', (desk) => desk.phase({ ...times, auctionId: '7' }));
  talk.oms(gtx('A-1002'));
  talk.exchange('the exchange has the order', (desk) => {
    desk.accepted(undefined, ORDER_ID);
    desk.order(order({ timeInForce: 'GTX', createdAt: desk.now - 12 }));
  });
  const locked = { phase: 'LOCKDOWN', createAuctionOrderEnabled: false, cancelAuctionOrderEnabled: false } as const;
  talk.exchange('lockdown: auction orders cannot be cancelled', (desk) =>
    desk.phase({ ...times, ...locked, auctionId: '7', eventType: 'AUCTION_LOCKDOWN' }),
  );
  talk.oms(`35=F|50=trader1|41=A-1002|11=A-1003|${terms}38=0.5|`);
  talk.exchange('the cross is postponed', (desk) => {
    const later = { ...times, scheduledCrossTime: at + 16 * minute };
    desk.phase({ ...later, ...locked, auctionId: '7', eventType: 'AUCTION_CROSS_POSTPONED' });
  });
  talk.exchange('the cross: 0.2 are bought, the rest expires', (desk) => {
    const crossed = { auctionId: '7', isTaker: null, createdAt: desk.now - 7 };
    desk.trade(trade('100020000000000060', '0.20000000', crossed));
    const ended = { status: 'CLOSED', statusReasonCode: '6021', quantityFilled: '0.20000000' } as const;
    desk.order(order({ timeInForce: 'GTX', ...ended, publishedAt: desk.now }));
  });
  return talk;
}

/** The OMS repeats an uncertain order with 97=Y, or asks with a ResendRequest. */
function repeatedOrder(style: Style): Conversation {
  const talk = new Conversation(style);
  const sent = `50=trader1|11=A-1001|${handled(style)}${terms}38=0.5|40=2|44=60000.0|59=1|`;
  talk.oms(`35=D|${sent}`);
  talk.exchange('the exchange has the order', (desk) => {
    desk.accepted(undefined, ORDER_ID);
    desk.order(order({ createdAt: desk.now - 12 }));
  });
  talk.oms(`35=D|97=Y|${sent}`);
  talk.oms(`35=H|50=trader1|11=A-1001|1=${ACCOUNT}|55=BTCUSDC|54=1|`);
  talk.oms('35=2|7=1|16=0|');
  return talk;
}

/** A market's data, requested both ways. */
function referenceData(style: Style): Conversation {
  const talk = new Conversation(style);
  talk.lines.length = 0;
  talk.oms('35=x|320=R-1|559=0|55=BTCUSDC|');
  talk.oms('35=c|320=R-2|321=0|55=BTCUSDC|');
  return talk;
}

const CONVERSATIONS: Readonly<Record<string, () => Conversation>> = {
  'limit order': () => limitOrder(FIX44),
  'replaced order': () => replacedOrder(FIX44),
  'auction order': () => auctionOrder(FIX44),
  'repeated order': () => repeatedOrder(FIX44),
  'limit order FIX.4.2': () => limitOrder(FIX42),
  'replaced order FIX.4.2': () => replacedOrder(FIX42),
  'limit order venue': () => limitOrder(VENUE),
  'auction order venue': () => auctionOrder(VENUE),
  'reference data': () => referenceData(FIX44),
  'reference data venue': () => referenceData(VENUE),
};

/** Fill each place between `<!--conversation NAME-->` and `<!--/conversation-->`. */
export function fillConversations(markdown: string): string {
  return markdown.replace(/<!--conversation ([^>]+)-->\n[\s\S]*?<!--\/conversation-->/g, (place, name: string) => {
    const made = CONVERSATIONS[name];
    if (made === undefined) return place;
    return `<!--conversation ${name}-->\n\n\`\`\`txt\n${made().lines.join('\n')}\n\`\`\`\n\n<!--/conversation-->`;
  });
}
