// The rows that the nodes of a cluster share in PostgreSQL: reading them, and every change of them, each in one statement. A change
// that was decided over an older row fails by the row's epoch. Says to the other nodes that something changed (NOTIFY).

import { CrossgateError } from '../../base/errors.ts';
import type { SharedRows } from '../../store/mod.ts';
import type { Assignment, ClusterRows, NodeRow, PlacementRow } from '../placement/rows.ts';

/** The channel on which a changed row is announced; the payload is the cluster. */
export const CLUSTER_CHANNEL = 'crossgate_cluster';

/** A node's own part of its row. */
export interface NodeFacts
  extends Pick<NodeRow, 'name' | 'address' | 'weight' | 'version' | 'addressGroup' | 'partitions'> {
  /** Of this start of the node: another process of the same name has another one. */
  readonly incarnation: string;
  /** A hash of the partitions of its configuration, to see whether nodes have the same. */
  readonly configuration: string;
}

export interface KillSwitchRow {
  readonly scope: 'session' | 'account' | 'all';
  readonly name: string;
  readonly isOn: boolean;
  readonly thrownBy: string;
  /** Milliseconds since the epoch, by the database's clock. */
  readonly thrownAt: number;
  readonly why: string;
  readonly liftAskedBy: string | null;
  readonly liftAskedAt: number | null;
  readonly liftedBy: string | null;
}

/** A node as `status` shows it. */
export interface ClusterNode extends NodeRow {
  readonly configuration: string;
}

/** A placement with the lease of its journal. */
export interface ClusterPlacement extends PlacementRow {
  readonly lease: { readonly holder: string; readonly epoch: number; readonly leftMs: number } | null;
}

export interface RegisterRows extends ClusterRows {
  readonly nodes: readonly ClusterNode[];
  readonly placements: readonly ClusterPlacement[];
  readonly killSwitches: readonly KillSwitchRow[];
}

export interface AuditRow {
  readonly entry: number;
  readonly at: number;
  readonly who: string;
  readonly action: string;
  readonly detail: string;
}

const ms = (since: string): string => `(extract(epoch from ${since}) * 1000)::float8`;

const list = (query: string): string => `(select coalesce(json_agg(one), '[]'::json) from (${query}) one)`;

/** A lease that was released ends at the epoch. */
const READ = `select
  coalesce((select is_rebalance_wanted from crossgate_cluster where cluster = $1), false) as "isRebalanceWanted",
  ${list(`select name, address, weight, version, configuration, is_draining as "isDraining", address_group as "addressGroup",
    partitions, ${ms('clock_timestamp() - beat_at')} as "silentMs", ${ms('clock_timestamp() - joined_at')} as "joinedMs"
    from crossgate_cluster_node where cluster = $1 order by name`)} as nodes,
  ${list(`select partition, node, is_pinned as "isPinned", p.epoch, is_prepared as "isPrepared", owner,
    case when l.expires_at > 'epoch' then json_build_object('holder', l.holder, 'epoch', l.epoch,
      'leftMs', ${ms('l.expires_at - clock_timestamp()')}) end as lease
    from crossgate_cluster_placement p left join crossgate_lease l on l.name = p.cluster || '-' || p.partition
    where cluster = $1 order by partition`)} as placements,
  ${list(`select scope, name, is_on as "isOn", thrown_by as "thrownBy", ${ms('thrown_at')} as "thrownAt", why,
    lift_asked_by as "liftAskedBy", ${ms('lift_asked_at')} as "liftAskedAt", lifted_by as "liftedBy"
    from crossgate_cluster_kill_switch where cluster = $1 order by thrown_at`)} as "killSwitches"`;

/** Only this start of the node writes its row: it does so no more if another process has taken the name. */
const BEAT = `insert into crossgate_cluster_node as n (cluster, name, incarnation, address, weight, address_group, version,
    configuration, partitions, joined_at, beat_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(), clock_timestamp())
  on conflict (cluster, name) do update set address = excluded.address, weight = excluded.weight,
    address_group = excluded.address_group, version = excluded.version, configuration = excluded.configuration,
    partitions = excluded.partitions, beat_at = clock_timestamp(),
    joined_at = case when n.beat_at < clock_timestamp() - $10 * interval '1 millisecond' then clock_timestamp() else n.joined_at end
  where n.incarnation = excluded.incarnation
  returning name`;
const HOLDER = `select incarnation, extract(epoch from beat_at)::text as beat, ${ms('clock_timestamp() - beat_at')} as "silentMs"
  from crossgate_cluster_node where cluster = $1 and name = $2`;
/** `$4`: the heartbeat that was seen, and has not been followed by another. */
const INHERIT = `update crossgate_cluster_node set incarnation = $3, joined_at = clock_timestamp()
  where cluster = $1 and name = $2 and extract(epoch from beat_at)::text = $4 returning name`;

const NOTIFY = `select pg_notify('${CLUSTER_CHANNEL}', $1) from changed`;
/** A change, announced if a row was changed. */
const announced = (change: string): string => `with changed as (${change} returning 1) ${NOTIFY}`;

