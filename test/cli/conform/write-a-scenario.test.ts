// docs/operate/write-a-scenario.md: every example is played against an acceptor of ours, and the failure that the page shows is
// the one that the command prints.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caseLines } from '../../../src/cli/conform/conform-report.ts';
import { type FixEngine, newMessage, startAcceptor } from '../../../src/mod.ts';
import { FieldNames } from '../../../src/scenario/mod.ts';
import { MsgType } from '../../../src/wire/mod.ts';
import { dictionary } from '../../support/dictionary.ts';
import { failures, playSuite } from './played-suite.ts';

const PAGE = await readFile(new URL('../../../docs/operate/write-a-scenario.md', import.meta.url), 'utf8');
const EXAMPLES = new Map(
  [...PAGE.matchAll(/<!--scenario (\w+)-->\n\n```text\n([\s\S]*?)```/g)].map(([, name, text]) => [name!, text!]),
);
const PLAYED = [...EXAMPLES.keys()].filter((name) => name !== 'failure');

let folder = '';
let engine: FixEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossgate-page-'));
  engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'XGATE', targetCompID: 'OMS', logoutTimeoutMs: 300, repeatUnprovenReports: false }],
    application: {
      onMessage(message, session) {
        const { msgType } = message;
        if (msgType !== MsgType.NewOrderSingle && msgType !== MsgType.OrderCancelRequest) return;
        const states = msgType === MsgType.NewOrderSingle ? ['0'] : ['6', '4'];
        for (const state of states) {
          const names = ['ClOrdID', 'OrigClOrdID', 'Symbol', 'Side', 'OrderQty', 'Price'] as const;
          const copied = names.flatMap((name) => (message.has(name) ? [[name, message.string(name)!] as const] : []));
          session.send(
            newMessage(MsgType.ExecutionReport, {
              ...{ OrderID: '17', ExecID: state, ExecType: state, OrdStatus: state, CumQty: '0', AvgPx: '0' },
              ...{ LeavesQty: state === '4' ? '0' : '1', ...Object.fromEntries(copied) },
            }),
          );
        }
      },
    },
  });
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

async function played(name: string, text: string) {
  const file = join(folder, `${name}.scenario`);
  // Examples of steps leave the include of the first one out.
  await writeFile(file, text.includes('include') ? text : `include "session-fragments.scenario"\n${text}`);
  return await playSuite({ port: engine.port, suite: file });
}

test('the page has its examples', () => {
  expect(PLAYED).toEqual(['first', 'notation', 'patterns', 'steps', 'fragments', 'cancel', 'head']);
});

test.each(PLAYED)('the example “%s” passes', async (name) => {
  const cases = await played(name, EXAMPLES.get(name)!);
  expect(cases).toHaveLength(1);
  expect(failures(cases)).toEqual([]);
});

test('the failure that the page shows is the one that is printed', async () => {
  const [wrong] = await played(
    'wrong',
    'include "session-fragments.scenario"\ncase wrong "expects another id"\n  rule "RoE 3.2"\n  call logon\n' +
      '  send TestRequest | TestReqID=A\n  expect Heartbeat | TestReqID=B\n',
  );
  const lines = caseLines(wrong!, new FieldNames([dictionary('FIX44.xml')]));
  const shown = EXAMPLES.get('failure')!.trimEnd().split('\n');
  expect(lines.slice(0, shown.length).map((line) => line.replace(`${folder}/`, ''))).toEqual(shown);
});
