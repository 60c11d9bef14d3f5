// A log sent again: where it may go, what is sent when, and how answers are held against those of the log.

import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { isLoopback } from '../../../src/base/host-port.ts';
import { LogDictionaries } from '../../../src/cli/log/message-log.ts';
import { type KeptMessage, MessageKeeper, ReplayLog } from '../../../src/replay/kept-message.ts';
import { LogSessions } from '../../../src/replay/log-sessions.ts';
import { type LoggedMessage, loggedMessage } from '../../../src/replay/logged-message.ts';
import {
  countResults,
  nothingSent,
  replayJson,
  replayJUnit,
  replayLines,
} from '../../../src/replay/report/replay-report.ts';
import { GapFinder } from '../../../src/replay/sequence-gap.ts';
import { matchAnswers } from '../../../src/replay/target/answer-match.ts';
import { planReplay as planOfLog, type ReplayPlan } from '../../../src/replay/target/replay-plan.ts';
import { ReplayRun } from '../../../src/replay/target/replay-run.ts';
import { parseTarget, targetRefusal } from '../../../src/replay/target/replay-target.ts';
import { fromPrintable, type MessageDraft, type MessageView, Tag, toPrintable, viewOf } from '../../../src/wire/mod.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const LOG = [
  '35=A|49=OMS|56=XG|34=1|98=0|108=20|',
  '35=A|49=XG|56=OMS|34=1|98=0|108=20|',
  '35=D|49=OMS|56=XG|34=2|52=20261121-12:00:00|11=a|55=B|126=20261121-13:00:00|60=20261121-12:00:00.000|',
  '35=8|49=XG|56=OMS|34=2|37=900|17=1|11=a|150=0|39=0|58=order a is new|',
  '35=F|49=OMS|56=XG|34=3|11=b|41=a|37=900|',
  '35=8|49=XG|56=OMS|34=3|37=900|17=2|11=b|41=a|150=4|39=4|',
  '35=D|49=OMS|56=XG|34=4|11=c|54=x|',
  '35=3|49=XG|56=OMS|34=4|45=4|373=5|',
];

const view = (body: string): MessageView => viewOf(fromPrintable(body))!;
const logged = (bodies: readonly string[]): LoggedMessage[] =>
  bodies.map((body) => loggedMessage(fromPrintable(body), { at: null, session: null, counted: true, note: '' }));

/** Let the time pass in which missing answers are awaited. */
const giveUp = (run: ReplayRun): void => run.tick(NOW + 5_000);

function planReplay(messages: readonly LoggedMessage[], ...rest: [sender: string | null, session?: string]) {
  const [log, sessions] = [new ReplayLog(), new LogSessions()];
  for (const message of messages) log.add(message, sessions.directionOf(message));
  return planOfLog(log, ...rest);
}

function planOf(bodies: readonly string[]): ReplayPlan {
  const plan = planReplay(logged(bodies), null);
  if (typeof plan === 'string') throw new Error(plan);
  return plan;
}

describe('R1 where a replay may go', () => {
  test.each(['127.0.0.1', '127.8.9.1', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])('%s is here', (host) => {
    expect(isLoopback(host)).toBe(true);
  });
  test.each(['10.0.0.1', '128.0.0.1', '127.0.0.1.example.com', '::2', '1', 'localhost.example.com', '127.0.0.300'])(
    '%s is not',
    (host) => {
      expect(isLoopback(host)).toBe(false);
      const compIDs = { senderCompID: 'OMS', targetCompID: 'XG' };
      expect(targetRefusal({ host, port: 1 }, compIDs, ['OMS'])).toContain('--allow-comp-id XG');
      expect(targetRefusal({ host, port: 1 }, compIDs, ['XG', 'OMS'])).toBeNull();
    },
  );
  test('a target is a host and a port', () => {
    expect(parseTarget('localhost:9876')).toEqual({ host: 'localhost', port: 9876 });
    expect(parseTarget('[::1]:9876')).toEqual({ host: '::1', port: 9876 });
    for (const text of ['localhost', ':1', 'a:0', 'a:65536', '::1:5']) expect(parseTarget(text)).toBeNull();
  });
});

