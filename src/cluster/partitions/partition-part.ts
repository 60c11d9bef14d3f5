// The part of a loaded configuration that the process of a partition runs. A change that would move a session to another partition is a
// problem: its numbers, orders and unknown outcomes lie in the journal of the partition that it was started with.

import { availableParallelism } from 'node:os';
import type { LoadedConfiguration } from '../../ops/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import { type Partition, partitionsOf } from './partition.ts';
import { partitionConfig } from './partition-config.ts';

type Problem = LoadedConfiguration['problems'][number];

export interface PartOptions {
  readonly partition: string;
  /** All partitions as they were when the node started. */
  readonly partitions: readonly Partition[];
  /** Address of the simulated exchange that the node runs; null: the exchange is another one. */
  readonly simulatorUrl: string | null;
  /** More processes than processors. */
  readonly sharesProcessors: boolean;
  /** Waits for a journal that another node writes. */
  readonly standsBy: boolean;
  /** By which the bridge knows the node. */
  readonly nodeToken: string;
}

/** Whether that many partitions, with the process that owns the ports, are more than the processors of this machine. */
export const sharesProcessors = (partitions: number): boolean => partitions + 1 > availableParallelism();

/** Sessions that the started partitions do not hold where the configuration has them now, in words. */
export function movesInWords(config: EngineConfig, started: readonly Partition[]): string[] {
  const homes = new Map(started.flatMap(({ name, sessions }) => sessions.map((session) => [session, name] as const)));
  return partitionsOf(config).flatMap(({ name, sessions }) =>
    sessions.flatMap((session) => {
      const home = homes.get(session);
      if (home === undefined && started.some((one) => one.name === name)) return [];
      if (home === name) return [];
      return home === undefined
        ? [`session ${session} needs the partition ${name}, which no process runs`]
        : [`session ${session} would move from partition ${home} to ${name}`];
    }),
  );
}

/** The part of a partition of everything that is loaded. */
export function partitionPart({
  partition,
  partitions: started,
  simulatorUrl,
  sharesProcessors: shares,
  standsBy,
  nodeToken,
}: PartOptions): (whole: LoadedConfiguration) => LoadedConfiguration {
  return (whole) => {
    const { config, admin } = whole;
    if (config === null) return whole;
    const problems = movesInWords(config, started).map(asProblem);
    if (problems.length > 0) return { ...whole, config: null, admin: null, problems };
    const now = partitionsOf(config).find(({ name }) => name === partition);
    const before = started.find(({ name }) => name === partition)!;
    const union = (key: 'credentials' | 'accounts'): string[] => [...new Set([...before[key], ...(now?.[key] ?? [])])];
    const part = partitionConfig(config, {
      name: partition,
      credentials: union('credentials'),
      accounts: union('accounts'),
      sessions: now?.sessions ?? [],
      bridgeCallers: now?.bridgeCallers ?? [],
    });
    const { exchange, bridge, postgres } = part;
    const isDefault = whole.origins.get('gateway.busyPollMicros') === 'default';
    return {
      ...whole,
      certifications: [],
      config: {
        ...part,
        exchange: simulatorUrl === null ? exchange : { ...exchange, baseUrl: simulatorUrl },
        simulator: null,
        // The node owns the port, and speaks TLS there.
        bridge:
          bridge === null
            ? null
            : {
                ...bridge,
                host: LOOPBACK,
                port: 0,
                tls: null,
                hosts: [...bridge.hosts, bridge.host],
                frontToken: () => nodeToken,
              },
        adminTls: null,
        postgres: postgres === null ? null : { ...postgres, standsBy: postgres.standsBy || standsBy },
        ...(shares && isDefault ? { busyPollMicros: 0 } : {}),
      },
      admin: {
        host: LOOPBACK,
        port: 0,
        hosts: [],
        users: admin?.users ?? [],
        // The node proves people.
        sharedToken: false,
        console: 'read-only',
        sessionFiles: admin?.sessionFiles ?? false,
        prometheus: admin?.prometheus ?? null,
        twoPeople: admin?.twoPeople ?? [],
        tls: null,
      },
    };
  };
}

const LOOPBACK = '127.0.0.1';

function asProblem(text: string): Problem {
  return {
    file: 'partitions',
    line: null,
    column: null,
    key: '',
    value: null,
    problem: text,
    remedy: 'start the gateway again to take it over, at a time when the session has no open order',
  };
}
