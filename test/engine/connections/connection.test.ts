// One FIX connection on a simulated socket: when it is read, the owner of its messages, and its end.

import { beforeEach, describe, expect, test } from 'vitest';
import { FixConnection, type FixConnectionOptions } from '../../../src/engine/connections/connection.ts';
import type { SessionSlot } from '../../../src/engine/sessions/session-slot.ts';
import type { Connection } from '../../../src/transport/mod.ts';
import { DataFields, fromPrintable, MessageView } from '../../../src/wire/mod.ts';

const heartbeat = (msgSeqNum: number, text = ''): Buffer =>
  fromPrintable(`35=0|49=OMS|56=XG|34=${msgSeqNum}|52=20261121-10:00:00.000|${text}`);
const logon = fromPrintable('35=A|49=OMS|56=XG|34=1|52=20261121-10:00:00.000|98=0|108=30|554=secret|');
/** No message: its CheckSum is another. */
const garbled = Buffer.from(
  heartbeat(1)
    .toString('latin1')
    .replace(/10=\d{3}/, '10=999'),
  'latin1',
);

class PlayedConnection implements Connection {
  readonly id = 1;
  readonly remoteAddress = '192.0.2.7';
  readonly remotePort = 4711;
  readonly tls = null;
  readonly bufferedBytes = 0;
  overflowed = false;
  isPaused = false;
  readonly said: string[];
  onChunk: (chunk: Buffer) => void = () => {};
  onClose: (reason: string) => void = () => {};
  constructor(said: string[]) {
    this.said = said;
  }
  send(bytes: Uint8Array): void {
    this.said.push(`sent ${Buffer.from(bytes)}`);
  }
  flush(): void {}
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  close(): void {
    this.said.push('closed');
  }
  destroy(reason: string): void {
    this.said.push(`destroyed: ${reason}`);
  }
}

let said: string[];
let recorded: Uint8Array[];
let logged: string[];
let connection: PlayedConnection;
let fix: FixConnection;
let options: FixConnectionOptions;
let slot: SessionSlot;
/** Treatment of a message before the connection belongs to a session. */
let onUnbound: FixConnectionOptions['onUnbound'];
let mayRecord: boolean;
/** When the slice of a connection ends. */
let sliceEndsAt: number;
/** The session's treatment of a message. */
let answers: () => void;

beforeEach(() => {
  said = [];
  recorded = [];
  logged = [];
  mayRecord = true;
  answers = () => {};
  sliceEndsAt = Number.POSITIVE_INFINITY;
  onUnbound = (_fix, view) => said.push(`unbound ${view.msgType}`);
  connection = new PlayedConnection(said);
  slot = {
    sessionId: 'S',
    machine: { dataFields: DataFields.STANDARD, config: {} },
    durability: 'disk',
    wire: null,
    enabled: true,
  } as never;
  options = {
    sessions: {
      slots: new Map(),
      sessionInput: (_slot, input) => {
        if (input.kind === 'message') {
          said.push(`message ${input.view.int(34)}`);
          answers();
        } else if (input.kind === 'reading') said.push(`session ${input.isRead ? 'read again' : 'not read'}`);
        else said.push(`session ${input.kind}`);
      },
      record: (record) => {
        said.push(record.kind === 'unsequenced' ? `recorded ${record.note}` : record.kind);
        if (record.kind === 'unsequenced') recorded.push(record.raw);
      },
      beginChunk: () => {},
      endChunk: () => said.push('|'),
    },
    limits: { frameBytesMax: 65_536, fieldsMax: 100 } as never,
    view: new MessageView(),
    // No test of this file is to depend on how fast it runs.
    turns: { begin: () => sliceEndsAt } as never,
    log: (level, text) => logged.push(`${level} ${text}`),
    alarm: (alarm, text) => said.push(`alarm ${alarm}: ${text}`),
    onUnbound: (one, view) => onUnbound(one, view),
    onLogonWithin: (_fix, _slot, view) => said.push(`logon ${view.int(34)}`),
    onEnd: (_fix, reason) => said.push(`end: ${reason}`),
    mayRecord: () => mayRecord,
  };
  fix = new FixConnection(options, connection, 'fix');
  fix.start();
});

/** Effects since the last look. */
const news = (): string[] => said.splice(0);

test('reports input before the Logon as such, and gives that of a bound connection to its session', () => {
  onUnbound = (one, view) => {
    said.push(`unbound ${view.msgType}`);
    one.bind(slot);
  };
  connection.onChunk(Buffer.concat([logon, heartbeat(2), logon, heartbeat(3)]));
  expect(slot.wire).toBe(connection);
  expect(news()).toEqual(['unbound A', 'session connected', 'message 2', 'logon 1', 'message 3', '|']);
});

