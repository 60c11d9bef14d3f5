// The orders of a session in its rules of engagement: order types, time in force, auctions, limits, cancel on disconnect and the
// numbers and texts of refusals.

import { applicationVersion, type Dictionary, sessionRejectReasonIn } from '../../dictionary/mod.ts';
import { refusalRows } from '../../gateway/mod.ts';
import type { KitSession } from './kit-session.ts';
import { bullets, table } from './markdown.ts';

export function orderTypes(_: KitSession, dictionaries: readonly Dictionary[]): string {
  const values = dictionaries[0]?.fields.get(40)?.values;
  const rows = [
    ['1', 'Market', '38; no 44'],
    ['2', 'Limit', '38, 44'],
    ['2 with 18=6', 'Limit, post only', '38, 44'],
    ['4', 'Stop limit', '38, 44, 99'],
    ['p', "Limit, post only: the exchange's value", '38, 44'],
  ];
  return [
    table(
      ['OrdType(40)', 'Order', 'Needs'],
      rows.filter(([value]) => value !== 'p' || values?.has('p') === true),
    ),
    'Any other type is refused. Send decimals without exponent, no finer than the market allows: they are never rounded.',
  ].join('\n\n');
}

export function timesInForce({ session: { gateway } }: KitSession): string {
  const absent = gateway.timeInForceAbsent === 'refuse' ? '**refused**' : '**Good Till Cancel**';
  const aliases = gateway.gtxAliases.map((alias) => [alias, '**GTX**, as 5']);
  return [
    table(
      ['TimeInForce(59)', 'Meaning'],
      [
        ['absent', absent],
        ['1', 'Good Till Cancel'],
        ['3', 'Immediate or Cancel; the rest ends with 150=C'],
        ['4', 'Fill or Kill; ends with 150=C'],
        ['5', '**GTX: takes part in the auction of the symbol**, refused outside one'],
        ...aliases,
        ['any other', 'refused with 103=11'],
      ],
    ),
    'No value is ever turned into another one. An order rests until it is filled or cancelled: no day ends it.',
  ].join('\n\n');
}

export function auctions({ session: { session, gateway } }: KitSession): string {
  const isOld = session.beginString === 'FIX.4.2';
  return bullets([
    'An auction order is a limit or market order with 59=5. Send it while the auction accumulates orders: it rests until the cross, is filled there in whole or in part, and its rest ends with 150=C.',
    '40=1 with 59=5 is a market order for the auction, or refused. It is never executed at once.',
    `In lockdown F and G are refused: 9 with 102=${gateway.lockdownCxlRejReason}.`,
    `TradingSessionStatusRequest(g) with 336=1 and 263=1 follows the phases of every auction by h${isOld ? ', where 336 has the id of the auction' : ', with 625=6'}. SecurityStatusRequest(e) follows one symbol by f.`,
    'An order may name its auction in 336: a mismatch is refused. No order carries over into another auction.',
    'Cancel on disconnect waits for the end of a lockdown.',
  ]);
}

export function cancelOnDisconnect({ session: { session, gateway } }: KitSession): string {
  const { on, graceMs, scope = 'session', symbols = [], deadMansSwitchS = 0 } = gateway.cancelOnDisconnect;
  const lost = Math.round(session.heartBtIntS * session.lostAfter * 10) / 10;
  const when = {
    off: '**Your orders stay open** when the session ends.',
    logout: '**Your open orders are cancelled when you log out**; a lost connection keeps them.',
    disconnect: '**Your open orders are cancelled when the connection is lost**; a Logout keeps them.',
    both: '**Your open orders are cancelled when you log out and when the connection is lost.**',
  }[on];
  const what = {
    session: 'It concerns the orders of this session.',
    symbols: `It concerns orders of this session in ${symbols.join(', ')}.`,
    account: 'It concerns every order on your accounts, those of other sessions too.',
  }[scope];
  if (on === 'off') return when;
  return bullets([
    when,
    what,
    ...(graceMs === 0 ? ['At once, without a grace time.'] : [`A Logon within ${graceMs / 1000} s keeps them.`]),
    `A silent connection is lost after ${lost} s with HeartBtInt(108)=${session.heartBtIntS}.`,
    ...(deadMansSwitchS === 0 ? [] : [`If the gateway dies, the exchange cancels within ${deadMansSwitchS} s.`]),
  ]);
}

export function limits({ session: { gateway } }: KitSession): string {
  const { orderQtyMax, notionalMax, openOrdersMax, priceBandPercent } = gateway.limits;
  return [
    table(
      ['Limit', 'Value'],
      [
        ['OrderQty(38) of one order', orderQtyMax],
        ['OrderQty × Price of one order', notionalMax],
        ['open orders', String(openOrdersMax)],
        ['distance of Price(44) from the market', priceBandPercent === null ? 'none' : `${priceBandPercent} %`],
      ],
    ),
    'An order beyond one of them is refused before the exchange hears of it, with the limit in Text(58).',
  ].join('\n\n');
}

/** OrdRejReason(103) and CxlRejReason(102) by cause, for exactly this session. */
export function refusals({ session: { gateway } }: KitSession): string {
  const rows = refusalRows([gateway]).map(({ cause, numbers }) => [cause, ...numbers]);
  const text = gateway.dialect === 'venue' ? 'Text(58) of an 8, RejectText(1328) of a 9' : 'Text(58)';
  return `${table(['Cause', '103', '102'], rows)}\n\n${text} always says more. An empty cell does not happen.`;
}

/** Numbers of Reject(3) that this version has. */
export function sessionRejects({ session: { session } }: KitSession, dictionaries: readonly Dictionary[]): string {
  const values = dictionaries.map((one) => one.fields.get(373)?.values ?? null).find((one) => one !== null);
  if (!values) return '';
  const rows = [...values].filter(([number]) => sessionRejectReasonIn(session.beginString, Number(number)) !== null);
  const version = applicationVersion(session.beginString, session.defaultApplVerID);
  return [
    `A message that the dictionary of ${version} does not allow is answered by Reject(3); its number is used up, and it had no effect. RefTagID(371) names the field, Text(58) says what is wrong with it.`,
    table(
      ['373', 'Reason'],
      rows.map(([number, name]) => [number, name.toLowerCase().replaceAll('_', ' ')]),
    ),
    'A message that is right and not carried is answered by BusinessMessageReject(j) with 380=3. A frame with a wrong BodyLength(9) or CheckSum(10) has no answer: its number is asked for again.',
  ].join('\n\n');
}
