// How much the compiler joins is set for the whole process: told here in processes of their own.

import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LineProcess } from '../support/line-process.ts';

const LIBRARY = join(import.meta.dirname, '../../src/mod.ts');
/** V8's own figure for the flags that it works with. */
const PROGRAM = `
  import { cachedDataVersionTag } from 'node:v8';
  import { newMessage, startAcceptor, startInitiator } from ${JSON.stringify(LIBRARY)};
  const flags = cachedDataVersionTag();
  const told = () => (flags === cachedDataVersionTag() ? 'as before' : 'set');
  const application = { onMessage: (order, session) => session.send(order.string('ClOrdID') === 'last' ? last : another) };
  const [another, last] = ['more', 'last'].map((headline) => newMessage('B', { Headline: headline, NoLinesOfText: 1, Text: '' }));
  const acceptor = await startAcceptor({ port: 0, sessions: [{ senderCompID: 'US', targetCompID: 'OMS' }], application });
  const idle = told();
  const time = new Date();
  const order = (clOrdID) =>
    newMessage('D', { ClOrdID: clOrdID, Symbol: 'X', Side: '1', TransactTime: time, OrderQty: '1', OrdType: '1' });
  const initiator = await startInitiator({
    addresses: [{ host: '127.0.0.1', port: acceptor.port }],
    sessions: [{ senderCompID: 'OMS', targetCompID: 'US', validateIncoming: false }],
    application: {
      onLogon(session) {
        for (let k = 0; k < 200; k++) session.send(order('one'));
        session.send(order('last'));
      },
      async onMessage(message) {
        if (message.string('Headline') !== 'last') return;
        console.log('flags ' + idle + ', with traffic ' + told());
        await initiator.close();
        await acceptor.close();
      },
    },
  });
`;

/** What it says of the flags, idle and once it had traffic. */
async function started(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = new LineProcess(process.execPath, [...args, '--input-type=module', '--eval', PROGRAM], { env });
  const line = await child.line(/^flags/);
  expect(await child.ended()).toBe(0);
  return line;
}

test('an engine with traffic has V8 join more of the path of a message, unless somebody set how much', async () => {
  expect(await started([])).toBe('flags as before, with traffic set');
  const theirs = 'flags as before, with traffic as before';
  expect(await started(['--max-inlined-bytecode-size-cumulative=920'])).toBe(theirs);
  expect(await started(['--max_inlined_bytecode_size_cumulative=4000'])).toBe(theirs);
});

test('what Node keeps of compiled files stays good for the next start: none is compiled and written again', async () => {
  const env = { NODE_COMPILE_CACHE: await mkdtemp(join(tmpdir(), 'crossgate-inlining-')) };
  const written = async (): Promise<string[]> => {
    const files = await readdir(env.NODE_COMPILE_CACHE, { recursive: true, withFileTypes: true });
    const of = async (path: string): Promise<string> => `${path} ${(await stat(path)).mtimeMs}`;
    return await Promise.all(files.filter((file) => file.isFile()).map((file) => of(join(file.parentPath, file.name))));
  };
  await started([], env);
  const first = await written();
  expect(first.length).toBeGreaterThan(100);
  await started([], env);
  expect((await written()).toSorted()).toEqual(first.toSorted());
});
