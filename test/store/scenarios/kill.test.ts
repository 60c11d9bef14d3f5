// kill -9 at random moments: what the process had confirmed is there, nothing is half there, the next one goes on.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openIn, temporaryDirectory } from '../journal-place.ts';
import { SESSION } from '../records.ts';

const child = fileURLToPath(new URL('../writing-child.ts', import.meta.url));
const KILLS = Number(process.env.CROSSGATE_KILLS ?? 8);

interface Position {
  readonly series: number;
  readonly sender: number;
  readonly target: number;
}

function parse(line: string): Position {
  const [, series, sender, target] = line.split(' ').map(Number) as [number, number, number, number];
  return { series, sender, target };
}

/** Let a process write until it has confirmed `turns` turns and `afterMs` more have passed, then kill it. */
async function writeAndKill(directory: string, durability: string, seed: number, turns: number): Promise<Position[]> {
  const process_ = spawn(process.execPath, [child, directory, durability, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(process_, 'exit');
  const positions: Position[] = [];
  for await (const line of createInterface(process_.stdout)) {
    positions.push(parse(line));
    if (positions.length > turns) process_.kill('SIGKILL');
  }
  await exited;
  return positions;
}

function order(a: Position, b: Position): number {
  return a.series - b.series || a.sender - b.sender;
}

for (const durability of ['disk', 'process']) {
  test(`J1 killed ${KILLS} times, durability ${durability}: no confirmed record lost, no number back`, async () => {
    const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
    const directory = temporaryDirectory();
    let last: Position = { series: 1, sender: 1, target: 1 };
    for (let kill = 0; kill < KILLS; kill++) {
      const turns = 1 + ((seed + kill * 37) % 40);
      const [recovered, ...confirmed] = await writeAndKill(directory, durability, seed + kill, turns);
      expect(order(recovered!, last)).toBeGreaterThanOrEqual(0);
      // A frame counts one message in each direction: recovered together or not at all.
      expect(recovered!.sender).toBe(recovered!.target);
      last = confirmed.at(-1) ?? recovered!;
    }
    const journal = await openIn(directory);
    const { numbers } = journal.recovered.sessions.get(SESSION)!;
    const found = { series: numbers.series, sender: numbers.nextSenderMsgSeqNum, target: numbers.nextTargetMsgSeqNum };
    expect(order(found, last)).toBeGreaterThanOrEqual(0);
    const messages = await journal.loadOutbound(SESSION, found.series, 1, found.sender);
    expect(messages.map(({ msgSeqNum }) => msgSeqNum)).toEqual(
      Array.from({ length: found.sender - 1 }, (_, k) => k + 1),
    );
    let series = 1;
    let expected = 1;
    for await (const { record } of journal.entries()) {
      if (record.kind === 'numbers') {
        series = record.to.series;
        expected = 1;
      } else if (record.kind === 'outbound') {
        expect([record.series, record.msgSeqNum]).toEqual([series, expected++]);
      }
    }
  });
}
