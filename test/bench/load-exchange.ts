// Entry script of the simulated exchange under the load of many accounts: `load-exchange WORLD KEYS [--no-limits]`. The limits of each login
// are the documented ones; only that of the address is off, since all accounts stand behind one address here.

import process from 'node:process';
import { startSimulator } from '../../src/simulator/mod.ts';

const [worldFile = '', keysDirectory = '', more = ''] = process.argv.slice(2);
const limits = more === '--no-limits' ? null : { addressPer10s: null };
const simulator = await startSimulator({ worldFile, keysDirectory, liquidity: 'off', limits });
console.log(JSON.stringify({ url: simulator.url }));
process.once('SIGINT', () => void simulator.close());
