// The daily files for the middle office (rule J4), from the ExecutionReports in the journal and its archive. They have
// every order reported to a session, as it stood at the end of the day, and every trade, under a header line.

import { join } from 'node:path';
import { formatIso } from '../../base/time.ts';
import type { DamagedPlace } from '../../store/mod.ts';
import { isStatusReport, type MessageView, MsgType, Tag, viewOf } from '../../wire/mod.ts';
import { CLOCK_ERROR_MS_MAX, type JournalPlace, readPlace } from '../options/journal-place.ts';
import { writeDurably } from '../output/durable-files.ts';
import { counted } from '../output/reading-count.ts';
import { sessionFileNames } from '../output/session-file-names.ts';
import { DailyOrders } from './daily-orders.ts';

const DAY_MS = 86_400_000;
const LINES_AT_A_TIME = 10_000;
/** Spreadsheets skip white space, quotes and characters without width, and take full-width signs (＝, ＋, －, ＠) for the usual ones. */
const FORMULA_OPENING = /^[\s?'"\u00ad\u200b-\u200f\u2060\ufeff]*[=+@\-\uff1d\uff0b\uff20\uff0d\u2212]/;
const NUMBER = /^-\d+(\.\d+)?$/;

/** Column and the tag that it shows. */
const ORDER_COLUMNS = [
  ['OrderID', Tag.OrderID],
  ['ClOrdID', Tag.ClOrdID],
  ['Account', Tag.Account],
  ['Symbol', Tag.Symbol],
  ['Side', Tag.Side],
  ['OrdType', Tag.OrdType],
  ['TimeInForce', Tag.TimeInForce],
  ['OrderQty', Tag.OrderQty],
  ['Price', Tag.Price],
  ['StopPx', Tag.StopPx],
  ['OrdStatus', Tag.OrdStatus],
  ['CumQty', Tag.CumQty],
  ['AvgPx', Tag.AvgPx],
  ['LeavesQty', Tag.LeavesQty],
  ['TransactTime', Tag.TransactTime],
  ['Text', Tag.Text],
] as const;

const TRADE_COLUMNS = [
  ['ExecID', Tag.ExecID],
  ['OrderID', Tag.OrderID],
  ['ClOrdID', Tag.ClOrdID],
  ['Account', Tag.Account],
  ['Symbol', Tag.Symbol],
  ['Side', Tag.Side],
  ['LastQty', Tag.LastQty],
  ['LastPx', Tag.LastPx],
  ['CumQty', Tag.CumQty],
  ['TransactTime', Tag.TransactTime],
  // As far as the session's version and dialect say them. New columns stand behind the others: programs count them.
  ['GrossTradeAmt', Tag.GrossTradeAmt],
  ['MiscFeeAmt', Tag.MiscFeeAmt],
  ['MiscFeeCurr', Tag.MiscFeeCurr],
  ['RebateAmt', Tag.RebateAmt],
  ['RebateCurrency', Tag.RebateCurrency],
  ['AggressorIndicator', Tag.AggressorIndicator],
  ['LastLiquidityInd', Tag.LastLiquidityInd],
  ['MatchType', Tag.MatchType],
] as const;

/** Reports of orders, and the refusal of an F or G, which ends the OrdStatus(39) that this one laid over the order's. */
const OF_ORDERS: ReadonlySet<string> = new Set([MsgType.ExecutionReport, MsgType.OrderCancelReject]);

type Columns = typeof ORDER_COLUMNS | typeof TRADE_COLUMNS;

const columnOf = (title: string): number => 1 + ORDER_COLUMNS.findIndex(([column]) => column === title);
const ORDER_PLACES = { clOrdID: columnOf('ClOrdID'), ordStatus: columnOf('OrdStatus') };

interface SessionDay {
  readonly orders: DailyOrders;
  /** By ExecID(17): a report that was sent again after a reset is one trade. */
  readonly trades: Map<string, string>;
}

export interface DailyFiles {
  readonly files: readonly { readonly path: string; readonly lines: number }[];
  /** Places of the journal that cannot be read and may hold reports of the day. */
  readonly damage: readonly DamagedPlace[];
}

/** Write the files of a day that begins at `from`, one pair per session that had reports; where, and how many lines; the values of secret tags are masked. */
export async function writeDaily(
  place: JournalPlace,
  date: string,
  from: number,
  folder: string,
  secretTags: ReadonlySet<number> = new Set(),
): Promise<DailyFiles> {
  const end = from + DAY_MS;
  const days = new Map<string, SessionDay>();
  const damage: DamagedPlace[] = [];
  let found: DamagedPlace[] = [];
  let isOver = false;
  let beyond = Number.POSITIVE_INFINITY;
  const entries = readPlace(place, from - CLOCK_ERROR_MS_MAX, (one) => found.push(one));
  for await (const { at, record } of counted(entries, 'records read')) {
    // Lost records are not younger than their successors.
    if (at >= from && !(isOver && at >= end)) damage.push(...found);
    found = [];
    isOver = at >= end;
    // The clock may have been ahead by any time until it was set: a day that is all behind says that it was not.
    beyond = at < end + CLOCK_ERROR_MS_MAX ? Number.POSITIVE_INFINITY : Math.min(beyond, at);
    if (at >= beyond + CLOCK_ERROR_MS_MAX) break;
    if (at < from || at >= end) continue;
    if (record.kind !== 'outbound' || !OF_ORDERS.has(record.msgType)) continue;
    const view = viewOf(record.raw);
    if (view === null || isOfDayBefore(view, date)) continue;
    let day = days.get(record.sessionId);
    if (day === undefined) {
      if (record.msgType !== MsgType.ExecutionReport) continue;
      day = { orders: new DailyOrders(ORDER_PLACES, lineOf(ORDER_COLUMNS, secretTags)), trades: new Map() };
      days.set(record.sessionId, day);
    }
    add(day, view, formatIso(at), secretTags);
  }
  if (!isOver) damage.push(...found);
  return { files: await writeFiles(days, date, folder), damage };
}

async function writeFiles(
  days: ReadonlyMap<string, SessionDay>,
  date: string,
  folder: string,
): Promise<DailyFiles['files']> {
  const files: { path: string; lines: readonly string[] }[] = [];
  const names = sessionFileNames([...days.keys()], plainName);
  for (const [sessionId, { orders, trades }] of days) {
    const name = names.get(sessionId)!;
    const fileOf = (kind: string, columns: Columns, lines: Iterable<string>) => {
      const header = ['RecordedAt', ...columns.map(([title]) => title)].join(',');
      return { path: join(folder, `${name}-${date}-${kind}.csv`), lines: [header, ...lines] };
    };
    files.push(fileOf('orders', ORDER_COLUMNS, orders.lines()), fileOf('trades', TRADE_COLUMNS, trades.values()));
  }
  await writeDurably(files.map(({ path, lines }) => [path, textOf(lines)] as const));
  return files.map(({ path, lines }) => ({ path, lines: lines.length - 1 }));
}

/** Piece by piece: the text of a busy day may be longer than a string can be. */
function* textOf(lines: readonly string[]): Generator<string> {
  for (let k = 0; k < lines.length; k += LINES_AT_A_TIME) {
    yield `${lines.slice(k, k + LINES_AT_A_TIME).join('\r\n')}\r\n`;
  }
}

/** `FIX.4.4:XGATE->ACME/DESK` as `FIX.4.4-XGATE-ACME~DESK`; a `:` of a CompID as `+`: neither is in any. */
function plainName(sessionId: string): string {
  return sessionId
    .replace(':', '-')
    .replace('->', '-')
    .replaceAll('/', '~')
    .replaceAll(':', '+')
    .replace(/[^A-Za-z0-9_.~+-]/g, '_');
}

/**
 * Whether a report is of a day before this one and was recorded then: one that is sent again (97=Y), after a reset or for a drop
 * copy, or one that another engine sent (`store import`).
 */
function isOfDayBefore(view: MessageView, date: string): boolean {
  const time = view.string(view.boolean(Tag.PossResend) === true ? Tag.TransactTime : Tag.SendingTime);
  return time !== null && time.slice(0, 8) < date.replaceAll('-', '');
}

function add({ orders, trades }: SessionDay, view: MessageView, at: string, secretTags: ReadonlySet<number>): void {
  if (view.msgType !== MsgType.ExecutionReport) {
    orders.refuseChange(view, at);
    return;
  }
  orders.report(view, cellsOf(view, ORDER_COLUMNS, at));
  // FIX 4.2 says a fill with 150=1 or 2, later versions with F.
  const execType = view.string(Tag.ExecType);
  const isTrade = execType === 'F' || ((execType === '1' || execType === '2') && view.string(Tag.LastQty) !== null);
  if (!isTrade || isStatusReport(view)) return;
  const execID = view.string(Tag.ExecID) ?? '';
  // One that comes again is as it was, whatever became of the order since.
  if (view.boolean(Tag.PossResend) === true && trades.has(execID)) return;
  trades.set(execID, lineOf(TRADE_COLUMNS, secretTags)(cellsOf(view, TRADE_COLUMNS, at)));
}

function cellsOf(view: MessageView, columns: Columns, at: string): string[] {
  return [at, ...columns.map(([, tag]) => valuesOf(view, tag))];
}

/** Makes the line of cells; the first is the time of the record. The values of secret tags are masked. */
function lineOf(columns: Columns, secretTags: ReadonlySet<number>): (cells: readonly string[]) => string {
  const isSecret = [false, ...columns.map(([, tag]) => secretTags.has(tag))];
  return (cells) => cells.map((text, at) => (isSecret[at] && text !== '' ? '***' : cell(text))).join(',');
}

/** Text of a report's field; for one in a group, such as fees in two currencies, each value, separated by blanks. */
function valuesOf(view: MessageView, tag: number): string {
  const values: string[] = [];
  for (let i = 0; i < view.fieldCount; i++) if (view.tagAt(i) === tag) values.push(view.stringAt(i));
  return values.join(' ');
}

/**
 * A cell as RFC 4180 has it, on one line: control characters and line ends become `?`. An apostrophe keeps a text that a
 * spreadsheet reads as a formula, also behind white space, from being one.
 */
function cell(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not pass.
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, '?');
  const isFormula = FORMULA_OPENING.test(line) && !NUMBER.test(line);
  const plain = isFormula ? `'${line}` : line;
  return /[",]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
