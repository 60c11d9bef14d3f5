// Every alarm by its permanent name, with its severity. The runbook (docs/operate/runbook.md) says what to do about each.
// Metrics have a series of each before its first occurrence, since a counter that begins at 1 has not increased.

/** `critical`: orders, money or trading are at stake now. `warning`: soon. `info`: nothing to do unless it repeats. */
export type Severity = 'critical' | 'warning' | 'info';

export const ALARM_SEVERITY = {
  'absent-order-appeared': 'critical',
  'address-blocked': 'critical',
  'another-order': 'critical',
  'application-behind': 'warning',
  'application-failed': 'warning',
  'auction-carry-over': 'critical',
  'auction-topic-refused': 'warning',
  'cancel-incomplete': 'critical',
  'cancel-on-disconnect-incomplete': 'critical',
  'certificate-expires': 'warning',
  'certification-ended': 'warning',
  'clock-offset': 'warning',
  'clock-set-back': 'info',
  'configuration-invalid': 'warning',
  'dead-mans-switch': 'critical',
  'dont-know-trade': 'critical',
  'drop-copy-incomplete': 'warning',
  'ended-by-bug': 'critical',
  'ended-order-works': 'critical',
  'entry-not-understood': 'warning',
  'exchange-login-failed': 'critical',
  'fills-disagree': 'critical',
  'gap-not-closed': 'warning',
  'import-unfinished': 'warning',
  'input-put-aside': 'warning',
  'journal-behind-exchange': 'critical',
  'journal-damaged': 'critical',
  'journal-replaced': 'critical',
  'journal-unhealthy': 'critical',
  'journal-upkeep': 'warning',
  'kill-switch': 'critical',
  'late-fill': 'critical',
  'lease-lost': 'critical',
  'login-renewal-failed': 'critical',
  'logon-loop': 'warning',
  'logon-refused': 'warning',
  'market-unreadable': 'warning',
  'message-over-limit': 'warning',
  'message-refused': 'warning',
  'order-id-mismatch': 'warning',
  'order-not-found': 'critical',
  'order-pending': 'warning',
  'outcome-open': 'info',
  overfill: 'critical',
  'own-reference-unknown': 'critical',
  'private-stream-silent': 'info',
  'rate-limited': 'warning',
  'record-unreadable': 'critical',
  'references-used-up': 'critical',
  'refusal-contradicted': 'critical',
  'resend-impossible': 'warning',
  'resend-stuck': 'warning',
  'sequence-threshold': 'warning',
  'session-missing': 'critical',
  'shutdown-incomplete': 'info',
  'signer-failed': 'critical',
  'slow-consumer': 'warning',
  'template-exhausted': 'warning',
  'trade-unreadable': 'critical',
  'trades-missing': 'warning',
  'unknown-outcome': 'critical',
} as const satisfies Readonly<Record<string, Severity>>;

export const ALARM_NAMES: readonly string[] = Object.keys(ALARM_SEVERITY);

/** The severity of an alarm; one without a place in the table is a warning. */
export function severityOf(alarm: string): Severity {
  return (ALARM_SEVERITY as Readonly<Record<string, Severity>>)[alarm] ?? 'warning';
}
