// For each alert of deploy/prometheus/rules.yml: series that raise it, and the labels of the alert, for `promtool test
// rules`. Each series ends in values that clear it again.

export interface AlertCase {
  /** Series as promtool writes them: `start+step x times`. Samples are ten seconds apart. */
  readonly series: Readonly<Record<string, string>>;
  /** Seconds at which it fires, and at which it no longer does. */
  readonly firesAt: number;
  readonly clearAt: number;
  readonly labels: Readonly<Record<string, string>>;
}

const GATE = 'instance="gate:8470",job="crossgate"';
const OF_GATE = { instance: 'gate:8470', job: 'crossgate' };

/** One series that is bad for five minutes, then good for five. */
function bad(
  name: string,
  labels: string,
  badValue: number,
  goodValue: number,
  more: Partial<AlertCase> = {},
): AlertCase {
  const own = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]));
  const series = { [`${name}{${labels}${labels === '' ? '' : ','}${GATE}}`]: `${badValue}x30 ${goodValue}x60` };
  return { series, firesAt: 200, clearAt: 400, labels: { ...own, ...OF_GATE }, ...more };
}

/** A counter that rises once. */
function risen(name: string, labels: string, by: number): AlertCase {
  const { labels: all } = bad(name, labels, 0, 0);
  const series = { [`${name}{${labels},${GATE}}`]: `0x6 ${by}x180` };
  return { series, firesAt: 120, clearAt: 1_200, labels: all };
}

/** Buckets with all observations above 50 ms, then all below. */
function slow(name: string, labels: string, of: Readonly<Record<string, string>>): AlertCase {
  const series = {
    [`${name}_bucket{le="0.05",${labels},${GATE}}`]: '0x60 0+100x60',
    [`${name}_bucket{le="0.1",${labels},${GATE}}`]: '0+100x120',
    [`${name}_bucket{le="+Inf",${labels},${GATE}}`]: '0+100x120',
  };
  return { series, firesAt: 590, clearAt: 1_190, labels: { instance: OF_GATE.instance, ...of } };
}

export const ALERT_CASES: Readonly<Record<string, AlertCase>> = {
  CrossgateDown: bad('up', '', 0, 1),
  CrossgateNotReady: bad('crossgate_partly_ready', '', 0, 1),
  CrossgatePartlyReady: {
    series: { [`crossgate_ready{${GATE}}`]: '0x30 1x60', [`crossgate_partly_ready{${GATE}}`]: '1x90' },
    firesAt: 200,
    clearAt: 400,
    labels: OF_GATE,
  },
  CrossgateSessionDown: {
    series: {
      [`crossgate_session_expected{session="OMS",${GATE}}`]: '1x90',
      [`crossgate_session_up{session="OMS",${GATE}}`]: '0x30 1x60',
      // Out of its hours: no alert.
      [`crossgate_session_expected{session="CLOSED",${GATE}}`]: '0x90',
      [`crossgate_session_up{session="CLOSED",${GATE}}`]: '0x90',
    },
    firesAt: 200,
    clearAt: 400,
    labels: { session: 'OMS', ...OF_GATE },
  },
  CrossgateSessionGap: bad('crossgate_session_gap', 'session="OMS"', 1, 0),
  CrossgateSessionResends: risen('crossgate_session_resend_requests_total', 'session="OMS",direction="out"', 9),
  CrossgateSessionQueue: bad('crossgate_session_queue_bytes', 'session="OMS"', 3e6, 0),
  CrossgateJournalUnhealthy: bad('crossgate_journal_healthy', '', 0, 1),
  CrossgateJournalSlow: slow('crossgate_journal_commit_seconds', 'durability="disk"', {}),
  CrossgateExchangeLoginDown: bad('crossgate_exchange_login_up', 'credential="primary"', 0, 1),
  CrossgateExchangeFeedDown: bad('crossgate_exchange_feed_live', 'credential="primary"', 0, 1),
  CrossgateExchangeTokenExpires: bad(
    'crossgate_exchange_token_expiration_timestamp_seconds',
    'credential="primary"',
    400,
    90_000,
  ),
  CrossgateKillSwitchOn: bad('crossgate_kill_switches', 'scope="account"', 1, 0),
  CrossgateCertificateExpires: bad(
    'crossgate_certificate_expiration_timestamp_seconds',
    'of="listener tls",reference="file:x"',
    86_400,
    40 * 86_400,
  ),
  CrossgateOrdersSlow: slow('crossgate_order_stage_seconds', 'stage="journal"', { stage: 'journal' }),
  CrossgateEventLoopSlow: bad('nodejs_eventloop_lag_p99_seconds', '', 0.2, 0.001, {
    series: { [`nodejs_eventloop_lag_p99_seconds{${GATE}}`]: '0.2x60 0.001x60' },
    firesAt: 500,
    clearAt: 700,
  }),
  CrossgateFilesUsedUp: {
    series: { [`process_open_fds{${GATE}}`]: '900x30 100x60', [`process_max_fds{${GATE}}`]: '1000x90' },
    firesAt: 200,
    clearAt: 400,
    labels: OF_GATE,
  },
  CrossgateAlarm: risen('crossgate_alarms_total', 'alarm="late-fill",severity="critical"', 1),
  CrossgateNotificationsFail: risen('crossgate_notifications_total', 'receiver="desk",outcome="failed"', 1),
};
