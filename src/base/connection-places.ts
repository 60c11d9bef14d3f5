// Room for so many connections at a time. Where none is left, the one that has shown nobody's token for the longest time makes
// way for who comes: anybody can open connections, and they must keep nobody out. Leaves tokens to those who know them.

export class ConnectionPlaces<Connection extends { destroy(): unknown }> {
  readonly #max: number;
  readonly #onFull: () => void;
  /** In the order in which they came. */
  readonly #strangers = new Set<Connection>();
  readonly #known = new Set<Connection>();

  /** @param onFull told of each that is ended for want of room */
  constructor(max: number, onFull: () => void = () => {}) {
    this.#max = max;
    this.#onFull = onFull;
  }

  /** One more is open; it is ended at once where everybody here is known. */
  opened(connection: Connection): void {
    this.#strangers.add(connection);
    if (this.#strangers.size + this.#known.size <= this.#max) return;
    // The newest is among them, and the last to go.
    const [first] = this.#strangers;
    this.#strangers.delete(first!);
    this.#onFull();
    first!.destroy();
  }

  /** Whoever is behind it has shown a token: it stays. */
  keep(connection: Connection): void {
    if (this.#strangers.delete(connection)) this.#known.add(connection);
  }

  closed(connection: Connection): void {
    this.#strangers.delete(connection);
    this.#known.delete(connection);
  }
}
