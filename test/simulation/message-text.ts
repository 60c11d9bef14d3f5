// A FIX message as a simulated OMS writes it, and what it remembers of one that it read.

import { type EpochMs, formatUtcTimestamp } from '../../src/base/time.ts';
import { type MessageView, MsgType, Tag } from '../../src/wire/mod.ts';

const SOH = '\u0001';

/** Fields with `|` for SOH, header and trailer completed. */
export function encode(beginString: string, fields: string): Buffer {
  const body = fields.replaceAll('|', SOH);
  const head = `8=${beginString}${SOH}9=${body.length}${SOH}${body}`;
  const bytes = Buffer.from(`${head}10=000${SOH}`, 'latin1');
  let sum = 0;
  for (let i = 0; i < head.length; i++) sum += bytes[i]!;
  bytes.write(`${sum % 256}`.padStart(3, '0'), head.length + 3, 'latin1');
  return bytes;
}

const HEADER_BYTES_MAX = 256;

/** MsgSeqNum(34) and PossDupFlag(43) of a house's frame with short headers. */
export function numberOf(frame: Uint8Array): { readonly msgSeqNum: number; readonly possDup: boolean } {
  const length = Math.min(frame.length, HEADER_BYTES_MAX);
  const head = Buffer.from(frame.buffer, frame.byteOffset, length).toString('latin1');
  const at = head.indexOf(`${SOH}34=`) + 4;
  return { msgSeqNum: Number(head.slice(at, head.indexOf(SOH, at))), possDup: head.includes(`${SOH}43=Y${SOH}`) };
}

/** A message's content, independent of its time. */
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
