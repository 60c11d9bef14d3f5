// Answers of HTTP as they come over a connection: whole, in pieces, one behind the other, and what is no answer.

import { describe, expect, test } from 'vitest';
import { AnswerParser, KnownLines, type ParsedAnswer } from '../../../src/exchange-client/commands/answer-parser.ts';

const BODY = '{"requestId":"1","orderId":"2","text":"ü"}';
const LENGTH = Buffer.byteLength(BODY);
const SIZED = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-RateLimit-Remaining: 7\r\nContent-Length: ${LENGTH}\r\n\r\n${BODY}`;
const CHUNKED = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=72\r\n\r\n5;name=value\r\n{"ü"\r\n2\r\n:1\r\n1\r\n}\r\n0\r\nTrailer: x\r\n\r\n`;

function pushAll(parser: AnswerParser, ...chunks: (string | Buffer)[]): ParsedAnswer {
  let last: ParsedAnswer = { kind: 'incomplete' };
  for (const chunk of chunks) {
    expect(last.kind).toBe('incomplete');
    last = parser.push(Buffer.from(chunk));
  }
  return last;
}

test.each([
  ['with a length', SIZED, BODY],
  ['in chunks', CHUNKED, '{"ü":1}'],
  ['in chunks whose coding is written otherwise (RFC 9112 §7)', CHUNKED.replace('chunked', 'Chunked'), '{"ü":1}'],
])('an answer %s is read whatever its pieces', (_name, text, body) => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) {
    const parsed = pushAll(new AnswerParser(), bytes.subarray(0, at), bytes.subarray(at));
    expect(parsed).toMatchObject({ kind: 'answer', reusable: true, answer: { status: 200, body } });
  }
  const parsed = pushAll(new AnswerParser(), ...[...bytes].map((byte) => Buffer.from([byte])));
  expect(parsed).toMatchObject({ kind: 'answer', answer: { body } });
});

test("lower-cases header names, lists repeated headers, and reads the exchange's stated wait", () => {
  const parsed = new AnswerParser().push(
    Buffer.from(
      'HTTP/1.1 429 Too Many Requests\r\nSET-cookie: a\r\nset-Cookie: b\r\nkeep-alive: timeout=5\r\ncontent-length: 0\r\n\r\n',
    ),
  );
  expect(parsed).toMatchObject({ kind: 'answer', keepAliveS: 5, answer: { status: 429, body: '' } });
  expect(parsed.kind === 'answer' && { ...parsed.answer.headers }).toMatchObject({ 'set-cookie': ['a', 'b'] });
});

test('one answer follows another on the same connection, an interim one is passed over', () => {
  const parser = new AnswerParser();
  expect(parser.push(Buffer.from(SIZED)).kind).toBe('answer');
  expect(parser.push(Buffer.from(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${SIZED}`))).toMatchObject({
    kind: 'answer',
    answer: { status: 200, body: BODY },
  });
});

test.each([
  ['that says so', 'HTTP/1.1 200 OK\r\nConnection: Close\r\ncontent-length: 0\r\n\r\n'],
  ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n'],
  ['with bytes behind it that nobody asked for', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nH'],
])('behind an answer %s the connection is not used again', (_name, text) => {
  expect(new AnswerParser().push(Buffer.from(text))).toMatchObject({ kind: 'answer', reusable: false });
});

test('bytes behind an answer are none of it, whichever piece they come with', () => {
  const bytes = Buffer.from(`${SIZED}HTTP/1.1 408 Request Timeout\r\n`);
  for (let at = 1; at < Buffer.byteLength(SIZED); at++) {
    const parsed = pushAll(new AnswerParser(), bytes.subarray(0, at), bytes.subarray(at));
    expect(parsed).toMatchObject({ kind: 'answer', reusable: false, answer: { status: 200, body: BODY } });
  }
});

test('U1 an answer that breaks off is none, wherever it does', () => {
  for (const text of [SIZED, CHUNKED]) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at++) {
      const parser = new AnswerParser();
      expect([parser.push(bytes.subarray(0, at)).kind, parser.end().kind]).toEqual(['incomplete', 'incomplete']);
    }
  }
});

test('completes an answer without a body at its head, and keeps HTTP/1.0 connections on request', () => {
  for (const text of ['HTTP/1.1 204 No Content', 'HTTP/1.1 304 Not Modified'])
    expect(new AnswerParser().push(Buffer.from(`${text}\r\n\r\n`))).toMatchObject({ kind: 'answer', reusable: true });
  const kept = 'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n';
  expect(new AnswerParser().push(Buffer.from(kept))).toMatchObject({ kind: 'answer', reusable: true });
});

test('an answer without a length ends with its connection', () => {
  const parser = new AnswerParser();
  expect(parser.push(Buffer.from('HTTP/1.1 502 Bad Gateway\r\n\r\n<html>')).kind).toBe('incomplete');
  expect(parser.push(Buffer.from('</html>')).kind).toBe('incomplete');
  expect(parser.end()).toMatchObject({
    kind: 'answer',
    reusable: false,
    answer: { status: 502, body: '<html></html>' },
  });
});

describe('malformed is', () => {
  test.each([
    ['no HTTP', 'SSH-2.0\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a length with more behind it', 'HTTP/1.1 200 OK\r\ncontent-length: 1, 1\r\n\r\na'],
    ['a size with more behind it', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1 1\r\na\r\n'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n'],
    ['a chunk without a size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'],
    ['a chunk of another size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n'],
    ['a chunk that only begins to end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\rb'],
    ['a chunk that ends with half of a line end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\n'],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}`],
    ['a body that is too long', `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n`],
  ])('%s', (_name, text) => {
    expect(new AnswerParser().push(Buffer.from(text)).kind).toBe('malformed');
  });
});

