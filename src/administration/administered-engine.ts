// A running gateway with its administration: what a command, a certification and a program that embeds the gateway start.

import {
  type Engine,
  type EngineConfig,
  type EngineOptions,
  loadGateway as loadEngine,
  startEngine as startGateway,
} from '../runtime/mod.ts';
import type { Administration } from './administration.ts';

/** A running gateway, as `startEngine` makes it. */
export interface AdministeredEngine extends Engine {
  /** The view and the actions of operators. */
  readonly administration: Administration;
}

// Commands that start no gateway come through this room's door as well.
const loadAdministration = () => import('./administration.ts');

/** Read the program of a whole gateway with its administration, ahead of its start. */
export async function loadGateway(config: EngineConfig): Promise<void> {
  await Promise.all([loadEngine(config), loadAdministration()]);
}

/** Start everything, in order; resolves once counterparties can connect. @throws CrossgateError naming what cannot start */
export async function startEngine(options: EngineOptions): Promise<AdministeredEngine> {
  const engine = await startGateway(options);
  const { Administration } = await loadAdministration();
  return Object.assign(engine, { administration: new Administration(engine) });
}
