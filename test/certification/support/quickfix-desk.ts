// A desk with an OMS on QuickFIX C++ at its line, for the tests and for the nightly campaign.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fullProfile } from '../../../src/certification/suite/profile.ts';
import { exchangeDictionaryText } from '../../interop/exchange-dictionary.ts';
import type { QuickfixVersion } from '../../support/oms/quickfix.ts';
import { openDesk, PASSWORD, type TestDesk } from './desk.ts';
import { laterLine, OmsBrain } from './oms-brain.ts';
import { QuickfixLine } from './quickfix-line.ts';

export interface QuickfixDeskOptions {
  /** The compiled OMS. */
  readonly program: string;
  readonly version: QuickfixVersion;
  /** `venue`: the OMS reads by the exchange's published dictionary. */
  readonly dialect?: 'standard' | 'venue';
  readonly kind: 'order' | 'dropCopy';
  readonly answerS: number;
}

export interface QuickfixDesk extends TestDesk {
  /** Play these cases in their order. */
  play(cases: readonly string[], timeoutMs: number): Promise<void>;
}

export async function quickfixDesk({
  program,
  version,
  dialect = 'standard',
  kind,
  answerS,
}: QuickfixDeskOptions): Promise<QuickfixDesk> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
  const session = `beginString: ${version}\ndialect: ${dialect}\n${kind === 'order' ? '' : `kind: ${kind}\n`}`;
  const desk = await openDesk({ session, profile: fullProfile(kind, answerS, dialect) });
  const brain = new OmsBrain(
    laterLine(() => line),
    version,
  );
  const names = { senderCompID: 'CERT_OMS', targetCompID: 'EXCHANGE_TEST', password: PASSWORD };
  const numbers = { storeFolder: folder, resetOnLogon: false, beginString: version };
  let dictionary = {};
  if (dialect === 'venue') {
    const path = join(folder, 'exchange.xml');
    await writeFile(path, exchangeDictionaryText());
    dictionary = { dictionary: path };
  }
  const line: QuickfixLine = new QuickfixLine(
    { program, port: desk.port, ...names, ...numbers, ...dictionary },
    (view) => brain.take(view),
  );
  return {
    ...desk,
    async play(cases, timeoutMs) {
      for (const id of cases.toReversed()) desk.desk.run(id);
      await desk.played(timeoutMs);
    },
    async close() {
      await line.close();
      await desk.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
