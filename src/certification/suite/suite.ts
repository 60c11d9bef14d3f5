// The suite: its cases read from their texts, linked, with the abilities that each needs. A fault in a text is a bug of ours.

import { assert } from '../../base/assert.ts';
import { type FieldNames, type LinkedCase, linkCase, parseScenario, problemLine } from '../../scenario/mod.ts';
import { FEATURES } from './features.ts';
import { CASE_VARIABLES, CERTIFICATION_VERBS } from './verbs.ts';

export interface SuiteText {
  /** Name of the file, for faults. */
  readonly file: string;
  readonly text: string;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly LinkedCase[];
}

const KNOWN_TAGS: ReadonlySet<string> = new Set(FEATURES);

/** Read a suite. @throws AssertionError naming every fault with its place */
export function readSuite(name: string, texts: readonly SuiteText[], names: FieldNames): Suite {
  const problems: string[] = [];
  const cases: LinkedCase[] = [];
  for (const { file, text } of texts) {
    const parsed = parseScenario(text, file, { names, verbs: CERTIFICATION_VERBS });
    problems.push(...parsed.problems.map(problemLine));
    for (const one of parsed.scenario.cases) {
      const options = { role: 'acceptor', hostVariables: CASE_VARIABLES, verbs: CERTIFICATION_VERBS } as const;
      const { linked, problems: found } = linkCase(parsed.scenario, one, options);
      problems.push(...found.map(problemLine));
      const stray = one.tags.find((tag) => !KNOWN_TAGS.has(tag));
      if (stray !== undefined) problems.push(`${file}: case ${one.id}: there is no ability ${stray}`);
      if (one.rule === null) problems.push(`${file}: case ${one.id} proves no rule of engagement`);
      cases.push(linked);
    }
  }
  assert(problems.length === 0, `the suite ${name} is sound: ${problems.join('; ')}`);
  return { name, cases };
}
