// Entry script of the simulated exchange under the load of many accounts: `load-exchange WORLD KEYS`. The limits of each login
// are the documented ones; only that of the address is off, since all accounts stand behind one address here.

import process from 'node:process';
import { startSimulator } from '../../src/simulator/mod.ts';

const [worldFile = '', keysDirectory = ''] = process.argv.slice(2);
const simulator = await startSimulator({ worldFile, keysDirectory, liquidity: 'off', limits: { addressPer10s: null } });
console.log(JSON.stringify({ url: simulator.url }));
process.once('SIGINT', () => void simulator.close());
