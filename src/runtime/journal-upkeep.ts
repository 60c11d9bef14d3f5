// Failures beside the traffic of the journal (snapshots, the archive), kept until an alarm listener exists: a journal
// opens before its engine.

export class JournalUpkeep {
  private readonly untold: string[] = [];
  private tell: ((text: string) => void) | null = null;

  report(text: string): void {
    if (this.tell === null) this.untold.push(text);
    else this.tell(text);
  }

  /** Subscribe; called at once for earlier failures. */
  watch(tell: (text: string) => void): void {
    this.tell = tell;
    for (const text of this.untold.splice(0)) tell(text);
  }
}
