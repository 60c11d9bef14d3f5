#!/usr/bin/env node
// The command line: loads the command that was asked for, and runs it.

import process from 'node:process';
import { addCommands, isVersionAsked, newProgram } from './commands.ts';
import { runToExit } from './output/exit.ts';

const program = newProgram();
const [, , first = ''] = process.argv;
if (!isVersionAsked(first)) await addCommands(program, first);

await runToExit(() => program.parseAsync());
