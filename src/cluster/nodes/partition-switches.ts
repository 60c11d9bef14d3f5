// Brings the kill switches of the cluster into each partition that is served here, also one that starts later. It uses the admin API of
// the partition, in the name of the operators who threw and lifted them.

import type { EngineLog } from '../../engine/mod.ts';
import type { RunningPartition } from '../workers/partition-host.ts';
import type { KillSwitchRow } from './register.ts';
import { isSameName } from './switch-rows.ts';

const ANSWER_MS = 5_000;
const LIFT_AFTER_MS = 3_000;
const NOT_FOUND = 404;
const CONFLICT = 409;

interface PartitionSwitch {
  readonly scope: string;
  readonly name: string;
  readonly thrownBy: string;
  readonly why: string;
}

/** Asks the admin API of a partition as an operator. @throws Error if it does not answer */
export type AskPartition = (
  partition: RunningPartition,
  operator: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: unknown }>;

export const askPartition: AskPartition = async ({ adminUrl, nodeToken }, operator, path, body) => {
  const caller = Buffer.from(JSON.stringify({ user: operator, roles: ['operate', 'kill', 'lift'] })).toString(
    'base64url',
  );
  const response = await fetch(new URL(path, adminUrl), {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${nodeToken}`,
      'x-crossgate-operator': operator,
      'x-crossgate-caller': caller,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return { status: response.status, body: await response.json().catch(() => null) };
};

export class PartitionSwitches {
  readonly #ask: AskPartition;
  readonly #log: EngineLog;
  /** Rows that were brought to a partition, by its process, with the times of their changes. */
  readonly #brought = new WeakMap<RunningPartition, Set<string>>();
  readonly #elapsedMs: () => number;
  readonly #liftedSince = new Map<string, number>();
  readonly #underWay = new Set<RunningPartition>();

  constructor(log: EngineLog, ask: AskPartition = askPartition, elapsedMs = (): number => performance.now()) {
    this.#elapsedMs = elapsedMs;
    this.#log = log;
    this.#ask = ask;
  }

  /** Bring what a partition does not have yet. One that does not answer is asked again at the next call. */
  async bring(partition: RunningPartition, rows: readonly KillSwitchRow[]): Promise<void> {
    const brought = this.#brought.get(partition) ?? new Set();
    this.#brought.set(partition, brought);
    const due = rows.filter((row) => !brought.has(keyOf(row)) && this.#isDue(row));
    if (due.length === 0 || this.#underWay.has(partition)) return;
    this.#underWay.add(partition);
    try {
      const on = await this.#switchesOf(partition);
      for (const row of due) {
        await this.#bringOne(partition, row, on);
        brought.add(keyOf(row));
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#log('error', `kill switches are not in force yet: ${why}`, { partition: partition.name });
    } finally {
      this.#underWay.delete(partition);
    }
  }

  /** The node at which a switch is lifted does so in every partition that it reaches: the rest is brought behind that. */
  #isDue(row: KillSwitchRow): boolean {
    if (row.isOn) return true;
    const key = keyOf(row);
    const since = this.#liftedSince.get(key) ?? this.#elapsedMs();
    this.#liftedSince.set(key, since);
    return this.#elapsedMs() - since >= LIFT_AFTER_MS;
  }

  async #switchesOf(partition: RunningPartition): Promise<readonly PartitionSwitch[]> {
    const { status, body } = await this.#ask(partition, 'cluster', '/api/kill-switches');
    if (status !== 200) throw new Error(`the partition answers ${status}`);
    return (body as { killSwitches: PartitionSwitch[] }).killSwitches;
  }

  async #bringOne(partition: RunningPartition, row: KillSwitchRow, on: readonly PartitionSwitch[]): Promise<void> {
    const { scope, name, isOn, thrownBy, why } = row;
    const known = on.find((one) => one.scope === scope && isSameName(one.name, name));
    if (isOn) {
      if (known === undefined) await this.#act(partition, thrownBy, 'throw', row);
      return;
    }
    // One that was thrown at the partition itself is not lifted with the one of the cluster.
    if (known === undefined || known.why !== why) return;
    const { liftAskedBy, liftedBy } = row;
    for (const who of [liftAskedBy, liftedBy]) if (who !== null) await this.#act(partition, who, 'lift', row);
  }

  async #act(partition: RunningPartition, who: string, action: 'throw' | 'lift', row: KillSwitchRow): Promise<void> {
    const { scope, name, why } = row;
    const { status, body } = await this.#ask(partition, who, `/api/kill-switches/${action}`, { scope, name, why });
    // A session or an account of another partition; or this person has asked to lift it already.
    if (status === NOT_FOUND || (action === 'lift' && status === CONFLICT)) return;
    if (status >= 300) throw new Error(`${action} of ${scope} ${name}: ${status} ${JSON.stringify(body)}`);
    const done = action === 'throw' ? 'thrown' : 'lift asked for';
    this.#log('warn', `kill switch ${scope} ${name} of the cluster: ${done} by ${who}: ${why}`, {
      partition: partition.name,
    });
  }
}

function keyOf({ scope, name, isOn, thrownAt, liftedBy }: KillSwitchRow): string {
  return [scope, name, isOn, thrownAt, liftedBy].join('\n');
}
