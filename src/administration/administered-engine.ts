// A running gateway with its administration: what a command, a certification and a program that embeds the gateway start.

import { type Engine, type EngineOptions, startEngine as startGateway } from '../runtime/mod.ts';
import type { Administration } from './administration.ts';

/** A running gateway, as `startEngine` makes it. */
export interface AdministeredEngine extends Engine {
  /** The view and the actions of operators. */
  readonly administration: Administration;
}

/** Start everything, in order; resolves once counterparties can connect. @throws CrossgateError naming what cannot start */
export async function startEngine(options: EngineOptions): Promise<AdministeredEngine> {
  const engine = await startGateway(options);
  // Commands that start no gateway come through this room's door as well.
  const { Administration } = await import('./administration.ts');
  return Object.assign(engine, { administration: new Administration(engine) });
}
