// FIX out of network captures: link layers, file formats, and TCP as it arrives on a bad day; held against tshark.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { logText } from '../../../src/replay/text/log-text.ts';
import { TextLogReader } from '../../../src/replay/text/text-log.ts';
import { fromPrintable, Tag } from '../../../src/wire/mod.ts';
import { describeWith, tool } from '../../support/requirement.ts';
import { CAPTURE_BEGAN, type Endpoints, type Link, packetOf, pcap, type SentSegment } from './capture-builder.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'crossgate-capture-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const message = (sender: string, n: number, rest = ''): Buffer =>
  fromPrintable(`35=D|49=${sender}|56=XG|34=${n}|52=20261121-10:00:00.000|11=o-${n}|${rest}`);

interface Read {
  readonly messages: string[];
  readonly times: (number | null)[];
  readonly faults: string[];
}

async function read(bytes: Buffer, piece = 1_000): Promise<Read> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const faults: string[] = [];
  const reader = new TextLogReader();
  const found = [];
  for await (const text of logText(chunks(), (why) => faults.push(why))) found.push(...reader.push(text));
  found.push(...reader.end());
  return {
    messages: found.map(({ view }) => `${view!.string(Tag.SenderCompID)} ${view!.string(Tag.MsgSeqNum)}`),
    times: found.map(({ at }) => (at === null ? null : at - CAPTURE_BEGAN)),
    faults,
  };
}

/** A handshake, then the pieces that the client sends, one ms apart. */
function conversation(isn: number, pieces: readonly { readonly seq: number; readonly bytes: Buffer }[]): SentSegment[] {
  const none = Buffer.alloc(0);
  return [
    { isClient: true, seq: isn, bytes: none, flags: 'S', ack: 0, at: 0 },
    { isClient: false, seq: 0, bytes: none, flags: 'S', ack: isn + 1, at: 0 },
    ...pieces.map(({ seq, bytes }, i) => ({ isClient: true, seq: isn + 1 + seq, bytes, at: i + 1 })),
  ];
}

const OVER_IPV4: Endpoints = { clientPort: 40_001, serverPort: 9876 };
const OVER_IPV6: Endpoints = { ...OVER_IPV4, isIpv6: true };

const THREE = [1, 2, 3].map((n) => message('OMS', n));
const STREAM = Buffer.concat(THREE);
const half = Math.floor(THREE[0]!.length / 2);
/** The stream in pieces, cut within messages. */
const cutAt = (...ends: number[]) => {
  const all = [0, ...ends, STREAM.length];
  return all.slice(1).map((end, i) => ({ seq: all[i]!, bytes: STREAM.subarray(all[i], end) }));
};

const LINKS: readonly Link[] = ['ethernet', 'vlan', 'null', 'loop', 'sll', 'sll2', 'raw'];

describe.each(LINKS)('a capture of link layer %s', (link) => {
  test.each([OVER_IPV4, OVER_IPV6])('has the messages with the time of their last packet, %o', async (endpoints) => {
    const packets = conversation(100, cutAt(half, half * 3)).map((segment) => packetOf(segment, endpoints, link));
    const { messages, times, faults } = await read(pcap(packets, link));
    expect([messages, times, faults]).toEqual([['OMS 1', 'OMS 2', 'OMS 3'], [2, 3, 3], []]);
  });
});

