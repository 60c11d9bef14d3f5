// Every case of the certification, played by an OMS on QuickFIX C++: `npm run nightly -- certification [FIX.4.2|FIX.4.4|FIXT.1.1|venue …]`.
// About a minute a version; `venue` is FIX.4.4 in the exchange's own FIX. The short form is test/certification.

import { tmpdir } from 'node:os';
import { type CaseView, decidingStep, GROUPS } from '../../src/certification/mod.ts';
import { type QuickfixDeskOptions, quickfixDesk } from '../certification/support/quickfix-desk.ts';
import { compileQuickfixOms } from '../support/oms/quickfix.ts';

const ANSWER_S = 20;
const TIME_LIMIT_MS = 900_000;

type Setup = Pick<QuickfixDeskOptions, 'version' | 'dialect' | 'kind'>;

const SETUPS: Readonly<Record<string, readonly Setup[]>> = {
  'FIX.4.2': [{ version: 'FIX.4.2', kind: 'order' }],
  'FIX.4.4': [{ version: 'FIX.4.4', kind: 'order' }],
  'FIXT.1.1': [{ version: 'FIXT.1.1', kind: 'order' }],
  venue: [
    { version: 'FIX.4.4', dialect: 'venue', kind: 'order' },
    { version: 'FIX.4.4', dialect: 'venue', kind: 'dropCopy' },
  ],
};
/** The stock dictionary of FIX.5.0SP2 at hand demands LastUpdateTime(779) in W, where FIX does not. */
const NOT_PLAYED: Readonly<Record<string, RegExp>> = { 'FIXT.1.1': /^copies\.market-data/ };

export async function run(args: readonly string[]): Promise<boolean> {
  const names = Object.keys(SETUPS).filter((name) => args.length === 0 || args.includes(name));
  const program = await compileQuickfixOms(tmpdir());
  let good = names.length > 0;
  for (const name of names) {
    for (const setup of SETUPS[name]!) good = (await play(program, name, setup)) && good;
  }
  return good;
}

/** Each group at a desk of its own, beside the others, as a case mostly waits. */
async function play(program: string, name: string, setup: Setup): Promise<boolean> {
  const results = await Promise.all(
    GROUPS.map(async (group) => await playGroup(program, name, setup, (id) => id.startsWith(`${group}.`))),
  );
  const bad = results.flatMap((one) => one.bad);
  const wanted = results.reduce((sum, one) => sum + one.wanted, 0);
  console.log(`${name}, ${setup.kind}: ${wanted - bad.length} of ${wanted} cases passed`);
  for (const { id, result } of bad)
    console.log(`  ${id}: ${result === null ? 'not played' : decidingStep(result)?.detail}`);
  return bad.length === 0;
}

async function playGroup(
  program: string,
  name: string,
  setup: Setup,
  isOfGroup: (id: string) => boolean,
): Promise<{ readonly wanted: number; readonly bad: readonly CaseView[] }> {
  const desk = await quickfixDesk({ ...setup, program, answerS: ANSWER_S });
  try {
    const wanted = desk
      .view()
      .cases.filter(({ obligation }) => obligation !== 'not applicable')
      .map(({ id }) => id)
      .filter((id) => isOfGroup(id) && !NOT_PLAYED[name]?.test(id));
    await desk.play(wanted, TIME_LIMIT_MS).catch((error: unknown) => console.log(String(error)));
    const bad = desk.view().cases.filter(({ id, result }) => wanted.includes(id) && result?.verdict !== 'pass');
    return { wanted: wanted.length, bad };
  } finally {
    await desk.close();
  }
}
