// The processes with measured stages, each beside its own exchange and a small OMS: a gateway, and the least between an
// OMS and the exchange (bare-translator.ts). When orders are sent is round-trip-stages.ts.

import { join } from 'node:path';
import process from 'node:process';
import { ACME, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import { ExchangeProcess, UNLIMITED } from '../support/processes/exchange-process.ts';
import { GatewayHome } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { type KeptMarks, readMarks } from './marks.ts';
import { pin, unpin } from './processors.ts';
import { BenchClient } from './session-client.ts';

export const GATEWAY_PROCESSOR = 0;
export const OTHER_PROCESSOR = 1;
/** Others run meanwhile: its existence is not checked. */
const HEART_BT_INT_S = 3_600;

/** One that is up, and takes orders. */
export interface StagedProcess {
  readonly name: string;
  /** Resolves with the first report of the order. */
  order(clOrdID: string): Promise<void>;
  /** End it, and read what it noted. */
  end(): Promise<KeptMarks>;
}

export interface GatewayKind {
  readonly key: 'hmac' | 'ecdsa';
  readonly durability: 'process' | 'disk';
  readonly busyPollMicros: number;
  /** Made-up orders after so long without a message; 0 for none. */
}

const startExchange = (home: GatewayHome): Promise<ExchangeProcess> =>
  ExchangeProcess.start({ keys: home.secrets, more: ['--liquidity', 'off', '--no-limits'] });

export async function openBare(): Promise<StagedProcess> {
  const home = await GatewayHome.create();
  const exchange = await startExchange(home);
  const file = join(home.folder, 'stages');
  const script = join(import.meta.dirname, 'bare-translator.ts');
  // One that begins with a single processor does not poll.
  unpin(process.pid);
  const child = new LineProcess(process.execPath, [script, exchange.url, join(home.secrets, 'demo-hmac.json')], {
    env: { CROSSGATE_STAGES: file },
  });
  const { port } = JSON.parse(await child.line(/^\{/, 60_000)) as { port: number };
  pin(child.pid, GATEWAY_PROCESSOR);
  pin(process.pid, OTHER_PROCESSOR);
  const client = await BenchClient.open({ port, sender: 'A', target: 'B' });
  let orders = 0;
  // The exchange would refuse anything but a number.
  const order = orderBy(client, () => String(++orders));
  return {
    name: 'a bare translator, hmac',
    order,
    end: async () => {
      client.socket.destroy();
      await child.kill('SIGINT');
      return await remove(home, exchange, file);
    },
  };
}

export async function openGateway(kind: GatewayKind): Promise<StagedProcess> {
  const { key, durability, busyPollMicros } = kind;
  const home = await GatewayHome.create();
  const exchange = await startExchange(home);
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    busyPollMicros,
    'exchange.rates': UNLIMITED,
    'exchange.credentials.0.key': `file:${join(home.secrets, `demo-${key}.json`)}`,
  });
  await home.configure('MIDDLE_OFFICE.yaml', { durability });
  await home.configure('ACME_OMS.yaml', {
    durability,
    heartBtIntMaxS: HEART_BT_INT_S,
    // One order behind the other is faster.
    messageRate: { max: 0 },
    // The effect of a disconnect is measured elsewhere.
    cancelOnDisconnect: { on: 'off' },
    'limits.openOrdersMax': 100_000,
    'limits.notionalMax': '1000000000',
    'limits.priceBandPercent': 'off',
  });
  const file = join(home.folder, 'stages');
  unpin(process.pid);
  const gateway = await home.start(exchange.url, { CROSSGATE_STAGES: file }, 'test/bench/round-trip-gateway.ts');
  pin(gateway.process.pid, GATEWAY_PROCESSOR);
  pin(process.pid, OTHER_PROCESSOR);
  const { senderCompID: sender, targetCompID: target } = ACME;
  const client = await BenchClient.open({
    port: gateway.fixPort,
    sender,
    target,
    password: PASSWORD,
    heartBtIntS: HEART_BT_INT_S,
  });
  await client.logOn();
  return {
    name: `${key}, durability ${durability}`,
    order: orderBy(client, (clOrdID) => clOrdID),
    end: async () => {
      client.socket.destroy();
      await gateway.interrupt();
      return await remove(home, exchange, file);
    },
  };
}

/** Sends limit orders under the ClOrdID that `called` makes of another, and receives the first report of each. */
function orderBy(client: BenchClient, called: (clOrdID: string) => string): StagedProcess['order'] {
  const waiting = new Map<string, () => void>();
  client.onFrame = (text) => {
    const from = text.indexOf('\u000111=') + 4;
    const clOrdID = text.slice(from, text.indexOf('\u0001', from));
    waiting.get(clOrdID)?.();
    waiting.delete(clOrdID);
  };
  return (wanted) =>
    new Promise((resolve) => {
      const clOrdID = called(wanted);
      waiting.set(clOrdID, resolve);
      const [headOf = '', ...fields] = limitOrder(clOrdID, '0.0001', '50000.0').split('|');
      client.socket.write(client.render(headOf, fields.join('|')));
    });
}

async function remove(home: GatewayHome, exchange: ExchangeProcess, file: string): Promise<KeptMarks> {
  const marks = await readMarks(file);
  await home.remove();
  await exchange.remove();
  return marks;
}