describe('the plan', () => {
  test('replays the side of the first Logon, and ties answers to requests by id and RefSeqNum(45)', () => {
    const plan = planOf(LOG);
    expect(plan).toMatchObject({ senderCompID: 'OMS', targetCompID: 'XG', heartBtIntS: 20, unrelated: 0 });
    expect(plan.requests.map(({ label, answersBefore }) => [label, answersBefore])).toEqual([
      ['ClOrdID=a', 0],
      ['ClOrdID=b', 1],
      ['ClOrdID=c', 2],
    ]);
    expect(plan.answers.map(({ request }) => request)).toEqual([0, 1, 2]);
  });

  test("replays the ordering side even if the log's Logon is missing or late", () => {
    const [theirs, ours, ...rest] = LOG;
    const late = [ours!, ...rest, theirs!.replace('34=1', '34=9')];
    for (const log of [late, [ours!, ...rest], [rest[1]!, ...rest]]) {
      expect(planOf(log)).toMatchObject({ senderCompID: 'OMS', requests: { length: 3 } });
    }
    expect(planReplay(logged(late), 'XG')).toMatchObject({ senderCompID: 'XG' });
  });

  test('leaves out messages that went over the wire twice', () => {
    const again = [LOG[2]!.replace('34=2|', '34=2|43=Y|'), LOG[3]!.replace('34=2|', '34=2|43=Y|')];
    const resent = [LOG[3]!.replace('34=2|', '34=9|97=Y|')];
    const plan = planOf([...LOG, ...again, ...resent]);
    expect([plan.requests.length, plan.answers.length]).toEqual([3, 3]);
  });

  test('leaves out byte-equal repeats of a log, but not those with another SendingTime(52)', () => {
    const day = LOG.map((body, i) =>
      body.includes('|52=') ? body : body.replace('|34=', `|52=20261121-12:00:0${i}|34=`),
    );
    const outline = ({ requests, answers }: ReplayPlan) =>
      [...requests, ...answers].map(({ message, ...rest }) => ({ ...rest, body: toPrintable(message.bytes()) }));
    expect(outline(planOf(day.flatMap((body) => [body, body])))).toEqual(outline(planOf(day)));
    const nextDay = day.map((body) => body.replace('|52=20261121', '|52=20261122').replace('|17=', '|17=9'));
    expect(planOf([...day, ...nextDay]).requests).toHaveLength(6);
    expect(planOf([...day, ...nextDay, ...day, ...nextDay]).requests).toHaveLength(6);
  });

  test('takes of a log of a million messages not many times its bytes', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const held = (): number => {
      collectGarbage();
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      return heapUsed + arrayBuffers;
    };
    const [log, sessions] = [new ReplayLog(), new LogSessions()];
    // Leftovers of earlier tests are collected in more than one round.
    held();
    const before = held();
    let bytes = 0;
    for (let n = 1; n <= 25_000; n++) {
      const [order, report] = [LOG[2]!, LOG[3]!].map((body) =>
        body.replace('34=2|', `34=${n}|`).replace('11=a|', `11=a${n}|`),
      );
      for (const message of logged([order!, report!.replace('17=1|', `17=${n}|`)])) {
        log.add(message, sessions.directionOf(message));
        bytes += message.raw.length;
      }
    }
    const plan = planOfLog(log, null);
    expect((held() - before) / bytes).toBeLessThan(14);
    expect(plan).toMatchObject({ requests: { length: 25_000 }, answers: { length: 25_000 } });
  });

  test("C1 awaits no message behind the answering side's Logout(5), as of cancel on disconnect", () => {
    const day = [
      '35=D|49=OMS|56=XG|34=2|11=a|',
      '35=8|49=XG|56=OMS|34=2|37=900|17=1|11=a|150=0|39=0|',
      '35=5|49=OMS|56=XG|34=3|',
      '35=8|49=XG|56=OMS|34=3|37=900|17=2|11=a|150=F|39=1|',
      '35=5|49=XG|56=OMS|34=4|',
      '35=8|49=XG|56=OMS|34=5|37=900|17=3|11=a|150=4|39=4|',
      '35=A|49=OMS|56=XG|34=4|98=0|108=20|',
      '35=A|49=XG|56=OMS|34=6|98=0|108=20|',
      '35=8|49=XG|56=OMS|34=5|43=Y|37=900|17=3|11=a|150=4|39=4|',
      '35=H|49=OMS|56=XG|34=5|11=a|',
      '35=8|49=XG|56=OMS|34=7|37=900|17=0|11=a|150=I|39=4|',
    ];
    const { answers, unrelated } = planOf(day);
    expect(answers.map(({ message }) => message.view().string(Tag.MsgSeqNum))).toEqual(['2', '3', '7']);
    expect(unrelated).toBe(1);
  });

  test('says why there is none', () => {
    expect(planReplay([], null)).toContain('no FIX message');
    expect(planReplay(logged(['35=A|49=OMS|56=XG|34=1|']), null)).toContain('nothing to replay');
    expect(planReplay(logged([...LOG, '35=0|49=OTHER|56=XG|34=1|']), null)).toContain('--session');
    expect(planReplay(logged(LOG), 'NOBODY')).toContain('NOBODY');
  });

  test("chooses a session by CompID or name, though another's CompID begins alike", () => {
    const other = LOG.map((body) => body.replaceAll('=OMS|', '=OMS2|'));
    const both = logged([...other, ...LOG]);
    expect(planReplay(both, null)).toBe(
      "the log has several sessions (FIX.4.4:OMS2->XG; FIX.4.4:OMS->XG): choose one, such as --session 'FIX.4.4:OMS2->XG'",
    );
    for (const name of ['OMS', 'FIX.4.4:OMS->XG', 'FIX.4.4:XG->OMS']) {
      expect(planReplay(both, null, name)).toMatchObject({ senderCompID: 'OMS', requests: { length: 3 } });
    }
    expect(planReplay(both, null, 'OMS2')).toMatchObject({ senderCompID: 'OMS2', requests: { length: 3 } });
    expect(planReplay(both, null, 'XG')).toContain('several sessions');
  });
});

