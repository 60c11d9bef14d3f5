// How long archived segments are kept where the clock is not to be trusted, and what is said of one that is being archived. That
// old ones go is in snapshot.test.ts.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readJournal } from '../../../src/store/mod.ts';
import { segmentFileName } from '../../../src/store/segments/segment.ts';
import { archiveNext, verifyArchive } from '../../../src/store/snapshots/archive.ts';
import { archiveDirectory, archivedPath } from '../../../src/store/snapshots/archive-files.ts';
import { openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound } from '../records.ts';

const DAY_MS = 86_400_000;
const YEAR_DAYS = 366;

let directory: string;
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Archive one segment on each of these days, kept for five years; which are left after each. */
function leftAfter(days: readonly number[]): number[][] {
  directory = mkdtempSync(join(tmpdir(), 'crossgate-archive-'));
  return days.map((day, i) => {
    const segment = i + 1;
    writeFileSync(join(directory, segmentFileName(segment)), `segment ${segment}`);
    const now = 1_700_000_000_000 + day * DAY_MS;
    archiveNext({ directory, retentionDays: 5 * YEAR_DAYS, now, before: segment + 1 });
    return days.flatMap((_, j) => (existsSync(archivedPath(directory, j + 1)) ? [j + 1] : []));
  });
}

test('J4 a clock that is years ahead for a while deletes nothing early, once and for all', () => {
  const wrong = [0, 10, 6 * YEAR_DAYS, 6 * YEAR_DAYS + 1, 20, 30];
  expect(leftAfter(wrong).at(-1)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('J4 after such a time, and after one in which the clock was years behind, years count as before', () => {
  const months = Array.from({ length: 61 }, (_, month) => 40 + month * 31);
  const left = leftAfter([0, 6 * YEAR_DAYS, 10, -8 * YEAR_DAYS, ...months]);
  expect(left.at(-5)).toContain(1);
  expect(left.at(-1)).not.toContain(1);
  expect(left.at(-1)).toContain(6);
});

/** A journal with a first segment ready for the archive, and its number of frames. */
async function twoSegments(): Promise<{ frames: number; first: string; request: Parameters<typeof archiveNext>[0] }> {
  directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  let frames = 0;
  while (segmentNames(directory).length < 2) {
    journal.append([inbound(++frames)], frames);
    journal.write();
  }
  await journal.close();
  const request = { directory, retentionDays: null, now: 1_700_000_000_000, before: 2 };
  return { frames, first: join(directory, segmentFileName(1)), request };
}

test('a reader misses no segment archived while the folder is read', async () => {
  const { frames, request } = await twoSegments();
  const entries = readJournal(directory);
  const first = entries.next();
  archiveNext(request);
  const read = [(await first).value?.frame];
  for await (const { frame } of entries) read.push(frame);
  expect(read).toEqual(Array.from({ length: frames }, (_, k) => k + 1));
});

test('J4 asks to put back an archived file that cannot be unpacked, and bars no session', async () => {
  const { request } = await twoSegments();
  archiveNext(request);
  writeFileSync(archivedPath(directory, 1), '');
  const problem = 'it cannot be unpacked (unexpected end of file); put it back from a backup or replica';
  expect(await verifyArchive(directory, 1_700_000_000_000)).toEqual({
    segments: 1,
    problems: [{ path: archivedPath(directory, 1), problem }],
  });
});

test('J4 a segment archived before its chain line is no stranger while the journal has it', async () => {
  const { first, request } = await twoSegments();
  writeFileSync(`${first}.kept`, readFileSync(first));
  archiveNext(request);
  writeFileSync(join(archiveDirectory(directory), 'chain.jsonl'), '');
  const stranger = { path: archivedPath(directory, 1), problem: 'the chain does not know it' };
  expect(await verifyArchive(directory, 1_700_000_000_000)).toEqual({ segments: 1, problems: [stranger] });
  renameSync(`${first}.kept`, first);
  expect(await verifyArchive(directory, 1_700_000_000_000)).toEqual({ segments: 1, problems: [] });
  archiveNext(request);
  expect(existsSync(first)).toBe(false);
  expect(await verifyArchive(directory, 1_700_000_000_000)).toEqual({ segments: 1, problems: [] });
});

test('J4 a kill while half a line is cut off the chain loses none of the others', async () => {
  leftAfter([0, 1, 2, 3, 4, 5]);
  const chain = join(archiveDirectory(directory), 'chain.jsonl');
  const lines = readFileSync(chain, 'utf8');
  appendFileSync(chain, '{"segment":7,"by');
  writeFileSync(join(directory, segmentFileName(7)), 'segment 7');
  // No file may grow beyond a kilobyte: the process ends where it writes more.
  const archiving = `import { archiveNext } from './src/store/snapshots/archive.ts';
    archiveNext({ directory: ${JSON.stringify(directory)}, retentionDays: null, now: 1_700_000_000_000, before: 8 });`;
  const command = `ulimit -c 0; ulimit -f 1; exec ${process.execPath} --input-type=module -e "$0"`;
  const killed = spawnSync('bash', ['-c', command, archiving], { cwd: join(import.meta.dirname, '../../..') });
  expect(killed.status).not.toBe(0);
  expect(readFileSync(chain, 'utf8').slice(0, lines.length)).toBe(lines);
  archiveNext({ directory, retentionDays: null, now: 1_700_000_000_000, before: 8 });
  expect(
    readFileSync(chain, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).segment),
  ).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
