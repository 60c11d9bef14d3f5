// A gateway with two partitions in front of a simulated exchange in the test's process: ACME_OMS trades in the partition
// `primary`, VENUE_OMS in `second`. Over TLS it demands a client certificate.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { ACME, PASSWORD, steeredExchange } from './exchange-house.ts';
import { GatewayHome, type GatewayProcess } from './gateway-process.ts';

export const VENUE = { ...ACME, senderCompID: 'VENUE_OMS' };
/** The account of VENUE_OMS. */
export const SECOND_ACCOUNT = '111000000000003';

type Pair = Awaited<ReturnType<typeof createSelfSignedCertificate>>;

export interface PartitionHouse {
  readonly home: GatewayHome;
  readonly simulator: Simulator;
  /** The listener's certificate, and those of two clients: `venue.example` and `other.example`. */
  readonly server: Pair;
  readonly venue: Pair;
  readonly other: Pair;
  start(env?: Readonly<Record<string, string>>): Promise<GatewayProcess>;
  close(): Promise<void>;
}

/** Prepare all; changes go into the gateway's configuration, by file and dotted key. */
export async function partitionHouse(
  changes: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Promise<PartitionHouse> {
  const home = await GatewayHome.create();
  await home.writePasswords(PASSWORD);
  const [server, venue, other] = await Promise.all(
    ['localhost', 'venue.example', 'other.example'].map((commonName) => createSelfSignedCertificate({ commonName })),
  );
  const clients = `${venue!.certificatePem}${other!.certificatePem}`;
  const files = { 'server.crt': server!.certificatePem, 'server.key': server!.keyPem, 'ca.crt': clients };
  for (const [name, text] of Object.entries(files)) await writeFile(join(home.secrets, name), text, { mode: 0o600 });
  await home.configure('gateway.yaml', {
    workers: 'auto',
    'exchange.credentials.1': {
      name: 'second',
      key: 'file:secrets/other-ecdsa.json',
      tradingAccounts: [SECOND_ACCOUNT],
    },
    'bridge.callers.0.credential': 'primary',
    'fix.listen.1.tls': {
      certificate: 'file:secrets/server.crt',
      key: 'file:secrets/server.key',
      clientAuthority: 'file:secrets/ca.crt',
    },
  });
  await home.configure('VENUE_OMS.yaml', {
    dialect: 'standard',
    accounts: [{ account: SECOND_ACCOUNT, credential: 'second' }],
  });
  for (const [file, keys] of Object.entries(changes)) await home.configure(file, keys);
  const simulator = await steeredExchange(home);
  return {
    home,
    simulator,
    server: server!,
    venue: venue!,
    other: other!,
    start: (env = {}) => home.start(simulator.url, { CROSSGATE_FIX_TLS_PORT: '0', ...env }),
    close: async () => {
      await home.remove();
      await simulator.close();
    },
  };
}

/** The process of a partition, as the start printed it. */
export function pidOf(gateway: GatewayProcess, partition: string): number {
  const line = gateway.process.lines.findLast(
    (one) => one.includes('"partition serves"') && one.includes(`"${partition}"`),
  );
  return Number(/"process":(\d+)/.exec(line ?? '')![1]);
}

/** End it at once. */
export function kill(pid: number): void {
  process.kill(pid, 'SIGKILL');
}
