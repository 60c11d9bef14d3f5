// The three messages that every codec of the benchmark reads or writes: an order of about 190 bytes, a report of about
// 320, a snapshot of 20 levels.

import { fromPrintable, MessageDraft } from '../../src/wire/mod.ts';

const HEADER_IN = '49=OMSTRADER|56=CROSSGATE|34=18273|52=20261121-10:11:12.345|';
const HEADER_OUT = '49=CROSSGATE|56=OMSTRADER|34=28273|52=20261121-10:11:12.345|';

const level = (side: number, at: number): string =>
  `269=${side}|270=${60_000 + (side === 0 ? -at : at)}.25|271=${at + 1}.50000000|`;

/** As printable text, framed. */
export const MESSAGES = {
  NewOrderSingle: fromPrintable(
    `35=D|${HEADER_IN}11=ORD-20261121-000018273|1=111000000000001|21=1|55=BTCUSDC|54=1|60=20261121-10:11:12.344|38=1.50000000|40=2|44=60123.4500|59=1|`,
  ),
  ExecutionReport: fromPrintable(
    `35=8|${HEADER_OUT}57=TRADER7|37=297735387747975680|11=ORD-20261121-000018273|17=297735387747975680-100020000000000060-F|150=F|39=1|1=111000000000001|55=BTCUSDC|54=1|38=1.50000000|40=2|44=60123.4500|59=1|32=0.50000000|31=60123.4000|151=1.00000000|14=0.50000000|6=60123.4000|60=20261121-10:11:12.340|381=30061.70|`,
  ),
  MarketDataSnapshot: fromPrintable(
    `35=W|${HEADER_OUT}262=md-1|55=BTCUSDC|268=20|${Array.from({ length: 10 }, (_, at) => level(0, at)).join('')}${Array.from({ length: 10 }, (_, at) => level(1, at)).join('')}`,
  ),
} as const;

export type MessageName = keyof typeof MESSAGES;

/** The ten fields of the order that a gateway reads. */
export const ORDER_FIELDS = [11, 1, 55, 54, 60, 38, 40, 44, 59, 34] as const;

/** The report as a draft, header fields apart. */
export function reportDraft(): MessageDraft {
  return new MessageDraft('8')
    .header(57, 'TRADER7')
    .add(37, '297735387747975680')
    .add(11, 'ORD-20261121-000018273')
    .add(17, '297735387747975680-100020000000000060-F')
    .add(150, 'F')
    .add(39, '1')
    .add(1, '111000000000001')
    .add(55, 'BTCUSDC')
    .add(54, '1')
    .add(38, '1.50000000')
    .add(40, '2')
    .add(44, '60123.4500')
    .add(59, '1')
    .add(32, '0.50000000')
    .add(31, '60123.4000')
    .add(151, '1.00000000')
    .add(14, '0.50000000')
    .add(6, '60123.4000')
    .add(60, '20261121-10:11:12.340')
    .add(381, '30061.70');
}
