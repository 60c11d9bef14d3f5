// The way into a whole gateway. What only a running one needs (bridge, exchange client, orders) is read when it is started:
// commands that look at a file, and programs that use the FIX engine alone, come through the same door and do not wait for it.

import type { Engine, EngineOptions } from './gateway-engine.ts';

/** Start everything, in order; resolves once counterparties can connect. @throws CrossgateError naming what cannot start */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const engine = await import('./gateway-engine.ts');
  return await engine.startEngine(options);
}
