// Requests that a session follows until it takes them back or ends, bounded per session. Their users say what follows.

export class FollowedRequests<T> {
  private readonly bySession = new Map<string, Map<string, T>>();

  get isEmpty(): boolean {
    return this.bySession.size === 0;
  }

  /** Follow one, or replace the one of the same key; false if the session follows `most` already. */
  add(sessionId: string, key: string, request: T, most: number): boolean {
    const all = this.bySession.get(sessionId) ?? new Map<string, T>();
    if (!all.has(key) && all.size >= most) return false;
    all.set(key, request);
    this.bySession.set(sessionId, all);
    return true;
  }

  get(sessionId: string, key: string): T | undefined {
    return this.bySession.get(sessionId)?.get(key);
  }

  remove(sessionId: string, key: string): void {
    const all = this.bySession.get(sessionId);
    all?.delete(key);
    if (all?.size === 0) this.bySession.delete(sessionId);
  }

  /** The session ended: it asks again if it still wants to know. */
  clear(sessionId: string): void {
    this.bySession.delete(sessionId);
  }

  *all(): Generator<[sessionId: string, request: T]> {
    for (const [sessionId, requests] of this.bySession)
      for (const request of requests.values()) yield [sessionId, request];
  }
}
