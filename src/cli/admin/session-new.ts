// `crossgate sessions new NAME`: asks for what a session needs, writes its file, makes its password, and checks the whole.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { formatProblems, wholeOps } from '../../ops/mod.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { writeNewFiles } from '../output/new-files.ts';
import { makePassword } from './session-secret.ts';

interface NewOptions {
  readonly sessions: string;
  readonly state?: string;
  readonly compId?: string;
  readonly fix?: string;
  readonly dialect?: string;
  readonly kind?: string;
  readonly account?: string;
  readonly credential?: string;
  readonly listener?: string;
  readonly certificate?: string;
  readonly orderQtyMax?: string;
  readonly notionalMax?: string;
  readonly openOrdersMax?: string;
  readonly priceBandPercent?: string;
}

type Answer = keyof Omit<NewOptions, 'sessions' | 'state' | 'credential' | 'listener' | 'certificate'>;

interface Question {
  readonly answer: Answer;
  readonly text: string;
  /** Null: there is no answer but the operator's. */
  readonly preset: string | null;
  /** Not asked for a drop copy, which enters no orders. */
  readonly ofOrders?: boolean;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const RESERVED: ReadonlySet<string> = new Set(['gateway', 'defaults']);

/** In the order in which they are asked; the first preset is the name of the session. */
const QUESTIONS: readonly Question[] = [
  { answer: 'compId', text: 'SenderCompID(49) that the counterparty sends', preset: '' },
  { answer: 'kind', text: 'Kind: order or dropCopy', preset: 'order' },
  { answer: 'fix', text: 'BeginString(8): FIX.4.2, FIX.4.4 or FIXT.1.1', preset: 'FIX.4.4' },
  { answer: 'dialect', text: 'Dialect: standard or venue', preset: 'standard' },
  { answer: 'account', text: "Account(1), the exchange's trading account", preset: null },
  { answer: 'orderQtyMax', text: 'Largest OrderQty(38) of one order', preset: null, ofOrders: true },
  { answer: 'notionalMax', text: 'Largest price × quantity of one order', preset: null, ofOrders: true },
  { answer: 'openOrdersMax', text: 'Most open orders', preset: '50', ofOrders: true },
  { answer: 'priceBandPercent', text: 'Farthest price from the market, in percent', preset: '20', ofOrders: true },
];

export function addNewSessionCommand(sessions: Command): void {
  sessions
    .command('new <name>')
    .description('ask for what a session needs, write its file, make its password and check it')
    .option('--comp-id <compID>', 'SenderCompID(49) that the counterparty sends (default: the name)')
    .option('--kind <kind>', 'order or dropCopy')
    .option('--fix <version>', 'FIX.4.2, FIX.4.4 or FIXT.1.1')
    .option('--dialect <dialect>', 'standard or venue')
    .option('--account <account>', "Account(1), the exchange's trading account")
    .option('--credential <name>', 'exchange login that reaches it, where there are several')
    .option('--listener <name>', 'only through this listener of gateway.yaml')
    .option('--certificate <commonName>', "common name that the client's certificate must have")
    .option('--order-qty-max <quantity>', 'largest OrderQty(38) of one order')
    .option('--notional-max <amount>', 'largest price × quantity of one order')
    .option('--open-orders-max <number>', 'most open orders')
    .option('--price-band-percent <percent>', 'farthest price from the market')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--state <directory>', 'state folder of the gateway (default: that of the configuration)')
    .action(makeSession);
}

async function makeSession(name: string, options: NewOptions): Promise<void> {
  if (!NAME.test(name) || RESERVED.has(name))
    throw new CrossgateError('XG_USAGE', 'a session name has letters, digits, `_` and `-`, at most 64');
  const path = join(options.sessions, `${name}.yaml`);
  if (existsSync(path))
    throw new CrossgateError('XG_USAGE', `${path} is there already: choose another name, or change it`);
  const answers = await answered(name, options);
  const reference = await makePassword(name, options.sessions, options.state);
  await writeNewFiles(options.sessions, [[path, await sessionText(answers, reference, options)]], false);
  const { loadConfiguration } = await wholeOps();
  const { problems } = loadConfiguration({ directory: options.sessions, environment: process.env });
  const own = problems.filter(({ file }) => file.endsWith(`${name}.yaml`));
  if (own.length > 0) {
    rmSync(path);
    throw new CrossgateError('XG_CONFIG_INVALID', `the session is not written:\n${formatProblems(own)}`);
  }
  console.log(`${path}  the session: a running gateway takes it over`);
  if (problems.length > 0) console.error(`Other files have problems:\n${formatProblems(problems)}`);
}

/** The session file. Amounts and accounts stand in quotes, so that they stay exact. */
async function sessionText(
  answers: ReadonlyMap<Answer, string>,
  reference: string,
  { credential, listener, certificate }: NewOptions,
): Promise<string> {
  const of = (answer: Answer): string => answers.get(answer) ?? '';
  const isOrder = of('kind') === 'order';
  const limits = {
    orderQtyMax: of('orderQtyMax'),
    notionalMax: of('notionalMax'),
    openOrdersMax: Number(of('openOrdersMax')),
    priceBandPercent: of('priceBandPercent'),
  };
  const session = {
    targetCompID: of('compId'),
    ...(isOrder ? {} : { kind: of('kind') }),
    beginString: of('fix'),
    dialect: of('dialect'),
    password: reference,
    // From its first moment on: a running gateway takes the file over at once.
    ...(listener === undefined ? {} : { listeners: [listener] }),
    ...(certificate === undefined ? {} : { logon: { certificate: { commonName: certificate } } }),
    accounts: [{ account: of('account'), ...(credential === undefined ? {} : { credential }) }],
    ...(isOrder ? { limits } : {}),
  };
  // Read only now: the commands beside this one write no YAML.
  const { stringify } = await import('yaml');
  return stringify(session, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' });
}

/** Options first; the rest is asked on the terminal, where Enter takes what is in brackets. */
async function answered(name: string, options: NewOptions): Promise<ReadonlyMap<Answer, string>> {
  const answers = new Map<Answer, string>();
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : null;
  // Keeps lines that are typed ahead of their question.
  const lines = terminal?.[Symbol.asyncIterator]();
  const asked = async (text: string, preset: string | null): Promise<string> => {
    terminal!.setPrompt(`${text}${preset === null ? '' : ` [${preset}]`}: `);
    terminal!.prompt();
    const { value, done } = await lines!.next();
    if (done === true) throw new CrossgateError('XG_USAGE', 'the questions ended early, and nothing is written');
    return value.trim() === '' ? (preset ?? '') : value.trim();
  };
  try {
    for (const { answer, text, preset: known, ofOrders = false } of QUESTIONS) {
      if (ofOrders && answers.get('kind') === 'dropCopy') continue;
      const preset = answer === 'compId' ? name : known;
      const given = options[answer] ?? (terminal === null ? preset : await asked(text, preset));
      if (given === null || given === '') {
        throw new CrossgateError(
          'XG_USAGE',
          `${text} is missing: give it by an option (--help), or answer at a terminal`,
        );
      }
      answers.set(answer, given);
    }
  } finally {
    terminal?.close();
  }
  return answers;
}
