// `crossgate check`: validates the configuration and shows the effective values, each with its origin.

import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { joinsInWords, partitionsInWords, partitionsOf } from '../../cluster/mod.ts';
import { formatFindings, formatProblems, type LoadedConfiguration, wholeOps } from '../../ops/mod.ts';
import { type EngineConfig, readCredential, signerFault } from '../../runtime/mod.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';

export function addCheckCommand(program: Command): void {
  program
    .command('check')
    .description('validate the configuration; show the effective values with their origin')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--json', 'as JSON')
    .action(run);
}

const NONE = { problems: [], warnings: [] } as const;

/** Signers outside this process sign a text of no meaning: with the private key of the credential's public one, or not. */
async function checkSigners({ exchange }: EngineConfig): Promise<LoadedConfiguration['problems']> {
  const found: LoadedConfiguration['problems'][number][] = [];
  for (const config of exchange.credentials) {
    const problem = await faultOf(config);
    if (problem === null) continue;
    const place = { file: `credential ${config.name}`, line: null, column: null, key: '', value: null };
    found.push({ ...place, problem, remedy: 'run its command by hand, and compare its key with `publicKey`' });
  }
  return found;
}

async function faultOf(config: EngineConfig['exchange']['credentials'][number]): Promise<string | null> {
  let credential: Parameters<typeof signerFault>[0];
  try {
    credential = readCredential(config);
  } catch (error) {
    // The check of secrets says why.
    if (error instanceof CrossgateError) return null;
    throw error;
  }
  return await signerFault(credential);
}

async function run(options: { readonly sessions: string; readonly json?: boolean }): Promise<void> {
  const { certificateWarnings, checkCertificates, checkDictionaries, describeConfiguration, loadConfiguration } =
    await wholeOps();
  const loaded = loadConfiguration({ directory: options.sessions, environment: process.env });
  const { config } = loaded;
  const pairs = config === null ? NONE : checkCertificates(config, Date.now());
  const dictionaries = config === null ? NONE : await checkDictionaries(config);
  const warnings = [
    ...loaded.warnings,
    ...certificateWarnings(loaded, Date.now()),
    ...pairs.warnings,
    ...dictionaries.warnings,
  ];
  const signers = config === null ? [] : await checkSigners(config);
  const problems = [...loaded.problems, ...pairs.problems, ...dictionaries.problems, ...signers];
  if (problems.length > 0) process.exitCode = 1;
  const partitions = config === null ? [] : partitionsOf(config);
  const joins = config === null ? [] : joinsInWords(config);
  if (options.json) {
    const effective = describeConfiguration(loaded);
    const ok = problems.length === 0;
    console.log(JSON.stringify({ ok, problems, warnings, partitions, joins, effective }, null, 2));
    return;
  }
  if (warnings.length > 0) console.error(`Allowed, but look at it:\n${formatFindings(warnings)}`);
  if (problems.length > 0) {
    console.error(formatProblems(problems));
    return;
  }
  const effective = describeConfiguration(loaded).map(({ key, value, origin }) => `${key} = ${value}  (${origin})`);
  // At once: a thousand sessions have a hundred thousand lines.
  console.log([...partitionsInWords(partitions), ...joins, ...effective].join('\n'));
}
