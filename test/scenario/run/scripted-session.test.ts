// The FIX side of a run: completed messages to the byte, numbers, and which received header fields are wrong.

import { describe, expect, test } from 'vitest';
import { receivedMessage, ScriptedSession, SESSION_VARIABLES } from '../../../src/scenario/mod.ts';
import { Framer, fromPrintable, toPrintable } from '../../../src/wire/mod.ts';
import { message } from '../scenario-language.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

function session(beginString = 'FIX.4.4'): ScriptedSession {
  return new ScriptedSession({ beginString, senderCompID: 'OMS', targetCompID: 'XGATE' });
}

const sent = (one: ScriptedSession, text: string): string => {
  const fields = text.split('|').map((field) => {
    const [tag, value] = field.split('=');
    return { tag: Number(tag), value: value === '-' ? null : value! };
  });
  return toPrintable(one.complete({ kind: 'fields', fields }, NOW));
};

test('header and trailer are filled in, header fields in order', () => {
  const one = session();
  expect(sent(one, '35=1|112=a|43=Y|122=x')).toBe(
    toPrintable(fromPrintable('8=FIX.4.4|35=1|49=OMS|56=XGATE|34=1|43=Y|52=20260102-03:04:05.006|122=x|112=a|')),
  );
  expect(sent(session('FIX.4.0'), '35=0')).toContain('|52=20260102-03:04:05|');
});

test('given fields are kept, and fields left out are not filled in', () => {
  expect(sent(session(), '35=0|9=5|34=7|49=X|52=-|10=000')).toBe('8=FIX.4.4|9=5|35=0|49=X|56=XGATE|34=7|10=000|');
});

test('raw text goes out as it stands, with BodyLength and CheckSum where they are missing', () => {
  const raw = (text: string): string =>
    toPrintable(session().complete({ kind: 'raw', text: text.replaceAll('|', '\u0001') }, NOW));
  expect(raw('8=FIX.4.4|35=0|34=2|')).toBe('8=FIX.4.4|9=10|35=0|34=2|10=166|');
  expect(raw('8=FIX.4.4|9=3|35=0|10=1|')).toBe('8=FIX.4.4|9=3|35=0|10=1|');
  expect(raw('no message')).toBe('no message');
});

describe('our number', () => {
  test.each([
    ['35=0', 2],
    ['35=0|34=9', 10],
    ['35=0|34=9|43=Y', 1],
    ['35=A|34=1|141=Y', 2],
    ['35=A|141=Y', 2],
    ['35=4|34=1|123=Y|36=20', 20],
    ['35=4|34=1|36=20', 20],
  ])('%s makes it %i', (text, next) => {
    const one = session();
    sent(one, text);
    expect(one.variable('next')).toBe(`${next}`);
  });

  test('a number that is lower than the last one does not set it back', () => {
    const one = session();
    sent(one, '35=0|34=9');
    sent(one, '35=0|34=2');
    expect(one.next).toBe(10);
  });
});

test("the counterparty's reset at its Logon resets ours, and the answer to our own does not", () => {
  const header = '8=FIX.4.4|9=1|49=XGATE|56=OMS';
  const acceptor = session();
  acceptor.next = 9;
  expect(acceptor.receive(message(`${header}|35=A|34=1|141=Y|`))).toEqual([]);
  expect([acceptor.next, acceptor.expected]).toEqual([1, 2]);
  const initiator = session();
  initiator.next = 9;
  expect(sent(initiator, '35=A|141=Y')).toContain('|34=1|');
  initiator.receive(message(`${header}|35=A|34=1|141=Y|`));
  expect([initiator.next, initiator.expected]).toEqual([2, 2]);
});

describe('a received message', () => {
  const header = '8=FIX.4.4|9=1|49=XGATE|56=OMS';

  test('is counted, and has no difference if its header is right', () => {
    const one = session();
    expect(one.receive(message(`${header}|35=0|34=1|`))).toEqual([]);
    expect(one.receive(message(`${header}|35=0|34=2|`))).toEqual([]);
    expect(one.expected).toBe(3);
  });

  test('differs by BeginString, CompIDs and MsgSeqNum', () => {
    const differences = session().receive(message('8=FIX.4.2|49=A|56=B|35=0|34=3|'));
    expect(differences.map(({ tag, expected, received }) => [tag, expected, received])).toEqual([
      [8, 'FIX.4.4', 'FIX.4.2'],
      [49, 'XGATE', 'A'],
      [56, 'OMS', 'B'],
      [34, '1', '3'],
    ]);
  });

  test('moves the expected number by ResetSeqNumFlag and SequenceReset, not by PossDupFlag', () => {
    const one = session();
    one.expected = 9;
    one.receive(message(`${header}|35=0|34=4|43=Y|`));
    expect(one.expected).toBe(9);
    one.receive(message(`${header}|35=A|34=1|141=Y|`));
    expect(one.expected).toBe(2);
    one.receive(message(`${header}|35=4|34=2|123=Y|36=7|`));
    expect(one.expected).toBe(7);
    one.receive(message(`${header}|35=4|34=1|36=3|`));
    expect(one.expected).toBe(3);
  });
});

test('the names of its variables all have a value', () => {
  const one = session();
  expect(SESSION_VARIABLES.map((name) => one.variable(name))).toEqual(['1', '1', 'OMS', 'XGATE', 'FIX.4.4']);
  expect(one.variable('toString')).toBeNull();
});

test('a message is copied out of its frame', () => {
  const framer = new Framer({ frameBytesMax: 1000, fieldsMax: 20 });
  framer.push(fromPrintable('8=FIX.4.4|35=0|34=2|112=a|'));
  const result = framer.next();
  const copy = result?.kind === 'message' ? receivedMessage(result.view) : null;
  framer.push(fromPrintable('8=FIX.4.4|35=1|34=3|112=b|'));
  framer.next();
  expect(copy?.msgType).toBe('0');
  expect(copy?.fields.map(([tag, value]) => `${tag}=${value}`).slice(2, 5)).toEqual(['35=0', '34=2', '112=a']);
});
