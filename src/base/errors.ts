// The one registry of operational error codes. A code is permanent: support desks and scripts search for it.
// Protocol faults are not here: they are values that become FIX messages.

/** Meaning of each code. Append only; never reuse or rename a code. */
export const ErrorCode = {
  XG_CONFIG_INVALID: 'the configuration has problems',
  XG_SECRET_MISSING: 'a secret reference could not be resolved',
  XG_DICTIONARY_INVALID: 'a data dictionary could not be read',
  XG_JOURNAL_LOCKED: 'another process owns the journal',
  XG_JOURNAL_CORRUPT: 'the journal has a damaged record',
  XG_JOURNAL_WRITE_FAILED: 'a record could not be made durable',
  XG_LISTEN_FAILED: 'a listening socket could not be opened',
  XG_CONNECT_FAILED: 'a counterparty could not be connected to',
  XG_TLS_INVALID: 'a TLS key or certificate could not be used',
  XG_EXCHANGE_LOGIN_FAILED: 'the exchange refused the login',
  XG_EXCHANGE_UNREACHABLE: 'the exchange could not be reached',
  XG_EXCHANGE_ANSWER_INVALID: 'the exchange answered something that is not understood',
  XG_EXCHANGE_BLOCKED: 'the exchange blocks this address',
  XG_SIMULATOR_INVALID: 'the simulated exchange cannot start as configured',
  XG_USAGE: 'the command line is not understood',
  XG_PROMETHEUS_UNAVAILABLE: 'Prometheus did not give measurements that the console asked for',
  XG_ADMIN_UNREACHABLE: 'the admin API of a running gateway could not be reached',
  XG_ADMIN_REFUSED: 'the running gateway refused the request',
  XG_ENGINE_CLOSED: 'the engine was closed before',
  XG_JOURNAL_UNREADABLE: 'the journal could not be read',
  XG_NOT_FOUND: 'a command names something that does not exist',
  XG_GATEWAY_RUNNING: 'a gateway is running, and has to do it itself',
  XG_SIGNER_FAILED: 'the signer of an exchange key outside the process gave no usable signature',
  XG_MESSAGE_INVALID: 'a message of the application cannot be sent as it is written',
  XG_READER_BEHIND: 'a loop over the messages of a session reads too slowly',
} as const;

export type ErrorCode = keyof typeof ErrorCode;

/** An operational failure of an I/O room: a permanent code, a sentence for a human, the cause kept. */
export class CrossgateError extends Error {
  override name = 'CrossgateError';
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Text for any thrown value. Foreign code may throw values without a message. */
export function thrownText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'something was thrown that has no text';
  }
}
