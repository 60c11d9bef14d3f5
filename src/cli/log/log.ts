// `crossgate log`: shows a message log to people and scripts, whichever engine wrote it. Reading, filtering and grouping
// are the replay room's; this file chooses and prints.

import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { terminalText } from '../../base/terminal-text.ts';
import { formatIso } from '../../base/time.ts';
import { toDecodedLine } from '../../dictionary/mod.ts';
import {
  GapFinder,
  LogComparison,
  type LogFilter,
  type LoggedMessage,
  LogSessions,
  matchesFilter,
  numbersOf,
  OrderChains,
  OrderLatency,
  parseTagFilter,
  type SequenceGap,
  type SessionLatency,
} from '../../replay/mod.ts';
import { Tag, toRedacted } from '../../wire/mod.ts';
import { STATE_DEFAULT } from '../options/environment.ts';
import { STATE_HELP } from '../options/journal-place.ts';
import { repeated } from '../options/repeated.ts';
import { SECRET_TAGS, SECRET_TAGS_OF, type SecretTagOptions, secretTagsOf } from '../options/secret-tags.ts';
import { utcTime } from '../options/utc-time.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { endWithReader, printLine } from '../output/exit.ts';
import { counted } from '../output/reading-count.ts';
import { printDifferences } from './difference.ts';
import type { OrderNames } from './journal-search.ts';
import { latencyLines } from './latency.ts';
import { describedFields, followMessageLog, LogDictionaries, messagesOfOrder, readMessageLog } from './message-log.ts';

interface LogOptions extends SecretTagOptions {
  readonly state: string;
  readonly session?: string;
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  // As commander names `--cl-ord-id` and `--order-id`.
  readonly clOrdId?: string;
  readonly orderId?: string;
  readonly from?: string;
  readonly to?: string;
  readonly chain?: boolean;
  readonly dayBegins: string;
  readonly latency?: boolean;
  readonly diff?: string;
  readonly follow?: boolean;
  readonly ignore?: readonly string[];
  readonly gaps: boolean;
  readonly raw?: boolean;
  readonly json?: boolean;
  readonly dictionaries?: string;
}

/** Most messages of orders that `--chain` holds in memory. */
const CHAINED_MAX = 2_000_000;

/**
 * The key that ties a message to its order: the order's first ClOrdID(11), which another day may have too, and its
 * number in the output.
 */
interface OrderOfChain {
  readonly chain: string | null;
  readonly order: number;
}

export function addLogCommand(program: Command): void {
  program
    .command('log')
    .description(
      'show a message log, decoded: the journal of a gateway, a QuickFIX file log, a network capture, or any text with FIX',
    )
    .argument(
      '[file]',
      'log file, - for standard input, or state directory of a gateway; without it the journal of --state',
    )
    .option('--state <place>', STATE_HELP, STATE_DEFAULT)
    .option('--session <text>', 'only sessions with this text in their id, such as a CompID')
    .option('--type <msgType>', 'only this MsgType(35); may be repeated', repeated)
    .option('--tag <tag[=value]>', 'only messages with this tag, or this value; repeated: all of them', repeated)
    .option(
      '--cl-ord-id <id>',
      'only messages with this ClOrdID(11) or OrigClOrdID(41): quick in a journal of any size',
    )
    .option('--order-id <id>', 'only messages with this OrderID(37) or SecondaryOrderID(198): quick too')
    .option('--from <time>', 'from this time on (UTC), such as 2026-11-21 or 2026-11-21T09:30:00 or 20261121-09:30:00')
    .option('--to <time>', 'up to this time (UTC)')
    .option('--chain', 'grouped by order: the history of each')
    .option('--day-begins <HH:MM>', 'when a trading day begins (UTC): a ClOrdID may come again on another', '00:00')
    .option('--latency', 'how long the first ExecutionReport of each NewOrderSingle took: percentiles and a histogram')
    .option('-f, --follow', 'wait for more at the end of a journal of a running gateway, until SIGINT')
    .option('--diff <other>', 'hold another log against this one: which messages differ, and in which tags')
    .option('--ignore <tag>', 'a tag that --diff does not compare; may be repeated', repeated)
    .option('--no-gaps', 'say nothing about missing MsgSeqNums')
    .option('--raw', 'the bytes, SOH as |')
    .option('--dictionaries <directory>', 'dictionaries to explain fields with, overlays beside them, instead of ours')
    .option(...SECRET_TAGS)
    .option(...SECRET_TAGS_OF)
    .option('--json', 'one JSON object per line')
    .action(run);
}

