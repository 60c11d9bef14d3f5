// A case at work: the machine alone, inputs given by hand.

import { describe, expect, test } from 'vitest';
import { compareFields, type StepVerdict, sideBySide } from '../../../src/scenario/mod.ts';
import { HandDrivenRun, linked, NAMES } from '../scenario-language.ts';

function running(steps: string, attributes = '', head = ''): HandDrivenRun {
  return new HandDrivenRun(linked(`${head}case c "title"\n  ${attributes}connect\n${steps}`)).start();
}

const failure = (run: HandDrivenRun): StepVerdict =>
  run.effects.find((effect): effect is StepVerdict => effect.kind === 'verdict' && effect.outcome !== 'passed')!;

test('sends, keeps a value, and uses it later', () => {
  const run = running('  send D | ClOrdID=a\n  expect 8 | OrderID=* as order\n  send F | OrderID={order} | ClOrdID=b');
  expect(run.sent).toEqual(['35=D|11=a']);
  run.receive('35=8|37=X9|150=0|');
  expect(run.sent).toEqual(['35=D|11=a', '35=F|37=X9|11=b']);
  expect(run.ended).toMatchObject({ outcome: 'passed' });
});

test('keeps the first group of a pattern, and adds to a number', () => {
  const run = running('  expect 8 | OrderID=/N(\\d+)-.*/ as n\n  send F | OrderID={n+2}');
  run.receive('35=8|37=N40-z|');
  expect(run.sent).toEqual(['35=F|37=42']);
});

test('writes times, and without milliseconds where the version has none', () => {
  const one = linked('case c\n  connect\n  send D | TransactTime={now-1m} | 75={today}');
  const run = new HandDrivenRun(one, { wholeSeconds: true });
  run.now = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  run.start();
  expect(run.sent).toEqual(['35=D|60=20260102-03:03:05|75=20260102']);
});

test('a field whose variables have no value is left out, an empty one is sent', () => {
  const run = running('  send A | Username={user} | Text=', '', 'let user=\n');
  expect(run.sent).toEqual(['35=A|553=null|58=']);
});

test('an argument that is empty leaves its field out, sent and expected', () => {
  const one = linked(
    'fragment f | x=\n  send 0 | Text={x}\n  expect 3 | RefTagID={x}\ncase c\n  connect\n  call f\n  call f | x=7',
  );
  const run = new HandDrivenRun(one).start();
  run.receive('35=3|');
  run.receive('35=3|371=7|');
  expect(run.sent).toEqual(['35=0|58=null', '35=0|58=7']);
  expect(run.ended).toMatchObject({ outcome: 'passed' });
});

test('a step that passes has its message as evidence', () => {
  const run = running('  expect 8 | OrderID=*');
  run.receive('35=8|37=x|');
  const evidence = run.effects.find((effect) => effect.kind === 'verdict' && effect.received !== null);
  expect(evidence).toMatchObject({ outcome: 'passed', received: { msgType: '8' } });
});

test('a message that differs fails the step, with expected and received side by side', () => {
  const run = running('  expect 8 | ExecType=F | LastQty=1 | Text?=ok | !Account | OrderID=/E\\d+/');
  run.receive('35=8|150=0|1=acc|37=E1|39=0|');
  const verdict = failure(run);
  expect(verdict.text).toBe('the message differs');
  expect(sideBySide(compareFields(verdict.expected, verdict.received, verdict.differences, NAMES))).toEqual([
    '  Field          Expected       Received',
    '  MsgType(35)    8              8',
    '≠ ExecType(150)  F              0',
    '≠ LastQty(32)    1              (absent)',
    '  Text(58)       ok (optional)  (absent)',
    '≠ Account(1)     absent         acc',
    '  OrderID(37)    /E\\d+/         E1',
    '  OrdStatus(39)                 0',
  ]);
  expect(run.ended).toMatchObject({ outcome: 'failed' });
});

test('an exact message permits no further field of the body', () => {
  const run = running('  expect exactly 0 | TestReqID=a');
  run.receive('8=FIX.4.4|9=1|35=0|34=2|49=A|56=B|52=x|112=a|58=more|10=000|');
  expect(failure(run).differences).toEqual([{ tag: 58, occurrence: 0, expected: 'absent', received: 'more' }]);
});

test('a tag that is named twice must be there twice', () => {
  const twice = '  expect W | MDEntryPx=1 | MDEntryPx=2';
  expect(running(twice).receive('35=W|270=1|270=2|').at(-1)).toMatchObject({ kind: 'ended', outcome: 'passed' });
  expect(running(twice).receive('35=W|270=1|').at(-1)).toMatchObject({ outcome: 'failed' });
  expect(running(twice).receive('35=W|270=1|270=2|270=3|').at(-1)).toMatchObject({ outcome: 'failed' });
});

