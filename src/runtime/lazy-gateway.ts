// The entry to a whole gateway. Parts that only a running one needs (bridge, exchange client, orders) are loaded at its
// start. Commands that read a file, and programs with the FIX engine alone, use the same entry without waiting for
// them.

import type { Credential } from '../exchange-client/mod.ts';
import type { EngineConfig } from './gateway-config.ts';
import type { Engine, EngineOptions } from './gateway-engine.ts';

/** Read the program of a whole gateway, ahead of its start: a node that stands by takes over sooner. */
export async function loadGateway(config: Pick<EngineConfig, 'bridge'>): Promise<void> {
  const [{ loadBridge }] = await Promise.all([import('./bridge.ts'), import('./gateway-engine.ts')]);
  if (config.bridge !== null) await loadBridge();
}

/** Start everything, in order; resolves once counterparties can connect. @throws CrossgateError naming what cannot start */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const engine = await import('./gateway-engine.ts');
  return await engine.startEngine(options);
}

/** Why the external signer of a key does not sign with it, in words; null if it does, or if the key has none. */
export async function signerFault(credential: Credential): Promise<string | null> {
  const client = await import('../exchange-client/mod.ts');
  return await client.signerFault(credential);
}