async function run(file: string | undefined, options: LogOptions): Promise<void> {
  endWithReader();
  if ([options.chain, options.latency, options.diff, options.follow].filter((one) => one !== undefined).length > 1) {
    throw new CrossgateError('XG_USAGE', 'choose one of --chain, --latency, --diff and --follow');
  }
  if (options.diff !== undefined) {
    await compare(options.diff, file, options);
    return;
  }
  const filter = filterOf(options);
  const print = new Printer(options);
  const secretTags = await secretTagsOf(options);
  const dataFields = (await new LogDictionaries(options.dictionaries).dataFields()).withSecrets(secretTags);
  const gaps = new GapFinder();
  const sessions = new LogSessions();
  const chains = new OrderChains(CHAINED_MAX, timeOfDay('--day-begins', options.dayBegins));
  const latency = new OrderLatency();
  const grouping = options.chain ? chains : options.latency ? latency : null;
  let read = 0;
  const names = orderNamesOf(options, filter);
  const isWhole = names === null || options.chain || options.follow;
  const log =
    (isWhole ? null : await messagesOfOrder(file, options.state, dataFields, names)) ??
    (options.follow ? followMessageLog : readMessageLog)(file, options.state, dataFields);
  const isPrinting = grouping === null && process.stdout.isTTY;
  for await (const message of counted(log, 'messages read', isPrinting || options.follow)) {
    read++;
    const way = sessions.directionOf(message);
    // Of one order the others are not read: what is between its messages is no gap.
    const gap = isWhole ? gaps.add(message, way) : null;
    if (!namesOrder(message, names) && !options.chain) continue;
    if (grouping !== null) {
      if (matchesFilter(message, { ...filter, types: [], tags: [] }, way)) grouping.add(message, way);
      continue;
    }
    if (!matchesFilter(message, filter, way)) continue;
    if (gap !== null && options.gaps) print.gap(gap);
    await print.message(message);
  }
  if (options.chain) await printChains(chains, filter, names, print);
  if (options.latency) for (const each of latency.sessions()) await print.latency(each);
  if (options.gaps) print.openGaps(gaps.open().filter(({ direction }) => direction.includes(options.session ?? '')));
  if (print.shown > 0 || options.follow) return;
  const place = file === '-' ? 'standard input' : (file ?? options.state);
  const isFiltered = [
    names?.clOrdID ?? null,
    names?.orderID ?? null,
    filter.session,
    filter.from,
    filter.to,
    ...filter.types,
    ...filter.tags,
  ].some((one) => one !== null);
  const ofOrder = options.latency ? 'is an order with a time' : 'belongs to an order';
  const wanted = grouping === null ? 'matches' : `${ofOrder}${isFiltered ? ' that matches' : ''}`;
  console.error(read > 0 ? `No message in ${place} ${wanted} (${read} read).` : `There is no FIX message in ${place}.`);
  process.exitCode = 1;
}

/** Exit code 1 where the logs differ, or have no message that matches. */
async function compare(other: string, file: string | undefined, options: LogOptions): Promise<void> {
  const filter = filterOf(options);
  const ignored = (options.ignore ?? []).map((text) => wholeNumber('--ignore', text, 1, 999_999_999));
  const dictionaries = new LogDictionaries(options.dictionaries);
  const dataFields = await dictionaries.dataFields();
  const comparison = new LogComparison(ignored, CHAINED_MAX);
  const places = { before: other, after: file };
  for (const side of ['before', 'after'] as const) {
    const sessions = new LogSessions();
    for await (const message of counted(readMessageLog(places[side], options.state, dataFields), 'messages read')) {
      const way = sessions.directionOf(message);
      if (matchesFilter(message, filter, way)) comparison.add(side, message, way);
    }
  }
  const differences = comparison.differences();
  const names = { before: other, after: file ?? options.state };
  const secretTags = await secretTagsOf(options);
  await printDifferences(differences, { ...names, json: options.json === true, dictionaries, secretTags });
  const { count } = comparison;
  if (count === 0) console.error('No message matches in either log.');
  else if (!options.json) console.error(`${differences.length} of ${count} messages of both logs differ.`);
  if (differences.length > 0 || count === 0) process.exitCode = 1;
}

/** A chain is shown whole if one of its messages is wanted. */
async function printChains(
  chains: OrderChains,
  filter: LogFilter,
  names: OrderNames | null,
  print: Printer,
): Promise<void> {
  let order = 0;
  for (const chain of chains.all()) {
    order++;
    // Entries of another session were not added.
    const isWanted = (message: LoggedMessage): boolean =>
      matchesFilter(message, { ...filter, session: null }) && namesOrder(message, names);
    if (!chain.messages.some(isWanted)) continue;
    print.heading(chain.clOrdIDs, chain.orderIDs);
    for (const message of chain.messages) await print.message(message, { chain: chain.clOrdIDs[0] ?? null, order });
  }
}

