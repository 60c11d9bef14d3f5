// A log with an auction, sent again: requests wait for the phase that they were in, answers for the cross.

import { expect, test } from 'vitest';
import { ReplayLog } from '../../../src/replay/kept-message.ts';
import { LogSessions } from '../../../src/replay/log-sessions.ts';
import { loggedMessage } from '../../../src/replay/logged-message.ts';
import { planReplay } from '../../../src/replay/target/replay-plan.ts';
import { ReplayRun } from '../../../src/replay/target/replay-run.ts';
import { fromPrintable, type MessageDraft, Tag, viewOf } from '../../../src/wire/mod.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const OURS = '49=OMS|56=XG|';
const THEIRS = '49=XG|56=OMS|';
const timeOf = (second: number): string => `20261121-12:00:${second.toFixed(3).padStart(6, '0')}`;
const order = (second: number): string => `35=D|${OURS}34=2|52=${timeOf(second)}|11=a|55=BTC|54=1|38=1|59=5|`;
const accepted = (second: number): string =>
  `35=8|${THEIRS}34=2|52=${timeOf(second)}|37=9|17=1|11=a|150=0|39=0|336=70001|`;
const filled = (second: number): string =>
  `35=8|${THEIRS}34=3|52=${timeOf(second)}|37=9|17=2|11=a|150=F|39=2|336=70001|`;
const cancel = (second: number): string => `35=F|${OURS}34=3|52=${timeOf(second)}|11=b|41=a|55=BTC|`;
const refused = (second: number, text: string): string =>
  `35=9|${THEIRS}34=3|52=${timeOf(second)}|37=9|11=b|41=a|39=0|434=1|102=99|58=${text}|`;
const LOCKDOWN = 'Auction 70001 of BTC is in phase LOCKDOWN: orders cannot be cancelled now';

function runOf(bodies: readonly string[], beginString = 'FIX.4.4'): ReplayRun {
  const [log, sessions] = [new ReplayLog(), new LogSessions()];
  for (const body of bodies) {
    const bytes = fromPrintable(beginString === 'FIX.4.4' ? body : `8=${beginString}|9=0|${body}`);
    const message = loggedMessage(bytes, { at: null, session: null, counted: true, note: '' });
    log.add(message, sessions.directionOf(message));
  }
  const plan = planReplay(log, null);
  if (typeof plan === 'string') throw new Error(plan);
  return new ReplayRun(plan, { prefix: 'R-', volatile: [], answerTimeoutMs: 5_000, waitMaxMs: 60_000 });
}

/** The acceptor's word on the phase, at a time of the run in seconds. */
function says(run: ReplayRun, second: number, text: string | null, status = 17): void {
  const said = text === null ? '' : `58=${text}|`;
  hears(run, second, `35=f|${THEIRS}34=2|324=R-phase-1|55=BTC|326=${status}|${said}`);
}

function hears(run: ReplayRun, second: number, body: string): void {
  run.received(viewOf(fromPrintable(body))!, at(second));
}

const at = (second: number): number => NOW + second * 1_000;
const phase = (name: string, auction: number, crossSecond: number): string =>
  `Auction ${auction} of BTC is in phase ${name}: GTX orders may be cancelled; cross at 20261122-12:00:${String(crossSecond).padStart(2, '0')}.000`;
const nameOf = (draft: MessageDraft | null): string | null =>
  draft && `${draft.msgType} ${draft.get(Tag.ClOrdID) ?? ''}`.trim();

/** Ask for the phase. */
function ask(run: ReplayRun): void {
  const question = run.take(NOW);
  expect([nameOf(question), question?.get(Tag.Symbol), question?.get(Tag.SubscriptionRequestType)]).toEqual([
    'e',
    'BTC',
    '1',
  ]);
  run.sentUnder(2);
  expect(run.take(NOW)).toBeNull();
}

test('an auction order waits for an auction with as much time left as in the log', () => {
  const run = runOf([order(0), accepted(0.1), filled(6)]);
  ask(run);
  says(run, 0, phase('ACCUMULATION', 90001, 5));
  expect([run.take(at(0)), run.awaitedPhase]).toEqual([null, 'an auction of BTC in phase ACCUMULATION']);
  says(run, 2, phase('LOCKDOWN', 90001, 5));
  says(run, 5, null);
  says(run, 7, phase('ACCUMULATION', 90002, 15));
  expect(nameOf(run.take(at(7)))).toBe('D R-a');
  expect(run.result('').foreign).toBe(0);
});

