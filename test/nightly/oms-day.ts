// A mixed day of two OMSs and a middle office with kills of gateway, exchange and middle office: `npm run nightly -- oms-day [orders] [seed]`.

import { dayTable, omsDay, tooRare } from '../support/oms/oms-day.ts';

const ORDERS_PER_GATEWAY_KILL = 250;
const ORDERS_PER_EXCHANGE_KILL = 500;
const ORDERS_PER_COPY_KILL = 500;

/** Whether both OMSs, the middle office and the exchange agreed in the end, and every outcome was seen often enough. */
export async function run([
  orders = '5000',
  seed = String(Date.now() % 1_000_000),
]: readonly string[]): Promise<boolean> {
  console.log(`${orders} orders, seed ${seed}`);
  try {
    const result = await omsDay({
      orders: Number(orders),
      seed: Number(seed),
      gatewayKills: Math.ceil(Number(orders) / ORDERS_PER_GATEWAY_KILL),
      exchangeKills: Math.ceil(Number(orders) / ORDERS_PER_EXCHANGE_KILL),
      copyKills: Math.ceil(Number(orders) / ORDERS_PER_COPY_KILL),
      onProgress: (text) => console.log(text),
    });
    for (const line of dayTable(result)) console.log(line);
    const rare = tooRare(result);
    for (const line of [...result.problems, ...rare]) console.error(line);
    return result.problems.length === 0 && rare.length === 0;
  } catch (error) {
    console.error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