test('a value of a secret field is masked', () => {
  const run = running('  expect A | Password=right');
  run.receive('35=A|554=wrong|');
  const { expected, received, differences } = failure(run);
  const lines = sideBySide(compareFields(expected, received, differences, NAMES)).join('\n');
  expect(lines).toContain('≠ Password(554)  ***');
  expect(lines).not.toMatch(/right|wrong/);
});

describe('several messages in any order', () => {
  const steps = '  expect any order\n    8 | ExecType=0 | ClOrdID=a\n    8 | ExecType=0 | ClOrdID=b';

  test('pass in each order', () => {
    for (const ids of ['ab', 'ba']) {
      const run = running(steps);
      for (const id of ids) run.receive(`35=8|150=0|11=${id}|`);
      expect(run.ended).toMatchObject({ outcome: 'passed' });
    }
  });

  test('fail if one comes twice', () => {
    const run = running(steps);
    run.receive('35=8|150=0|11=a|');
    run.receive('35=8|150=0|11=a|');
    expect(failure(run).differences).toEqual([{ tag: 11, occurrence: 0, expected: 'b', received: 'a' }]);
  });
});

describe('time', () => {
  test('a message that does not come is not seen', () => {
    const run = running('  expect within 2s 8');
    expect(run.run.deadline).toBe(2000);
    run.later(1999);
    expect(run.ended).toBeNull();
    run.later(1);
    expect(run.verdicts.at(-1)).toBe('expect within 2s 8: notSeen, the message did not come in time');
    expect(run.ended).toMatchObject({ outcome: 'notSeen' });
  });

  test('the timeout of the case holds without within', () => {
    expect(running('  expect 8', 'timeout 3s\n  ').run.deadline).toBe(3000);
  });

  test('expect nothing passes after its time, and fails with the message that comes', () => {
    const quiet = running('  expect nothing for 500ms\n  send 0');
    quiet.later(500);
    expect(quiet.sent).toEqual(['35=0']);
    const loud = running('  expect nothing for 500ms');
    loud.receive('35=8|');
    expect(failure(loud)).toMatchObject({ text: 'a message came where none was expected', received: { msgType: '8' } });
  });

  test('wait keeps messages for the steps behind it', () => {
    const run = running('  wait 1s\n  expect 8');
    run.receive('35=8|');
    expect(run.ended).toBeNull();
    run.later(1000);
    expect(run.ended).toMatchObject({ outcome: 'passed' });
  });

  test('a duration may be a parameter', () => {
    const run = new HandDrivenRun(
      linked('fragment quiet | s=1\n  expect nothing for {s+1}s\ncase c\n  connect\n  call quiet | s=4'),
    ).start();
    expect(run.run.deadline).toBe(5000);
  });
});

describe('messages that no step asked for', () => {
  test('Heartbeats are passed over, unless a step expects one or the case is strict', () => {
    expect(running('  expect 8').receive('35=0|')).toEqual([]);
    expect(running('  expect 0').receive('35=0|').at(-1)).toMatchObject({ outcome: 'passed' });
    expect(running('  expect 8', 'strict\n  ').receive('35=0|').at(-1)).toMatchObject({ outcome: 'failed' });
  });

  test('a TestRequest is answered, unless a step expects one', () => {
    const run = running('  expect 8');
    run.receive('35=1|112=x|');
    expect(run.sent).toEqual(['35=0|112=x']);
    expect(running('  expect 1').receive('35=1|112=x|').at(-1)).toMatchObject({ outcome: 'passed' });
  });

  test('await passes over other types, and judges its own', () => {
    const run = running('  await 8 | ExecType=F');
    run.receive('35=B|148=news|');
    run.receive('35=8|150=0|');
    expect(failure(run)).toMatchObject({ text: 'the message differs', passedOver: [{ msgType: 'B' }] });
  });

  test('ignore passes over what it names, for the rest of the case', () => {
    const run = running('  ignore 8 | ExecType=A\n  expect 8 | ExecType=0');
    run.receive('35=8|150=A|');
    run.receive('35=8|150=0|');
    expect(run.ended).toMatchObject({ outcome: 'passed' });
  });

  test('the end names those that are left', () => {
    const run = running('  wait 1s');
    run.receive('35=8|37=left|');
    run.later(1000);
    expect(run.ended).toMatchObject({ unread: [{ msgType: '8' }] });
  });
});

