#!/usr/bin/env node
// The command line: names every command and passes its options. Each command has its own file, loaded only on use: a
// quick look must not wait for the gateway's parts.

import process from 'node:process';
import { Command } from 'commander';
import { VERSION } from './options/version.ts';
import { EarlySignals, runToExit } from './output/exit.ts';

const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  start: async () => {
    // Loading takes a while, in which a container would miss the signal to stop.
    const signals = new EarlySignals();
    const { addStartCommand } = await import('./gateway/start.ts');
    return (program) => addStartCommand(program, signals);
  },
  demo: async () => (await import('./gateway/demo.ts')).addDemoCommand,
  sim: async () => (await import('./gateway/sim.ts')).addSimCommand,
  check: async () => (await import('./admin/check.ts')).addCheckCommand,
  config: async () => (await import('./admin/config.ts')).addConfigCommands,
  sessions: async () => (await import('./admin/sessions.ts')).addSessionCommands,
  schedule: async () => (await import('./admin/schedule.ts')).addScheduleCommand,
  orders: async () => (await import('./admin/orders.ts')).addOrderCommands,
  news: async () => (await import('./admin/news.ts')).addNewsCommands,
  'kill-switch': async () => (await import('./admin/kill-switch.ts')).addKillSwitchCommands,
  proposals: async () => (await import('./admin/proposals.ts')).addProposalCommands,
  alarms: async () => (await import('./admin/alarms.ts')).addAlarmCommands,
  'cancel-all': async () => (await import('./admin/cancel-all.ts')).addCancelAllCommand,
  exchange: async () => (await import('./admin/exchange.ts')).addExchangeCommands,
  log: async () => (await import('./log/log.ts')).addLogCommand,
  decode: async () => (await import('./log/decode.ts')).addDecodeCommand,
  dictionary: async () => (await import('./log/dictionary.ts')).addDictionaryCommands,
  conform: async () => (await import('./conform/conform.ts')).addConformCommand,
  replay: async () => (await import('./log/replay.ts')).addReplayCommand,
  certification: async () => (await import('./certification/certification.ts')).addCertificationCommands,
  store: async () => (await import('./journal/store.ts')).addStoreCommands,
};

const VERSION_ASKED = ['-V', '--version'];

const program = new Command('crossgate')
  .description('FIX engine and gateway')
  .version(
    `${VERSION} (Node ${process.versions.node})`,
    VERSION_ASKED.join(', '),
    'version of it and of the Node that runs it',
  )
  .showHelpAfterError()
  // `--version` behind a command is that command's: `dictionary show D --version FIX.4.2`.
  .enablePositionalOptions()
  // Wrong usage has its own exit code (exit.ts); set first, so that every command inherits it.
  .exitOverride()
  .configureHelp({ sortSubcommands: true });

const [, , first = ''] = process.argv;
const asked = COMMANDS[first];
if (asked !== undefined) (await asked())(program);
// Help, and a command that there is none of, need to know them all.
else if (!VERSION_ASKED.includes(first)) for (const command of Object.values(COMMANDS)) (await command())(program);

await runToExit(() => program.parseAsync());
