// Finds the word that a misspelt word most probably stands for. Wording the message is left to the caller.

/** Letters beyond this limit are ignored. */
const WORD_MAX = 64;

/** The candidate that `word` was probably meant to be, or null: at most a third of its letters differ. */
export function didYouMean(word: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(Math.min(word.length, WORD_MAX) / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.slice(0, WORD_MAX).toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and exchanges of neighbours between two words. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(substitution, row[j]! + 1, next[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, before[j - 2]! + 1);
      }
      next.push(distance);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
