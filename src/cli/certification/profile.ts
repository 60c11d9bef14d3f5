// The interview: asks what an OMS can do and writes its profile, which decides which cases are mandatory.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parse, stringify } from 'yaml';
import { CrossgateError } from '../../base/errors.ts';
import { certificationFolder, profileFrom, QUESTIONS } from '../../certification/mod.ts';
import { writeDurably } from '../output/durable-files.ts';
import { certificationSession } from './certification-session.ts';

interface ProfileOptions {
  readonly state: string;
  readonly sessions: string;
  readonly file?: string;
  readonly can?: string;
  readonly answerSeconds: string;
}

export async function interview(name: string, options: ProfileOptions): Promise<void> {
  // A vendor's profile in a file needs no session here.
  if (options.file === undefined) await certificationSession(options.sessions, name);
  const path = options.file ?? join(certificationFolder(options.state, name), 'profile.yaml');
  const before = knownAbilities(path);
  const can = options.can === undefined ? await asked(before) : options.can.split(',').map((one) => one.trim());
  const profile = { can, answerSeconds: Number(options.answerSeconds) };
  const found = profileFrom(profile);
  if (typeof found === 'string') throw new CrossgateError('XG_USAGE', found);
  const head = `# What the OMS of ${name} can do: decides which cases of its certification are mandatory.\n`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeDurably([[path, head + stringify(profile)]]);
  console.log(`${path} is written: ${can.length} abilities.`);
}

function knownAbilities(path: string): ReadonlySet<string> | null {
  if (!existsSync(path)) return null;
  const found = profileFrom(parse(readFileSync(path, 'utf8')));
  return typeof found === 'string' ? null : found.features;
}

/** Ask on the terminal; Enter keeps what is in brackets. */
async function asked(before: ReadonlySet<string> | null): Promise<string[]> {
  if (!process.stdin.isTTY) {
    const known = QUESTIONS.map(({ feature }) => feature).join(', ');
    throw new CrossgateError('XG_USAGE', `there is no terminal to ask at: name the abilities with --can, of ${known}`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  // Keeps lines that are typed ahead of their question.
  const answers = terminal[Symbol.asyncIterator]();
  const can: string[] = [];
  try {
    for (const { feature, text } of QUESTIONS) {
      const preset = before === null ? feature !== 'drop-copy' : before.has(feature);
      terminal.setPrompt(`${text} [${preset ? 'Y/n' : 'y/N'}] `);
      terminal.prompt();
      const { value, done } = await answers.next();
      if (done === true) throw new CrossgateError('XG_USAGE', 'the interview ended early, and nothing is written');
      const answer = value.trim().toLowerCase();
      if (answer === '' ? preset : answer.startsWith('y')) can.push(feature);
    }
  } finally {
    terminal.close();
  }
  return can;
}