describe('two sessions of a log that differ in SubIDs(50, 57) or LocationIDs(142, 143) alone', () => {
  /** The difference stands after the CompIDs of the two sides. */
  const dayOf = (theirs: string, ours: string, id: string): string[] => {
    // To the order's writer (rule D11), not to the desk that logged on.
    const report = `35=8|49=XG|56=OMS|${ours.replace(/57=.*?\|/, '')}57=joe|`;
    return [
      `35=A|49=OMS|56=XG|${theirs}34=1|98=0|108=20|`,
      `35=A|49=XG|56=OMS|${ours}34=1|98=0|108=20|`,
      `35=D|49=OMS|56=XG|${theirs}34=2|11=${id}|`,
      `${report}34=2|37=900|17=${id}1|11=${id}|150=0|39=0|`,
      `${report}34=3|37=900|17=${id}2|11=${id}|150=F|39=2|`,
    ];
  };
  const mixed = (...days: string[][]): LoggedMessage[] =>
    logged(days[0]!.flatMap((_, i) => days.map((day) => day[i]!)));

  test.each([
    ['50=D1|', '57=D1|', '50=D2|', '57=D2|', 'OMS/D1->XG', 'OMS/D2->XG'],
    ['50=D1|', '', '50=D2|', '', 'OMS/D1->XG', 'OMS/D2->XG'],
    ['142=LD4|', '143=LD4|', '142=NY|', '143=NY|', 'OMS//LD4->XG', 'OMS//NY->XG'],
    ['57=T1|', '50=T1|', '', '', 'OMS->XG/T1', 'OMS->XG'],
  ])(
    '%s and %s: one is chosen by its name, and replayed alone',
    (theirs, ours, otherTheirs, otherOurs, name, other) => {
      const log = mixed(dayOf(theirs, ours, 'a'), dayOf(otherTheirs, otherOurs, 'b'));
      const [first, second] = [`FIX.4.4:${name}`, `FIX.4.4:${other}`];
      expect(planReplay(log, null)).toBe(
        `the log has several sessions (${first}; ${second}): choose one, such as --session '${first}'`,
      );
      expect(planReplay(log, null, first)).toMatchObject({
        requests: [{ label: 'ClOrdID=a' }],
        answers: { length: 2 },
      });
      expect(planReplay(log, null, second)).toMatchObject({
        requests: [{ label: 'ClOrdID=b' }],
        answers: { length: 2 },
      });
    },
  );

  test('no gaps are seen in the numbers of either', () => {
    const [finder, sessions] = [new GapFinder(), new LogSessions()];
    const late = [[...dayOf('50=D1|', '57=D1|', 'a'), '35=0|49=OMS|56=XG|50=D1|34=4|'], dayOf('50=D2|', '57=D2|', 'b')];
    for (const message of logged(late.flat())) finder.add(message, sessions.directionOf(message));
    expect(finder.open()).toEqual([{ direction: 'FIX.4.4:OMS/D1->XG', from: 3, to: 3 }]);
  });

  test('a journal says which it is', () => {
    const log = mixed(dayOf('50=D1|', '57=D1|', 'a'), dayOf('50=D2|', '57=D2|', 'b')).map((message, i) => ({
      ...message,
      session: `FIX.4.4:XG->OMS/D${(i % 2) + 1}`,
    }));
    const plan = planReplay(log.slice(6), null, 'FIX.4.4:XG->OMS/D2');
    expect(plan).toMatchObject({ way: { opposite: 'FIX.4.4:OMS/D2->XG' } });
    expect(planReplay(log, null)).toContain('FIX.4.4:OMS/D1->XG; FIX.4.4:OMS/D2->XG');
  });
});