test('S7 neither frames nor records anything that follows the end of its session', () => {
  fix.bind(slot);
  answers = () => Object.assign(slot.machine, { isClosing: true });
  connection.onChunk(Buffer.concat([heartbeat(2), heartbeat(3), garbled]));
  connection.onChunk(Buffer.concat([heartbeat(4), garbled]));
  expect(news()).toEqual(['session connected', 'message 2', '|']);
  expect(connection.isPaused).toBe(false);
  connection.onClose('closed by the counterparty');
  expect(news()).toEqual(['end: closed by the counterparty', 'session disconnected']);
});

test('tells its session by input `reading` when the application is behind', () => {
  fix.bind(slot);
  slot.isBehind = true;
  slot.onBehind?.();
  expect([connection.isPaused, ...news()]).toEqual([true, 'session connected', 'session not read']);
  slot.isBehind = false;
  slot.onBehind?.();
  expect([connection.isPaused, ...news()]).toEqual([false, 'session read again']);
  slot.isBehind = true;
  fix.bind(slot);
  expect([connection.isPaused, ...news()]).toEqual([true, 'session connected', 'session not read']);
});

test('while something is found out about a message nothing behind it is read, and then all of it, in order', () => {
  onUnbound = (one) => one.hold();
  connection.onChunk(Buffer.concat([logon, heartbeat(2)]));
  expect(connection.isPaused).toBe(true);
  connection.onChunk(heartbeat(3));
  expect(news()).toEqual(['|', '|']);
  fix.pressure(true);
  fix.bind(slot);
  fix.release();
  expect(news()).toEqual(['session connected', 'message 2', 'message 3', '|']);
  // The journal is behind all the same.
  expect(connection.isPaused).toBe(true);
  fix.pressure(false);
  expect(connection.isPaused).toBe(false);
});

test('S14 a connection with a used slice of the turn rests and continues after the others, its end last', async () => {
  fix.bind(slot);
  news();
  sliceEndsAt = 0;
  connection.onChunk(Buffer.concat([1, 2, 3, 4, 5].map((n) => heartbeat(n))));
  expect(news()).toEqual(['message 1', 'message 2', 'message 3', '|']);
  expect(connection.isPaused).toBe(true);
  connection.onClose('gone');
  expect(news()).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(news()).toEqual(['message 4', 'message 5', '|', 'end: gone', 'session disconnected']);
});

test('S14 takes messages released by a gap fill before the next, in slices of a turn', async () => {
  fix.bind(slot);
  news();
  sliceEndsAt = 0;
  let left = 3;
  Object.defineProperty(slot.machine, 'isDraining', { get: () => left > 0 });
  const { sessionInput } = options.sessions;
  Object.assign(options.sessions, {
    sessionInput: (...args: Parameters<typeof sessionInput>) => {
      if (args[1].kind === 'tick') left--;
      sessionInput(...args);
    },
  });
  connection.onChunk(heartbeat(1));
  expect(news()).toEqual(['session tick', '|']);
  expect(connection.isPaused).toBe(true);
  const seen: string[] = [];
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(...news());
  }
  expect(seen.filter((one) => one !== '|')).toEqual(['session tick', 'session tick', 'message 1']);
  expect(connection.isPaused).toBe(false);
});

test('a busy sender rests until the others had their turn', async () => {
  fix.bind(slot);
  const text = `58=${'x'.repeat(60_000)}|`;
  for (let n = 1; n <= 4; n++) connection.onChunk(heartbeat(n, text));
  expect(connection.isPaused).toBe(false);
  connection.onChunk(heartbeat(5, text));
  expect(connection.isPaused).toBe(true);
  fix.pressure(true);
  fix.pressure(false);
  expect(connection.isPaused).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(connection.isPaused).toBe(false);
  // And counts anew.
  for (let n = 6; n <= 9; n++) connection.onChunk(heartbeat(n, text));
  expect(connection.isPaused).toBe(false);
});

