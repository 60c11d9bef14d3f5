// The note beside a journal of how far it was on disk (rule J3).

import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyJournal } from '../../../src/store/mod.ts';
import { flipByte } from '../failing-disk.ts';
import { openIn, temporaryDirectory } from '../journal-place.ts';
import { inbound } from '../records.ts';

interface Place {
  readonly directory: string;
  readonly witness: string;
  /** Open, write that many frames, close; what the journal said against itself at the start. */
  write(frames: number): Promise<string | undefined>;
}

function place(): Place {
  const base = temporaryDirectory();
  const [directory, witness] = [join(base, 'journal'), join(base, 'journal.witness')];
  let next = 1;
  return {
    directory,
    witness,
    write: async (frames) => {
      const journal = await openIn(directory, { witness });
      const { objection } = journal.recovered;
      next = journal.recovered.sessions.values().next().value?.numbers.nextTargetMsgSeqNum ?? 1;
      for (let k = 0; k < frames; k++, next++) journal.append([inbound(next)], next);
      await journal.sync();
      await journal.close();
      return objection;
    },
  };
}

test('J3 a journal that goes on, and a new one, are not objected to', async () => {
  const { write } = place();
  expect(await write(3)).toBeUndefined();
  expect(await write(2)).toBeUndefined();
  expect(await write(0)).toBeUndefined();
});

test('J3 reports a missing or replaced journal once', async () => {
  const { directory, write } = place();
  await write(3);
  rmSync(directory, { recursive: true });
  expect(await write(1)).toMatch(/up to frame \d+, is missing or was replaced by another one/);
  expect(await write(1)).toBeUndefined();
});

test('J3 reports an older copy of the same journal', async () => {
  const { directory, write } = place();
  await write(3);
  cpSync(directory, `${directory}-copy`, { recursive: true });
  await write(5);
  rmSync(directory, { recursive: true });
  cpSync(`${directory}-copy`, directory, { recursive: true });
  expect(await write(0)).toMatch(/the journal ends with frame \d+, but frame \d+ was on disk already/);
});

test('J3 a note that is damaged says nothing', async () => {
  const { directory, witness, write } = place();
  await write(3);
  const whole = readFileSync(witness);
  for (const at of [0, 17, 40, 60]) {
    writeFileSync(witness, whole);
    flipByte(witness, at, 1);
    rmSync(directory, { recursive: true });
    expect(await write(0)).toBeUndefined();
  }
});

test('J3 verify detects a journal shorter than the note says, as by damage at its very end', async () => {
  const { directory, witness, write } = place();
  await write(3);
  const told = async (): Promise<string> => {
    const { problems } = await verifyJournal(directory, Date.now(), witness);
    return problems.map(({ path, problem }) => `${path}: ${problem}`).join();
  };
  expect(await told()).toBe('');
  const path = join(directory, '00000001.xgj');
  flipByte(path, statSync(path).size - 1);
  expect(await told()).toMatch(
    new RegExp(
      `^${directory}: the journal ends with frame \\d+, but frame \\d+ was on disk already: .* or its end is damaged$`,
    ),
  );
  writeFileSync(witness, 'nothing that is understood');
  expect(await told()).toBe('');
});
