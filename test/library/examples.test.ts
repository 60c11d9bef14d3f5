// The programs that the library's pages show, exactly as printed there, in a project that has the package installed: against each
// other, and against two engines that are not ours.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { freePort } from '../support/network/free-port.ts';
import {
  compileQuickfixEcho,
  compileQuickfixOms,
  QuickfixOms,
  quickfix,
  stockDictionary,
} from '../support/oms/quickfix.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { describeWith } from '../support/requirement.ts';
import { compiled, exampleCode, projectWithPackage, removeFolder, startExample } from './example-code.ts';

const EXAMPLES = join(import.meta.dirname, '../../docs/library/examples');
const JSPUREFIX = join(import.meta.dirname, '../support/oms/jspurefix-peer.ts');
let project = '';
let folder = '';
let processes: LineProcess[] = [];

function started(process: LineProcess): LineProcess {
  processes.push(process);
  return process;
}

async function acceptor(): Promise<{ port: string; process: LineProcess }> {
  const process = started(
    await startExample(folder, 'acceptor.ts', { FIX_PORT: '0', FIX_STORE: join(folder, 'store') }),
  );
  return { port: /\d+$/.exec(await process.line(/^listening on/))![0], process };
}

async function initiator(port: string): Promise<LineProcess> {
  return started(await startExample(folder, 'initiator.ts', { FIX_PORT: port }));
}

beforeAll(async () => {
  project = await projectWithPackage();
}, 180_000);
afterAll(async () => await removeFolder(project));
beforeEach(async () => {
  folder = await mkdtemp(join(project, 'run-'));
  processes = [];
});
afterEach(async () => {
  await Promise.all(processes.map((process) => process.kill()));
  await removeFolder(folder);
});

test('both programs are about twenty lines', async () => {
  for (const name of ['acceptor.ts', 'initiator.ts']) {
    expect((await exampleCode(name)).trim().split('\n').length).toBeLessThanOrEqual(25);
  }
});

test('compiles the programs in a project with the package and its declarations', async () => {
  expect(await compiled(project, readdirSync(EXAMPLES))).toBe('');
});

const cookbook = readFileSync(join(EXAMPLES, '../cookbook.md'), 'utf8');
const recipes = [
  ...cookbook.matchAll(/<!--example ([\w-]+)-->[\s\S]*?<!--\/example-->[\s\S]*?```text\n([\s\S]*?)```/g),
];

test('the cookbook has eleven recipes', () => expect(recipes).toHaveLength(11));

test.each(recipes.map(([, name, output]) => [name!, output!] as const))(
  'the recipe %s prints the output of its page, and ends',
  async (name, output) => {
    const program = started(await startExample(folder, `${name}.ts`, {}));
    expect(await program.ended()).toBe(0);
    expect(`${program.lines.join('\n')}\n`).toBe(output);
  },
  40_000,
);

test('runs the command of the installed package, with its delivered files', async () => {
  const command = join(project, 'node_modules/crossgate/src/cli/crossgate.js');
  const dictionary = started(new LineProcess(process.execPath, [command, 'dictionary', 'show', 'D'], { cwd: folder }));
  expect(await dictionary.ended()).toBe(0);
  expect(dictionary.lines.join('\n')).toContain('ClOrdID');
});

test("the guide's initiator trades with the guide's acceptor, and both end in order", async () => {
  const { port, process } = await acceptor();
  const trader = await initiator(port);
  expect(await trader.line(/^order-1/)).toBe('order-1: ExecType=0, 0.5 left');
  expect(await trader.ended()).toBe(0);
  expect(await process.kill('SIGINT')).toBe(0);
});

test("jspurefix trades with the guide's acceptor", async () => {
  const { port } = await acceptor();
  const peer = started(new LineProcess(process.execPath, [JSPUREFIX, 'initiator', port, 'TRADER', 'ECHO']));
  expect(await peer.line(/^app/)).toBe('app 8 js-1 2');
});

test("the guide's initiator trades with jspurefix", async () => {
  const port = String(await freePort());
  started(new LineProcess(process.execPath, [JSPUREFIX, 'acceptor', port, 'ECHO', 'TRADER']));
  const trader = await initiator(port);
  expect(await trader.line(/^order-1/)).toBe('order-1: ExecType=0, 0.5 left');
  expect(await trader.ended()).toBe(0);
});

describeWith(await quickfix(), 'and QuickFIX C++', () => {
  test("QuickFIX C++ trades with the guide's acceptor", async () => {
    const program = await compileQuickfixOms(folder);
    const { port } = await acceptor();
    const oms = new QuickfixOms({
      program,
      port: Number(port),
      senderCompID: 'TRADER',
      targetCompID: 'ECHO',
      password: 'none',
      storeFolder: folder,
      resetOnLogon: false,
    });
    processes.push(oms.process);
    await oms.process.line(/^logon/);
    oms.process.say('order q-1 ACC BTCUSDC 1 3 2 1 1');
    const report = await oms.message('app', (view) => view.msgType === '8');
    expect([report.string(Tag.ClOrdID), report.string(Tag.LeavesQty)]).toEqual(['q-1', '3']);
    oms.process.say('cancel c-1 q-1 ACC BTCUSDC 1 3');
    const reject = await oms.message('app', (view) => view.msgType === 'j');
    expect(reject.string(Tag.Text)).toBe('Only orders are taken here');
    expect(await oms.logout()).toBe(0);
  });

  test("the guide's initiator trades with QuickFIX C++", async () => {
    const program = await compileQuickfixEcho(folder);
    const port = String(await freePort());
    const peer = started(new LineProcess(program, [port, 'memory', stockDictionary(), 'ECHO', 'TRADER']));
    await peer.line(/^listening/);
    const trader = await initiator(port);
    expect(await trader.line(/^order-1/)).toBe('order-1: ExecType=0, 0.5 left');
    expect(await trader.ended()).toBe(0);
  });
});
