// Secrets that are read again while the gateway runs. Each user of secrets reports its changed ones; all are replaced
// together or not at all. ops decides when.

/** One secret, or a pair, that was read again, is another one and can be used. */
export interface Renewal {
  /** Names the owner for people and the audit trail, without any part of the secret. */
  readonly text: string;
  /** Use it from now on. */
  take(): void;
}

/** Whether the configuration still refers to a secret by this reference. */
export type IsNamed = (reference: string) => boolean;

/**
 * Read them again; those that the configuration no longer names stay unchanged. @throws CrossgateError for one that is
 * of no use
 */
export type ReadAgain = (isNamed: IsNamed) => Renewal[] | Promise<Renewal[]>;
