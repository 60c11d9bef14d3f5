// `crossgate sim`: the simulated exchange alone, in its own process.

import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { startSimulator } from '../../simulator/mod.ts';
import { makeFolder } from '../../store/mod.ts';
import { STATE_DEFAULT } from '../options/environment.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { stopSignal } from '../output/exit.ts';

/** As in gateway.yaml. */
const PHASE_MS_MAX = 3_600_000;

interface SimOptions {
  readonly host: string;
  readonly port: string;
  readonly keys: string;
  readonly liquidity: string;
  readonly seed: string;
  readonly follow: string;
  readonly cooling: string;
  readonly accumulation: string;
  readonly lockdown: string;
  readonly limits: boolean;
  readonly world?: string;
  readonly faults?: string;
  readonly memory?: string;
  readonly json?: boolean;
}

export function addSimCommand(program: Command): void {
  program
    .command('sim')
    .description('run the simulated exchange alone')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 for any', '8480')
    .option('--keys <directory>', 'where API keys lie or are generated', join(STATE_DEFAULT, 'secrets'))
    .option('--liquidity <script>', 'off, still or moving', 'still')
    .option('--seed <number>', 'seed of everything random', '1')
    .option('--follow <whom>', 'where document and public client libraries disagree: document or clients', 'document')
    .option('--cooling <ms>', 'auction: cooling time', '2000')
    .option('--accumulation <ms>', 'auction: accumulation time', '8000')
    .option('--lockdown <ms>', 'auction: lockdown time', '3000')
    .option('--world <file>', 'assets, markets, users and accounts of your own (YAML)')
    .option('--faults <file>', 'faults armed from the start (YAML)')
    .option('--memory <directory>', 'keep the books there over restarts')
    .option('--no-limits', 'no rate limits, for measurements')
    .option('--json', 'print where it listens as one JSON line')
    .action(run);
}

async function run(options: SimOptions): Promise<void> {
  const { liquidity, follow } = options;
  if (liquidity !== 'off' && liquidity !== 'still' && liquidity !== 'moving') {
    throw new CrossgateError('XG_USAGE', `--liquidity takes off, still or moving, not "${liquidity}"`);
  }
  if (follow !== 'document' && follow !== 'clients') {
    throw new CrossgateError('XG_USAGE', `--follow takes document or clients, not "${follow}"`);
  }
  makeFolder(options.keys);
  if (options.memory !== undefined) makeFolder(options.memory);
  const simulator = await startSimulator({
    host: options.host,
    port: wholeNumber('--port', options.port, 0, 65_535),
    keysDirectory: options.keys,
    liquidity,
    ...(options.limits ? {} : { limits: null }),
    ...(options.world === undefined ? {} : { worldFile: options.world }),
    ...(options.faults === undefined ? {} : { faultsFile: options.faults }),
    ...(options.memory === undefined ? {} : { memoryDirectory: options.memory }),
    log: (_level, text, fields) => console.error(`${text}: ${Object.values(fields).join(': ')}`),
    seed: wholeNumber('--seed', options.seed, 0, 2_147_483_647),
    follows: follow,
    auctions: {
      coolingMs: wholeNumber('--cooling', options.cooling, 0, PHASE_MS_MAX),
      accumulationMs: wholeNumber('--accumulation', options.accumulation, 1, PHASE_MS_MAX),
      lockdownMs: wholeNumber('--lockdown', options.lockdown, 1, PHASE_MS_MAX),
    },
  });
  if (options.json) console.log(JSON.stringify({ url: simulator.url, pid: process.pid }));
  else
    console.log(
      `simulated exchange on ${simulator.url}, control page ${simulator.url}/control, API keys in ${options.keys}; Ctrl-C ends it`,
    );
  await stopSignal();
  await simulator.close();
}
