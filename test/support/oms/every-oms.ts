// An OMS on QuickFIX C++ for each version and dialect, all on one gateway at a simulated exchange in the test's process:
// stock dictionaries in `standard`, this project's in `venue`. Neither side may have anything to reject.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessageView, toPrintable } from '../../../src/wire/mod.ts';
import { type ExchangeHouse, exchangeHouse, PASSWORD } from '../processes/exchange-house.ts';
import { compileQuickfixOms, QuickfixOms, type QuickfixVersion } from './quickfix.ts';

/** A session's version and dialect. */
export interface SpokenByOms {
  readonly compID: string;
  readonly beginString: QuickfixVersion;
  readonly dialect: 'standard' | 'venue';
}

export const EVERY_OMS: readonly SpokenByOms[] = [
  { compID: 'OMS_42', beginString: 'FIX.4.2', dialect: 'standard' },
  { compID: 'OMS_44', beginString: 'FIX.4.4', dialect: 'standard' },
  { compID: 'OMS_50', beginString: 'FIXT.1.1', dialect: 'standard' },
  { compID: 'OMS_44_VENUE', beginString: 'FIX.4.4', dialect: 'venue' },
];

const OUR_FIX44 = fileURLToPath(new URL('../../../dictionaries/FIX44.xml', import.meta.url));

export class EveryOms {
  readonly house: ExchangeHouse;
  readonly #folder: string;
  readonly #oms: ReadonlyMap<string, QuickfixOms>;

  private constructor(house: ExchangeHouse, folder: string, oms: ReadonlyMap<string, QuickfixOms>) {
    this.house = house;
    this.#folder = folder;
    this.#oms = oms;
  }

  /** Start exchange and gateway and log on every OMS. @param keys settings of every session, by dotted key */
  static async open(keys: Readonly<Record<string, unknown>> = {}): Promise<EveryOms> {
    const folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
    const program = await compileQuickfixOms(folder);
    const house = await exchangeHouse();
    const { sessions } = house.home;
    const sample = await readFile(join(sessions, 'ACME_OMS.yaml'), 'utf8');
    for (const { compID, beginString, dialect } of EVERY_OMS) {
      await writeFile(join(sessions, `${compID}.yaml`), sample);
      // FIX.4.2 has no message for negotiated trades.
      const negotiated = beginString === 'FIX.4.2' ? {} : { negotiatedPerMinute: 20 };
      const identity = { targetCompID: compID, beginString, dialect };
      await house.home.configure(`${compID}.yaml`, { ...identity, ...negotiated, ...keys });
    }
    const { fixPort } = await house.start();
    const oms = EVERY_OMS.map(({ compID, beginString, dialect }): [string, QuickfixOms] => {
      const common = { program, port: fixPort, password: PASSWORD, storeFolder: 'memory', resetOnLogon: true };
      const dictionary = dialect === 'venue' ? { dictionary: OUR_FIX44 } : {};
      const identity = { senderCompID: compID, targetCompID: 'EXCHANGE_TEST', beginString };
      return [compID, new QuickfixOms({ ...common, ...identity, ...dictionary })];
    });
    for (const [, one] of oms) await one.process.line(/^logon/);
    return new EveryOms(house, folder, new Map(oms));
  }

  of({ compID }: SpokenByOms): QuickfixOms {
    return this.#oms.get(compID)!;
  }

  /** Rejects of both sides, and what the engine said of invalid messages. */
  rejects(): string[] {
    return [...this.#oms.values()].flatMap((oms) => [
      ...[...oms.messages('out'), ...oms.messages('in')].filter(isReject).map((view) => toPrintable(view.bytes())),
      ...oms.process.lines.filter((line) => /^event .*(reject|invalid)/i.test(line)),
    ]);
  }

  async close(): Promise<void> {
    for (const oms of this.#oms.values()) await oms.process.kill();
    await this.house.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

const isReject = ({ msgType }: MessageView): boolean => msgType === '3' || msgType === 'j';
