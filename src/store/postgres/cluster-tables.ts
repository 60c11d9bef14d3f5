// The tables that the nodes of a cluster share (schema version 6): who lives, which node should serve which partition, kill switches
// over all partitions, and who changed that. The right to write a journal is not here: its lease alone gives that (lease.ts).

/** Statements that make them. Every row names its cluster: several share one database. */
export const CLUSTER_TABLES: readonly string[] = [
  `create table crossgate_cluster (
    cluster text primary key,
    is_rebalance_wanted boolean not null default false
  )`,
  // Updated with every heartbeat.
  `create table crossgate_cluster_node (
    cluster text not null,
    name text not null,
    incarnation text not null,
    address text not null,
    weight integer not null,
    address_group text not null,
    version text not null,
    configuration text not null,
    partitions text[] not null,
    is_draining boolean not null default false,
    joined_at timestamptz not null,
    beat_at timestamptz not null,
    primary key (cluster, name)
  ) with (fillfactor = 40)`,
  `create table crossgate_cluster_placement (
    cluster text not null,
    partition text not null,
    node text not null,
    is_pinned boolean not null default false,
    epoch bigint not null,
    is_prepared boolean not null default false,
    owner text,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (cluster, partition)
  )`,
  `create table crossgate_cluster_kill_switch (
    cluster text not null,
    scope text not null,
    name text not null,
    is_on boolean not null,
    thrown_by text not null,
    thrown_at timestamptz not null,
    why text not null,
    lift_asked_by text,
    lift_asked_at timestamptz,
    lifted_by text,
    primary key (cluster, scope, name)
  )`,
  `create table crossgate_cluster_audit (
    cluster text not null,
    entry bigint generated always as identity,
    at timestamptz not null default clock_timestamp(),
    who text not null,
    action text not null,
    detail text not null,
    primary key (cluster, entry)
  )`,
];
