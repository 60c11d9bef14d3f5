// Parses HTTP/1.1 answers from the bytes of one connection (RFC 9112): head, then a body by its length, in chunks, or
// up to the end. Any ambiguity is malformed and makes the connection useless. outcome.ts interprets the answer;
// command-connection.ts has the connection.

import type { HttpAnswer } from '../reads/http.ts';

/** Most bytes of a head, or of a chunk's own line. */
const HEAD_BYTES_MAX = 65_536;
/** Most bytes of a body: answers to commands have hundreds, and reading one delays every session. */
const BODY_BYTES_MAX = 262_144;
const HEADERS_MAX = 200;
/** Lines remembered at once; beyond it all are let go. */
const LINES_MAX = 256;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,7})[ \t]*(?:;.*)?$/;
const LENGTH = /^\d{1,9}$/;

/** Result of the bytes so far. */
export type ParsedAnswer =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed'; readonly message: string }
  /** `reusable`: another request may follow on the connection. */
  | {
      readonly kind: 'answer';
      readonly answer: HttpAnswer;
      readonly reusable: boolean;
      readonly keepAliveS: number | null;
    };

type HeaderLine = readonly [name: string, value: string];

interface Head {
  readonly status: number;
  readonly headers: HttpAnswer['headers'];
  readonly keepsAlive: boolean;
  /** For how long the exchange says it keeps the connection; null if it does not say. */
  readonly keepAliveS: number | null;
  /** Bytes of the body; null where they are in chunks, Infinity where they end with the connection. */
  readonly length: number | null;
}

const INCOMPLETE: ParsedAnswer = { kind: 'incomplete' };
const malformed = (message: string): ParsedAnswer => ({ kind: 'malformed', message });

/** Header lines as read, by their text: answers of one exchange have nearly all of them in common. */
export class KnownLines {
  readonly #lines = new Map<string, HeaderLine>();

  /** Name in lower case and value; null if the line cannot be read. */
  read(line: string): HeaderLine | null {
    const known = this.#lines.get(line);
    if (known !== undefined) return known;
    const parts = HEADER_LINE.exec(line);
    if (parts === null) return null;
    const read: HeaderLine = [parts[1]!.toLowerCase(), parts[2]!];
    if (this.#lines.size >= LINES_MAX) this.#lines.clear();
    this.#lines.set(line, read);
    return read;
  }
}

/** Reads the answer to one request after the other. */
export class AnswerParser {
  readonly #lines: KnownLines;
  #bytes: Buffer = Buffer.alloc(0);
  #head: Head | null = null;
  #chunks: Buffer[] = [];
  #bodyBytes = 0;

  /** @param lines those of its origin, shared by all its connections */
  constructor(lines: KnownLines = new KnownLines()) {
    this.#lines = lines;
  }

  /**
   * Take bytes as they arrive. Bytes after a whole answer remain: they are unrequested, and their connection is not
   * `reusable`.
   */
  push(chunk: Buffer): ParsedAnswer {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    while (this.#head === null) {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end === -1)
        return this.#bytes.length > HEAD_BYTES_MAX ? malformed('the head of the answer is too long') : INCOMPLETE;
      if (end > HEAD_BYTES_MAX) return malformed('the head of the answer is too long');
      const head = readHead(this.#bytes.toString('latin1', 0, end), this.#lines);
      if (typeof head === 'string') return malformed(head);
      this.#bytes = this.#bytes.subarray(end + 4);
      // 1xx: the answer itself is still to come.
      if (head.status >= 200) this.#head = head;
      else if (head.status === 101) return malformed('the exchange changes the protocol');
    }
    return this.#head.length === null ? this.#chunked() : this.#sized(this.#head.length);
  }

  /** The connection has ended; its end may complete an answer. */
  end(): ParsedAnswer {
    return this.#head?.length === Number.POSITIVE_INFINITY ? this.#whole() : INCOMPLETE;
  }

  #sized(length: number): ParsedAnswer {
    const missing = length - this.#bodyBytes;
    const error = this.#take(Math.min(missing, this.#bytes.length));
    if (error !== null) return error;
    return this.#bodyBytes === length ? this.#whole() : INCOMPLETE;
  }

