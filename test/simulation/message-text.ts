// A FIX message as a simulated OMS writes it, and what it remembers of one that it read.

import { type EpochMs, formatUtcTimestamp } from '../../src/base/time.ts';
import { type MessageView, MsgType, Tag } from '../../src/wire/mod.ts';

const SOH = '\u0001';

/** Fields with `|` for SOH, header and trailer completed. */
export function encode(beginString: string, fields: string): Buffer {
  const body = fields.replaceAll('|', SOH);
  const head = `8=${beginString}${SOH}9=${body.length}${SOH}${body}`;
  let sum = 0;
  for (let i = 0; i < head.length; i++) sum += head.charCodeAt(i);
  return Buffer.from(`${head}10=${`${sum % 256}`.padStart(3, '0')}${SOH}`, 'latin1');
}

/** What a message says, whenever it is sent. */
export function saying(view: MessageView): string {
  const { msgType } = view;
  if (msgType !== MsgType.ExecutionReport) return msgType;
  return `${msgType} ${view.string(Tag.ExecID)} ${view.string(Tag.OrdStatus)} ${view.string(Tag.CumQty)}`;
}

/** Fields of a limit order to buy. */
export function orderText(
  beginString: string,
  now: EpochMs,
  clOrdID: string,
  price: number,
  quantity: number,
  timeInForce: string,
): string {
  const handlInst = beginString === 'FIX.4.2' ? '21=1|' : '';
  const terms = `38=${quantity}|40=2|44=${price}|59=${timeInForce}|`;
  return `11=${clOrdID}|1=ACC1|${handlInst}55=BTCUSDC|54=1|60=${formatUtcTimestamp(now)}|${terms}`;
}

/** Fields of an OrderMassCancelRequest(q): everything, or everything of the symbol. */
export function massCancelText(clOrdID: string, everything: boolean, now: EpochMs): string {
  const scope = everything ? '530=7|' : '530=1|55=BTCUSDC|';
  return `11=${clOrdID}|${scope}60=${formatUtcTimestamp(now)}|`;
}