const OK = 'HTTP/1.1 200 OK\r\n';
const BODY_MAX = 262_144;
const headOf = (bytes: number): string => `${OK}a: ${'b'.repeat(bytes - OK.length - 3)}\r\n\r\n`;
const CHUNKS = `${OK}transfer-encoding: chunked\r\n\r\n`;
/** Whole chunks of sixteen kilobytes and a rest. */
const chunks = (bytes: number): string[] => {
  const sizes = [
    ...Array<number>(Math.floor(bytes / 2 ** 14)).fill(2 ** 14),
    ...(bytes % 2 ** 14 === 0 ? [] : [bytes % 2 ** 14]),
  ];
  return [CHUNKS, ...sizes.map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`), '0\r\n\r\n'];
};

test.each([
  ['bytes of a head', 65_536, (most: number) => [headOf(most), 'content']],
  ['bytes of a head in pieces', 65_536, (most: number) => [headOf(most).slice(0, -4), headOf(most).slice(-4)]],
  ['headers with the status', 200, (most: number) => [`${OK}${'a: b\r\n'.repeat(most - 1)}\r\n`]],
  [
    'bytes of a body with a length',
    BODY_MAX,
    (most: number) => [`${OK}content-length: ${most}\r\n\r\n`, 'x'.repeat(most)],
  ],
  ['bytes of a body in chunks', BODY_MAX, chunks],
  ["bytes of a chunk's line", 65_536, (most: number) => [CHUNKS, `1;${'x'.repeat(most - 2)}`]],
  ['bytes of trailers', 65_536, (most: number) => [CHUNKS, `0\r\n${'x'.repeat(most)}`]],
])('of an answer as many %s are read as there may be, and with one more it is malformed', (_what, most, textOf) => {
  const readAs = (count: number): string => {
    const parser = new AnswerParser();
    const last = textOf(count).map((text) => parser.push(Buffer.from(text)).kind);
    return last.includes('malformed') ? 'malformed' : last.at(-1)!;
  };
  expect(readAs(most)).not.toBe('malformed');
  expect(readAs(most + 1)).toBe('malformed');
});

test('a header that comes three times is a list of three', () => {
  const parsed = new AnswerParser().push(Buffer.from(`${OK}x: 1\r\nX: 2\r\nx: 3\r\ncontent-length: 0\r\n\r\n`));
  expect(parsed.kind === 'answer' && parsed.answer.headers.x).toEqual(['1', '2', '3']);
});

test('parses header lines that answers share once, and keeps few of the varying ones', () => {
  const lines = new KnownLines();
  const common = lines.read('Server: x');
  for (let i = 0; i < 200; i++) lines.read(`date: ${i}`);
  expect(lines.read('Server: x')).toBe(common);
  for (let i = 200; i < 400; i++) lines.read(`date: ${i}`);
  const again = lines.read('Server: x');
  expect(again).toEqual(['server', 'x']);
  expect(again).not.toBe(common);
});

test('no bytes at all make it throw', () => {
  let seed = 20260105;
  for (let round = 0; round < 3_000; round++) {
    const bytes = Buffer.from(round % 2 === 0 ? SIZED : CHUNKED);
    for (let change = 0; change < 3; change++) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      bytes[seed % bytes.length] = (seed >>> 8) & 0xff;
    }
    const parser = new AnswerParser();
    const parsed = parser.push(bytes);
    if (parsed.kind === 'incomplete') parser.end();
  }
});