describe('connections', () => {
  test('a connection that ends fails the expectation at once', () => {
    const run = running('  expect 8');
    run.give({ kind: 'disconnected', connection: '', reason: 'reset' });
    expect(failure(run)).toMatchObject({ text: 'no message: the connection was closed: reset' });
  });

  test('expect closed fails on a message before the end, await closed passes over it', () => {
    expect(running('  expect closed').receive('35=5|').at(-1)).toMatchObject({ outcome: 'failed' });
    const run = running('  await closed');
    run.receive('35=5|');
    run.give({ kind: 'disconnected', connection: '', reason: 'closed' });
    expect(run.ended).toMatchObject({ outcome: 'passed' });
  });

  test("the counterparty's Logout is answered where the end of the connection is expected", () => {
    const before = running('  expect 5\n  expect closed');
    before.receive('35=5|58=why|');
    expect(before.sent).toEqual(['35=5']);
    const meanwhile = running('  await closed');
    meanwhile.receive('35=5|');
    expect(meanwhile.sent).toEqual(['35=5']);
    const own = running('  send 5\n  await closed', 'strict\n  ');
    own.receive('35=5|');
    expect(own.sent).toEqual(['35=5']);
  });

  test('each has its own messages', () => {
    const run = running('  on two connect\n  on two expect 3\n  expect 0');
    run.give({ kind: 'connected', connection: 'two' });
    run.receive('35=0|');
    run.receive('35=3|', 'two');
    expect(run.ended).toMatchObject({ outcome: 'passed' });
  });

  test('a message cannot be sent without one', () => {
    const run = new HandDrivenRun(linked('case c\n  send 0'));
    run.give({ kind: 'start' });
    expect(failure(run).text).toBe('the message was not sent: there is no connection');
  });
});

test('a difference that the host finds counts unless the step names the field', () => {
  const implied = [{ tag: 34, occurrence: 0, expected: '2', received: '5' }];
  const input = {
    kind: 'message',
    connection: '',
    message: {
      msgType: '0',
      fields: [
        [35, '0'],
        [34, '5'],
      ],
    },
    implied,
  } as const;
  expect(running('  expect 0').give(input).at(-1)).toMatchObject({ outcome: 'failed' });
  expect(running('  expect 0 | MsgSeqNum=5').give(input).at(-1)).toMatchObject({ outcome: 'passed' });
});

test('a fragment stands for its steps, and a step names the call it came by', () => {
  const run = new HandDrivenRun(
    linked(
      'fragment order | id | qty=1\n  send D | ClOrdID={id} | OrderQty={qty}\ncase c\n  connect\n  call order | id=a\n  call order | id=b | qty=7',
    ),
  ).start();
  expect(run.sent).toEqual(['35=D|11=a|38=1', '35=D|11=b|38=7']);
  const calls = run.effects.flatMap((effect) =>
    effect.kind === 'verdict' ? [effect.step.calls.map(({ line }) => line)] : [],
  );
  expect(calls).toEqual([[], [5], [6]]);
});

test('a fragment has a form for each role', () => {
  const text =
    'fragment logon\n  role initiator\n  send A\nfragment logon\n  role acceptor\n  expect A\ncase c\n  connect\n  call logon';
  expect(linked(text, [], 'acceptor').steps.map((step) => step.text)).toEqual(['connect', 'expect A']);
});

test('a verb waits for the host, which may set variables, fail or skip the case', () => {
  const verb = { name: 'exchange', timeoutMs: 1000, captures: () => ['trade'], fault: () => null };
  const one = linked('case c\n  connect\n  exchange fill 1\n  send 0 | Text={trade}', [verb]);
  const started = () => new HandDrivenRun(one, { verbTimeoutMs: () => 1000 }).start();
  const passed = started();
  expect(passed.effects.at(-1)).toMatchObject({ kind: 'verb', verb: 'exchange', argument: 'fill 1' });
  passed.give({ kind: 'done', outcome: { kind: 'passed', captures: new Map([['trade', 't1']]) } });
  expect(passed.sent).toEqual(['35=0|58=t1']);
  const failed = started();
  failed.give({ kind: 'done', outcome: { kind: 'failed', text: 'no such order' } });
  expect(failed.ended).toMatchObject({ outcome: 'failed', text: 'no such order' });
  const skipped = started();
  skipped.give({ kind: 'done', outcome: { kind: 'skipped', text: 'no auctions here' } });
  expect(skipped.ended).toMatchObject({ outcome: 'skipped' });
  const late = started();
  late.later(1000);
  expect(late.ended).toMatchObject({ outcome: 'notSeen' });
});

test('an input during an effect is handled after it', () => {
  const one = linked('case c\n  connect\n  set next 5\n  send 0');
  const run = new HandDrivenRun(one);
  const kinds: string[] = [];
  const drive = (input: Parameters<HandDrivenRun['run']['handle']>[0]): void => {
    for (const effect of run.run.handle(input, 0)) {
      kinds.push(effect.kind);
      if (effect.kind === 'connect') drive({ kind: 'connected', connection: '' });
      if (effect.kind === 'set') drive({ kind: 'done', outcome: { kind: 'passed' } });
    }
  };
  drive({ kind: 'start' });
  expect(kinds).toEqual([
    'begun',
    'connect',
    'verdict',
    'begun',
    'set',
    'verdict',
    'begun',
    'send',
    'verdict',
    'ended',
  ]);
});

test('an abort ends the case at its step', () => {
  const run = running('  expect 8');
  run.give({ kind: 'abort', reason: 'stopped by the operator' });
  expect(run.verdicts.at(-1)).toBe('expect 8: failed, stopped by the operator');
  expect(run.run.deadline).toBeNull();
});
