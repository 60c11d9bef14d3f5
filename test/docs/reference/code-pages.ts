// The reference of metrics, alarms, error codes and rules.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf } from '../../../docs/.vitepress/anchor.ts';
import { ErrorCode } from '../../../src/base/errors.ts';
import { ALARM_SEVERITY, type Severity } from '../../../src/ops/alarms/alarm-severity.ts';
import { METRICS } from '../../../src/ops/metrics/declarations.ts';
import { processMetrics } from '../../../src/ops/metrics/metrics.ts';
import { page, plain, table } from './page.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The page of metrics: the gateway's own, and those of the process from a scrape. */
export async function metricsPage(): Promise<string> {
  const registry = processMetrics();
  const others = (await registry.getMetricsAsJSON()).map(({ name, type, help }) => [
    `\`${name}\``,
    `${type}`,
    plain(help),
  ]);
  registry.clear();
  const own = Object.values(METRICS).map(({ name, type, help, labels }) => {
    const by = labels.length === 0 ? '' : `, by ${labels.map((label) => `\`${label}\``).join(', ')}`;
    return `## \`${name}\`\n\n${plain(help)}\n\n${type.replace(/^./, (first) => first.toUpperCase())}${by}.`;
  });
  return page(
    { title: 'Metrics', order: 3, from: 'src/ops/metrics/declarations.ts' },
    'Series at `/metrics` of the admin API, in the text format of Prometheus. A histogram has `_bucket`, `_sum` and `_count`.',
    ...own,
    '## The process',
    'These series of Node.js come with them.',
    table(['Name', 'Type', 'Meaning'], others),
  );
}

const SEVERITIES: readonly (readonly [Severity, string])[] = [
  ['critical', 'Orders, money or trading are at stake now.'],
  ['warning', 'They soon will be.'],
  ['info', 'Nothing to do, unless it repeats.'],
];

/** The page of alarms by severity; each leads to its place in the runbook. */
export function alarmsPage(): string {
  const runbook = '../operate/runbook.md';
  const isThere = existsSync(join(ROOT, 'docs/operate/runbook.md'));
  const alarms = Object.entries(ALARM_SEVERITY);
  return page(
    { title: 'Alarms', order: 4, from: 'src/ops/alarms/alarm-severity.ts' },
    `Every alarm by its permanent name.${isThere ? ` The [runbook](${runbook}) says what each means, and what to do.` : ''}`,
    ...SEVERITIES.map(([severity, words]) => {
      const names = alarms.filter(([, each]) => each === severity).map(([name]) => name);
      const items = names.map((name) => (isThere ? `- [\`${name}\`](${runbook}#${anchorOf(name)})` : `- \`${name}\``));
      return `## ${severity}\n\n${words}\n\n${items.join('\n')}`;
    }),
  );
}

/** The page of error codes. */
export function errorsPage(): string {
  const rows = Object.entries(ErrorCode).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return page(
    { title: 'Error codes', order: 5, from: 'src/base/errors.ts' },
    'Each error of the gateway, of a command and of the library carries one of these codes. A code never changes its meaning.',
    table(['Code', 'Meaning'], rows),
  );
}

/** The page of rules, with a heading per rule, from dictionaries/RULES.md. */
export function rulesPage(): string {
  const text = readFileSync(join(ROOT, 'dictionaries/RULES.md'), 'utf8');
  const body = text
    .replace(/^# .+\n/, '')
    .replace(/^\| Rule \| What holds \|\n\|---\|---\|\n/gm, '')
    .replace(/^\| ([A-Z]\d+) \| (.+) \|$/gm, (_, rule: string, words: string) => `### ${rule}\n\n${plain(words)}\n`)
    .replaceAll('../docs/reference/', '');
  return page({ title: 'Rules', order: 6, from: 'dictionaries/RULES.md' }, body.replace(/\n{3,}/g, '\n\n').trim());
}