describe('a run', () => {
  const field = (draft: MessageDraft | null, tag: number): string | null => draft?.get(tag) ?? null;

  /** Send everything, each answered as in the log but for what `change` does to it. */
  function play(change: (body: string) => string[]) {
    const plan = planOf(LOG);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    const sent: MessageDraft[] = [];
    const answers = [
      '35=8|34=2|37=77|17=x|11=R1-a|150=0|39=0|58=order R1-a is new|',
      '35=8|34=3|37=77|17=y|11=R1-b|41=R1-a|150=4|39=4|',
      '35=3|34=4|45=13|373=5|',
    ];
    for (const [i, answer] of answers.entries()) {
      const draft = run.take(NOW);
      if (draft === null) break;
      run.sentUnder(11 + i);
      sent.push(draft);
      expect(i < 2 ? run.take(NOW) : null).toBeNull();
      for (const body of change(answer))
        run.received(view(`35=${body.split('|')[0]!.slice(3)}|49=XG|56=OMS|${body.slice(body.indexOf('|') + 1)}`), NOW);
      if (i < 2) giveUp(run);
    }
    giveUp(run);
    const dictionaries = [] as const;
    const context = { plan, target: 'localhost:1', prefix: 'R1-', startedAt: NOW, endedAt: NOW + 5, dictionaries };
    const result = run.result('it ended');
    const [json, junit] = [[...replayJson(result, context)], [...replayJUnit(result, context)]];
    return { sent, run, result, lines: replayLines(result, context), json, junit: junit.join(''), pieces: junit };
  }

  test('R1 prefixes every ClOrdID, gives fresh times, and uses the OrderID of today', () => {
    const { sent, result, lines, run } = play((answer) => [answer]);
    expect(
      sent.map((draft) => [field(draft, Tag.ClOrdID), field(draft, Tag.OrigClOrdID), field(draft, Tag.OrderID)]),
    ).toEqual([
      ['R1-a', null, null],
      ['R1-b', 'R1-a', '77'],
      ['R1-c', null, null],
    ]);
    expect(field(sent[0]!, Tag.TransactTime)).toBe('20261122-12:00:00.000');
    expect(field(sent[0]!, Tag.ExpireTime)).toBe('20261122-13:00:00');
    expect(lines).toEqual([]);
    expect([run.complete, result.foreign]).toEqual([true, 0]);
  });

  test('an ExpireTime(126) keeps its distance from SendingTime(52), also with local log times', () => {
    const [order] = logged([LOG[2]!]);
    const plan = planReplay([{ ...order!, at: order!.at! + 2 * 3_600_000 }], null);
    if (typeof plan === 'string') throw new Error(plan);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    expect(field(run.take(NOW), Tag.ExpireTime)).toBe('20261122-13:00:00');
  });

  test('an order over two hops keeps them in its header in order, without the old Signature(89)', () => {
    const hops = '627=2|628=HUB|629=20261121-11:59:59|628=DESK|630=7|';
    const plan = planOf([LOG[2]!.replace('11=a|', `115=FUND|${hops}11=a|`).concat('93=3|89=abc|')]);
    const draft = new ReplayRun(plan, { prefix: 'R1-', volatile: [] }).take(NOW)!;
    expect(draft.tags).toEqual([Tag.ClOrdID, Tag.Symbol, Tag.ExpireTime, Tag.TransactTime]);
    expect(draft.headerTags.map((tag, i) => `${tag}=${draft.headerValues[i]}|`).join('')).toBe(`115=FUND|${hops}`);
  });

  test('a request that is truncated in the log is not sent: its last value may be incomplete', () => {
    const soh = (text: string): Buffer => Buffer.from(text.replaceAll('|', '\u0001'), 'latin1');
    const context = { at: null, session: null, counted: true, note: '' };
    const half = '8=FIX.4.4|9=120|35=D|49=OMS|56=XG|34=3|52=20261121-12:00:01|11=a|55=B|38=1|';
    const inHeader = '8=FIX.4.4|9=120|35=D|49=O|';
    const messages = [...logged(LOG.slice(0, 4)), ...[half, inHeader].map((text) => loggedMessage(soh(text), context))];
    expect(planReplay([messages[0]!, messages[4]!], null)).toContain('that is there as a whole: there is nothing');
    const plan = planReplay(messages, null);
    if (typeof plan === 'string') throw new Error(plan);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    expect(field(run.take(NOW), Tag.ClOrdID)).toBe('R1-a');
    run.received(view(LOG[3]!.replaceAll('=a|', '=R1-a|').replace('order a', 'order R1-a')), NOW);
    expect([run.take(NOW), run.complete]).toEqual([null, true]);
    const { requests } = run.result('');
    expect(requests.map(({ differences }) => differences)).toEqual([
      [],
      [{ kind: 'notSent', reason: 'the log has only its beginning' }],
    ]);
    expect(countResults({ requests, foreign: 0 })).toEqual({ same: 1, different: 0, notComparable: 0, notSent: 1 });
    const unconnected = new ReplayRun(plan, { prefix: 'R1-', volatile: [] }).result('nobody listens there');
    expect(nothingSent(unconnected)).toBe('nobody listens there');
  });

  test('names fields that differ, missing answers and those too many', () => {
    const { lines, junit } = play((answer) => {
      if (answer.includes('R1-a is new')) return [answer.replace('is new', 'is <old> & "odd"')];
      if (answer.includes('373=5')) return ['35=8|34=4|37=NONE|17=z|11=R1-c|150=8|39=8|'];
      return [answer, answer];
    });
    expect(lines).toEqual([
      'MsgType D ClOrdID=a (34=2 in the log)',
      '  other fields in MsgType 8 150=0: order a is new',
      '    58 is order a is <old> & "odd", in the log order a is new',
      'MsgType F ClOrdID=b (34=3 in the log)',
      '  not in the log: MsgType 8 150=4',
      'MsgType D ClOrdID=c (34=4 in the log)',
      '  expected MsgType 3 373=5, got MsgType 8 150=8',
    ]);
    expect(junit).toContain('is &lt;old&gt; &amp; &quot;odd&quot;');
    expect(junit).toContain('tests="3" failures="3" errors="0" time="0.005"');
  });

  test('continues without missing answers, and ignores foreign ones', () => {
    const { lines, result } = play((answer) =>
      answer.includes('150=4') ? [answer.replace('R1-b', 'other')] : [answer],
    );
    expect(lines).toEqual([
      'MsgType F ClOrdID=b (34=3 in the log)',
      '  missing: MsgType 8 150=4 (waited 5.0 s: --timeout 5000 ms beyond the 0.0 s of the log)',
    ]);
    expect(result.foreign).toBe(1);
  });

  test('R1 every order of a NewOrderList(E) is compared, and its ListID(66) is new', () => {
    const list = '35=E|49=OMS|56=XG|34=1|66=L|394=3|68=2|73=2|11=l-1|67=1|55=B|54=1|11=l-2|67=2|55=B|54=1|';
    const answers = [
      '35=N|49=XG|56=OMS|34=1|66=L|429=1|73=2|11=l-1|14=0|11=l-2|14=0|',
      '35=8|49=XG|56=OMS|34=2|37=1|17=1|66=L|11=l-1|150=0|39=0|',
      '35=8|49=XG|56=OMS|34=3|37=2|17=2|66=L|11=l-2|150=0|39=0|',
    ];
    const plan = planOf([list, ...answers]);
    expect([plan.unrelated, plan.answers.map(({ key }) => key)]).toEqual([0, ['66=L', '11=l-1', '11=l-2']]);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    const sent = run.take(NOW);
    expect([field(sent, Tag.ListID), field(sent, Tag.ClOrdID)]).toEqual(['R1-L', 'R1-l-1']);
    const live = answers.map((body) => body.replace('66=L', '66=R1-L').replaceAll('|11=', '|11=R1-'));
    for (const body of [live[0]!, live[1]!, live[2]!.replace('150=0|39=0', '150=8|39=8')])
      run.received(view(body), NOW);
    const { requests, foreign } = run.result('');
    expect([foreign, requests[0]!.answers]).toEqual([0, 3]);
    expect(requests[0]!.differences).toMatchObject([{ kind: 'fields', fields: [{ tag: 150 }, { tag: 39 }] }]);
  });

  describe('ids and times that are never the same twice', () => {
    const DAY = [
      '35=D|49=OMS|56=XG|34=1|11=a|',
      '35=8|49=XG|56=OMS|34=1|37=9|198=8|17=1|11=a|150=0|39=0|60=20261121-12:00:00|',
      '35=G|49=OMS|56=XG|34=2|11=b|41=a|37=9|',
      '35=8|49=XG|56=OMS|34=2|37=9|198=8|17=2|11=b|41=a|150=5|39=0|60=20261121-12:00:00|',
      '35=8|49=XG|56=OMS|34=3|37=9|198=8|17=3|19=2|11=b|150=H|39=0|60=20261121-12:00:00|',
    ];
    const LIVE = [
      '35=8|49=XG|56=OMS|34=1|37=77|198=77|17=x|11=R1-a|150=0|39=0|60=20261122-12:00:00.123|',
      '35=8|49=XG|56=OMS|34=2|37=77|198=77|17=y|11=R1-b|41=R1-a|150=5|39=0|60=20261122-12:00:00.123|',
      '35=8|49=XG|56=OMS|34=3|37=77|198=77|17=z|19=y|11=R1-b|150=H|39=0|60=20261122-12:00:00.123|',
    ];
    const found = (live: readonly string[], volatile: readonly number[] = []) => {
      const run = new ReplayRun(planOf(DAY), { prefix: 'R1-', volatile });
      run.take(NOW);
      run.received(view(live[0]!), NOW);
      run.take(NOW);
      for (const body of live.slice(1)) run.received(view(body), NOW);
      return run
        .result('')
        .requests.flatMap(({ differences }) => differences)
        .flatMap((each): readonly unknown[] => (each.kind === 'fields' ? each.fields : [each.kind]));
    };
    const changed = (from: string, to: string, at = 1): string[] =>
      LIVE.map((body, i) => (i === at ? body.replace(from, to) : body));

    test('are the same where each of today stands for one of the log', () => {
      expect(found(LIVE)).toEqual([]);
    });
    test.each([
      ['|37=77', 37, '9'],
      ['|17=y', 17, '2'],
      ['|198=77', 198, '8'],
      ['|60=20261122-12:00:00.123', 60, '20261121-12:00:00'],
    ])('differ where %s is absent', (field, tag, recorded) => {
      expect(found(changed(field, ''))).toEqual([{ tag, recorded, live: null, why: null }]);
      expect(found(changed(field, ''), [tag])).toEqual([]);
    });
    test('D7 differ where an OrderID(37) changes within a chain of replaces, once', () => {
      const live = changed('|37=77', '|37=78').map((body, i) => (i === 2 ? body.replace('|37=77', '|37=78') : body));
      const why = 'the log keeps its id, here it was 77 before';
      expect(found(live)).toEqual([{ tag: 37, recorded: '9', live: '78', why }]);
      expect(found(changed('|37=77', '|37=NONE'))).toMatchObject([{ tag: 37, live: 'NONE' }]);
    });
    test('O2 differ where an ExecID(17) is used twice', () => {
      const why = 'the log has another id for each, here it is that of 2 too';
      expect(found(changed('|17=z', '|17=y', 2))).toEqual([{ tag: 17, recorded: '3', live: 'y', why }]);
    });
    test('differ where an ExecRefID(19) names another report', () => {
      expect(found(changed('|19=y', '|19=x', 2))).toMatchObject([{ tag: 19, recorded: '2', live: 'x' }]);
    });
  });

  test('keeps the times between the requests of the log where that is wanted', () => {
    const times = ['20261121-12:00:00', '20261121-12:00:07', '20261121-12:00:05', '20261121-12:00:10'];
    const plan = planOf(times.map((time, i) => `35=D|49=OMS|56=XG|34=${i + 1}|52=${time}|11=t-${i}|`));
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [], keepsPace: true });
    expect([field(run.take(NOW), Tag.ClOrdID), run.take(NOW), run.deadline(NOW)]).toEqual(['R1-t-0', null, NOW + 7000]);
    expect(run.take(NOW + 6999)).toBeNull();
    // Late by three seconds: what is due is not moved on.
    expect([NOW + 8000, NOW + 8000, NOW + 9999, NOW + 10_000].map((at) => field(run.take(at), Tag.ClOrdID))).toEqual([
      'R1-t-1',
      'R1-t-2',
      null,
      'R1-t-3',
    ]);
    expect(run.complete).toBe(true);
  });

  test('an auction order refused without an auction, and its followers, are not comparable', () => {
    const plan = planOf([
      '35=D|49=OMS|56=XG|34=1|11=x|59=5|',
      '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|',
      '35=F|49=OMS|56=XG|34=2|11=y|41=x|',
      '35=8|49=XG|56=OMS|34=2|37=9|17=2|11=y|41=x|150=4|39=4|',
      '35=D|49=OMS|56=XG|34=3|11=z|59=1|',
      '35=8|49=XG|56=OMS|34=3|37=10|17=3|11=z|150=0|39=0|',
    ]);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    for (const body of [
      '35=8|49=XG|56=OMS|34=1|37=NONE|17=a|11=R1-x|150=8|39=8|103=2|58=no auction is running|',
      '35=9|49=XG|56=OMS|34=2|37=NONE|11=R1-y|41=R1-x|39=8|434=1|102=1|',
      '35=8|49=XG|56=OMS|34=3|37=NONE|17=b|11=R1-z|150=8|39=8|103=2|58=closed|',
    ]) {
      run.take(NOW);
      run.received(view(body), NOW);
      giveUp(run);
    }
    const { requests } = run.result('');
    expect(
      requests.map(({ differences }) => differences.map((each) => ('reason' in each ? each.reason : each.kind))),
    ).toEqual([
      ['no auction was running (59=5 refused with 103=2: no auction is running)'],
      ['its order x was refused, as no auction was running'],
      ['fields'],
    ]);
    expect(countResults({ requests, foreign: 0 })).toEqual({ same: 0, different: 1, notComparable: 2, notSent: 0 });
  });

  test.each([
    'The kill switch of this session is on (runaway model in the auction (BTC)); no orders are taken',
    'The gateway is shutting down and takes no orders',
  ])('an auction order refused for another closing reason is a difference: %s', (text) => {
    const plan = planOf([
      '35=D|49=OMS|56=XG|34=1|11=x|59=5|',
      '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|',
      '35=F|49=OMS|56=XG|34=2|11=y|41=x|',
      '35=8|49=XG|56=OMS|34=2|37=9|17=2|11=y|41=x|150=4|39=4|',
    ]);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    for (const body of [
      `35=8|49=XG|56=OMS|34=1|37=NONE|17=a|11=R1-x|150=8|39=8|103=2|58=${text}|`,
      '35=9|49=XG|56=OMS|34=2|37=NONE|11=R1-y|41=R1-x|39=8|434=1|102=1|',
    ]) {
      run.take(NOW);
      run.received(view(body), NOW);
      giveUp(run);
    }
    expect(countResults(run.result(''))).toEqual({ same: 0, different: 2, notComparable: 0, notSent: 0 });
  });

  test.each([
    [
      '99',
      'TimeInForce(59)=5 on Symbol(55)=BTCUSDC: no auction is running now; here TimeInForce(59)=5 (GTX) means: a call auction',
    ],
    ['99', 'TimeInForce(59)=5 on Symbol(55)=BTCUSDC: phase LOCKDOWN takes no new auction orders'],
    ['99', 'No active auction in this market (exchange code 3082)'],
    ['99', 'NOT_NOW (exchange code 3083)'],
    ['3082', ''],
    ['3083', 'Auction orders cannot be created in this phase'],
  ])('an auction order refused in venue dialect by 103=%s is not comparable: "%s"', (reason, text) => {
    const plan = planOf(['35=D|49=OMS|56=XG|34=1|11=x|59=5|', '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|']);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    run.take(NOW);
    const said = text === '' ? '' : `58=${text}|`;
    run.received(view(`35=8|49=XG|56=OMS|34=1|37=NONE|17=a|11=R1-x|150=8|39=8|103=${reason}|${said}`), NOW);
    const because = text === '' ? '' : `: ${text}`;
    expect(run.result('').requests[0]!.differences).toEqual([
      { kind: 'notComparable', reason: `no auction was running (59=5 refused with 103=${reason}${because})` },
    ]);
  });

  test.each([
    '',
    'TradingSessionID(336)=70000 is not the running auction 80000 of Symbol(55)=BTCUSDC',
    'TimeInForce(59)=5 on Symbol(55)=ETHUSDC, which has no auctions; here TimeInForce(59)=5 (GTX) means: a call auction',
    'The kill switch of this session is on (there is no auction; exchange code 3082); no orders are taken',
  ])('an order for an auction that is refused as 103=99 for any other reason is answered differently: "%s"', (text) => {
    const plan = planOf(['35=D|49=OMS|56=XG|34=1|11=x|59=5|', '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|']);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    run.take(NOW);
    const said = text === '' ? '' : `58=${text}|`;
    run.received(view(`35=8|49=XG|56=OMS|34=1|37=NONE|17=a|11=R1-x|150=8|39=8|103=99|${said}`), NOW);
    expect(countResults(run.result(''))).toMatchObject({ different: 1, notComparable: 0 });
  });

  test("T3 an order naming its auction goes into today's; a named session is sent unchanged", () => {
    const plan = planOf([
      '35=D|49=OMS|56=XG|34=1|11=x|386=1|336=70000|625=3|59=5|',
      '35=D|49=OMS|56=XG|34=2|11=y|386=1|336=1|59=0|',
    ]);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    const sent = [run.take(NOW), run.take(NOW)].map((draft) => [386, 336, 625, 59].map((tag) => field(draft, tag)));
    expect(sent).toEqual([
      [null, null, null, '5'],
      ['1', '1', null, '0'],
    ]);
  });

  test("T3 maps each day's auction TradingSessionID(336) one to one; a named session is compared", () => {
    const plan = planOf(
      ['x', 'y', 'z', 'd'].flatMap((id, i) => [
        `35=D|49=OMS|56=XG|34=${i + 1}|11=${id}|59=5|`,
        `35=8|49=XG|56=OMS|34=${i + 1}|37=${i + 1}|17=${i}a|11=${id}|150=0|39=0|336=${['70000', '70000', '80000', '1'][i]}|`,
      ]),
    );
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    for (const [i, id] of ['x', 'y', 'z', 'd'].entries()) {
      run.take(NOW);
      const auction = ['90000', '90000', '90000', '2'][i];
      run.received(
        view(`35=8|49=XG|56=OMS|34=${i + 1}|37=${i + 1}|17=${i}a|11=R1-${id}|150=0|39=0|336=${auction}|`),
        NOW,
      );
    }
    const { requests } = run.result('');
    expect(
      requests.map(({ differences }) => differences.flatMap((one) => (one.kind === 'fields' ? one.fields : []))),
    ).toEqual([
      [],
      [],
      [
        {
          tag: 336,
          recorded: '80000',
          live: '90000',
          why: 'the log has another id for each, here it is that of 70000 too',
        },
      ],
      [{ tag: 336, recorded: '1', live: '2', why: null }],
    ]);
  });

  test.each([
    '',
    'TimeInForce(59)=5 on Symbol(55)=BTCUSDC: phase LOCKDOWN takes no new auction orders',
    'GTX orders are closed now',
  ])('an auction order refused by 103=2 is not comparable without another reason: "%s"', (text) => {
    const plan = planOf(['35=D|49=OMS|56=XG|34=1|11=x|59=5|', '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|']);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    run.take(NOW);
    const said = text === '' ? '' : `58=${text}|`;
    run.received(view(`35=8|49=XG|56=OMS|34=1|37=NONE|17=a|11=R1-x|150=8|39=8|103=2|${said}`), NOW);
    expect(countResults(run.result('')).notComparable).toBe(1);
  });

  test.each([
    ['7', '2', 'TimeInForce(59)=7 on Symbol(55)=BTC: no auction is running now', 1],
    ['9', '99', 'TimeInForce(59)=9 on Symbol(55)=BTC: phase LOCKDOWN takes no new auction orders', 1],
    ['B', '3082', '', 1],
    ['7', '2', '', 0],
    ['B', '2', 'TimeInForce(59)=B is not taken after the close', 0],
    ['1', '2', 'no auction is running', 0],
  ])(
    'T2 59=%s for 5 refused with 103=%s: "%s" is not comparable if no auction is the reason',
    (alias, reason, text, notComparable) => {
      const plan = planOf([
        `35=D|49=OMS|56=XG|34=1|11=x|59=${alias}|`,
        '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|',
      ]);
      const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
      run.take(NOW);
      run.received(
        view(
          `35=8|49=XG|56=OMS|34=1|37=NONE|17=a|11=R1-x|150=8|39=8|103=${reason}|${text === '' ? '' : `58=${text}|`}`,
        ),
        NOW,
      );
      expect(countResults(run.result('')).notComparable).toBe(notComparable);
    },
  );

  test('D12 the MassActionReportID(1369) of a mass cancel is another one each time, one for each of the log', () => {
    const plan = planOf(
      ['p', 'q'].flatMap((id, i) => [
        `35=q|49=OMS|56=XG|34=${i + 1}|11=${id}|530=7|`,
        `35=r|49=XG|56=OMS|34=${i + 1}|11=${id}|37=X${i}|1369=X${i}|530=7|531=7|`,
      ]),
    );
    const found = (...ids: string[]) => {
      const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
      for (const [i, id] of ids.entries()) {
        run.take(NOW);
        run.received(view(`35=r|49=XG|56=OMS|34=1|11=R1-${'pq'[i]}|37=Y${i}|1369=${id}|530=7|531=7|`), NOW);
      }
      return run.result('').requests.map(({ differences }) => differences.length);
    };
    expect(found('Y7', 'Y8')).toEqual([0, 0]);
    expect(found('Y7', 'Y7')).toEqual([0, 1]);
  });

  describe('T4 a cancel that meets the lockdown of its auction', () => {
    const DAY = ['a', 'b'].flatMap((id, i) => [
      `35=F|49=OMS|56=XG|34=${i + 1}|11=${id}|41=x|`,
      `35=9|49=XG|56=OMS|34=${i + 1}|37=9|11=${id}|41=x|39=0|434=1|102=99|58=Auction 70000 of BTC is in phase LOCKDOWN: orders cannot be cancelled now|`,
    ]);
    const found = (...texts: string[]) => {
      const run = new ReplayRun(planOf(DAY), { prefix: 'R1-', volatile: [] });
      for (const [i, text] of texts.entries()) {
        run.take(NOW);
        run.received(view(`35=9|49=XG|56=OMS|34=1|37=77|11=R1-${'ab'[i]}|41=x|39=0|434=1|102=99|58=${text}|`), NOW);
      }
      return run.result('').requests.map(({ differences }) => differences.length);
    };
    const text = (auction: string, phase = 'LOCKDOWN'): string =>
      `Auction ${auction} of BTC is in phase ${phase}: orders cannot be cancelled now`;

    test('is refused as in the log, though the auction in Text(58) is another one each day', () => {
      expect(found(text('90000'), text('90000'))).toEqual([0, 0]);
    });
    test('is refused otherwise where another phase, or two auctions, are named', () => {
      expect(found(text('90000'), text('90000', 'CROSS'))).toEqual([0, 1]);
      expect(found(text('90000'), text('90001'))).toEqual([0, 1]);
    });
  });

  test('a time, or the OrderID(37) of another order, within a Text(58) is another one each day', () => {
    const text = (id: string, time: string): string =>
      `Too late to cancel: order OrderID(37)=${id}, whose cross was to come at ${time}; sorry`;
    const plan = planOf([
      '35=F|49=OMS|56=XG|34=1|11=a|41=x|',
      `35=9|49=XG|56=OMS|34=1|37=900|11=a|41=x|39=2|434=1|102=0|58=${text('900', '20261121-12:00:00.000')}|`,
    ]);
    const differencesOf = (live: string): number => {
      const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
      run.take(NOW);
      run.received(view(`35=9|49=XG|56=OMS|34=1|37=77|11=R1-a|41=x|39=2|434=1|102=0|58=${live}|`), NOW);
      return run.result('').requests[0]!.differences.length;
    };
    expect(differencesOf(text('77', '20261122-12:00:00.000'))).toBe(0);
    expect(differencesOf(text('78', '20261122-12:00:00.000'))).toBe(1);
    expect(differencesOf(text('77', 'noon'))).toBe(1);
  });

  test('one line has expected and actual, fields stand below, and consequences are marked', async () => {
    const plan = planOf([
      '35=D|49=OMS|56=XG|34=1|11=x|',
      '35=8|49=XG|56=OMS|34=1|37=9|17=1|11=x|150=0|39=0|151=5|',
      '35=8|49=XG|56=OMS|34=2|37=9|17=2|11=x|150=F|39=2|151=0|',
      '35=F|49=OMS|56=XG|34=2|11=y|41=x|',
      '35=9|49=XG|56=OMS|34=3|37=9|11=y|41=x|39=2|434=1|102=0|',
    ]);
    const run = new ReplayRun(plan, { prefix: 'R1-', volatile: [] });
    run.take(NOW);
    run.received(view('35=8|49=XG|56=OMS|34=1|37=9|17=1|11=R1-x|150=8|39=8|103=1|58=no such symbol|151=0|'), NOW);
    expect(run.take(NOW)).toBeNull();
    giveUp(run);
    run.take(NOW);
    run.received(view('35=9|49=XG|56=OMS|34=3|37=9|11=R1-y|41=R1-x|39=8|434=1|102=1|'), NOW);
    const dictionaries = await new LogDictionaries().of('FIX.4.4');
    const context = { plan, target: 'localhost:1', prefix: 'R1-', startedAt: NOW, endedAt: NOW + 5, dictionaries };
    const result = run.result('');
    expect(replayLines(result, context)).toEqual([
      'NewOrderSingle ClOrdID=x (34=1 in the log)',
      '  expected ExecutionReport New, got ExecutionReport Rejected 103=1: no such symbol',
      '    OrdStatus(39) is 8, in the log 0',
      '    LeavesQty(151) is 0, in the log 5',
      '  missing, as a consequence: ExecutionReport Trade (waited 5.0 s: --timeout 5000 ms beyond the 0.0 s of the log)',
      'OrderCancelRequest ClOrdID=y (34=2 in the log), a consequence of ClOrdID=x',
      '  expected OrderCancelReject Filled 102=0, got OrderCancelReject Rejected 102=1',
      '    OrdStatus(39) is 8, in the log 2',
    ]);
    expect([...replayJUnit(result, context)].join('')).toContain('message="expected ExecutionReport');
  });

  test('is written in pieces, one for each request: of a long day, all of it is more than a string holds', () => {
    const { json, pieces, result } = play((answer) => [answer.replace('58=order R1-a is new', '58=other')]);
    expect([json.length, pieces.length]).toEqual([result.requests.length + 2, result.requests.length + 2]);
    const text = json.join('');
    const written = JSON.parse(text);
    expect(text).toBe(`${JSON.stringify(written, null, 2)}\n`);
    expect(written).toMatchObject({ different: 1, senderCompID: 'OMS' });
    expect(written.requests.map(({ id }: { readonly id: string }) => id)).toEqual(
      result.requests.map(({ request }) => request.label),
    );
  });

  test('reports unsent messages with the reason', () => {
    const run = new ReplayRun(planOf(LOG), { prefix: 'R1-', volatile: [] });
    run.take(NOW);
    const { requests } = run.result('Logout(5): bye');
    expect(requests.map(({ differences }) => differences.map(({ kind }) => kind))).toEqual([
      ['missing'],
      ['notSent'],
      ['notSent'],
    ]);
  });
});

test('answers that say the same are paired before others are compared', () => {
  const keeper = new MessageKeeper();
  const of = (...states: string[]): KeptMessage[] =>
    states.map((state) => keeper.keep(view(`35=8|49=a|56=b|34=1|150=${state}|39=${state}|`)));
  const execType = (message: KeptMessage | null): string | null => message?.view().string(150) ?? null;
  const paired = matchAnswers(of('0', '1', '2'), of('A', '0', '2'));
  expect(paired.map(({ recorded, live }) => [execType(recorded), execType(live)])).toEqual([
    [null, 'A'],
    ['0', '0'],
    ['1', null],
    ['2', '2'],
  ]);
});
