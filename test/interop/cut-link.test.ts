// Acceptors of other engines behind a link that is cut: we connect again as their initiator. Where they keep their numbers both
// sides ask for the orders and reports that were on their way, and every order is answered once.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { type FixMessage, type FixSession, type FixSessionOptions, newMessage, startInitiator } from '../../src/mod.ts';
import { MsgType } from '../../src/wire/mod.ts';
import { FaultProxy } from '../support/network/fault-proxy.ts';
import { freePort } from '../support/network/free-port.ts';
import { compileQuickfixEcho, quickfix, stockDictionary } from '../support/oms/quickfix.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { describeWith } from '../support/requirement.ts';

const JSPUREFIX = join(import.meta.dirname, '../support/oms/jspurefix-peer.ts');

/** An initiator of ours with orders that an acceptor answers, over a link that can be cut. */
class Trader {
  readonly heard: string[] = [];
  readonly link: FaultProxy;
  session!: FixSession;
  #logons = 0;
  readonly #looking = new Set<() => void>();

  private constructor(link: FaultProxy) {
    this.link = link;
  }

  static async at(port: number, session: FixSessionOptions): Promise<Trader> {
    const link = await FaultProxy.open({ host: '127.0.0.1', port });
    const trader = new Trader(link);
    const engine = await startInitiator({
      addresses: [{ host: '127.0.0.1', port: link.port }],
      reconnectFirstMs: 50,
      reconnectLargestMs: 50,
      sessions: [session],
      application: {
        onLogon: () => trader.#look(() => trader.#logons++),
        onMessage: (message: FixMessage) => trader.#look(() => trader.heard.push(message.string('ClOrdID')!)),
      },
    });
    onTestFinished(async () => {
      await engine.close();
      await link.close();
    });
    trader.session = [...engine.sessions.values()][0]!;
    await trader.until(() => trader.#logons === 1);
    return trader;
  }

  #look(happened: () => void): void {
    happened();
    for (const look of this.#looking) look();
  }

  until(is: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!is()) return;
        this.#looking.delete(look);
        resolve();
      };
      this.#looking.add(look);
      look();
    });
  }

  order(clOrdID: string): void {
    this.session.send(
      newMessage(MsgType.NewOrderSingle, {
        ClOrdID: clOrdID,
        Symbol: 'BTCUSDC',
        Side: '1',
        TransactTime: new Date(),
        OrderQty: '1',
        OrdType: '2',
        Price: '1',
      }),
    );
  }

  /** Cut the connection, and wait until we are logged on over another one. */
  async cut(): Promise<void> {
    const before = this.#logons;
    this.link.reset();
    Object.assign(this.link.faults, { blackhole: false, stalled: false });
    await this.until(() => this.#logons > before);
  }
}

const names = (name: string): string[] => Array.from({ length: 10 }, (_, i) => `${name}-${i}`);

/** Cut the link twice: once while reports wait behind it, once while orders are swallowed by it. */
async function tradeOverCuts(trader: Trader): Promise<void> {
  trader.order('first');
  await trader.until(() => trader.heard.includes('first'));
  trader.link.faults.stalled = true;
  for (const name of names('unheard')) trader.order(name);
  await trader.cut();
  trader.link.faults.blackhole = true;
  for (const name of names('swallowed')) trader.order(name);
  await trader.cut();
  trader.order('last');
  await trader.until(() => trader.heard.includes('last'));
  expect(trader.heard).toEqual(['first', ...names('unheard'), ...names('swallowed'), 'last']);
  expect(trader.session.numbers.series).toBe(1);
}

describeWith(await quickfix(), 'QuickFIX C++', () => {
  test('as an acceptor answers every order once, in order, over a link that is cut twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossgate-cut-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const port = await freePort();
    const program = await compileQuickfixEcho(folder);
    const peer = new LineProcess(program, [String(port), 'memory', stockDictionary(), 'ECHO', 'TRADER']);
    onTestFinished(async () => {
      await peer.kill();
    });
    await peer.line(/^listening/);
    await tradeOverCuts(await Trader.at(port, { senderCompID: 'TRADER', targetCompID: 'ECHO' }));
  });
});

test('jspurefix as an acceptor with reset numbers per connection continues behind a cut with us', async () => {
  const port = await freePort();
  const peer = new LineProcess(process.execPath, [JSPUREFIX, 'acceptor', String(port), 'JS', 'GATE']);
  onTestFinished(async () => {
    await peer.kill();
  });
  await peer.line(/^started/);
  const trader = await Trader.at(port, { senderCompID: 'GATE', targetCompID: 'JS', resetOn: ['logon'] });
  for (const name of ['a', 'b', 'c']) {
    trader.order(name);
    await trader.until(() => trader.heard.includes(name));
    await trader.cut();
  }
  expect(trader.heard).toEqual(['a', 'b', 'c']);
  expect(trader.session.numbers).toMatchObject({ nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 2 });
});
