// An answer that is the same for everybody who asks, and grows with what there is to tell: made anew for a twentieth of the
// time at most, however many pages are open, as it stands on the event loop of the orders.

/** For so many times as long as it took, an answer is given again. */
const GIVEN_FOR = 20;

/** @param make what is told, as it can be said in JSON @param elapsedMs a clock that never goes back */
export function sharedAnswer(make: () => unknown, elapsedMs = (): number => performance.now()): () => string {
  let text = '';
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    const begun = elapsedMs();
    if (begun < until) return text;
    text = JSON.stringify(make());
    const ended = elapsedMs();
    until = ended + GIVEN_FOR * (ended - begun);
    return text;
  };
}
