// Assertions that ship: they state guarantees of this program, and stay active in production. Faults of a peer or of
// the exchange are values, never assertions.

/** Thrown when this program broke one of its own invariants. Never caught to continue: the process stops. */
export class AssertionError extends Error {
  override name = 'AssertionError';
}

/** Assert `condition`; `message` names the guarantee. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Mark a switch as exhaustive: reached only if a new kind was added without its case. */
export function unreachable(value: never): never {
  throw new AssertionError(`unhandled case: ${JSON.stringify(value)}`);
}
