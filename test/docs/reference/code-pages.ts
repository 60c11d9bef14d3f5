// The reference of metrics, error codes and rules.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorCode } from '../../../src/base/errors.ts';
import { createMetrics } from '../../../src/ops/metrics/metrics.ts';
import type { Engine } from '../../../src/runtime/mod.ts';
import { page, plain, table } from './page.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** An engine with one of everything, so that every series has its labels. */
function engineOfOne(): Engine {
  const status = { state: 'loggedOn' };
  const session = { name: 'S', status, enabled: true, retired: false, openOrders: 0, messagesIn: 0, messagesOut: 0 };
  const login = { name: 'C', up: true, privateFeedLive: true, inFlight: 0 };
  const counts = { pendingNew: 0, new: 0, partiallyFilled: 0, ended: 0 };
  const one = {
    administration: {
      health: () => ({ ready: true, partlyReady: true }),
      orders: { counts: () => counts },
      exchangeLogins: () => [login],
      messageCounts: () => [{ in: new Map([['D', 1]]), out: new Map([['8', 1]]) }],
      sessions: () => [session],
    },
    journalHealth: { healthy: true },
    alarms: [],
    bridge: { callers: () => [{ name: 'desk', requests: 0, streams: 0 }] },
    observer: null,
  };
  return one as unknown as Engine;
}

/** The page of metrics, from a scrape. */
export async function metricsPage(): Promise<string> {
  const engine = engineOfOne();
  const metrics = createMetrics(engine);
  const { observer } = engine as unknown as { observer: Record<string, (...values: unknown[]) => void> };
  observer.committed!(1, 1, true);
  observer.outcome!('accepted', 1);
  observer.bridgeAnswered!('desk', 200, 1);
  const text = await metrics.render();
  metrics.close();
  const rows = [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\w+)\n((?!#).+)?/gm)].map(
    ([, name = '', help = '', type = '', sample = '']) => {
      const labels = [...sample.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!).filter((label) => label !== 'le');
      return { name, help, cells: [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(', ')] };
    },
  );
  const own = rows.filter(({ name }) => name.startsWith('crossgate_'));
  const others = rows.filter(({ name }) => !name.startsWith('crossgate_'));
  return page(
    { title: 'Metrics', order: 3, from: 'src/ops/metrics' },
    'Series at `/metrics` of the admin API, in the text format of Prometheus. A histogram has `_bucket`, `_sum` and `_count`.',
    ...own.map(({ name, help, cells }) => {
      const labels = cells[2] === '' ? '' : `, by ${cells[2]}`;
      return `## \`${name}\`\n\n${plain(help)}\n\n${cells[1]!.replace(/^./, (c) => c.toUpperCase())}${labels}.`;
    }),
    '## The process',
    'These series of Node.js come with them.',
    table(
      ['Name', 'Type', 'Meaning'],
      others.map(({ help, cells }) => [cells[0]!, cells[1]!, plain(help)]),
    ),
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