  #chunked(): ParsedAnswer {
    for (;;) {
      const lineEnd = this.#bytes.indexOf('\r\n');
      if (lineEnd === -1) return this.#bytes.length > HEAD_BYTES_MAX ? malformed('a chunk without a size') : INCOMPLETE;
      const size = CHUNK_SIZE.exec(this.#bytes.toString('latin1', 0, lineEnd));
      if (size === null) return malformed('a chunk without a size');
      const length = Number.parseInt(size[1]!, 16);
      if (length === 0) return this.#trailers(lineEnd + 2);
      const end = lineEnd + 2 + length;
      // Whole chunks only: the rest comes again with the next bytes, which are bounded like the body.
      if (this.#bodyBytes + length > BODY_BYTES_MAX) return malformed(`answer longer than ${BODY_BYTES_MAX} bytes`);
      if (this.#bytes.length < end + 2) return INCOMPLETE;
      if (this.#bytes[end] !== 0x0d || this.#bytes[end + 1] !== 0x0a) return malformed('a chunk of another size');
      this.#bytes = this.#bytes.subarray(lineEnd + 2);
      const error = this.#take(length);
      if (error !== null) return error;
      this.#bytes = this.#bytes.subarray(2);
    }
  }

  /** Lines after the last chunk, which say nothing that is used, up to the empty one. */
  #trailers(from: number): ParsedAnswer {
    for (let at = from; ; ) {
      const lineEnd = this.#bytes.indexOf('\r\n', at);
      if (lineEnd === -1)
        return this.#bytes.length - from > HEAD_BYTES_MAX ? malformed('endless trailers') : INCOMPLETE;
      if (lineEnd === at) {
        this.#bytes = this.#bytes.subarray(lineEnd + 2);
        return this.#whole();
      }
      at = lineEnd + 2;
    }
  }

  #take(count: number): ParsedAnswer | null {
    if (this.#bodyBytes + count > BODY_BYTES_MAX) return malformed(`answer longer than ${BODY_BYTES_MAX} bytes`);
    if (count > 0) this.#chunks.push(this.#bytes.subarray(0, count));
    this.#bodyBytes += count;
    this.#bytes = this.#bytes.subarray(count);
    return null;
  }

  #whole(): ParsedAnswer {
    const { status, headers, keepsAlive, keepAliveS, length } = this.#head!;
    const body =
      this.#chunks.length === 1 ? this.#chunks[0]!.toString('utf8') : Buffer.concat(this.#chunks).toString('utf8');
    this.#head = null;
    this.#chunks = [];
    this.#bodyBytes = 0;
    return {
      kind: 'answer',
      answer: { kind: 'answer', status, headers, body },
      reusable: keepsAlive && length !== Number.POSITIVE_INFINITY && this.#bytes.length === 0,
      keepAliveS,
    };
  }
}

/** A parsed head, or its fault. */
function readHead(text: string, known: KnownLines): Head | string {
  const lines = text.split('\r\n');
  const status = STATUS_LINE.exec(lines[0]!);
  if (status === null) return 'the answer does not begin with a status';
  if (lines.length > HEADERS_MAX) return `more than ${HEADERS_MAX} headers`;
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let i = 1; i < lines.length; i++) {
    const line = known.read(lines[i]!);
    if (line === null) return 'a header cannot be read';
    const [name, value] = line;
    const before = headers[name];
    headers[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
  }
  const code = Number(status[2]);
  const length = bodyLength(code, headers);
  if (typeof length === 'string') return length;
  const connection = textOf(headers.connection).toLowerCase();
  const keepsAlive = status[1] === '1' ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
  const hint = /(?:^|[,;\s])timeout=(\d{1,6})/.exec(textOf(headers['keep-alive']));
  return { status: code, headers, keepsAlive, keepAliveS: hint === null ? null : Number(hint[1]), length };
}

function bodyLength(status: number, headers: HttpAnswer['headers']): Head['length'] | string {
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined) {
    // Both is how answers are smuggled (RFC 9112 §6.3).
    if (length !== undefined) return 'the answer has two lengths';
    return textOf(coding).toLowerCase() === 'chunked' ? null : 'the coding of the answer is not known';
  }
  if (status < 200 || status === 204 || status === 304) return 0;
  if (length === undefined) return Number.POSITIVE_INFINITY;
  if (typeof length !== 'string' || !LENGTH.test(length)) return 'the length of the answer cannot be read';
  return Number(length);
}

function textOf(value: string | string[] | undefined): string {
  return value === undefined ? '' : typeof value === 'string' ? value : value.join(',');
}
