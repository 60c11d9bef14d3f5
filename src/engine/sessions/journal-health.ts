// Decides whether the journal can record (rule J2), from two witnesses: the journal itself, which warns while some
// space is left, and the commit queue with failed writes. Healthy only if both are.

export type Witness = 'journal' | 'commits';

export class JournalHealth {
  private readonly complaints = new Map<Witness, string>();
  /** Called when the verdict changes; a change before it is set is kept for `watch`. */
  private onChange: ((healthy: boolean, reason: string) => void) | null = null;

  get healthy(): boolean {
    return this.complaints.size === 0;
  }

  /** Subscribe to changes; called at once if there is a complaint already. */
  watch(onChange: (healthy: boolean, reason: string) => void): void {
    this.onChange = onChange;
    const [complaint] = this.complaints.values();
    if (complaint !== undefined) onChange(false, complaint);
  }

  report(witness: Witness, healthy: boolean, reason: string): void {
    const before = this.healthy;
    if (healthy) this.complaints.delete(witness);
    else this.complaints.set(witness, reason);
    if (before !== this.healthy) this.onChange?.(this.healthy, reason);
  }
}
