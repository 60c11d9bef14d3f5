// Drives the OMS on QuickFIX C++ (test/interop/quickfix-oms.cpp): compiles it once per run where the library is installed,
// starts it, and reads what it says.

import { execFile } from 'node:child_process';
import { access, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromPrintable, type MessageView, viewOf } from '../../../src/wire/mod.ts';
import { PATIENCE_MS } from '../patience.ts';
import { LineProcess } from '../processes/line-process.ts';
import { type Requirement, tool } from '../requirement.ts';
import { runFolder } from '../run-folder.ts';

const OMS_SOURCE = fileURLToPath(new URL('../../interop/quickfix-oms.cpp', import.meta.url));
const ECHO_SOURCE = fileURLToPath(new URL('../../bench/session-quickfix.cpp', import.meta.url));

const HEADER_IS_THERE = '#if !__has_include(<quickfix/Session.h>)\\n#error\\n#endif\\n';

/** Is QuickFIX C++ with its headers and a compiler there? */
export async function quickfix(): Promise<Requirement> {
  const check = ['-c', `printf '${HEADER_IS_THERE}' | g++ -fsyntax-only -x c++ -`];
  return await tool('sh', check, 'QuickFIX C++ (libquickfix-dev, g++)');
}

/** Compile the OMS, once per run of the tests, else into `folder`; the path of the program. */
export async function compileQuickfixOms(folder: string): Promise<string> {
  return await compile(OMS_SOURCE, '-O1', join(runFolder() ?? folder, 'quickfix-oms'));
}

/** Compile the acceptor that echoes orders, once per run of the tests, else into `folder`; the path of the program. */
export async function compileQuickfixEcho(folder: string): Promise<string> {
  return await compile(ECHO_SOURCE, '-O2', join(runFolder() ?? folder, 'quickfix-echo'));
}

async function compile(source: string, optimization: string, program: string): Promise<string> {
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  // Two files may come to compile at once: whichever is later replaces the same program.
  const fresh = `${program}-${process.pid}`;
  const args = ['-std=c++14', optimization, '-w', source, '-o', fresh, '-lquickfix', '-lpthread'];
  await promisify(execFile)('g++', args);
  await rename(fresh, program);
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
    fileURLToPath(new URL('../../../dictionaries/FIXT11.xml', import.meta.url)),
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
  /** Of FIX.4.4, another than the stock one. */
  readonly dictionary?: string;
  /** Takes fields that the dictionary does not have. */
  readonly isLenient?: boolean;
}

/** A session in a settings file of the engine; its paths are relative to the folder of the file. */
export interface QuickfixFile {
  readonly program: string;
  readonly settingsFile: string;
  readonly password: string;
}

export class QuickfixOms {
  readonly process: LineProcess;

  constructor(options: QuickfixOptions | QuickfixFile) {
    if ('settingsFile' in options) {
      const { program, settingsFile, password } = options;
      this.process = new LineProcess(program, ['settings', settingsFile, password], { cwd: dirname(settingsFile) });
      return;
    }
    const { program, port, senderCompID, targetCompID, password, storeFolder, resetOnLogon } = options;
    const [stock = '', beginString = '', transport = '-'] = VERSIONS[options.beginString ?? 'FIX.4.4']();
    this.process = new LineProcess(program, [
      '127.0.0.1',
      String(port),
      senderCompID,
      targetCompID,
      password,
      storeFolder,
      options.dictionary ?? stock,
      resetOnLogon ? 'Y' : 'N',
      beginString,
      transport,
      ...(options.isLenient === true ? ['lenient'] : []),
    ]);
  }

  /** Messages of one kind so far: `in` and `out` as on the wire, `app` as delivered to the application. */
  messages(kind: 'in' | 'out' | 'app'): MessageView[] {
    return this.process.lines.filter((line) => line.startsWith(`${kind} `)).map(view);
  }

  /** Wait for a message. @throws Error with the process's last lines */
  async message(
    kind: 'in' | 'app',
    matches: (view: MessageView) => boolean,
    timeoutMs = PATIENCE_MS,
  ): Promise<MessageView> {
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
