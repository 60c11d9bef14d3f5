// How the store speaks to its owner: sentences for the log and the state of its health. The engine binds them.

/** A line for the operator's log. */
export type StoreLog = (level: 'info' | 'warn', text: string) => void;

/**
 * Called when the journal stops being able to take new work (`healthy` false: the disk is full or a sync failed) and
 * when it can again. While unhealthy it still takes what fits the reserved space: rejects, cancels, Logouts (rule J2).
 */
export type HealthListener = (healthy: boolean, reason: string) => void;

/**
 * Called when what is done beside the traffic fails, a snapshot or the archive, once until it has worked again: no record is lost,
 * but the disk fills, or the next start takes longer.
 */
export type UpkeepListener = (reason: string) => void;