describe('messages with many answers', () => {
  const six = Buffer.concat([1, 2, 3, 4, 5, 6].map((n) => heartbeat(n)));
  beforeEach(() => {
    const machine = { dataFields: DataFields.STANDARD, config: {}, nextSenderMsgSeqNum: 1 };
    Object.assign(slot, { machine });
    answers = () => {
      machine.nextSenderMsgSeqNum += 400;
    };
    fix.bind(slot);
    news();
  });

  test('wait for the others to have their turn, after each thousand of them', async () => {
    connection.onChunk(six);
    expect([connection.isPaused, news()]).toEqual([true, ['message 1', 'message 2', 'message 3', '|']]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([connection.isPaused, news()]).toEqual([true, ['message 4', 'message 5', 'message 6', '|']]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([connection.isPaused, news()]).toEqual([false, ['|']]);
  });

  test('wait as well where they come in many chunks', async () => {
    connection.onChunk(heartbeat(1));
    connection.onChunk(heartbeat(2));
    expect(connection.isPaused).toBe(false);
    connection.onChunk(heartbeat(3));
    expect(connection.isPaused).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('are all taken before the end of their connection', async () => {
    connection.onChunk(six);
    news();
    connection.onClose('gone');
    expect(news()).toEqual([]);
    while (!said.includes('end: gone')) await new Promise((resolve) => setImmediate(resolve));
    expect(news().filter((what) => what !== '|')).toEqual([
      'message 4',
      'message 5',
      'message 6',
      'end: gone',
      'session disconnected',
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(news()).toEqual([]);
  });

  test('wait while the connection is held, and follow behind that', async () => {
    connection.onChunk(six);
    fix.hold();
    news();
    await new Promise((resolve) => setImmediate(resolve));
    expect(news()).toEqual(['|']);
    fix.release();
    expect(news()).toEqual(['message 4', 'message 5', 'message 6', '|']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.isPaused).toBe(false);
  });

  test('are counted anew where numbers begin again', async () => {
    const { machine } = slot as { machine: { nextSenderMsgSeqNum: number } };
    machine.nextSenderMsgSeqNum = 900_000;
    connection.onChunk(heartbeat(1));
    machine.nextSenderMsgSeqNum = 1;
    connection.onChunk(six);
    expect(connection.isPaused).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(connection.isPaused).toBe(false);
  });
});

test('a connection that ends while it rests or is held is not read again', async () => {
  fix.bind(slot);
  connection.onChunk(Buffer.concat(Array.from({ length: 5 }, (_, n) => heartbeat(n + 1, `58=${'x'.repeat(60_000)}|`))));
  expect(connection.isPaused).toBe(true);
  fix.hold();
  connection.onChunk(heartbeat(6));
  connection.onClose('gone');
  news();
  fix.release();
  connection.onChunk(heartbeat(7));
  await new Promise((resolve) => setImmediate(resolve));
  expect([connection.isPaused, news()]).toEqual([true, []]);
});

test('reports its end once: to its owner, then to its session with a free place', () => {
  fix.bind(slot);
  news();
  connection.onClose('the counterparty reset the connection');
  expect(slot.wire).toBeNull();
  expect(fix.isOver).toBe(true);
  fix.drop('again');
  connection.onClose('again');
  fix.farewell([heartbeat(1)], 'again');
  expect(news()).toEqual(['end: the counterparty reset the connection', 'session disconnected']);
});

test("an unbound session hears no more of its connection, and leaves another's place alone", () => {
  fix.bind(slot);
  news();
  fix.unbind();
  expect(slot.wire).toBeNull();
  expect(news()).toEqual(['end: the session was let go', 'session disconnected']);
  const other = new PlayedConnection(said);
  slot.wire = other;
  fix.unbind();
  connection.onClose('over');
  expect(slot.wire).toBe(other);
  expect(news()).toEqual([]);
});

test('a connection replaced in its session neither frees its place nor reports its end', () => {
  for (const end of ['unbind', 'close'] as const) {
    const [own, other] = [new PlayedConnection(said), new PlayedConnection(said)];
    const before = new FixConnection(options, own, 'fix');
    before.start();
    before.bind(slot);
    slot.wire = other;
    news();
    if (end === 'unbind') before.unbind();
    else own.onClose('over');
    expect(slot.wire).toBe(other);
    expect(news()).not.toContain('session disconnected');
  }
});

test('a counterparty that reads too slowly is an alarm with its session, or its address', () => {
  connection.overflowed = true;
  connection.onClose('slow consumer');
  expect(news()).toEqual(['alarm slow-consumer: 192.0.2.7:4711: slow consumer', 'end: slow consumer']);
});

test('answers an unknown counterparty and closes once that is sent', () => {
  fix.farewell([Buffer.from('Logout')], 'no session is made');
  expect([fix.isOver, news()]).toEqual([true, ['sent Logout', 'closed', 'end: no session is made']]);
  connection.onChunk(logon);
  expect(news()).toEqual([]);
});

test('a message over a limit ends a bound connection by its session, an unbound one at once', () => {
  const long = heartbeat(2, Array.from({ length: 100 }, () => '58=x|').join(''));
  fix.bind(slot);
  connection.onChunk(Buffer.concat([long, heartbeat(3)]));
  // Its Logout is on its way to the disk and the socket; no later byte is read as FIX.
  connection.onChunk(heartbeat(4));
  expect(news()).toEqual(['session connected', 'session garbled', '|', '|']);
  const stranger = new PlayedConnection(said);
  new FixConnection(options, stranger, 'fix').start();
  stranger.onChunk(long);
  expect(news().slice(1)).toEqual([
    'destroyed: the bytes received are not FIX',
    'end: the bytes received are not FIX',
    '|',
  ]);
});

test('reports a message over a limit to its session behind any number of garbled ones', () => {
  fix.bind(slot);
  connection.onChunk(Buffer.concat(Array.from({ length: 30 }, () => garbled)));
  news();
  connection.onChunk(heartbeat(2, Array.from({ length: 100 }, () => '58=x|').join('')));
  expect(news()).toEqual(['session garbled', '|']);
});

test('ignores input behind a message that ended its connection, in the same chunk too', () => {
  onUnbound = (one, view) => {
    said.push(`unbound ${view.msgType}`);
    one.drop('refused');
  };
  connection.onChunk(Buffer.concat([logon, logon, heartbeat(2)]));
  expect(news()).toEqual(['unbound A', 'destroyed: refused', 'end: refused', '|']);
});

test('reports the first twenty garbled messages in a row, and ends the connection at the thousandth', () => {
  connection.onChunk(Buffer.concat(Array.from({ length: 999 }, () => garbled)));
  const told = news();
  expect(told.filter((one) => one.startsWith('recorded garbled:'))).toHaveLength(20);
  expect(told).toHaveLength(21);
  connection.onChunk(heartbeat(1));
  expect(news()).toEqual(['unbound 0', '|']);
  fix.bind(slot);
  connection.onChunk(Buffer.concat(Array.from({ length: 1001 }, () => garbled)));
  const { length } = said.filter((one) => one === 'session garbled');
  expect(length).toBe(20);
  expect(news().slice(-4)).toEqual([
    'destroyed: 1000 garbled messages in a row',
    'end: 1000 garbled messages in a row',
    'session disconnected',
    '|',
  ]);
});

test("ends a TLS client's connection on a plain port at once", () => {
  connection.onChunk(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]));
  const reason = 'the client speaks TLS, and this port is one without it';
  expect(news().slice(1)).toEqual([`destroyed: ${reason}`, `end: ${reason}`, '|']);
});

test('reports and records a Logon with a too large BodyLength(9) when its connection ends', () => {
  const long = Buffer.from(
    logon.toString('latin1').replace(/9=(\d+)/, (_, n) => `9=${Number(n) + 7}`),
    'latin1',
  );
  connection.onChunk(long);
  expect([logged, news()]).toEqual([[], ['|']]);
  fix.drop('no Logon arrived in time');
  const text = `the connection ended inside a message: ${long.length} bytes of one came that has ${long.length + 7} by its BodyLength(9)`;
  expect(logged).toEqual(['warn connection dropped: no Logon arrived in time', `warn ${text}`]);
  expect(news()).toEqual(['destroyed: no Logon arrived in time', `recorded ${text}`, 'end: no Logon arrived in time']);
});

test('reports a connection cut within a message, but not unexamined input of a held one', () => {
  fix.bind(slot);
  connection.onChunk(heartbeat(1).subarray(0, 30));
  connection.onClose('gone');
  expect(logged[0]).toMatch(
    /^info the connection ended inside a message: 30 bytes of one came that has \d+ by its BodyLength/,
  );
  expect(logged).toHaveLength(2);
  const other = new PlayedConnection(said);
  const held = new FixConnection(options, other, 'fix');
  held.start();
  held.hold();
  other.onChunk(heartbeat(1));
  other.onClose('gone');
  expect(logged).toHaveLength(2);
});

test('of bytes that belong to no session the journal gets the first 4096, and no secret', () => {
  fix.record(logon, 'a Logon');
  fix.record(Buffer.alloc(10_000, 'x'), 'no FIX');
  expect(recorded.map((raw) => raw.length)).toEqual([logon.length, 4096]);
  expect(`${Buffer.from(recorded[0]!)}`).toContain('554=******');
});

test('of bytes that belong to no session no more goes into the journal than may', () => {
  fix.record(logon, 'first');
  mayRecord = false;
  fix.record(logon, 'second');
  expect(news()).toEqual(['recorded first']);
});
