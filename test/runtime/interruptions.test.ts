// Memory of inputs that ended the process by a bug, from one start to the next.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { GatewayInput } from '../../src/gateway/mod.ts';
import { Interruptions } from '../../src/runtime/interruptions.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';

const SESSION = 'FIX.4.4:XG->OMS';
let folder: string;
let now: number;
let told: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-interruptions-'));
  now = Date.UTC(2026, 0, 5, 9);
  told = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As a start has it. */
function started(version = '1.0'): Interruptions {
  return new Interruptions({ folder, version, log: (_level, text) => told.push(text), now: () => now });
}

function message(text: string): GatewayInput {
  const view = viewOf(fromPrintable(text, 'FIX.4.4'))!;
  return { kind: 'message', sessionId: SESSION, view, possDup: false };
}

const ORDER = message('35=D|49=OMS|56=XG|34=7|52=20260105-09:00:00|11=o-1|554=correct horse|');
const RESENT = message(
  '35=D|49=OMS|56=XG|34=7|43=Y|52=20260105-09:01:00|122=20260105-09:00:00|11=o-1|554=correct horse|',
);
const OTHER = message('35=D|49=OMS|56=XG|34=8|52=20260105-09:00:00|11=o-2|');

/** A process that ends while it takes this. */
function endsOn(input: GatewayInput): string | null {
  const process = started();
  process.threw([
    { slot: { sessionId: SESSION }, input },
    { slot: null, input },
  ]);
  return process.note();
}

test('sets a message aside after it ended the process twice, also resent; others pass', () => {
  endsOn(ORDER);
  expect([started().putsAside, started().asideOf(RESENT)]).toEqual([false, null]);
  endsOn(RESENT);
  expect(started().asideOf(RESENT)).toEqual({
    sessionId: SESSION,
    text: '35=D 34=7 11=o-1 ended this gateway 2 times, at last at 2026-01-05T09:00:00.000Z',
  });
  expect(started().asideOf(OTHER)).toBeNull();
  expect(started().asideOf({ ...ORDER, sessionId: 'FIX.4.4:XG->ELSE' } as GatewayInput)).toBeNull();
});

test('the note is for its owner only, and holds no secret', () => {
  endsOn(ORDER);
  const file = join(folder, 'interrupted.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('|11=o-1|');
  expect(readFileSync(file, 'utf8')).not.toContain('correct horse');
});

test("recognises repeated events of the exchange by the order's progress, in any spelling", () => {
  const order = { orderId: '9', symbol: 'BTCUSDC', status: 'OPEN', price: '1', quantity: '2', quantityFilled: '0' };
  const frame = (more: object): GatewayInput =>
    ({ kind: 'order', source: 'update', order: { ...order, ...more } }) as unknown as GatewayInput;
  endsOn(frame({ publishedAt: 1 }));
  endsOn(frame({ statusReason: 'Ok' }));
  expect(started().asideOf(frame({}))?.text).toContain('order 9 (BTCUSDC) as the exchange tells it ended');
  expect(started().asideOf(frame({ quantityFilled: '1' }))).toBeNull();
  expect(started().asideOf({ kind: 'lookedUp', lookupId: '1', outcome: { kind: 'absent', final: true } })).toBeNull();
});

test('a session that ended the process five times within an hour is kept out, until an operator lets it in', () => {
  for (let i = 1; i <= 5; i++) {
    expect(started().keptOutFor(SESSION)).toBeNull();
    const process = started();
    process.threw([{ slot: { sessionId: SESSION }, input: { kind: 'tick' } }]);
    process.note();
    now += 60_000;
  }
  expect(started().keptOut).toEqual([SESSION]);
  expect(started().keptOutFor(SESSION)).toContain(
    '5 times within an hour, at last by taking a time that had come of session',
  );
  started().letIn(SESSION);
  expect([started().keptOut, started().keptOutFor(SESSION)]).toEqual([[], null]);
  // One more is one of five again.
  endsOn(ORDER);
  expect(started().keptOut).toEqual([]);
});

test('five times in more than an hour bar no session; nor do events without a session', () => {
  for (let i = 0; i < 8; i++) {
    endsOn(message(`35=D|49=OMS|56=XG|34=${i + 1}|52=20260105-09:00:00|11=o-${i}|`));
    endsOn({ kind: 'phaseUnknown', symbol: 'BTCUSDC' });
    now += 16 * 60_000;
  }
  expect(started().keptOut).toEqual([]);
});

test('another version takes everything again: it may have the bug mended', () => {
  endsOn(ORDER);
  endsOn(ORDER);
  expect([started().putsAside, started('1.1').putsAside]).toEqual([true, false]);
});

test('reports an unreadable note, and starts', () => {
  for (const text of [
    '',
    '{"version":',
    '[]',
    'null',
    '{"version":"1.0"}',
    '{"version":"1.0","interruptions":[null],"sessions":{},"keptOut":[]}',
  ]) {
    writeFileSync(join(folder, 'interrupted.json'), text);
    told = [];
    expect(started()).toMatchObject({ putsAside: false, keptOut: [] });
    expect(told).toEqual([
      expect.stringMatching(/the note of inputs that ended earlier processes by a bug cannot be read/),
    ]);
  }
});