const PLACE = announced(`insert into crossgate_cluster_placement (cluster, partition, node, epoch)
  values ($1, $2, $3, 1) on conflict do nothing`);
const MOVE =
  announced(`update crossgate_cluster_placement set node = $3, is_pinned = $5, is_prepared = false, epoch = epoch + 1,
  changed_at = clock_timestamp() where cluster = $1 and partition = $2 and epoch = $4`);
const PREPARED = announced(`update crossgate_cluster_placement set is_prepared = true
  where cluster = $1 and partition = $2 and epoch = $3 and not is_prepared`);
const OWNED = announced(`update crossgate_cluster_placement set owner = $3, changed_at = clock_timestamp()
  where cluster = $1 and partition = $2 and owner is distinct from $3`);
const RELEASED = announced(`update crossgate_cluster_placement set owner = nullif(owner, $3),
  is_prepared = is_prepared and node <> $3, changed_at = clock_timestamp()
  where cluster = $1 and partition = $2 and (owner = $3 or node = $3)`);
/** The row stays, and with it a drain: the node comes back after its upgrade. */
const LEAVE = announced(`update crossgate_cluster_node set beat_at = clock_timestamp() - interval '1 hour'
  where cluster = $1 and name = $2 and incarnation = $3`);
const FORGET = `delete from crossgate_cluster_node where cluster = $1 and beat_at < clock_timestamp() - interval '30 days'`;
const DRAIN = announced(`update crossgate_cluster_node set is_draining = $3
  where cluster = $1 and name = $2 and is_draining is distinct from $3`);
const REBALANCE = announced(`insert into crossgate_cluster as c (cluster, is_rebalance_wanted) values ($1, $2::boolean)
  on conflict (cluster) do update set is_rebalance_wanted = excluded.is_rebalance_wanted
  where c.is_rebalance_wanted is distinct from excluded.is_rebalance_wanted`);
const UNPIN = 'update crossgate_cluster_placement set is_pinned = false where cluster = $1 and is_pinned';
const THROW =
  announced(`insert into crossgate_cluster_kill_switch as k (cluster, scope, name, is_on, thrown_by, thrown_at, why)
  values ($1, $2, $3, true, $4, clock_timestamp(), $5)
  on conflict (cluster, scope, name) do update set is_on = true, thrown_by = $4, thrown_at = clock_timestamp(), why = $5,
    lift_asked_by = null, lift_asked_at = null, lifted_by = null where not k.is_on`);
const ASK_LIFT =
  announced(`update crossgate_cluster_kill_switch set lift_asked_by = $4, lift_asked_at = clock_timestamp()
  where cluster = $1 and scope = $2 and name = $3 and is_on`);
/** By a second person, within a quarter of an hour after the first (rule O12). */
const LIFT = announced(`update crossgate_cluster_kill_switch set is_on = false, lifted_by = $4
  where cluster = $1 and scope = $2 and name = $3 and is_on and lift_asked_by <> $4
    and lift_asked_at > clock_timestamp() - interval '15 minutes'`);
const AUDIT = 'insert into crossgate_cluster_audit (cluster, who, action, detail) values ($1, $2, $3, $4)';
const READ_AUDIT = `select entry::float8 as entry, ${ms('at')} as at, who, action, detail from crossgate_cluster_audit
  where cluster = $1 order by entry desc limit $2`;

export class Register {
  readonly #rows: SharedRows;
  readonly cluster: string;

  /** @param cluster the name that its nodes share: that of the journal */
  constructor(rows: SharedRows, cluster: string) {
    this.#rows = rows;
    this.cluster = cluster;
  }

  async read(): Promise<RegisterRows> {
    const [row] = await this.#rows.query<RegisterRows>(READ, [this.cluster]);
    return row!;
  }

