// Drives the OMS on QuickFIX C++ (test/interop/quickfix-oms.cpp): compiles it once per run where the library is installed,
// starts it, and reads what it says.

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromPrintable, type MessageView, viewOf } from '../../src/wire/mod.ts';
import { LineProcess } from './line-process.ts';
import { type Requirement, tool } from './requirement.ts';

const SOURCE = fileURLToPath(new URL('../interop/quickfix-oms.cpp', import.meta.url));

/** Is QuickFIX C++ with its headers and a compiler there? */
export async function quickfix(): Promise<Requirement> {
  const check = ['-std=c++14', '-w', '-fsyntax-only', '-include', 'quickfix/Session.h', '-x', 'c++', '/dev/null'];
  return await tool('g++', check, 'QuickFIX C++ (libquickfix-dev, g++)');
}

/** Compile the OMS into `folder`; the path of the program. */
export async function compileQuickfixOms(folder: string): Promise<string> {
  const program = join(folder, 'quickfix-oms');
  await promisify(execFile)('g++', ['-std=c++14', '-O1', '-w', SOURCE, '-o', program, '-lquickfix', '-lpthread']);
  return program;
}

/** Compile the acceptor that echoes orders into `folder`; the path of the program. */
export async function compileQuickfixEcho(folder: string): Promise<string> {
  const program = join(folder, 'quickfix-echo');
  const source = fileURLToPath(new URL('../bench/session-quickfix.cpp', import.meta.url));
  await promisify(execFile)('g++', ['-std=c++14', '-O2', '-w', source, '-o', program, '-lquickfix', '-lpthread']);
  return program;
}

/** A stock dictionary that is not ours: the one that jspurefix bundles. */
export function stockDictionary(name: 'FIX42' | 'FIX44' | 'FIX50SP2' = 'FIX44'): string {
  return join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data', `${name}.xml`);
}

/** Dictionaries of a version, and BeginString(8) before them, as the OMS takes them. */
const VERSIONS = {
  'FIX.4.2': () => [stockDictionary('FIX42'), 'FIX.4.2'],
  'FIX.4.4': () => [stockDictionary(), 'FIX.4.4'],
  // No stock dictionary of the session messages is at hand.
  'FIXT.1.1': () => [
    stockDictionary('FIX50SP2'),
    'FIXT.1.1',
    fileURLToPath(new URL('../../dictionaries/FIXT11.xml', import.meta.url)),
  ],
} as const satisfies Record<string, () => string[]>;

export type QuickfixVersion = keyof typeof VERSIONS;

export interface QuickfixOptions {
  readonly program: string;
  readonly port: number;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly password: string;
  /** Keeps numbers and messages from one start to the next. */
  readonly storeFolder: string;
  readonly resetOnLogon: boolean;
  /** Default FIX.4.4; FIXT.1.1 speaks FIX.5.0SP2. */
  readonly beginString?: QuickfixVersion;
}

export class QuickfixOms {
  readonly process: LineProcess;

  constructor(options: QuickfixOptions) {
    const { program, port, senderCompID, targetCompID, password, storeFolder, resetOnLogon } = options;
    const [dictionary = '', ...version] = VERSIONS[options.beginString ?? 'FIX.4.4']();
    this.process = new LineProcess(program, [
      '127.0.0.1',
      String(port),
      senderCompID,
      targetCompID,
      password,
      storeFolder,
      dictionary,
      resetOnLogon ? 'Y' : 'N',
      ...version,
    ]);
  }

  /** Messages of one kind so far: `in` and `out` as on the wire, `app` as delivered to the application. */
  messages(kind: 'in' | 'out' | 'app'): MessageView[] {
    return this.process.lines.filter((line) => line.startsWith(`${kind} `)).map(view);
  }

  /** Wait for a message. @throws Error with the process's last lines */
  async message(kind: 'in' | 'app', matches: (view: MessageView) => boolean, timeoutMs = 15_000): Promise<MessageView> {
    return view(await this.process.line((line) => line.startsWith(`${kind} `) && matches(view(line)), timeoutMs));
  }

  /** Log out and wait for the end; the exit code. */
  async logout(): Promise<number | string> {
    this.process.say('logout');
    return await this.process.ended();
  }
}

function view(line: string): MessageView {
  const found = viewOf(fromPrintable(line.slice(line.indexOf(' ') + 1)));
  if (found === null) throw new Error(`not a FIX message: ${line}`);
  return found;
}
