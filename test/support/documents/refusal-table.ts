// The table of the rules of engagement that says which number a refusal has in 103 of an 8 and 102 of a 9, in each version and
// dialect, made from the gateway's own refusals.

import { statusReasonText } from '../../../src/exchange/mod.ts';
import { cxlRejReasonFor } from '../../../src/gateway/reports/answer.ts';
import { ordRejReasonFor } from '../../../src/gateway/reports/execution-report.ts';
import { fixVersion } from '../../../src/gateway/vocabulary/fix-version.ts';
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
} from '../../../src/gateway/vocabulary/refusal.ts';
import { sessionConfig } from '../../gateway/desk.ts';

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

const config = sessionConfig();
const standard = ['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'].map((name) => ({
  config,
  isVenue: false,
  version: fixVersion(name),
}));
const SESSIONS = [...standard, { config, isVenue: true, version: fixVersion('FIX.4.4') }];

function numbers(refusal: Refusal, of: string): string[] {
  const [ofOrders, ofChanges] = [/[DH]/.test(of), /[FG]/.test(of)];
  return [
    ...SESSIONS.map((session) => (ofOrders ? ordRejReasonFor(session, refusal) : '')),
    ...SESSIONS.map((session) => (ofChanges ? cxlRejReasonFor(session, refusal) : '')),
  ];
}

const NO_CODE = 'no code';

/** A cause with its numbers: 103 in 4.2, 4.4, 5.0SP2 and `venue`, then 102 likewise; empty where it does not happen. */
export interface RefusalRow {
  readonly cause: string;
  readonly numbers: readonly string[];
}

/** Rows of refusals by the exchange: its codes with the same numbers together. `venue` may show the code itself. */
function exchangeRows(): RefusalRow[] {
  const any = numbers(exchangeRefusal(NO_CODE, ''), 'DFG');
  const codes = Array.from({ length: 9_000 }, (_, i) => `${1_000 + i}`);
  const refusals = new Map(codes.map((code) => [code, exchangeRefusal(code, '')]));
  for (const code of ['21000', '96000', '96001', '96100']) refusals.set(code, httpRefusal(code, ''));
  const together = new Map<string, string[]>();
  for (const [code, refusal] of refusals) {
    const said = numbers(refusal, 'DFG').map((number) => (number === code ? 'the code' : number));
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

/** All rows of the table of reject reasons. */
export function refusalRows(): RefusalRow[] {
  return [...CAUSES.map(([make, of, cause]) => ({ cause, numbers: numbers(make(''), of) })), ...exchangeRows()];
}

const VERSIONS = ['4.2', '4.4', '5.0SP2', 'venue'];
const MAIN = VERSIONS.indexOf('4.4');

/** Fill each place between `<!--refusals VERSION-->` and `<!--/refusals-->`: all rows of 4.4, of others those that differ. */
export function fillRefusals(markdown: string): string {
  return markdown.replace(/<!--refusals (\S+)-->\n[\s\S]*?<!--\/refusals-->/g, (_, version: string) => {
    const column = VERSIONS.indexOf(version);
    const said = (row: RefusalRow, at: number): string => `${row.numbers[at]} | ${row.numbers[at + VERSIONS.length]}`;
    const rows = refusalRows().filter((row) => column === MAIN || said(row, column) !== said(row, MAIN));
    const table = [
      '| Cause | 103 | 102 |',
      '|---|---|---|',
      ...rows.map((row) => `| ${row.cause} | ${said(row, column)} |`),
    ];
    return `<!--refusals ${version}-->\n\n${table.join('\n')}\n\n<!--/refusals-->`;
  });
}