describe('a connection', () => {
  const readSegments = (segments: readonly SentSegment[], piece?: number) =>
    read(
      pcap(
        segments.map((segment) => packetOf(segment, OVER_IPV4, 'ethernet')),
        'ethernet',
      ),
      piece,
    );
  const THREE_PARTS = cutAt(half, half * 3);
  const [a, b, c] = [THREE_PARTS[0]!, THREE_PARTS[1]!, THREE_PARTS[2]!];

  test.each([
    ['repeated', [a, a, b, b, a, c]],
    ['out of order', [c, b, a]],
    [
      'overlapping',
      [a, { seq: 0, bytes: STREAM.subarray(0, half + 20) }, { seq: half + 5, bytes: STREAM.subarray(half + 5) }],
    ],
    ['one within the other', [a, { seq: 0, bytes: STREAM }, b, c]],
    ['kept alive by an old byte', [a, b, { seq: half * 3 - 1, bytes: STREAM.subarray(half * 3 - 1, half * 3) }, c]],
  ])('has its messages once where segments come %s', async (_, pieces) => {
    const { messages, faults } = await readSegments(conversation(7, pieces));
    expect([messages, faults]).toEqual([['OMS 1', 'OMS 2', 'OMS 3'], []]);
  });

  test('has sequence numbers that wrap at 2^32', async () => {
    const { messages, faults } = await readSegments(conversation(2 ** 32 - half - 2, [c, a, b]));
    expect([messages, faults]).toEqual([['OMS 1', 'OMS 2', 'OMS 3'], []]);
  });

  test('is read whatever pieces the file comes in', async () => {
    for (const piece of [1, 7, 24, 100_000]) {
      expect((await readSegments(conversation(7, THREE_PARTS), piece)).messages).toHaveLength(3);
    }
  });

  test('with bytes that the capture lacks goes on behind them, and says so', async () => {
    const lost = [
      { seq: 0, bytes: THREE[0]! },
      { seq: THREE[0]!.length + 30, bytes: STREAM.subarray(THREE[0]!.length + 30) },
    ];
    const { messages, faults } = await readSegments(conversation(7, lost));
    expect(messages).toEqual(['OMS 1', 'OMS 3']);
    expect(faults[0]).toBe(
      '10.0.0.1:40001 → 10.0.0.2:9876: 30 bytes are missing in the capture; messages in them are not read',
    );
  });

  test('passes a gap as soon as the other side acknowledges what is behind it', async () => {
    const [first, , third] = THREE;
    const isn = 7;
    const behind = STREAM.length - third!.length;
    const segments = conversation(isn, [
      { seq: 0, bytes: first! },
      { seq: behind, bytes: third! },
    ]);
    const answer = fromPrintable('35=8|49=XG|56=OMS|34=1|52=20261121-10:00:00.000|37=1|');
    segments.push({ isClient: false, seq: 1, bytes: answer, ack: isn + 1 + STREAM.length, at: 5 });
    expect((await readSegments(segments)).messages).toEqual(['OMS 1', 'OMS 3', 'XG 1']);
  });

  test('on the addresses of an earlier one begins anew', async () => {
    const second = conversation(900_000_000, [{ seq: 0, bytes: message('OMS', 9) }]);
    const { messages, faults } = await readSegments([...conversation(7, [a, b, c]), ...second]);
    expect([messages, faults]).toEqual([['OMS 1', 'OMS 2', 'OMS 3', 'OMS 9'], []]);
  });

  test('without FIX is passed over; one of TLS is named where there is no FIX at all', async () => {
    const web = conversation(7, [{ seq: 0, bytes: Buffer.from(`GET / HTTP/1.1\r\n\r\n${'x'.repeat(5_000)}`) }]);
    expect(await readSegments(web)).toMatchObject({ messages: [], faults: [] });
    const tls = conversation(7, [{ seq: 0, bytes: Buffer.from('160301020001', 'hex') }]);
    expect((await readSegments(tls)).faults).toEqual(['1 directions of connections are encrypted (TLS)']);
  });
});

test.each([
  ['LE', false],
  ['BE', false],
  ['LE', true],
  ['BE', true],
] as const)('a pcap file of byte order %s, nanoseconds %s, has its times', async (order, isNano) => {
  const packets = conversation(1, cutAt(half)).map((segment) => packetOf(segment, OVER_IPV4, 'raw'));
  expect((await read(pcap(packets, 'raw', order, isNano))).times).toEqual([2, 2, 2]);
});

