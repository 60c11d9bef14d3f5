// A gateway's reports to operators about work beside its journal's traffic.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GATEWAY, runningGateway } from '../running-gateway.ts';

test('that no snapshot of the journal can be made is an alarm, and everybody trades on', async () => {
  const files = { 'gateway.yaml': `${GATEWAY}journal: { segmentBytes: 1048576, snapshotBytes: 1048576 }\n` };
  const gateway = await runningGateway(files, {}, (path) => {
    // Where a file is to be written.
    mkdirSync(join(path, 'state/journal/snapshot-00000001.xgs.draft'), { recursive: true });
  });
  const { engine } = gateway;
  const oms = await gateway.logOn();
  const told = (): string[] => engine.alarms.filter(({ alarm }) => alarm === 'journal-upkeep').map(({ text }) => text);
  // Enough for two snapshots, and less than a session may say in a second.
  for (let n = 1; n <= 5; n++) {
    for (let k = 1; k <= 20; k++) oms.send(`35=1|112=${'x'.repeat(20_000)}-${n}-${k}`);
    await oms.expect('the last answer', (view) => view.string(112)?.endsWith(`-${n}-20`) === true);
  }
  await expect.poll(() => told()).not.toEqual([]);
  expect(told()).toEqual([
    expect.stringMatching(/no snapshot could be made; the next start reads more of the journal/),
  ]);
  expect([engine.journalHealth.healthy, engine.administration.health().ready]).toEqual([true, true]);
});
