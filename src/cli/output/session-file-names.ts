// Names of files written per session. Callers spell the session.

import { createHash } from 'node:crypto';

/** Of the session in the name of a file, which has 255 with its date and the rest of it. */
const NAME_CHARACTERS_MAX = 200;

/**
 * Names of files for sessions, as `plainName` spells them, no two alike: a hash is added if the plain name, or the file
 * system, does not suffice.
 */
export function sessionFileNames(
  sessionIds: readonly string[],
  plainName: (sessionId: string) => string,
): ReadonlyMap<string, string> {
  const plain = Map.groupBy(sessionIds, plainName);
  return new Map(
    sessionIds.map((sessionId) => {
      const name = plainName(sessionId);
      if (name.length <= NAME_CHARACTERS_MAX && plain.get(name)!.length === 1) return [sessionId, name];
      const hash = createHash('sha256').update(sessionId).digest('hex').slice(0, 8);
      return [sessionId, `${name.slice(0, NAME_CHARACTERS_MAX)}-${hash}`];
    }),
  );
}