  /**
   * Write a heartbeat. @param goneMs a node without a heartbeat for longer has left, and joins again
   * @returns false if another process has this node's name
   */
  async beat(node: NodeFacts, goneMs: number): Promise<boolean> {
    const { name, incarnation, address, weight, addressGroup, version, configuration, partitions } = node;
    const values = [name, incarnation, address, weight, addressGroup, version, configuration, partitions, goneMs];
    return (await this.#rows.query(BEAT, [this.cluster, ...values])).length > 0;
  }

  /** The process that has a node's name; null if none has. */
  async holder(name: string): Promise<{ incarnation: string; beat: string; silentMs: number } | null> {
    const found = await this.#rows.query<{ incarnation: string; beat: string; silentMs: number }>(HOLDER, [
      this.cluster,
      name,
    ]);
    return found[0] ?? null;
  }

  /** Take the name of a process that ended. False if that one lives: its heartbeat is another than the one seen. */
  async inherit({ name, incarnation }: NodeFacts, beat: string): Promise<boolean> {
    await this.#rows.query(FORGET, [this.cluster]);
    return (await this.#rows.query(INHERIT, [this.cluster, name, incarnation, beat])).length > 0;
  }

  /** False if another node was the first. */
  async assign({ partition, node, epoch, why }: Assignment, who: string): Promise<boolean> {
    const change = epoch === null ? [PLACE, []] : [MOVE, [epoch, false]];
    const [sql, more] = change as [string, unknown[]];
    const changed = await this.#changed(sql, [partition, node, ...more]);
    if (changed) await this.#audit(who, `place ${why}`, `partition ${partition} on node ${node}`);
    return changed;
  }

  async prepared(partition: string, epoch: number): Promise<void> {
    await this.#changed(PREPARED, [partition, epoch]);
  }

  async owned(partition: string, node: string): Promise<void> {
    await this.#changed(OWNED, [partition, node]);
  }

  async released(partition: string, node: string): Promise<void> {
    await this.#changed(RELEASED, [partition, node]);
  }

  async leave({ name, incarnation }: NodeFacts): Promise<void> {
    await this.#changed(LEAVE, [name, incarnation]);
  }

  async balanced(): Promise<void> {
    await this.#changed(REBALANCE, [false]);
  }

  /** Drain a node, or let it serve again. False if it does so already. @throws CrossgateError XG_NOT_FOUND */
  async drain(name: string, isDraining: boolean, who: string): Promise<boolean> {
    const { nodes } = await this.read();
    if (!nodes.some((node) => node.name === name))
      throw notFound(
        'node',
        name,
        nodes.map((node) => node.name),
      );
    const changed = await this.#changed(DRAIN, [name, isDraining]);
    if (changed) await this.#audit(who, isDraining ? 'drain' : 'undrain', `node ${name}`);
    return changed;
  }

  /**
   * Move a partition, and keep it there. False if it was changed meanwhile. @throws CrossgateError XG_NOT_FOUND, or XG_USAGE for a
   * node that drains, does not live or does not know it
   */
  async move(partition: string, to: string, who: string, goneMs: number): Promise<boolean> {
    const { nodes, placements } = await this.read();
    const row = placements.find((one) => one.partition === partition);
    if (row === undefined)
      throw notFound(
        'partition',
        partition,
        placements.map((one) => one.partition),
      );
    const node = nodes.find(({ name }) => name === to);
    if (node === undefined)
      throw notFound(
        'node',
        to,
        nodes.map(({ name }) => name),
      );
    const { silentMs, isDraining, partitions } = node;
    const obstacle =
      silentMs > goneMs
        ? `has sent no heartbeat for ${Math.round(silentMs / 1_000)} s`
        : isDraining
          ? 'drains: `crossgate cluster undrain` first'
          : partitions.includes(partition)
            ? null
            : `cannot start partition ${partition}: see its log and its configuration`;
    if (obstacle !== null) throw new CrossgateError('XG_USAGE', `node ${to} ${obstacle}`);
    const changed = await this.#changed(MOVE, [partition, to, row.epoch, true]);
    if (changed) await this.#audit(who, 'move', `partition ${partition} from node ${row.node} to node ${to}`);
    return changed;
  }

  /** Ask for equal shares: pins are removed. */
  async rebalance(who: string): Promise<void> {
    await this.#rows.query(UNPIN, [this.cluster]);
    await this.#changed(REBALANCE, [true]);
    await this.#audit(who, 'rebalance', 'all partitions');
  }

  /** False if it is on already. */
  async throwSwitch(scope: KillSwitchRow['scope'], name: string, why: string, who: string): Promise<boolean> {
    const changed = await this.#changed(THROW, [scope, name, who, why]);
    await this.#audit(who, 'kill-switch throw', `${scope} ${name}: ${why}`);
    return changed;
  }

  /** `lifted` if this is the second person within a quarter of an hour; `none` if no such switch is on. */
  async liftSwitch(
    scope: KillSwitchRow['scope'],
    name: string,
    why: string,
    who: string,
  ): Promise<'lifted' | 'asked' | 'none'> {
    const lifted = await this.#changed(LIFT, [scope, name, who]);
    const asked = !lifted && (await this.#changed(ASK_LIFT, [scope, name, who]));
    if (lifted || asked)
      await this.#audit(who, lifted ? 'kill-switch lift' : 'kill-switch ask lift', `${scope} ${name}: ${why}`);
    return lifted ? 'lifted' : asked ? 'asked' : 'none';
  }

  /** Changes of the cluster by nodes and operators, newest first. */
  async audit(most: number): Promise<AuditRow[]> {
    return await this.#rows.query<AuditRow>(READ_AUDIT, [this.cluster, most]);
  }

  async #changed(sql: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.#rows.query(sql, [this.cluster, ...values])).length > 0;
  }

  async #audit(who: string, action: string, detail: string): Promise<void> {
    await this.#rows.query(AUDIT, [this.cluster, who, action, detail]);
  }
}

function notFound(kind: string, name: string, known: readonly string[]): CrossgateError {
  const remedy = known.length === 0 ? 'the cluster has none yet' : `known: ${known.join(', ')}`;
  return new CrossgateError('XG_NOT_FOUND', `there is no ${kind} ${name}; ${remedy}`);
}
