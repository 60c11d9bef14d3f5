// Answers of several partitions as one: actions, metrics, plots. Each case is small enough to be read.

import { describe, expect, test } from 'vitest';
import { combinedAction } from '../../../src/cluster/view/combined-action.ts';
import type { Reply } from '../../../src/cluster/view/fleet.ts';
import { mergedMetrics } from '../../../src/cluster/view/merged-metrics.ts';
import { mergedPlots } from '../../../src/cluster/view/merged-plots.ts';

function reply(name: string, status: number | null, json: Reply['json'] = null, mayBeDone = true): Reply {
  const place = { name, node: 'here', state: 'running', adminUrl: null, token: '' };
  return { place, status, json, silence: status === null ? 'has not answered within 25 s' : null, mayBeDone };
}

const done = (name: string): Reply => reply(name, 200, { done: true, text: 'Thrown.' });
const refused = (name: string): Reply => reply(name, 409, { detail: 'Give a reason.' });
const unknown = (name: string): Reply => reply(name, 404, { detail: 'There is no account.' });
const proposed = (name: string): Reply => reply(name, 202, { done: false, text: 'Proposed.', proposal: { id: name } });

describe('an action in several partitions', () => {
  test.each([
    ['is done if all did it', [done('a'), done('b')], 200, 'a, b: Thrown.'],
    ['is done if those did it that it concerns', [done('a'), unknown('b')], 200, 'a: Thrown.'],
    ['is not found if it concerns none', [unknown('a'), unknown('b')], 404, 'a, b: There is no account.'],
    ['is refused if all refuse', [refused('a'), unknown('b')], 409, 'a: Give a reason.'],
    ['is partly done beside a refusal', [done('a'), refused('b')], 207, 'PARTLY DONE. a: Thrown.\nb: Give a reason.'],
    ['waits for a second person', [proposed('a'), proposed('b')], 202, 'a, b: Proposed.'],
    ['says nothing of names where there is one', [done('a')], 200, 'Thrown.'],
  ] as const)('%s', (_, replies, status, text) => {
    const combined = combinedAction(replies);
    expect(combined.status).toBe(status);
    expect(combined.body.text).toBe(text);
    expect(combined.body.done).toBe(status === 200);
  });

  test('is partly done, and not known, where a partition gave no answer in time', () => {
    const { status, body } = combinedAction([done('a'), reply('b', null)]);
    expect(status).toBe(207);
    expect(body.partitions[1]).toEqual({
      name: 'b',
      node: 'here',
      outcome: 'unknown',
      text: 'The partition has not answered within 25 s: it may be done there, or may still be.',
    });
    expect(combinedAction([reply('a', null), unknown('b')]).status).toBe(503);
  });
});

test('metrics of one name stand together, with their HELP and TYPE once', () => {
  const page = (value: number): string =>
    `# HELP m_seconds Time.\n# TYPE m_seconds histogram\nm_seconds_bucket{le="1"} ${value}\nm_seconds_sum ${value}\nm_seconds_count ${value}\n\n# HELP up Up.\n# TYPE up gauge\nup{} ${value}\n`;
  expect(
    mergedMetrics(
      new Map([
        ['a', page(1)],
        ['b"', page(2)],
      ]),
    ),
  ).toBe(`# HELP m_seconds Time.
# TYPE m_seconds histogram
m_seconds_bucket{partition="a",le="1"} 1
m_seconds_sum{partition="a"} 1
m_seconds_count{partition="a"} 1
m_seconds_bucket{partition="b\\"",le="1"} 2
m_seconds_sum{partition="b\\""} 2
m_seconds_count{partition="b\\""} 2

# HELP up Up.
# TYPE up gauge
up{partition="a"} 1
up{partition="b\\""} 2
`);
});

test('plots add counts up, and show the slowest time with its partition; a step that is not over waits', () => {
  const plots = (name: string, first: number, value: number) => ({
    name,
    plots: {
      stepMs: 2_000,
      at: [first, first + 2_000, first + 4_000],
      series: { 'orders.new': [value, value, value], 'order.p99': [value, null, value] },
    },
  });
  expect(mergedPlots([plots('fast', 10_100, 1), plots('slow', 11_900, 2)], 2_000, 16_500)).toEqual({
    stepMs: 2_000,
    at: [10_000, 12_000],
    series: { 'orders.new': [3, 3], 'order.p99': [2, null] },
    slowest: { 'order.p99': 'slow' },
  });
});
