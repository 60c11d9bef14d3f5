// Sessions kept out at the door, and their neighbours: the guard against guessing counts guesses alone.

import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../../src/store/mod.ts';
import { temporaryDirectory } from '../../../store/journal-place.ts';
import { openFix } from '../../../support/network/fix-connection.ts';
import { type RunningGateway, runningGateway, sessionFile } from '../../running-gateway.ts';

/** More often than an address may fail within a minute. */
async function tryAgainAndAgain({ engine }: RunningGateway, senderCompID: string): Promise<void> {
  for (let attempt = 0; attempt < 12; attempt++) {
    const fix = await openFix(engine.addresses[0]!.port, { senderCompID, targetCompID: 'GATE' });
    fix.send('35=A|98=0|108=30|554=whatever its password is');
    await fix.expectClosed();
    expect(fix.received).toEqual([]);
  }
}

test("S1 a disabled session's endless retries keep no session of its address out", async () => {
  const gateway = await runningGateway({ 'OTHER.yaml': sessionFile('OTHER') });
  expect((await gateway.ask('/api/sessions/OTHER/disable', { why: 'a drill' })).status).toBe(200);
  await tryAgainAndAgain(gateway, 'OTHER');
  const fix = await gateway.logOn('OMS');
  expect(fix.closed).toBe(false);
});

test('S1 our unreadable password file counts as no guess: neighbours stay open', async () => {
  const other = sessionFile('OTHER').replace('oms.password', 'other.password');
  const gateway = await runningGateway({ 'OTHER.yaml': other });
  const path = join(gateway.stateDirectory, 'secrets', 'other.password');
  rmSync(path);
  onTestFinished(() => writeFileSync(path, 'x\n', { mode: 0o600 }));
  await tryAgainAndAgain(gateway, 'OTHER');
  const fix = await gateway.logOn('OMS');
  expect(fix.closed).toBe(false);
});

test('refuses a stranger that tries unknown CompIDs for a minute, for any next name', async () => {
  const gateway = await runningGateway();
  await tryAgainAndAgain(gateway, 'NOBODY');
  await expect(gateway.logOn('OMS')).rejects.toThrow(/closed/);
});

test('opening sessions after a killed import names its missing parts, and no lost orders', async () => {
  const directory = temporaryDirectory();
  const journal = await openJournal({ directory, now: Date.now });
  const sessionId = 'FIX.4.4:GATE->OMS';
  journal.append([{ kind: 'state', sessionId, loggedOn: false, importBegun: true }], Date.now());
  await journal.close();
  const gateway = await runningGateway({}, {}, (path) => {
    cpSync(directory, join(path, 'state/journal'), { recursive: true });
  });
  await expect(gateway.logOn('OMS')).rejects.toThrow();
  const opened = await gateway.ask('/api/logons/open', { why: 'a drill' });
  expect(opened).toMatchObject({ status: 200, body: { text: expect.stringContaining('an unfinished import') } });
  expect(JSON.stringify(opened.body)).not.toContain('lost part');
  await gateway.logOn('OMS');
});
