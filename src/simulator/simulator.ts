// Builds the simulated exchange out of its parts, opens its port, and closes everything again.

import { httpUrl } from '../base/host-port.ts';
import { listenFailure } from '../base/socket-failure.ts';
import { Logins } from './access/logins.ts';
import { NonceGuard } from './access/nonce-guard.ts';
import { RateLimits } from './access/rate-limits.ts';
import { SignatureVerifier } from './access/signature.ts';
import { Control } from './control/control.ts';
import { Faults } from './control/faults.ts';
import { controlRoutes } from './control/rest-control.ts';
import type { Host } from './host.ts';
import { exchangeRoutes } from './rest/routes.ts';
import { restServer } from './rest/server.ts';
import { type SimulatorOptions, settingsOf } from './settings.ts';
import { Streams } from './streams/streams.ts';
import { Liquidity } from './venue/liquidity.ts';
import { seededRandom } from './venue/random.ts';
import { VenueRunner } from './venue/venue-runner.ts';
import { type ApiKey, type KeyFile, loadKeys } from './world/key-files.ts';
import type { World } from './world/world.ts';
import { checkWorld } from './world/world-check.ts';

/** A running simulated exchange. */
export interface Simulator {
  /** `http://host:port`, without path. */
  readonly url: string;
  readonly port: number;
  /** Contents of the key files by key name; secret. */
  readonly keys: ReadonlyMap<string, KeyFile & { readonly userId: string }>;
  readonly control: Control;
  /** Close port and streams; resolves when both are closed. */
  close(): Promise<void>;
}

/** Start the simulated exchange. @throws CrossgateError if world or keys cannot be used or the port cannot be opened */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const settings = settingsOf(options);
  checkWorld(settings.world);
  const runner = new VenueRunner(settings);
  const keys = loadKeys(runner.floor.world, settings.keysDirectory);
  const host: Host = {
    settings,
    keys,
    runner,
    logins: new Logins(settings.jwtValidityMs, settings.limits.loginsPerUser),
    nonces: new NonceGuard(),
    signatures: new SignatureVerifier(settings.prehashes),
    faults: new Faults(seededRandom(settings.seed)),
    limits: new RateLimits(settings.limits),
  };
  const streams = new Streams(host);
  const liquidity = new Liquidity(settings.liquidity, settings.seed, runner);
  runner.onEvents = (events, now) => {
    streams.publish(events, now);
    liquidity.react(events);
  };
  const control = new Control(host, streams, liquidity);
  control.arm(settings.faults);
  control.extendWorld(missingFrom(runner.floor.world, settings.world));
  const routes = [...exchangeRoutes(settings.nonceAuthenticated), ...controlRoutes(control)];
  const server = restServer(host, routes);
  server.server.on('upgrade', (request, socket, head) => streams.upgrade(request, socket, head));
  liquidity.start();
  runner.sleep();
  const walk = setInterval(() => liquidity.step(), settings.liquidityStepMs);
  walk.unref();
  const close = async (): Promise<void> => {
    clearInterval(walk);
    control.disarmTimed();
    runner.close();
    streams.close();
    await server.close();
  };
  try {
    await server.listen({ host: settings.host, port: settings.port });
  } catch (cause) {
    await close();
    throw listenFailure('the simulated exchange ', settings.host, settings.port, cause);
  }
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : settings.port;
  return { url: httpUrl(settings.host, port), port, keys: keyFiles(keys), control, close };
}

function keyFiles(keys: ReadonlyMap<string, ApiKey>): Map<string, KeyFile & { userId: string }> {
  return new Map([...keys].map(([name, { file, user }]) => [name, { ...file, userId: user.userId }]));
}

/** Parts of the settings' world that a kept one lacks; shared parts stay as kept. */
function missingFrom(world: World, wanted: World): Partial<World> {
  const lacking = <T>(have: readonly T[], want: readonly T[], nameOf: (item: T) => string): T[] => {
    const names = new Set(have.map(nameOf));
    return want.filter((item) => !names.has(nameOf(item)));
  };
  return {
    assets: lacking(world.assets, wanted.assets, ({ symbol }) => symbol),
    markets: lacking(world.markets, wanted.markets, ({ symbol }) => symbol),
    users: lacking(world.users, wanted.users, ({ name }) => name),
    accounts: lacking(world.accounts, wanted.accounts, ({ tradingAccountId }) => tradingAccountId),
    delegations: lacking(
      world.delegations,
      wanted.delegations,
      ({ tradingAccountId, idbShortCode }) => `${tradingAccountId} ${idbShortCode}`,
    ),
  };
}