test('a capture that ends within a packet is read up to there, and says so', async () => {
  const whole = pcap(
    conversation(1, cutAt(half * 3)).map((segment) => packetOf(segment, OVER_IPV4, 'raw')),
    'raw',
  );
  const { messages, faults } = await read(whole.subarray(0, -5));
  expect([messages, faults]).toEqual([['OMS 1'], ['the capture ends within a packet']]);
  const long = Buffer.from(whole);
  long.writeUInt32LE(0x7fffffff, 24 + 8);
  expect((await read(long)).faults).toEqual(['the capture is damaged, the rest cannot be read']);
});

describeWith(await tool('editcap', ['-v'], 'tshark with editcap'), 'beside tshark', () => {
  /** A day on a bad line: three connections interleaved, each direction shuffled, cut, repeated and overlapping. */
  function badDay(seed: number): { readonly segments: (SentSegment & { readonly of: Endpoints })[] } {
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % below;
    };
    const queues = [0, 1, 2].map((n) => {
      const of: Endpoints = { clientPort: 41_000 + n, serverPort: 9876, isIpv6: n === 1 };
      const stream = Buffer.concat(
        Array.from({ length: 40 }, (_, i) => message(`C${n}`, i + 1, `58=${'y'.repeat(random(300))}|`)),
      );
      const isn = n === 2 ? 2 ** 32 - 500 : 1_000 * n;
      const parts: { seq: number; bytes: Buffer }[] = [];
      for (let at = 0; at < stream.length; ) {
        const end = Math.min(stream.length, at + 1 + random(700));
        const from = Math.max(0, at - (random(4) === 0 ? random(50) : 0));
        parts.push({ seq: from, bytes: stream.subarray(from, end) });
        at = end;
      }
      // Neighbours change places, and some come twice.
      for (let i = 1; i < parts.length; i++) if (random(5) === 0) parts.splice(i - 1, 2, parts[i]!, parts[i - 1]!);
      const again = parts.flatMap((part) => (random(6) === 0 ? [part, part] : [part]));
      return conversation(isn, again).map((segment) => ({ ...segment, of }));
    });
    const segments = [];
    for (let at = 1; queues.some((queue) => queue.length > 0); at++) {
      const queue = queues[random(3)]!;
      const next = queue.shift();
      if (next !== undefined) segments.push({ ...next, at });
    }
    return { segments };
  }

  test.each([1, 2, 3, 4])('has the same messages of three bad connections, pcap and pcapng, seed %i', async (seed) => {
    const file = join(folder, `bad-${seed}.pcap`);
    const packets = badDay(seed).segments.map((segment) => packetOf(segment, segment.of, 'ethernet'));
    writeFileSync(file, pcap(packets, 'ethernet'));
    const fields = ['-e', 'fix.SenderCompID', '-e', 'fix.MsgSeqNum'];
    const options = ['-o', 'tcp.reassemble_out_of_order:TRUE', '-d', 'tcp.port==9876,fix', '-Y', 'fix', '-T', 'fields'];
    const { stdout: out } = await run('tshark', ['-r', file, ...options, ...fields]);
    // One line for each packet, with as many messages as end in it.
    const theirs = out
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [senders, numbers] = line.split('\t').map((cell) => cell.split(',')) as [string[], string[]];
        return numbers.map((number, i) => `${senders[i]} ${number}`);
      });
    const ours = await read(readFileSync(file));
    expect(ours.faults).toEqual([]);
    expect(ours.messages).toHaveLength(120);
    expect([...new Set(theirs)].sort()).toEqual([...ours.messages].sort());
    for (const format of ['pcapng', 'nsecpcap']) {
      const other = join(folder, `bad-${seed}.${format}`);
      await run('editcap', ['-F', format, file, other]);
      expect(await read(readFileSync(other))).toEqual(ours);
    }
  });
});
