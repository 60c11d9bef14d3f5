// The session suite between other engines and us: QuickFIX C++ as acceptor and as initiator passes whole, jspurefix as acceptor
// passes what it does right and fails at the step where it does not.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/network/free-port.ts';
import { compileQuickfixEcho, compileQuickfixOms, quickfix, stockDictionary } from '../../support/oms/quickfix.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith } from '../../support/requirement.ts';
import { failures, playSuite } from './played-suite.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const JSPUREFIX = fileURLToPath(new URL('../../support/oms/jspurefix-peer.ts', import.meta.url));

function started(command: string, args: readonly string[]): LineProcess {
  const peer = new LineProcess(command, args);
  onTestFinished(async () => {
    await peer.kill();
  });
  return peer;
}

describeWith(await quickfix(), 'QuickFIX C++', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-conform-qf-'));
  });
  afterAll(async () => rm(folder, { recursive: true }));

  test('passes the suite as acceptor', async () => {
    const program = await compileQuickfixEcho(folder);
    const port = await freePort();
    const acceptor = started(program, [`${port}`, 'memory', stockDictionary(), 'XGATE', 'OMS']);
    await acceptor.line(/^listening/);
    const wants = (_: string, tags: readonly string[]): boolean => !tags.includes('slow');
    const played = await playSuite({ port, suite: 'session', wants });
    expect(failures(played)).toEqual([]);
    expect(played.length).toBe(43);
  });

  test('passes as initiator, connecting to --listen again after each case', async () => {
    const program = await compileQuickfixOms(folder);
    // It connects once a second: a part of the cases stands for all of them.
    const cases = ['1S-a', '2-b', '2-k', '8-a', '14-b', '20'];
    const command = started(process.execPath, [
      ...[
        MAIN,
        'conform',
        '--suite',
        'session',
        '--listen',
        '0',
        '--sender-comp-id',
        'XGATE',
        '--target-comp-id',
        'OMS',
      ],
      ...cases.flatMap((id) => ['--case', id]),
    ]);
    const port = /:(\d+)$/.exec(await command.line(/^listening on /))![1]!;
    started(program, ['127.0.0.1', port, 'OMS', 'XGATE', 'secret', 'memory', stockDictionary(), 'Y', 'FIX.4.4']);
    expect(await command.line(/cases: /, 90_000)).toBe(`${cases.length} cases: ${cases.length} passed, 0 failed`);
  });
});

test('jspurefix as acceptor passes what it does right, and fails at the step where it does not', async () => {
  const port = await freePort();
  const acceptor = started(process.execPath, [JSPUREFIX, 'acceptor', `${port}`, 'XGATE', 'OMS']);
  await acceptor.line(/^started/);
  const ids = ['1S-a', '2-a', '2-b', '2-e', '3-b', '4-a', '4-b', '8-a', '13-a', '14-a'];
  const played = await playSuite({ port, suite: 'session', wants: (id) => ids.includes(id), timeoutMs: 5_000 });
  expect(failures(played)).toEqual([
    // It answers a message that it has already, and one with a wrong CheckSum.
    '2-e: failed at “expect nothing for 500ms”',
    '3-b: failed at “expect nothing for 500ms”',
    // It confirms its own interval of 30 s.
    '4-a: failed at “expect Logon | EncryptMethod=0 | HeartBtInt={heartBtInt} | MsgSeqNum=1” (108)',
    // Its Reject names no RefTagID.
    '14-a: failed at “expect Reject | RefSeqNum={number} | RefTagID=4999 | RefMsgType=1 | SessionRejectReason=/0|2/” (371)',
  ]);
});
