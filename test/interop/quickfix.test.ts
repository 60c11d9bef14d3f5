// The OMS on QuickFIX C++ against an acceptor that does as told: proves the test's own tool before the gateway is judged by it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { report } from '../support/fix-connection.ts';
import { compileQuickfixOms, QuickfixOms, quickfix } from '../support/quickfix.ts';
import { describeWith } from '../support/requirement.ts';
import { scriptedAcceptor } from '../support/scripted-acceptor.ts';

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
});
