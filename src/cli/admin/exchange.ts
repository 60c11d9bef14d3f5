// `crossgate exchange check`: logs in, signs a harmless command both ways and prints the venue's answers (rule X6).

import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { exchangeCheck } from '../../exchange-client/mod.ts';
import { exchangeTls } from '../../runtime/mod.ts';
import { configurationOrExit } from '../options/configuration.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { askedAt, exchangeAddress } from '../options/exchange-address.ts';
import { exchangeKey } from '../options/exchange-key.ts';

interface CheckOptions {
  readonly sessions: string;
  readonly url?: string;
  readonly credential?: string;
  readonly json?: boolean;
}

export function addExchangeCommands(program: Command): void {
  program
    .command('exchange')
    .description('talk to the exchange without the gateway')
    .command('check')
    .description('log in and say which dialect and signature the venue accepts; places and cancels nothing')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--url <url>', 'exchange address; default from the configuration')
    .option('--credential <name>', 'which credential; default the first')
    .option('--json', 'as JSON')
    .action(check);
}

async function check(options: CheckOptions): Promise<void> {
  const config = await configurationOrExit(options.sessions);
  if (config === null) return;
  const { exchange } = config;
  const credential = exchange.credentials.find(({ name }) => name === (options.credential ?? name));
  if (credential === undefined) {
    throw new CrossgateError('XG_NOT_FOUND', `there is no credential "${options.credential}" in ${options.sessions}`);
  }
  const baseUrl = exchangeAddress(config, options.url);
  const key = exchangeKey(credential, config);
  const report = await exchangeCheck({
    baseUrl,
    tls: exchangeTls(exchange),
    credential: key,
    tradingAccountId: credential.tradingAccountIds[0] ?? '',
    settings: exchange.settings,
    timeouts: { ...exchange.timeouts, requestMs: exchange.requestTimeoutMs },
    now: Date.now,
  });
  const way = `dialect ${exchange.dialect}${key.kind === 'ecdsa' ? `, prehash ${exchange.prehash}` : ''}`;
  const isAccepted = report.steps.some(({ step, ok }) => step === way && ok);
  process.exitCode = report.ok && isAccepted ? 0 : 1;
  if (options.json) {
    console.log(JSON.stringify({ ...report, configured: { step: way, ok: isAccepted } }, null, 2));
    return;
  }
  // A venue accepts one way of signing, seldom all: the others are no failure.
  for (const { step, ok, text } of report.steps)
    console.log(`${ok ? 'ok  ' : report.ok ? 'no  ' : 'FAIL'}  ${step}: ${text}`);
  if (!report.ok) {
    console.error(`crossgate: ${askedAt(config, options.url, baseUrl)}`);
    return;
  }
  const what = isAccepted ? 'which is accepted' : 'which is not: every command would be refused. Write one that is';
  console.log(`gateway.yaml has ${way}, ${what}.`);
}
