// `crossgate schedule`: when a session opens, closes and resets its numbers next, by its own clocks and in UTC. Reads the
// configuration only: no gateway has to run.

import { basename } from 'node:path';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { type EpochMs, formatIso, parseIso } from '../../base/time.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import { type Boundary, Schedule, type ScheduleSettings } from '../../session/mod.ts';
import { configurationOrExit } from '../options/configuration.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { type Column, formatTable } from '../output/table.ts';

interface ScheduleOptions {
  readonly sessions: string;
  readonly days?: string;
  readonly from?: string;
  readonly json?: boolean;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 400;
const ROWS_MAX = 10_000;
const ALWAYS: ScheduleSettings = { timeZone: 'UTC', windows: [], holidays: [], resets: [] };

export function addScheduleCommand(program: Command): void {
  program
    .command('schedule <session>')
    .description('when a session opens, closes and resets its numbers next, in its time zone and in UTC')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--days <number>', `everything in so many days, ${DAYS_MAX} at most; only the next of each kind if absent`)
    .option('--from <time>', 'count from this time, for example 2026-03-28T00:00:00Z, instead of from now')
    .option('--json', 'as JSON')
    .action(run);
}

async function run(name: string, options: ScheduleOptions): Promise<void> {
  const from = startOf(options.from);
  const days = options.days === undefined ? null : wholeNumber('--days', options.days, 1, DAYS_MAX);
  const config = await configurationOrExit(options.sessions);
  if (config === null) return;
  const { session } = sessionOf(config, name);
  const schedule = new Schedule(session.schedule ?? ALWAYS);
  const { open } = schedule.span(from);
  const boundaries =
    days === null ? nextOfEach(schedule, from) : schedule.boundaries(from, from + days * DAY_MS, ROWS_MAX);
  const { timeZone } = schedule.settings;
  if (options.json) {
    const events = boundaries.map(({ kind, at }) => ({ kind, at: utc(at), local: schedule.localTime(at) }));
    console.log(JSON.stringify({ session: session.sessionId, timeZone, from: utc(from), open, events }, null, 2));
    return;
  }
  console.log(`${session.sessionId} is ${open ? 'open' : 'closed'} at ${schedule.localTime(from)} (${timeZone})`);
  if (boundaries.length > 0) console.log(`\n${formatTable(columns(schedule), boundaries)}`);
  else console.log(days === null ? 'It never changes, and its numbers are never reset by time.' : 'Nothing happens.');
}

function columns(schedule: Schedule): readonly Column<Boundary>[] {
  return [
    { title: 'EVENT', cell: ({ kind }) => kind },
    { title: schedule.settings.timeZone.toUpperCase(), cell: ({ at }) => schedule.localTime(at) },
    { title: 'UTC', cell: ({ at }) => utc(at) },
  ];
}

/** In whole seconds, as schedules are. */
function utc(at: EpochMs): string {
  return `${formatIso(at).slice(0, 19)}Z`;
}

function nextOfEach(schedule: Schedule, from: EpochMs): Boundary[] {
  const found: Boundary[] = [];
  for (const kind of ['closes', 'resets', 'opens'] as const) {
    const at = kind === 'resets' ? schedule.nextReset(from) : schedule.next(kind, from);
    if (at !== null) found.push({ at, kind });
  }
  return found.sort((a, b) => a.at - b.at);
}

/** By file name, SessionID, or the counterparty's CompID where it is the only one; one made from a template has that one's. */
function sessionOf({ sessions }: EngineConfig, name: string): EngineSessionConfig {
  const named = sessions.find(
    ({ source, session }) => basename(source, '.yaml') === name || session.sessionId === name,
  );
  if (named !== undefined) return named;
  const [template] = /^[^:]+(?=:)/.exec(name) ?? [];
  const maker = sessions.find((one) => one.template != null && basename(one.source, '.yaml') === template);
  if (maker !== undefined) return maker;
  const [found, ...more] = sessions.filter(({ session }) => session.targetCompID === name);
  if (found !== undefined && more.length === 0) return found;
  const known = sessions.map(({ source }) => basename(source, '.yaml')).join(', ');
  throw new CrossgateError('XG_NOT_FOUND', `there is no session ${name}; configured: ${known}`);
}

function startOf(text: string | undefined): EpochMs {
  if (text === undefined) return Date.now();
  const at = parseIso(text);
  if (at === null)
    throw new CrossgateError('XG_USAGE', `--from takes a time such as 2026-03-28T00:00:00Z, not "${text}"`);
  return at;
}
