// Versions that the session speaks and no dictionary is delivered for: the library's user brings the file.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startAcceptor } from '../../../src/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

const FIX42 = fileURLToPath(new URL('../../../dictionaries/FIX42.xml', import.meta.url));
const OURS = { senderCompID: 'GATE', targetCompID: 'OMS' };

/** A folder with the dictionary of FIX.4.2 under the name of another version, with that version's number in it. */
function brought(name: string, minor: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-brought-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const xml = readFileSync(FIX42, 'utf8').replace(/minor=(['"])2\1/, `minor='${minor}'`);
  writeFileSync(join(folder, name), xml);
  return folder;
}

const application = {
  onMessage: () => {
    throw new Error('a bug of the application');
  },
};

test.each([
  ['FIX.4.0', 'FIX40.xml', 0, '35=3|45=2|58=The application failed on this message'],
  ['FIX.4.1', 'FIX41.xml', 1, '35=3|45=2|58=The application failed on this message'],
  ['FIX.4.3', 'FIX43.xml', 3, '35=j|45=2|372=B|380=4|58=The application failed on this message'],
])('S5 a session of %s is served with a %s that its user brings', async (beginString, name, minor, refused) => {
  const dictionaries = brought(name, minor);
  const engine = await startAcceptor({ port: 0, sessions: [{ ...OURS, beginString }], application, dictionaries });
  onTestFinished(() => engine.close());
  const oms = await openFix(engine.port, { senderCompID: 'OMS', targetCompID: 'GATE', beginString });
  onTestFinished(() => oms.destroy());
  oms.send('35=A|98=0|108=30');
  expect((await oms.next()).msgType).toBe('A');
  oms.send('35=B|148=h|33=1|58=x');
  const answer = await oms.next();
  const fields = refused.split('|').map((field) => field.split('=') as [string, string]);
  expect(fields.map(([tag]) => [tag, answer.string(Number(tag))])).toEqual(fields);
});

test.each([
  ['FIX.4.0', "no dictionary is delivered for FIX.4.0: put FIX40.xml, in QuickFIX's format, into a folder"],
  ['FIX.4.3', 'name it by the option dictionaries'],
  ['FIX.5.0', 'FIX.5.0 and later are FIXT.1.1 with defaultApplVerID'],
  ['FIX.9.9', 'beginString must be one of FIX.4.0, FIX.4.1, FIX.4.2, FIX.4.3, FIX.4.4, FIXT.1.1, and is FIX.9.9'],
])('without one, %s is refused with the remedy', async (beginString, words) => {
  await expect(startAcceptor({ port: 0, sessions: [{ ...OURS, beginString }], application })).rejects.toMatchObject({
    code: 'XG_CONFIG_INVALID',
    message: expect.stringContaining(words),
  });
});
