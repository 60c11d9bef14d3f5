// A day of very many messages, run again from its journal by `crossgate replay --pure`: decoded, validated, through the
// machines, compared to the byte. `npm run bench -- replay [messages]`. The floor beside it, in the same run: reading the
// same journal as a message log.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { joinVersions, loadVersion, ORDER_VERSIONS, validatorSwitches } from '../../src/engine/mod.ts';
import { Gateway, type GatewayInput } from '../../src/gateway/mod.ts';
import { inputRecord, sessionRecord, startRecord, uncountedRecord } from '../../src/runtime/journaled-input.ts';
import { Session, type SessionInput } from '../../src/session/mod.ts';
import { type Journal, type JournalRecord, openJournal } from '../../src/store/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { ACCOUNT, exchangeOrder, exchangeTrade, market } from '../gateway/desk.ts';
import { ACCEPTOR_CONFIG } from '../replay/session-config.ts';
import { benchConfig, NOW, SESSION_ID } from './orders.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const MESSAGES = 1_000_000;
/** A D, its New and its Trade. */
const MESSAGES_OF_ORDER = 3;
const ORDERS_OF_BATCH = 250;
const SECONDS_MAX = 30;
/** Orders a second, by the times of the day. */
const PER_SECOND = 1_000;

type Job =
  | { readonly to: 'session'; readonly input: SessionInput }
  | { readonly to: 'gateway'; readonly input: GatewayInput };

/** A gateway of one session that writes its journal as the engine does: a frame for each input. */
class Day {
  now = NOW;
  private readonly journal: Journal;
  private readonly session: Session;
  private readonly gateway = new Gateway(benchConfig, { orders: new Map() });
  private readonly first = new Set<string>();
  submitted: string | null = null;

  constructor(journal: Journal, session: Session) {
    this.journal = journal;
    this.session = session;
  }

  tell(job: Job): void {
    const records: JournalRecord[] = [];
    const machine = job.to === 'gateway' ? 'gateway' : SESSION_ID;
    const input = inputRecord(machine, job.input, !this.first.has(machine));
    this.first.add(machine);
    if (input !== null) records.push(input);
    const jobs = [job];
    for (let i = 0; i < jobs.length; i++) {
      const { to, input: each } = jobs[i]!;
      if (to === 'gateway') this.tellGateway(each, jobs, records);
      else this.tellSession(each, jobs, records);
    }
    if (records.length > 0) this.journal.append(records, this.now);
  }

  private tellSession(input: SessionInput, jobs: Job[], records: JournalRecord[]): void {
    const effects = this.session.handle(input, this.now);
    if (input.kind === 'message') {
      const uncounted = uncountedRecord(SESSION_ID, input.view, input.authentication, effects);
      if (uncounted !== null) records.push(uncounted);
    }
    for (const effect of effects) {
      if (effect.kind === 'persist') records.push(effect.record);
      else if (effect.kind === 'loggedOn')
        jobs.push({ to: 'gateway', input: { kind: 'sessionUp', sessionId: SESSION_ID } });
      else if (effect.kind === 'deliver') {
        const { view, possDup, waited } = effect;
        jobs.push({ to: 'gateway', input: { kind: 'message', sessionId: SESSION_ID, view, possDup, waited } });
      }
    }
  }

  private tellGateway(input: GatewayInput, jobs: Job[], records: JournalRecord[]): void {
    for (const effect of this.gateway.handle(input, this.now)) {
      if (effect.kind === 'submit' && effect.command.kind === 'createOrder')
        this.submitted = effect.command.clientOrderId;
      if (effect.kind === 'send') jobs.push({ to: 'session', input: { kind: 'send', draft: effect.draft } });
      if (effect.kind !== 'persistOrder') continue;
      const { key, record, ended } = effect;
      records.push({ kind: 'order', key, record, ...(ended === undefined ? {} : { ended }) });
    }
  }

  message(body: string, authentication: 'accepted' | 'notLogon' = 'notLogon'): void {
    const view = viewOf(fromPrintable(body))!;
    this.tell({ to: 'session', input: { kind: 'message', view, authentication: { kind: authentication } } });
  }
}

