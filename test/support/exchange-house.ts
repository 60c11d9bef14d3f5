// A simulated exchange in the test's process, steered by the test, and a gateway as a child process in front of it: the
// gateway can be killed while the exchange lives on.

import { type Simulator, startSimulator } from '../../src/simulator/mod.ts';
import { GatewayHome, type GatewayProcess } from './gateway-process.ts';

export const PASSWORD = 'correct horse battery staple';
export const ACME = { senderCompID: 'ACME_OMS', targetCompID: 'EXCHANGE_TEST' };
export const ACCOUNT = '111000000000001';

export interface ExchangeHouse {
  readonly home: GatewayHome;
  readonly simulator: Simulator;
  /** Start a gateway at the exchange; the ports stay the same from one to the next. */
  start(): Promise<GatewayProcess>;
  close(): Promise<void>;
}

/** Prepare both; changes go into the gateway's configuration, by file and dotted key. */
export async function exchangeHouse(
  changes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Promise<ExchangeHouse> {
  const home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  // Self-signed certificates are for the embedded exchange only.
  await home.configure('gateway.yaml', { 'fix.listen.1': undefined });
  for (const [file, keys] of Object.entries(changes)) await home.configure(file, keys);
  const simulator = await startSimulator({
    keysDirectory: home.secrets,
    liquidity: 'off',
    auctions: { manual: true },
    limits: null,
  });
  return {
    home,
    simulator,
    start: async () => await home.start(simulator.url),
    close: async () => {
      await home.remove();
      await simulator.close();
    },
  };
}

/** Body of a limit order of ACME_OMS. */
export function limitOrder(clOrdID: string, orderQty: string, price: string, more = '59=1'): string {
  const time = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
  return `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|60=${time}|38=${orderQty}|40=2|44=${price}|${more}`;
}
