// What fails beside the traffic of the journal (snapshots, the archive), for whoever raises an alarm of it: kept until there is
// somebody, since a journal is open before its engine.

export class JournalUpkeep {
  private readonly untold: string[] = [];
  private tell: ((text: string) => void) | null = null;

  report(text: string): void {
    if (this.tell === null) this.untold.push(text);
    else this.tell(text);
  }

  /** Be told; at once of what failed before. */
  watch(tell: (text: string) => void): void {
    this.tell = tell;
    for (const text of this.untold.splice(0)) tell(text);
  }
}