async function write(directory: string, orders: number): Promise<void> {
  const journal = await openJournal({ directory, now: () => NOW });
  const session = { ...ACCEPTOR_CONFIG, sessionId: SESSION_ID, seqNumMax: 100_000_000 };
  const loaded = new Map(
    await Promise.all(ORDER_VERSIONS.map(async (each) => [each, (await loadVersion('dictionaries', each))!] as const)),
  );
  const validator = joinVersions('FIX.4.4', loaded)!.newValidator(validatorSwitches(session));
  journal.append([startRecord(benchConfig)], NOW);
  journal.append([sessionRecord(session, benchConfig.sessions[0]!)], NOW);
  const day = new Day(journal, new Session(session, validator, null));
  const gateway = (input: GatewayInput): void => day.tell({ to: 'gateway', input });
  gateway({ kind: 'markets', markets: [market('BTCUSDC')] });
  gateway({ kind: 'feed', credential: 'main', feed: 'private', live: true });
  gateway({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  day.tell({ to: 'session', input: { kind: 'connected', remote: 'bench' } });
  const header = (n: number): string => `49=OMS|56=XG|34=${n}|52=20260105-12:00:00.000`;
  day.message(`35=A|${header(1)}|98=0|108=30|`, 'accepted');
  for (let i = 0; i < orders; i++) {
    day.now = NOW + Math.floor((i * 1_000) / PER_SECOND);
    const [quantity, price] = [`${1 + (i % 97)}.${10 + (i % 89)}`, `${50 + (i % 4_999)}.${i % 10}`];
    const time = new Date(day.now).toISOString().replaceAll('-', '').replace('T', '-').slice(0, 21);
    day.message(
      `35=D|49=OMS|56=XG|34=${i + 2}|52=${time}|11=order-${i}|1=ACC1|55=BTCUSDC|54=1|60=${time}|38=${quantity}|40=2|44=${price}|59=1|`,
    );
    const reference = day.submitted;
    if (reference === null) throw new Error(`order ${i} was refused`);
    day.submitted = null;
    const names = { orderId: `${500_000_000_000_000_000n + BigInt(i)}`, clientOrderId: reference };
    gateway({
      kind: 'outcome',
      commandId: `${ACCOUNT}/${reference}/0`,
      outcome: { kind: 'accepted', ...names, requestId: null },
    });
    const terms = { ...names, quantity, price };
    gateway({ kind: 'trade', trade: exchangeTrade({ ...terms, tradeId: `${i + 1}` }, day.now), source: 'update' });
    const filled = { ...terms, quantityFilled: quantity, averageFillPrice: price, status: 'CLOSED' as const };
    gateway({ kind: 'order', order: exchangeOrder(filled, day.now), source: 'update' });
    if (i % ORDERS_OF_BATCH === 0) await journal.sync();
  }
  await journal.sync();
  await journal.close();
}

/** Seconds of a command on one processor, those of the processor, and its last line. */
async function timed(args: readonly string[]) {
  const begun = performance.now();
  const command = ['-f', '%U %S', 'taskset', '-c', '0', process.execPath, 'src/cli/main.ts', ...args];
  const options = { cwd: ROOT, maxBuffer: 1 << 30 };
  // `log` says by its exit code that nothing matched.
  const { stdout, stderr } = await run('time', command, options).catch(
    (error) => error as { stdout: string; stderr: string },
  );
  const [user = 0, system = 0] = stderr.trimEnd().split('\n').at(-1)!.split(' ').map(Number);
  const seconds = (performance.now() - begun) / 1_000;
  return { seconds, processor: user + system, line: stdout.trimEnd().split('\n').at(-1)! };
}

export async function benchReplay([count = `${MESSAGES}`]: readonly string[]): Promise<void> {
  const directory = process.env.BENCH_JOURNAL ?? (await mkdtemp(join(tmpdir(), 'crossgate-replay-')));
  try {
    const begun = performance.now();
    await write(directory, Math.ceil(Number(count) / MESSAGES_OF_ORDER));
    console.log(`recorded in ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    const floor = await timed(['log', directory, '--type', 'none']);
    const replay = await timed(['replay', '--pure', '--state', directory]);
    for (const [name, { seconds, processor }] of Object.entries({ 'read as a log (floor)': floor, replayed: replay })) {
      console.log(`${name}: ${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of one processor`);
    }
    console.log(`target ${SECONDS_MAX} s; ${replay.line}`);
  } finally {
    if (process.env.BENCH_JOURNAL === undefined) await rm(directory, { recursive: true, force: true });
  }
}
export { benchReplay as run };
