// Every case of the certification, played by an OMS on QuickFIX C++: `npm run nightly -- certification [FIX.4.2|FIX.4.4|FIXT.1.1 …]`.
// About two and a half minutes a version. The short form is test/certification.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decidingStep } from '../../src/certification/mod.ts';
import { fullProfile } from '../../src/certification/suite/profile.ts';
import { openDesk, PASSWORD } from '../certification/support/desk.ts';
import { OmsBrain } from '../certification/support/oms-brain.ts';
import { QuickfixLine } from '../certification/support/quickfix-line.ts';
import { compileQuickfixOms, type QuickfixVersion } from '../support/quickfix.ts';

const VERSIONS: readonly QuickfixVersion[] = ['FIX.4.2', 'FIX.4.4', 'FIXT.1.1'];
const ANSWER_S = 40;
const TIME_LIMIT_MS = 900_000;
/** The stock dictionary of FIX.5.0SP2 at hand demands LastUpdateTime(779) in W, where FIX does not. */
const NOT_PLAYED: Readonly<Record<string, RegExp>> = { 'FIXT.1.1': /^copies\.market-data/ };

export async function run(args: readonly string[]): Promise<boolean> {
  const versions = args.length === 0 ? VERSIONS : VERSIONS.filter((version) => args.includes(version));
  let good = versions.length > 0;
  for (const version of versions) good = (await play(version)) && good;
  return good;
}

async function play(version: QuickfixVersion): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
  const program = await compileQuickfixOms(folder);
  const desk = await openDesk({ session: `beginString: ${version}\n`, profile: fullProfile('order', ANSWER_S) });
  const brain = new OmsBrain(
    {
      send: (text) => line.send(text),
      logout: () => line.logout(),
      logon: () => line.logon(),
      disconnect: () => line.disconnect(),
      reset: () => line.reset(),
    },
    version,
  );
  const names = { senderCompID: 'CERT_OMS', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
  const numbers = { storeFolder: folder, resetOnLogon: false, beginString: version };
  const line: QuickfixLine = new QuickfixLine({ program, port: desk.port, ...names, ...numbers }, (view) =>
    brain.take(view),
  );
  try {
    const wanted = desk
      .view()
      .cases.filter(({ id, obligation }) => obligation !== 'not applicable' && !NOT_PLAYED[version]?.test(id));
    for (const { id } of wanted.toReversed()) desk.desk.run(id);
    await desk.played(TIME_LIMIT_MS);
    const ids = new Set(wanted.map(({ id }) => id));
    const bad = desk.view().cases.filter(({ id, result }) => ids.has(id) && result?.verdict !== 'pass');
    console.log(`${version}: ${wanted.length - bad.length} of ${wanted.length} cases passed`);
    for (const { id, result } of bad)
      console.log(`  ${id}: ${result === null ? 'not played' : decidingStep(result)?.detail}`);
    return bad.length === 0;
  } finally {
    await line.close();
    await desk.close();
    await rm(folder, { recursive: true, force: true });
  }
}
