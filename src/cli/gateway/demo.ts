// `crossgate demo`: an OMS that is not ours trades against a running gateway and checks every report it gets.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { STATE_DEFAULT } from '../options/environment.ts';
import { wholeNumber } from '../options/whole-number.ts';

interface DemoOptions {
  readonly host: string;
  readonly port: string;
  readonly sender: string;
  readonly target: string;
  readonly account: string;
  readonly passwordFile: string;
  readonly exchange: string;
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('let an independent OMS (jspurefix) trade against a running gateway')
    .option('--host <host>', 'FIX host', '127.0.0.1')
    .option('--port <port>', 'FIX port', '9876')
    .option('--sender <compID>', 'SenderCompID of the OMS', 'ACME_OMS')
    .option('--target <compID>', 'TargetCompID', 'EXCHANGE_TEST')
    .option('--account <account>', 'Account(1)', '111000000000001')
    .option(
      '--password-file <file>',
      'where the FIX password lies',
      join(STATE_DEFAULT, 'secrets', 'ACME_OMS.password'),
    )
    .option('--exchange <url>', 'simulated exchange, asked for its auction phase', 'http://127.0.0.1:8480')
    .action(run);
}

async function run(options: DemoOptions): Promise<void> {
  const password = await readFile(options.passwordFile, 'utf8').catch((cause: unknown) => {
    throw new CrossgateError(
      'XG_SECRET_MISSING',
      `${options.passwordFile} cannot be read: start the gateway first (crossgate start), it creates the sample passwords`,
      { cause },
    );
  });
  // interop holds the optional dependency jspurefix: loaded only here.
  const { runDemo } = await import('../../interop/mod.ts');
  const result = await runDemo({
    host: options.host,
    port: wholeNumber('--port', options.port, 1, 65_535),
    senderCompID: options.sender,
    targetCompID: options.target,
    account: options.account,
    password: password.trim(),
    exchangeUrl: options.exchange,
    print: (line) => console.log(line),
  });
  process.exitCode = result.complete ? 0 : 1;
}
