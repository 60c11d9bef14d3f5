// `crossgate log --latency`: how long the first ExecutionReport(8) of each D took, as people and scripts read it.

import { terminalText } from '../../base/terminal-text.ts';
import { PERCENTILES, type SessionLatency } from '../../replay/mod.ts';

const BAR_MAX = 40;

/** The lines of one session. */
export function latencyLines(latency: SessionLatency): string[] {
  const { session, orders, answered, backwards, minMs, maxMs, percentilesMs, histogram } = latency;
  const unanswered = orders - answered;
  const facts = [
    `${orders} ${orders === 1 ? 'order' : 'orders'}`,
    ...(unanswered === 0 ? [] : [`${unanswered} without an answer`]),
    ...(backwards === 0 ? [] : [`${backwards} answered before they were sent, by the times of the log`]),
  ];
  const lines = [`${terminalText(session)}: ${facts.join(', ')}`];
  if (minMs === null) return lines;
  const values = PERCENTILES.map((percent) => `p${percent} ${percentilesMs[`p${percent}`]}`);
  lines.push(`  ms from D to the first 8: min ${minMs}, ${values.join(', ')}, max ${maxMs}`);
  const most = Math.max(...histogram.map(({ count }) => count));
  const ranges = histogram.map(({ fromMs, toMs }) => `${fromMs} to ${toMs} ms`);
  const width = Math.max(...ranges.map(({ length }) => length));
  const digits = `${most}`.length;
  for (const [i, { count }] of histogram.entries()) {
    const bar = '#'.repeat(Math.ceil((count * BAR_MAX) / most));
    lines.push(`  ${ranges[i]!.padStart(width)}  ${`${count}`.padStart(digits)}  ${bar}`.trimEnd());
  }
  return lines;
}
