#!/usr/bin/env node
// The command line: names every command and hands it its options. What a command does stands in its own file.

import { Command } from 'commander';
import { addCancelAllCommand } from './cancel-all.ts';
import { addCheckCommand } from './check.ts';
import { addConfigCommands } from './config.ts';
import { addDecodeCommand } from './decode.ts';
import { addDemoCommand } from './demo.ts';
import { addDictionaryCommands } from './dictionary.ts';
import { addExchangeCommands } from './exchange.ts';
import { runToExit } from './exit.ts';
import { addKillSwitchCommands } from './kill-switch.ts';
import { addLogCommand } from './log.ts';
import { addOrderCommands } from './orders.ts';
import { addReplayCommand } from './replay.ts';
import { addScheduleCommand } from './schedule.ts';
import { addSessionCommands } from './sessions.ts';
import { addSimCommand } from './sim.ts';
import { addStartCommand } from './start.ts';
import { addStoreCommands } from './store.ts';

const program = new Command('crossgate')
  .description('FIX engine and gateway')
  .showHelpAfterError()
  // Wrong usage is told by an exit code of its own (exit.ts); set first, so that every command inherits it.
  .exitOverride()
  .configureHelp({ sortSubcommands: true });

addStartCommand(program);
addDemoCommand(program);
addSimCommand(program);
addCheckCommand(program);
addConfigCommands(program);
addSessionCommands(program);
addScheduleCommand(program);
addOrderCommands(program);
addKillSwitchCommands(program);
addCancelAllCommand(program);
addExchangeCommands(program);
addLogCommand(program);
addDecodeCommand(program);
addDictionaryCommands(program);
addReplayCommand(program);
addStoreCommands(program);

await runToExit(() => program.parseAsync());
