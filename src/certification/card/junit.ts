// The results of a certification as JUnit, for the vendor's continuous integration.

import type { DeskView } from '../desk/desk-view.ts';
import { decidingStep } from '../run/case-result.ts';
import { GROUPS } from '../suite/features.ts';

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
    .replaceAll(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, '?');

export function junitOf({ name, cases }: Pick<DeskView, 'name' | 'cases'>): string {
  const suites = GROUPS.flatMap((group) => {
    const own = cases.filter((one) => one.group === group);
    if (own.length === 0) return [];
    const rows = own.map(rowOf);
    const failed = own.filter(isFailed).length;
    const broken = own.filter(isBroken).length;
    const skipped = own.filter(({ result }) => result === null).length;
    const counts = `tests="${own.length}" failures="${failed}" errors="${broken}" skipped="${skipped}"`;
    return [`<testsuite name="${escaped(name)}.${group}" ${counts}>\n${rows.join('\n')}\n</testsuite>`];
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

type Case = DeskView['cases'][number];

function isFailed({ result }: Case): boolean {
  return result?.verdict === 'fail' || result?.verdict === 'missing';
}

function isBroken({ result }: Case): boolean {
  return result?.verdict === 'broken';
}

function rowOf(one: Case): string {
  const { id, group, title, obligation, result } = one;
  const seconds = result === null ? 0 : (result.endedAt - result.startedAt) / 1000;
  const head = `  <testcase classname="${group}" name="${escaped(`${id}: ${title}`)}" time="${seconds.toFixed(3)}"`;
  if (result === null) return `${head}><skipped message="${obligation}"/></testcase>`;
  const deciding = decidingStep(result);
  if (deciding === null) return `${head}/>`;
  const text = [`Step: ${deciding.text}`, deciding.detail, deciding.hint, ...deciding.evidence].join('\n');
  // Our own side failed: that is no finding about the OMS.
  const kind = isBroken(one) ? 'error' : 'failure';
  return `${head}><${kind} message="${escaped(deciding.detail)}">${escaped(text)}</${kind}></testcase>`;
}
