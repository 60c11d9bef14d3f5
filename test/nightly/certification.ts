// Every case of the certification, played by an OMS on QuickFIX C++: `npm run nightly -- certification [FIX.4.2|FIX.4.4|FIXT.1.1|venue …]`.
// About two and a half minutes a version; `venue` is FIX.4.4 in the exchange's own FIX. The short form is test/certification.

import { tmpdir } from 'node:os';
import { decidingStep } from '../../src/certification/mod.ts';
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

async function play(program: string, name: string, setup: Setup): Promise<boolean> {
  const desk = await quickfixDesk({ ...setup, program, answerS: ANSWER_S });
  try {
    const wanted = desk
      .view()
      .cases.filter(({ id, obligation }) => obligation !== 'not applicable' && !NOT_PLAYED[name]?.test(id))
      .map(({ id }) => id);
    await desk.play(wanted, TIME_LIMIT_MS);
    const bad = desk.view().cases.filter(({ id, result }) => wanted.includes(id) && result?.verdict !== 'pass');
    console.log(`${name}, ${setup.kind}: ${wanted.length - bad.length} of ${wanted.length} cases passed`);
    for (const { id, result } of bad)
      console.log(`  ${id}: ${result === null ? 'not played' : decidingStep(result)?.detail}`);
    return bad.length === 0;
  } finally {
    await desk.close();
  }
}
