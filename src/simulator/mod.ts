// Door of the simulator room: a simulated exchange to run embedded or in its own process.

export { defaultWorld } from './default-world.ts';
export type { KeyFile } from './key-files.ts';
export type { SimulatorOptions } from './settings.ts';
export { type Simulator, startSimulator } from './simulator.ts';
