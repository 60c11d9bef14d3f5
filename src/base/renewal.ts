// Secrets that are read again while the gateway runs: whoever uses some says which of them are other ones now; all are taken
// over together, or none. Leaves when that is done to ops.

/** One secret, or a pair, that was read again, is another one and can be used. */
export interface Renewal {
  /** For people and the audit trail: whose it is, with nothing of the secret itself. */
  readonly text: string;
  /** Use it from now on. */
  take(): void;
}

/** Whether the configuration still refers to a secret by this reference. */
export type IsNamed = (reference: string) => boolean;

/** Read them again; what the configuration names no more is left as it is. @throws CrossgateError for one that is of no use */
export type ReadAgain = (isNamed: IsNamed) => Renewal[] | Promise<Renewal[]>;
