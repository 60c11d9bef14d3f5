// Door of the simulator room: a simulated exchange to run embedded or in its own process.

export type { SimulatorOptions } from './settings.ts';
export { type Simulator, startSimulator } from './simulator.ts';
export { defaultWorld } from './world/default-world.ts';
export type { KeyFile } from './world/key-files.ts';
