// The tables of the PostgreSQL store, for people who query them. Every row names its journal: many journals share one database.
//
// Message, event and audit are the log: one row a record, with the record's number (`entry`) and its frame. Session, order, order_key
// and nonce follow it (fold.ts) up to crossgate_folded: a start goes on from those. Execution is for queries. crossgate_commit has a
// row for each transaction, with a hash of its records and of the commit before (rule J4).

/** Statements that make the tables where they are missing. */
export const TABLES: readonly string[] = [
  `create table if not exists crossgate_lease (
    name text primary key,
    epoch bigint not null,
    holder text not null,
    expires_at timestamptz not null
  )`,
  `create table if not exists crossgate_kept (
    journal text not null,
    name text not null,
    value text not null,
    written_at timestamptz not null default clock_timestamp(),
    primary key (journal, name)
  )`,
  // starts_part: a day or more after the last such commit. Retention deletes from one of them to the next.
  `create table crossgate_commit (
    journal text not null,
    commit bigint not null,
    epoch bigint not null,
    first_frame bigint not null,
    frames integer not null,
    first_entry bigint not null,
    entries integer not null,
    bytes bigint not null,
    written_at timestamptz not null default clock_timestamp(),
    starts_part boolean not null,
    hash text not null,
    deleted_at timestamptz,
    primary key (journal, commit)
  )`,
  'create index crossgate_commit_part on crossgate_commit (journal, commit) where starts_part',
  'create index crossgate_commit_deleted on crossgate_commit (journal, commit) where deleted_at is not null',
  `create table crossgate_message (
    journal text not null,
    entry bigint not null,
    frame bigint not null,
    at timestamptz not null,
    session text,
    direction text not null,
    series bigint,
    msg_seq_num bigint,
    next_target_msg_seq_num bigint,
    msg_type text,
    is_resendable boolean,
    note text,
    raw bytea not null,
    primary key (journal, entry)
  )`,
  `create index crossgate_message_number on crossgate_message (journal, session, series, msg_seq_num)
    where series is not null`,
  'create index crossgate_message_at on crossgate_message (journal, at)',
  // FIX is short and rarely compresses: trying costs more than it saves.
  'alter table crossgate_message alter column raw set storage external',
  `create table crossgate_event (
    journal text not null,
    entry bigint not null,
    frame bigint not null,
    at timestamptz not null,
    kind text not null,
    subject text,
    detail text,
    ended jsonb,
    primary key (journal, entry)
  )`,
  'create index crossgate_event_subject on crossgate_event (journal, subject, entry) where subject is not null',
  `create table crossgate_audit (
    journal text not null,
    entry bigint not null,
    frame bigint not null,
    at timestamptz not null,
    who text not null,
    action text not null,
    detail text not null,
    primary key (journal, entry)
  )`,
  // Updated with every commit: room for the new version of a row beside the old one.
  `create table crossgate_session (
    journal text not null,
    session text not null,
    commit bigint not null,
    series bigint not null,
    next_sender_msg_seq_num bigint not null,
    next_target_msg_seq_num bigint not null,
    proven_msg_seq_num bigint not null,
    is_logged_on boolean not null,
    counted_at timestamptz,
    state text not null,
    primary key (journal, session)
  ) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
  `create table crossgate_order (
    journal text not null,
    key text not null,
    first_entry bigint not null,
    entry bigint not null,
    at timestamptz not null,
    is_ended boolean not null,
    record text not null,
    primary key (journal, key)
  ) with (fillfactor = 70)`,
  'create index crossgate_order_open on crossgate_order (journal, first_entry) where not is_ended',
  `create table crossgate_order_key (
    journal text not null,
    id text not null,
    key text not null,
    primary key (journal, id)
  )`,
  `create table crossgate_nonce (
    journal text not null,
    credential text not null,
    nonce text not null,
    primary key (journal, credential)
  ) with (fillfactor = 40)`,
  `create table crossgate_execution (
    journal text not null,
    entry bigint not null,
    at timestamptz not null,
    session text not null,
    exec_id text,
    order_id text,
    cl_ord_id text,
    exec_type text,
    ord_status text,
    account text,
    symbol text,
    side text,
    last_qty numeric,
    last_px numeric,
    leaves_qty numeric,
    cum_qty numeric,
    avg_px numeric,
    primary key (journal, entry)
  )`,
  'create index crossgate_execution_order on crossgate_execution (journal, order_id)',
  'create index crossgate_execution_cl_ord_id on crossgate_execution (journal, cl_ord_id)',
  `create view crossgate_fix as select journal, entry, at, session, direction, series, msg_seq_num, msg_type,
    replace(encode(raw, 'escape'), chr(1), '|') as text, note from crossgate_message`,
  // Of the records that the gateway keeps under keys, those that are orders.
  `create view crossgate_order_detail as
    select journal, key, at, is_ended, r ->> 'sessionId' as session, r ->> 'clOrdID' as cl_ord_id,
      r ->> 'exchangeOrderId' as exchange_order_id, r #>> '{echo,account}' as account, r #>> '{terms,symbol}' as symbol,
      r #>> '{terms,side}' as side, r #>> '{terms,ordType}' as ord_type, (r #>> '{terms,orderQty}')::numeric as order_qty,
      (r #>> '{terms,price}')::numeric as price, coalesce(r ->> 'cumQty', '0')::numeric as cum_qty, r ->> 'state' as state
    from (select journal, key, at, is_ended, record::jsonb as r from crossgate_order where record like '{"v":%"kind":"order"%') as orders`,
];

/**
 * Tables follow the log instead of being part of each commit: a program of a version before would not read the rest of the log. Rows of messages come in the order of their time: a range of blocks
 * has it, and no row an entry.
 */
export const FOLLOWING: readonly string[] = [
  `create table if not exists crossgate_folded (
    journal text primary key,
    commit bigint not null
  ) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
  'drop index if exists crossgate_event_subject',
  'drop index if exists crossgate_message_at',
  'create index if not exists crossgate_message_time on crossgate_message using brin (at) with (autosummarize = on)',
];