function filterOf(options: LogOptions): LogFilter {
  return {
    session: options.session ?? null,
    types: options.type ?? [],
    tags: (options.tag ?? []).map((text) => {
      const filter = parseTagFilter(text);
      if (filter === null) throw new CrossgateError('XG_USAGE', `--tag ${text}: write a tag, or tag=value`);
      return filter;
    }),
    from: utcTime('--from', options.from),
    to: utcTime('--to', options.to),
  };
}

function orderNamesOf({ clOrdId, orderId }: LogOptions, { from, to }: LogFilter): OrderNames | null {
  if (clOrdId === undefined && orderId === undefined) return null;
  return { clOrdID: clOrdId ?? null, orderID: orderId ?? null, from, to };
}

function namesOrder({ view }: LoggedMessage, names: OrderNames | null): boolean {
  if (names === null) return true;
  if (view === null) return false;
  const has = (value: string | null, tags: readonly number[]): boolean =>
    value === null || tags.some((tag) => view.string(tag) === value);
  return has(names.clOrdID, [Tag.ClOrdID, Tag.OrigClOrdID]) && has(names.orderID, [Tag.OrderID, Tag.SecondaryOrderID]);
}

/** A time of the day, in ms after midnight. */
function timeOfDay(option: string, text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined)
    throw new CrossgateError('XG_USAGE', `${option} ${text}: write a time of the day, such as 22:00`);
  return (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Writes messages in the chosen form; what is not a message goes to people only. */
class Printer {
  /** Messages written. */
  shown = 0;
  private readonly options: LogOptions;
  private readonly dictionaries: LogDictionaries;

  constructor(options: LogOptions) {
    this.options = options;
    this.dictionaries = new LogDictionaries(options.dictionaries);
  }

  async message(message: LoggedMessage, of: OrderOfChain | null = null): Promise<void> {
    this.shown++;
    const { view, raw, asLogged, note } = message;
    const printable = toRedacted(asLogged ?? raw);
    if (this.options.json) {
      await printLine(JSON.stringify(await this.jsonOf(message, printable, of)));
      return;
    }
    const text =
      this.options.raw || view === null ? printable : toDecodedLine(view, await this.dictionaries.naming(view));
    const time = message.at === null ? '-'.padEnd(23) : formatIso(message.at).slice(0, 23).replace('T', ' ');
    const msgSeqNum = view?.string(Tag.MsgSeqNum) ?? '-';
    const where = `${terminalText(message.sender)} → ${terminalText(message.target)}`;
    await printLine(
      `${time}  ${where}  ${msgSeqNum.padStart(4)}  ${text}${note === '' ? '' : ` (${terminalText(note)})`}`,
    );
  }

  async latency(latency: SessionLatency): Promise<void> {
    this.shown++;
    const lines = this.options.json ? [JSON.stringify(latency)] : latencyLines(latency);
    for (const line of lines) await printLine(line);
  }

  heading(clOrdIDs: readonly string[], orderIDs: readonly string[]): void {
    if (this.options.json) return;
    const chain = clOrdIDs.length === 0 ? '' : ` ${terminalText(clOrdIDs.join(' → '))}`;
    const ids = orderIDs.length === 0 ? '' : `  OrderID ${terminalText(orderIDs.join(', '))}`;
    console.log(`\nOrder${chain}${ids}`);
  }

  gap(gap: SequenceGap): void {
    if (!this.options.json && !this.options.raw)
      console.log(`--- MsgSeqNum ${numbersOf(gap)} of ${terminalText(gap.direction)} missing here`);
  }

  openGaps(gaps: readonly SequenceGap[]): void {
    for (const gap of gaps)
      console.error(`gap: MsgSeqNum ${numbersOf(gap)} of ${terminalText(gap.direction)}: nowhere in this log`);
  }

  private async jsonOf(message: LoggedMessage, printable: string, of: OrderOfChain | null): Promise<unknown> {
    const { at, session, sender, target, view, note } = message;
    const dictionaries = view === null ? [] : await this.dictionaries.naming(view);
    const msgType = view?.msgType ?? null;
    return {
      at: at === null ? null : formatIso(at),
      session,
      sender,
      target,
      msgSeqNum: view?.int(Tag.MsgSeqNum) ?? null,
      msgType,
      name: dictionaries.map((each) => each.messageName(msgType ?? '')).find((name) => name !== null) ?? null,
      ...of,
      fields: describedFields(message, dictionaries).map(({ tag, name, value, meaning }) => ({
        tag,
        name,
        value,
        meaning,
      })),
      ...(message.isCutShort ? { isCutShort: true } : {}),
      note,
      message: printable,
    };
  }
}