test('an auction that is shorter than that of the log is taken at its beginning', () => {
  const run = runOf([order(0), accepted(0.1), filled(50)]);
  ask(run);
  says(run, 0, null);
  says(run, 3, phase('ACCUMULATION', 90001, 9));
  expect(nameOf(run.take(at(3)))).toBe('D R-a');
});

test('the answers of a cross are awaited until the auction is over, and the message names the time-out', () => {
  const run = runOf([order(0), accepted(0.1), filled(6)]);
  ask(run);
  says(run, 0, phase('ACCUMULATION', 90001, 30));
  run.take(at(0));
  run.sentUnder(3);
  hears(run, 0.1, `35=8|${THEIRS}34=3|37=7|17=x|11=R-a|150=0|39=0|336=90001|`);
  run.tick(at(29));
  expect(run.complete).toBe(false);
  says(run, 30, null);
  run.tick(at(34.9));
  expect(run.complete).toBe(false);
  run.tick(at(35));
  expect(run.complete).toBe(true);
  expect(run.result('').requests[0]!.differences).toMatchObject([
    { kind: 'missing', reason: 'waited 35.0 s: --timeout 5000 ms beyond the end of the auction' },
  ]);
});

test('an answer is awaited as long as the log took and --timeout more, at most --longest-wait', () => {
  for (const [took, waited, why] of [
    [20, 25, 'waited 25.0 s: --timeout 5000 ms beyond the 20.0 s of the log'],
    [58, 60, 'waited 60.0 s, by --longest-wait 60000; the log took 58.0 s'],
  ] as const) {
    const run = runOf([order(0).replace('59=5', '59=1'), filled(took).replace('|336=70001', '')]);
    expect(nameOf(run.take(NOW))).toBe('D R-a');
    for (const second of [6, 12, waited - 0.1]) run.tick(at(second));
    expect(run.complete).toBe(false);
    run.tick(at(waited));
    expect([run.complete, run.result('').requests[0]!.differences]).toMatchObject([
      true,
      [{ kind: 'missing', reason: why }],
    ]);
  }
});

test('T4 a cancel that met lockdown waits for the lockdown of its auction', () => {
  const run = runOf([order(0), accepted(0.1), cancel(3), refused(3.1, LOCKDOWN), filled(6)]);
  ask(run);
  says(run, 0, phase('ACCUMULATION', 90001, 30));
  expect(nameOf(run.take(at(0)))).toBe('D R-a');
  run.sentUnder(3);
  hears(run, 0.1, `35=8|${THEIRS}34=3|37=7|17=x|11=R-a|150=0|39=0|336=90001|`);
  expect([run.take(at(1)), run.awaitedPhase]).toEqual([null, 'an auction of BTC in phase LOCKDOWN']);
  says(run, 20, phase('LOCKDOWN', 90001, 30));
  expect(nameOf(run.take(at(20)))).toBe('F R-b');
});

test('an order that was refused without an auction waits for the time between two', () => {
  const none = `35=8|${THEIRS}34=2|52=${timeOf(0.1)}|37=NONE|17=1|11=a|150=8|39=8|103=2|58=TimeInForce(59)=5 on Symbol(55)=BTC: no auction is running now|`;
  const run = runOf([order(0), none]);
  ask(run);
  says(run, 0, phase('LOCKDOWN', 90001, 5));
  expect([run.take(at(0)), run.awaitedPhase]).toEqual([null, 'no auction of BTC']);
  says(run, 5, null);
  expect(nameOf(run.take(at(5)))).toBe('D R-a');
});

test('an acceptor that rejects the question, answers without a phase or not at all is not waited for', () => {
  const log = [order(0), accepted(0.1), filled(6)];
  const rejecting = runOf(log);
  ask(rejecting);
  hears(rejecting, 0, `35=j|${THEIRS}34=2|45=2|372=e|380=3|`);
  expect(nameOf(rejecting.take(at(0)))).toBe('D R-a');
  const without = runOf(log);
  ask(without);
  says(without, 0, null, 9);
  expect(nameOf(without.take(at(0)))).toBe('D R-a');
  const silent = runOf(log);
  ask(silent);
  expect(silent.deadline(at(1))).toBe(at(5));
  expect(nameOf(silent.take(at(5)))).toBe('D R-a');
  expect(nameOf(runOf(log, 'FIX.4.2').take(NOW))).toBe('D R-a');
});

test('a phase that does not come is waited for as long as --longest-wait, then the order goes out', () => {
  const run = runOf([order(0), accepted(0.1), filled(6)]);
  ask(run);
  says(run, 0, null);
  expect(run.take(at(1))).toBeNull();
  expect(run.deadline(at(1))).toBe(at(60));
  expect(nameOf(run.take(at(60)))).toBe('D R-a');
});
