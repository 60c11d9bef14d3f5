// Every metric of the gateway: name, type, labels and meaning. The code that measures takes its texts from here, and
// docs/reference/metrics.md is made from it. Metrics of Node.js and of the process come from prom-client.

export interface MetricDeclaration {
  readonly name: `crossgate_${string}`;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** The HELP line of a scrape. */
  readonly help: string;
  readonly labels: readonly string[];
}

/** Stages of a new order, in their order; `total` is the sum. */
export const ORDER_STAGES = ['receive', 'check', 'journal', 'send', 'exchange', 'report'] as const;
export type OrderStage = (typeof ORDER_STAGES)[number];

const metric = <
  const Name extends `crossgate_${string}`,
  const Type extends MetricDeclaration['type'],
  const Label extends string = never,
>(
  name: Name,
  type: Type,
  help: string,
  labels: readonly Label[] = [],
) => ({ name, type, help, labels });

export const METRICS = {
  buildInfo: metric('crossgate_build_info', 'gauge', '1, with the versions of the gateway and of Node.js as labels.', [
    'version',
    'node_version',
  ]),
  ready: metric('crossgate_ready', 'gauge', '1 while orders of every session can be taken.'),
  partlyReady: metric('crossgate_partly_ready', 'gauge', '1 while orders of some can be: an exchange login works.'),
  partitionUp: metric(
    'crossgate_partition_up',
    'gauge',
    '1 while the partition answers; only where a gateway runs several, and every other metric has the label `partition` there.',
    ['partition', 'node'],
  ),
  sessionUp: metric('crossgate_session_up', 'gauge', '1 while the FIX session is logged on.', ['session']),
  sessionEnabled: metric('crossgate_session_enabled', 'gauge', '1 while the FIX session may log on.', ['session']),
  sessionExpected: metric(
    'crossgate_session_expected',
    'gauge',
    '1 while the FIX session should be logged on: it is enabled, and its schedule is open.',
    ['session'],
  ),
  sessionOpenOrders: metric('crossgate_session_open_orders', 'gauge', 'Open orders of the FIX session.', ['session']),
  sessionMessages: metric(
    'crossgate_session_messages_total',
    'counter',
    'FIX messages counted by sequence numbers since the start, by session and direction.',
    ['session', 'direction'],
  ),
  sessionNextSeqNum: metric(
    'crossgate_session_next_sequence_number',
    'gauge',
    'Next MsgSeqNum(34) of the session: `in` expected from the counterparty, `out` to be sent.',
    ['session', 'direction'],
  ),
  sessionResendRequests: metric(
    'crossgate_session_resend_requests_total',
    'counter',
    'ResendRequests(2) since the start: `out` for gaps seen here, `in` for gaps the counterparty saw.',
    ['session', 'direction'],
  ),
  sessionGap: metric('crossgate_session_gap', 'gauge', '1 while the session waits for messages of a gap.', ['session']),
  sessionGapQueued: metric(
    'crossgate_session_gap_queued_messages',
    'gauge',
    'Messages that wait behind a gap until it is filled.',
    ['session'],
  ),
  sessionQueueBytes: metric(
    'crossgate_session_queue_bytes',
    'gauge',
    'Bytes sent to the session that the counterparty has not taken yet.',
    ['session'],
  ),
  sessionLastReceived: metric(
    'crossgate_session_last_received_timestamp_seconds',
    'gauge',
    'When the last message of the counterparty came, in seconds since 1970; 0: none since the start.',
    ['session'],
  ),
  messages: metric(
    'crossgate_messages_total',
    'counter',
    'FIX messages counted by sequence numbers since the start, by direction and MsgType(35).',
    ['direction', 'msg_type'],
  ),
  orders: metric('crossgate_orders', 'gauge', 'Orders known to this process, by state.', ['state']),
  orderStage: metric(
    'crossgate_order_stage_seconds',
    'histogram',
    'Time of a new order in each stage, from D to its first report: receive, check, journal, send, exchange, report.',
    ['stage'],
  ),
  orderReport: metric(
    'crossgate_order_report_seconds',
    'histogram',
    'Time from reading a D to sending its first report that the exchange caused, or the refusal of the gateway.',
    ['by'],
  ),
  killSwitches: metric('crossgate_kill_switches', 'gauge', 'Kill switches that are on, by scope.', ['scope']),
  journalHealthy: metric('crossgate_journal_healthy', 'gauge', '1 while the journal can record.'),
  journalQueueBytes: metric(
    'crossgate_journal_queue_bytes',
    'gauge',
    'Bytes of records that wait for the disk or the database.',
  ),
  journalCommit: metric(
    'crossgate_journal_commit_seconds',
    'histogram',
    'Time to make a batch of journal frames durable; `disk` (a sync) survives power loss, `process` the death of the process.',
    ['durability'],
  ),
  journalBatch: metric('crossgate_journal_batch_frames', 'histogram', 'Journal frames in one batch.'),
  exchangeLoginUp: metric('crossgate_exchange_login_up', 'gauge', '1 while the exchange login is up.', ['credential']),
  exchangeFeedLive: metric(
    'crossgate_exchange_feed_live',
    'gauge',
    '1 while its stream of orders and trades is live.',
    ['credential'],
  ),
  exchangeInFlight: metric(
    'crossgate_exchange_in_flight',
    'gauge',
    'Commands sent to the exchange without an outcome.',
    ['credential'],
  ),
  exchangeToken: metric(
    'crossgate_exchange_token_expiration_timestamp_seconds',
    'gauge',
    'When the token of the exchange login ends, in seconds since 1970; the gateway renews it before.',
    ['credential'],
  ),
  exchangeCommand: metric(
    'crossgate_exchange_command_seconds',
    'histogram',
    'Time from sending a command to its outcome, by outcome.',
    ['outcome'],
  ),
  certificate: metric(
    'crossgate_certificate_expiration_timestamp_seconds',
    'gauge',
    'When a TLS certificate or list of revoked ones ends, in seconds since 1970, by its use and reference.',
    ['of', 'reference'],
  ),
  alarms: metric('crossgate_alarms_total', 'counter', 'Alarms since the start, by name and severity.', [
    'alarm',
    'severity',
  ]),
  alarmsOpen: metric(
    'crossgate_alarms_open',
    'gauge',
    'Open alarms by severity: raised lately, acknowledged ones not counted.',
    ['severity'],
  ),
  notifications: metric(
    'crossgate_notifications_total',
    'counter',
    'Alarms sent to a receiver: delivered, failed after all attempts, or dropped from a full queue.',
    ['receiver', 'outcome'],
  ),
  notificationsQueued: metric('crossgate_notifications_queued', 'gauge', 'Alarms that wait for a receiver.', [
    'receiver',
  ]),
  bridgeInFlight: metric('crossgate_bridge_requests_in_flight', 'gauge', 'Requests under way over the bridge.', [
    'caller',
  ]),
  bridgeStreams: metric('crossgate_bridge_streams', 'gauge', 'Listeners of the streams that the bridge serves.', [
    'caller',
  ]),
  bridgeRequests: metric(
    'crossgate_bridge_requests_total',
    'counter',
    'Requests answered over the bridge since the start, by caller (empty: none that is known) and HTTP status.',
    ['caller', 'status'],
  ),
  bridgeRequest: metric(
    'crossgate_bridge_request_seconds',
    'histogram',
    'Time from a request over the bridge to its answer.',
    ['caller'],
  ),
  bridgeDropped: metric(
    'crossgate_bridge_listeners_dropped_total',
    'counter',
    'Listeners that the bridge dropped since the start.',
    ['caller'],
  ),
} as const satisfies Readonly<Record<string, MetricDeclaration>>;
