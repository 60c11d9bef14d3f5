// The three messages that every codec of the benchmark reads or writes: an order of 190 bytes, a report of 323 bytes and 28
// fields, a snapshot of 20 levels and 784 bytes. As frames to read, and as the facts from which each codec writes them.

import { Decimal } from '../../src/base/decimal.ts';
import { fromPrintable, type MessageDraft } from '../../src/wire/mod.ts';

const HEADER_IN = '49=OMSTRADER|56=CROSSGATE|34=18273|52=20261121-10:11:12.345|';
const HEADER_OUT = '49=CROSSGATE|56=OMSTRADER|34=28273|52=20261121-10:11:12.345|';

/** 2026-11-21T10:11:12.345Z. */
const SENT_AT = Date.UTC(2026, 10, 21, 10, 11, 12, 345);

/** Header of what is written. */
export const HEADER = {
  beginString: 'FIX.4.4',
  senderCompID: 'CROSSGATE',
  targetCompID: 'OMSTRADER',
  msgSeqNum: 28_273,
  sendingTime: SENT_AT,
};

/** Body of the report: texts as an application has them, prices and quantities as exact decimals, a time in ms. */
export const REPORT: readonly (readonly [tag: number, value: string | Decimal | number])[] = [
  [37, '297735387747975680'],
  [11, 'ORD-20261121-18273'],
  [17, '297735387747975680-10002-F'],
  [150, 'F'],
  [39, '1'],
  [1, '1110001'],
  [55, 'BTCUSDC'],
  [54, '1'],
  [38, Decimal.of('1.5')],
  [40, '2'],
  [44, Decimal.of('60123.45')],
  [59, '1'],
  [32, Decimal.of('0.25')],
  [31, Decimal.of('60123.4')],
  [151, Decimal.of('1.25')],
  [14, Decimal.of('0.25')],
  [6, Decimal.of('60123.4')],
  [60, SENT_AT],
  [381, Decimal.of('15030.85')],
];

/** Levels of the snapshot: bids, then offers. */
export const LEVELS = Array.from({ length: 20 }, (_, i) => ({
  type: i < 10 ? '0' : '1',
  price: Decimal.of(`${60_000 + (i < 10 ? -i : i - 10)}.25`),
  size: Decimal.of(`${(i % 10) + 1}.5000000`),
}));

const TRANSACT_TIME = '20261121-10:11:12.345';
const reportText = REPORT.map(([tag, value]) => `${tag}=${typeof value === 'number' ? TRANSACT_TIME : value}|`);
const levelText = LEVELS.map(({ type, price, size }) => `269=${type}|270=${price}|271=${size}|`);

/** As frames. */
export const MESSAGES = {
  NewOrderSingle: fromPrintable(
    `35=D|${HEADER_IN}11=ORD-20261121-18273|1=1110001|55=BTCUSDC|54=1|60=20261121-10:11:12.344|38=1.5|40=2|44=60123.45|59=1|`,
  ),
  ExecutionReport: fromPrintable(`35=8|${HEADER_OUT}57=TRADER7|${reportText.join('')}`),
  MarketDataSnapshot: fromPrintable(`35=W|${HEADER_OUT}262=md-00000017|55=BTCUSDC|268=20|${levelText.join('')}`),
} as const;

/** Add the report to a draft, as the gateway does it: decimals and times are not made into texts. */
export function draftReport(draft: MessageDraft): MessageDraft {
  draft.header(57, 'TRADER7');
  for (let i = 0; i < REPORT.length; i++) {
    const field = REPORT[i]!;
    const tag = field[0];
    const value = field[1];
    if (typeof value === 'string') draft.add(tag, value);
    else if (typeof value === 'number') draft.addTime(tag, value);
    else draft.addDecimal(tag, value);
  }
  return draft;
}

export function draftBook(draft: MessageDraft): MessageDraft {
  draft.add(262, 'md-00000017').add(55, 'BTCUSDC').add(268, '20');
  for (let i = 0; i < LEVELS.length; i++) {
    const { type, price, size } = LEVELS[i]!;
    draft.add(269, type).addDecimal(270, price).addDecimal(271, size);
  }
  return draft;
}
