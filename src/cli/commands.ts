// Every command of the command line by its name, each loaded on use: a quick look must not wait for the gateway's parts.

import process from 'node:process';
import { Command } from 'commander';
import { VERSION } from './options/version.ts';
import { EarlySignals } from './output/exit.ts';
import { addExamples } from './reference/examples.ts';

type AddCommand = (program: Command) => void;

const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  start: async () => {
    // Loading takes a while, in which a container would miss the signal to stop.
    const signals = new EarlySignals();
    const { addStartCommand } = await import('./gateway/start.ts');
    return (program) => addStartCommand(program, signals);
  },
  demo: async () => (await import('./gateway/demo.ts')).addDemoCommand,
  sim: async () => (await import('./gateway/sim.ts')).addSimCommand,
  status: async () => (await import('./admin/status.ts')).addStatusCommand,
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
  cluster: async () => (await import('./cluster/cluster.ts')).addClusterCommands,
  log: async () => (await import('./log/log.ts')).addLogCommand,
  decode: async () => (await import('./log/decode.ts')).addDecodeCommand,
  dictionary: async () => (await import('./log/dictionary.ts')).addDictionaryCommands,
  conform: async () => (await import('./conform/conform.ts')).addConformCommand,
  replay: async () => (await import('./log/replay.ts')).addReplayCommand,
  certification: async () => (await import('./certification/certification.ts')).addCertificationCommands,
  store: async () => (await import('./journal/store.ts')).addStoreCommands,
  completion: async () => (await import('./reference/completion.ts')).addCompletionCommand,
  man: async () => (await import('./reference/man-page.ts')).addManCommand,
};

const VERSION_FLAGS = ['-V', '--version'];

/** Whether the words ask for the version: no command need be loaded for that. */
export const isVersionAsked = (word: string): boolean => VERSION_FLAGS.includes(word);

/** The program without its commands. */
export function newProgram(): Command {
  return (
    new Command('crossgate')
      .description('FIX engine and gateway')
      .version(
        `${VERSION} (Node ${process.versions.node})`,
        VERSION_FLAGS.join(', '),
        'version of it and of the Node that runs it',
      )
      .showHelpAfterError()
      // `--version` behind a command is that command's: `dictionary show D --version FIX.4.2`.
      .enablePositionalOptions()
      // Wrong usage has its own exit code (exit.ts); set first, so that every command inherits it.
      .exitOverride()
      .configureHelp({ sortSubcommands: true })
  );
}

/** They write about all commands. */
const OF_ALL = ['completion', 'man'];

/** Add the command of that name. Help, and a command that does not exist, need all of them. */
export async function addCommands(program: Command, name = ''): Promise<void> {
  const one = OF_ALL.includes(name) ? undefined : COMMANDS[name];
  for (const command of one === undefined ? Object.values(COMMANDS) : [one]) (await command())(program);
  addExamples(program);
}
