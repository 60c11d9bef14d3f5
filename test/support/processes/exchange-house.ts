// A simulated exchange in the test's process, steered by the test, and a gateway as a child process in front of it: the
// gateway can be killed while the exchange lives on.

import { type Simulator, startSimulator } from '../../../src/simulator/mod.ts';
import { Tag } from '../../../src/wire/mod.ts';
import { reconnect } from '../network/fix-connection.ts';
import { GatewayHome, type GatewayProcess } from './gateway-process.ts';

export const PASSWORD = 'correct horse battery staple';
export const ACME = { senderCompID: 'ACME_OMS', targetCompID: 'EXCHANGE_TEST' };
/** The OMS that only watches whether orders are taken. */
const WATCHER = { senderCompID: 'VENUE_OMS', targetCompID: 'EXCHANGE_TEST' };
export const ACCOUNT = '111000000000001';

export interface ExchangeHouse {
  readonly home: GatewayHome;
  readonly simulator: Simulator;
  /** Start a gateway at the exchange and wait until it takes orders; the ports stay the same from one to the next. */
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
  await home.configure('VENUE_OMS.yaml', { accounts: [{ account: ACCOUNT, credential: 'primary' }] });
  for (const [file, keys] of Object.entries(changes)) await home.configure(file, keys);
  const simulator = await steeredExchange(home);
  return {
    home,
    simulator,
    start: async () => {
      const gateway = await home.start(simulator.url);
      await untilOrdersAreTaken(gateway);
      return gateway;
    },
    close: async () => {
      await home.remove();
      await simulator.close();
    },
  };
}

/** An exchange that does what the test says, with the keys of that gateway. */
export function steeredExchange({ secrets }: GatewayHome): Promise<Simulator> {
  return startSimulator({ keysDirectory: secrets, liquidity: 'off', auctions: { manual: true }, limits: null });
}

/** Body of a limit order of ACME_OMS. */
export function limitOrder(clOrdID: string, orderQty: string, price: string, more = '59=1'): string {
  const time = new Date().toISOString().replace(/-/g, '').replace('T', '-').replace('Z', '');
  return `35=D|11=${clOrdID}|1=${ACCOUNT}|55=BTCUSDC|54=1|60=${time}|38=${orderQty}|40=2|44=${price}|${more}`;
}

/**
 * Wait until orders are taken, as a second OMS of the same account: right after a start the gateway refuses them until it
 * has reconciled the account with the exchange (rule J3). Tries with orders that expire at once.
 */
export async function untilOrdersAreTaken({ fixPort }: GatewayProcess): Promise<void> {
  const { connection } = await reconnect(fixPort, WATCHER, { password: PASSWORD });
  for (let attempt = 1; attempt <= 50; attempt++) {
    const clOrdID = `probe-${Date.now()}-${attempt}`;
    connection.send(limitOrder(clOrdID, '0.01', '50000', '59=3'));
    const end = await connection.expect(
      `the end of ${clOrdID}`,
      (view) => view.string(Tag.ClOrdID) === clOrdID && ['8', 'C', '4'].includes(view.string(Tag.OrdStatus) ?? ''),
    );
    if (end.string(Tag.OrdStatus) !== '8') break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  connection.destroy();
}
