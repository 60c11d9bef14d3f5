// JUnit XML as build servers read it: one suite, its cases, and what was wrong with each.

import { type EpochMs, formatIso } from '../../base/time.ts';

/** One thing that was tried. */
export interface JUnitCase {
  readonly classname: string;
  readonly name: string;
  /** `failure`: it came out otherwise; `error`: it could not be tried. Null if all is well. */
  readonly problem: {
    readonly element: 'failure' | 'error';
    readonly type: string;
    /** The first line is its message. */
    readonly lines: readonly string[];
  } | null;
}

/** In pieces, one for each case. */
export function* junitXml(
  suite: { readonly name: string; readonly startedAt: EpochMs; readonly endedAt: EpochMs },
  cases: readonly JUnitCase[],
): Generator<string> {
  const count = (element: string): string => `${cases.filter(({ problem }) => problem?.element === element).length}`;
  const head = attributes({
    name: suite.name,
    tests: `${cases.length}`,
    failures: count('failure'),
    errors: count('error'),
    time: ((suite.endedAt - suite.startedAt) / 1000).toFixed(3),
    timestamp: formatIso(suite.startedAt).slice(0, 19),
  });
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n  <testsuite${head}>\n`;
  for (const one of cases) yield `${caseXml(one)}\n`;
  yield '  </testsuite>\n</testsuites>\n';
}

function caseXml({ classname, name, problem }: JUnitCase): string {
  const head = `    <testcase${attributes({ classname, name })}`;
  if (problem === null) return `${head}/>`;
  const { element, type, lines } = problem;
  const message = attributes({ message: lines[0] ?? '', type });
  return `${head}>\n      <${element}${message}>${xml(lines.join('\n'))}</${element}>\n    </testcase>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(value).replaceAll('\n', '&#10;')}"`)
    .join('');
}

/** Text for XML 1.0, which cannot hold control characters at all. */
function xml(text: string): string {
  return text
    .replace(/[^\P{Cc}\n]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
