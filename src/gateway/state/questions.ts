// Questions about accounts that the exchange has not answered yet, bounded per session. Nothing of them survives a
// restart or the end of the session: the counterparty asks again.

/** Questions of one session that are open at once. */
export const OPEN_QUESTIONS_MAX = 10;

/** `T`: takes the answer. */
export class Questions<T> {
  private readonly waiting = new Map<string, { readonly sessionId: string; readonly take: T }>();
  private readonly open = new Map<string, number>();
  private count = 0;

  /** Whether the session has as many open questions as it may. */
  isFull(sessionId: string): boolean {
    return (this.open.get(sessionId) ?? 0) >= OPEN_QUESTIONS_MAX;
  }

  /** Note a question; its id. */
  add(sessionId: string, take: T): string {
    const questionId = `${++this.count}`;
    this.waiting.set(questionId, { sessionId, take });
    this.open.set(sessionId, (this.open.get(sessionId) ?? 0) + 1);
    return questionId;
  }

  /** Remove a question and return the taker of its answer; null if nothing waits for it any more. */
  take(questionId: string): T | null {
    const found = this.waiting.get(questionId);
    if (found === undefined) return null;
    this.waiting.delete(questionId);
    const left = (this.open.get(found.sessionId) ?? 1) - 1;
    if (left > 0) this.open.set(found.sessionId, left);
    else this.open.delete(found.sessionId);
    return found.take;
  }

  /** The session ended: nothing waits for its answers. */
  forget(sessionId: string): void {
    if (!this.open.delete(sessionId)) return;
    for (const [questionId, waiting] of this.waiting) {
      if (waiting.sessionId === sessionId) this.waiting.delete(questionId);
    }
  }
}
