// Whether a sync is waited for on the spot or beside the event loop. On the spot saves a turn of it; beside it, other sessions
// go on meanwhile. So: small batches on a disk that was fast lately, on the spot.

/** A larger batch comes from many sessions at once; reading their messages meanwhile is the better use of the time. */
const ON_THE_SPOT_BYTES_MAX = 65_536;
/** Time that the event loop may stand still for a sync, as the last ones took. */
const ON_THE_SPOT_MS_MAX = 0.5;
/** A sync that takes longer than this is not waited for on the spot any more. */
export const ON_THE_SPOT_WAIT_MS = 2;
/** Weight of the last sync among those before it. */
const WEIGHT = 0.2;

export class SyncMode {
  readonly #onTheSpotBytesMax: number;
  #ms = 0;

  /** @param onTheSpotBytesMax 0 never waits on the spot */
  constructor(onTheSpotBytesMax = ON_THE_SPOT_BYTES_MAX) {
    this.#onTheSpotBytesMax = onTheSpotBytesMax;
  }

  isOnTheSpot(bytes: number): boolean {
    return bytes <= this.#onTheSpotBytesMax && this.#ms < ON_THE_SPOT_MS_MAX;
  }

  /** A sync took that long. A single slow one counts little, so that a hiccup does not change the mode for long. */
  took(ms: number): void {
    this.#ms += WEIGHT * (Math.min(ms, 10 * ON_THE_SPOT_MS_MAX) - this.#ms);
  }
}
