// Which number a refusal has in OrdRejReason(103) of an 8 and in CxlRejReason(102) of a 9, by cause, in each version and
// dialect: for the documents and the kit of a counterparty. Leaves the refusals themselves to vocabulary/refusal.ts.

import { statusReasonText } from '../../exchange/mod.ts';
import type { GatewaySessionConfig } from '../vocabulary/config.ts';
import { fixVersion } from '../vocabulary/fix-version.ts';
import {
  alreadyPending,
  duplicateClOrdID,
  exceedsLimit,
  exchangeClosed,
  exchangeRefusal,
  forbiddenByPhase,
  httpRefusal,
  incorrectPriceIncrement,
  incorrectQuantity,
  other,
  outsidePriceBand,
  type Refusal,
  rateExceeded,
  staleOrder,
  tooLate,
  unknownAccount,
  unknownOrder,
  unknownSymbol,
  unsupported,
  unsupportedOrdType,
} from '../vocabulary/refusal.ts';
import { cxlRejReasonFor } from './answer.ts';
import { ordRejReasonFor } from './execution-report.ts';

/** Each kind of refusal of ours, in words, and the messages that it may answer: D, F, G, H. */
export const CAUSES: readonly (readonly [make: (text: string) => Refusal, of: string, cause: string])[] = [
  [
    unknownSymbol,
    'DG',
    'the symbol is not known, not on the session’s list, or contradicts 48 or what the order says of its kind',
  ],
  [
    exchangeClosed,
    'DG',
    'nothing is taken now: **59=5 while no auction runs**, a kill switch, accounts not compared yet, shutdown, no room to record',
  ],
  [exceedsLimit, 'DG', 'over a risk limit: quantity, notional, open orders'],
  [outsidePriceBand, 'DG', 'the price is outside the agreed band'],
  [duplicateClOrdID, 'DFG', 'the ClOrdID was used before'],
  [staleOrder, 'DG', 'too old, with 43=Y or 97=Y or after it waited'],
  [
    unsupported,
    'DG',
    'a value or field that is not supported (59=5 on a market without auctions, 54=5, 111 …); a G that the exchange cannot amend',
  ],
  [unsupportedOrdType, 'D', 'the OrdType is not supported'],
  [incorrectQuantity, 'DG', 'the quantity is missing, too fine, too small or too large'],
  [incorrectPriceIncrement, 'DG', 'the price is too fine or off the grid'],
  [unknownAccount, 'DFG', 'the account is not on the session’s list, or not the order’s'],
  [unknownOrder, 'FGH', 'the order is not known, or none of yours'],
  [tooLate, 'FG', 'too late: the order has ended'],
  [alreadyPending, 'FG', 'another request is open on the order'],
  [forbiddenByPhase, 'FG', 'the phase of the auction forbids it (lockdown)'],
  [rateExceeded, 'DG', 'more orders per second than agreed'],
  [other, 'DFG', 'a field is missing that this order needs; the market is disabled; anything else'],
];

/** The refused session, as far as its numbers depend on it. */
export type RefusedSession = Pick<
  GatewaySessionConfig,
  'beginString' | 'defaultApplVerID' | 'dialect' | 'lockdownCxlRejReason'
>;

/** A cause with its numbers in each session: first 103, then 102; empty where the cause does not happen. */
export interface RefusalRow {
  readonly cause: string;
  readonly numbers: readonly string[];
}

const NO_CODE = 'no code';
/** Codes that the exchange may have, and those of its HTTP errors. */
const CODES = Array.from({ length: 9_000 }, (_, i) => `${1_000 + i}`);
const HTTP_CODES = ['21000', '96000', '96001', '96100'];

/** All rows, for sessions side by side. */
export function refusalRows(sessions: readonly RefusedSession[]): RefusalRow[] {
  const states = sessions.map((config) => ({
    config: config as GatewaySessionConfig,
    isVenue: config.dialect === 'venue',
    version: fixVersion(config.beginString, config.defaultApplVerID),
  }));
  const numbers = (refusal: Refusal, of: string): string[] => {
    const [ofOrders, ofChanges] = [/[DH]/.test(of), /[FG]/.test(of)];
    return [
      ...states.map((state) => (ofOrders ? ordRejReasonFor(state, refusal) : '')),
      ...states.map((state) => (ofChanges ? cxlRejReasonFor(state, refusal) : '')),
    ];
  };
  const ours = CAUSES.map(([make, of, cause]) => ({ cause, numbers: numbers(make(''), of) }));
  return [...ours, ...exchangeRows((refusal) => numbers(refusal, 'DFG'))];
}

/** Rows of refusals by the exchange: its codes with the same numbers together. `venue` may show the code itself. */
function exchangeRows(numbers: (refusal: Refusal) => string[]): RefusalRow[] {
  const any = numbers(exchangeRefusal(NO_CODE, ''));
  const refusals = new Map(CODES.map((code) => [code, exchangeRefusal(code, '')]));
  for (const code of HTTP_CODES) refusals.set(code, httpRefusal(code, ''));
  const together = new Map<string, string[]>();
  for (const [code, refusal] of refusals) {
    const said = numbers(refusal).map((number) => (number === code ? 'the code' : number));
    const text = statusReasonText(code);
    const key = said.join('|');
    if (key !== any.join('|'))
      together.set(key, [...(together.get(key) ?? []), text === null ? code : `${code} (${text})`]);
  }
  const rows = [...together].map(([said, names]) => ({
    cause: `exchange code ${names.join(', ')}`,
    numbers: said.split('|'),
  }));
  return [...rows, { cause: 'any other code of the exchange', numbers: any }];
}
