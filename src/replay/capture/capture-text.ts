// A capture as the text of a log: every FIX message of its TCP connections on a line, with the time of its last packet.
// Connections without FIX are passed over.

import { type EpochMs, formatIso } from '../../base/time.ts';
import { Framer } from '../../wire/mod.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import type { TellCut } from '../bytes/unpack.ts';
import { capturedPackets } from './capture-file.ts';
import { tcpSegmentOf } from './tcp-segment.ts';
import { type StreamPart, TcpStream } from './tcp-stream.ts';

/** Most directions of connections at a time; the one that was silent longest is ended for a further one. */
const STREAMS_MAX = 20_000;
const FRAMER_LIMITS = { frameBytesMax: 1_048_576, fieldsMax: 65_536 };
/** Faults that are named; others are counted. */
const FAULTS_MAX = 5;

/** One line for each message. */
export async function* captureText(source: ByteSource, tellCut: TellCut): AsyncGenerator<string> {
  const capture = new Capture();
  for await (const { at, linkType, bytes } of capturedPackets(source, tellCut)) {
    const segment = tcpSegmentOf(linkType, bytes);
    if (typeof segment === 'string') capture.unread(segment, linkType);
    else {
      const lines = capture.push(segment, at);
      if (lines !== '') yield lines;
    }
  }
  const rest = capture.end();
  if (rest !== '') yield rest;
  for (const fault of capture.faults()) tellCut(fault);
}

interface Direction {
  readonly name: string;
  readonly stream: TcpStream;
  framer: Framer;
  /** Whether a message was found in it. */
  isFix: boolean;
  /** The first bytes of a TLS record. */
  isEncrypted: boolean | null;
}

class Capture {
  private readonly directions = new Map<string, Direction>();
  private readonly named: string[] = [];
  private faultCount = 0;
  private fragments = 0;
  private encrypted = 0;
  private readonly linkTypes = new Set<number>();
  private messages = 0;

  unread(why: 'linkType' | 'fragment' | 'other', linkType: number): void {
    if (why === 'fragment') this.fragments++;
    if (why === 'linkType') this.linkTypes.add(linkType);
  }

  push(segment: Exclude<ReturnType<typeof tcpSegmentOf>, string>, at: EpochMs | null): string {
    const { from, to, ack } = segment;
    const other = this.directions.get(`${to} → ${from}`);
    const before = ack === null || other === undefined ? '' : this.read(other, other.stream.acknowledged(ack));
    const direction = this.directionOf(`${from} → ${to}`);
    return before + this.read(direction, direction.stream.push(segment, at));
  }

  end(): string {
    return [...this.directions.values()].map((direction) => this.read(direction, direction.stream.end())).join('');
  }

  /** Unread parts of the capture, in words. */
  faults(): string[] {
    const faults = [...this.named];
    if (this.faultCount > FAULTS_MAX) faults.push(`${this.faultCount - FAULTS_MAX} further places cannot be read`);
    if (this.fragments > 0) faults.push(`${this.fragments} IP fragments are not read`);
    for (const linkType of this.linkTypes) faults.push(`packets of link type ${linkType} are not read`);
    if (this.messages === 0 && this.encrypted > 0)
      faults.push(`${this.encrypted} directions of connections are encrypted (TLS)`);
    return faults;
  }

  private directionOf(name: string): Direction {
    const known = this.directions.get(name);
    // Moved behind: the first of the map is the one that was silent longest.
    if (known !== undefined) this.directions.delete(name);
    const direction = known ?? { name, stream: new TcpStream(), framer: newFramer(), isFix: false, isEncrypted: null };
    this.directions.set(name, direction);
    if (this.directions.size > STREAMS_MAX) {
      const [oldest] = this.directions.keys();
      this.directions.delete(oldest!);
    }
    return direction;
  }

  private read(direction: Direction, parts: readonly StreamPart[]): string {
    let lines = '';
    for (const part of parts) {
      if (part.kind === 'bytes') lines += this.frames(direction, part.bytes, part.at);
      else {
        if (part.kind === 'gap' && direction.isFix)
          this.fault(
            `${direction.name}: ${part.bytes} bytes are missing in the capture; messages in them are not read`,
          );
        direction.framer = newFramer();
      }
    }
    return lines;
  }

  private frames(direction: Direction, bytes: Buffer, at: EpochMs | null): string {
    if (direction.isEncrypted === null) {
      direction.isEncrypted = bytes[0] === 0x16 && bytes[1] === 0x03;
      if (direction.isEncrypted) this.encrypted++;
    }
    if (direction.isEncrypted) return '';
    let lines = '';
    direction.framer.push(bytes);
    for (let result = direction.framer.next(); result !== null; result = direction.framer.next()) {
      if (result.kind === 'message') {
        direction.isFix = true;
        this.messages++;
        lines += `${at === null ? '' : `${formatIso(at)} `}${Buffer.from(result.view.bytes()).toString('latin1')}\n`;
        continue;
      }
      const { text, fatal } = result.notice;
      if (direction.isFix) this.fault(`${direction.name}: ${text}`);
      if (fatal) direction.framer = newFramer();
    }
    return lines;
  }

  private fault(text: string): void {
    this.faultCount++;
    if (this.named.length < FAULTS_MAX) this.named.push(text);
  }
}

const newFramer = (): Framer => new Framer(FRAMER_LIMITS);
