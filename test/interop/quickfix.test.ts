// The OMS on QuickFIX C++ against a scripted acceptor: proves the test's own tool before it judges the gateway.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { report } from '../support/network/fix-connection.ts';
import { scriptedAcceptor } from '../support/network/scripted-acceptor.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/oms/quickfix.ts';
import { describeWith } from '../support/requirement.ts';

describeWith(await quickfix(), 'an OMS on QuickFIX C++', () => {
  let folder = '';
  let program = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crossgate-quickfix-'));
    program = await compileQuickfixOms(folder);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  test('logs on, trades, logs out, and after a kill goes on with its numbers', async () => {
    const acceptor = await scriptedAcceptor({
      script: (view, reply) => {
        const cumulated = '38=1|40=2|44=1|14=0|151=1|6=0|60=20260101-00:00:00.000';
        reply(`35=8|37=7|17=e-1|150=0|39=0|11=${view.string(Tag.ClOrdID)}|55=BTCUSDC|54=1|${cumulated}`);
      },
    });
    const options = {
      program,
      port: acceptor.port,
      senderCompID: 'ACME_OMS',
      targetCompID: 'EXCHANGE_TEST',
      password: 'open sesame',
      storeFolder: folder,
      resetOnLogon: false,
    };
    const oms = new QuickfixOms(options);
    await oms.process.line(/^logon/);
    oms.process.say('order q-1 111000000000001 BTCUSDC 1 1 2 1 5');
    await oms.message('app', report('q-1', '0', '0'));
    const [logon, order] = acceptor.connections[0]!.received;
    expect(logon!.string(Tag.Password)).toBe('open sesame');
    expect(order!.string(Tag.TimeInForce)).toBe('5');
    await oms.process.kill();

    const again = new QuickfixOms(options);
    await again.process.line(/^out .*\|34=3\|/);
    await again.process.kill();
    await acceptor.close();
  });

  test('counts every Logout that answers its Logon as the next message, whatever its number', async () => {
    // Why a Logon that may be tried again is not answered: a report that waited for it would never be asked for.
    const acceptor = await scriptedAcceptor({ script: () => {}, refuse: 'try again', firstMsgSeqNum: 7 });
    const common = { program, port: acceptor.port, targetCompID: 'EXCHANGE_TEST', password: 'open sesame' };
    const oms = new QuickfixOms({ ...common, senderCompID: 'REFUSED_OMS', storeFolder: folder, resetOnLogon: false });
    // The third Logon: each attempt before took a number for it, one for the Logout and passed one over.
    await oms.process.line(/^out .*\|35=A\|34=7\|/);
    await oms.process.kill();
    await acceptor.close();
    const numbers = await readFile(join(folder, 'FIX.4.4-REFUSED_OMS-EXCHANGE_TEST.seqnums'), 'utf8');
    // The answer to the third may have been read too.
    expect(numbers).toMatch(/ : 0*[34]$/);
  });
});
