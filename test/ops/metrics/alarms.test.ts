// Operators find every alarm in the runbook, docs/operate/runbook.md, and none that is not raised.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALARM_NAMES, severityOf } from '../../../src/ops/alarms/alarm-severity.ts';

const SRC = join(import.meta.dirname, '../../../src');
/** `alarm('name'`, `onAlarm('name'`, `alarmOnce(turn, 'name'`, `alarmRarely('name'`, also where the name stands on a line of its own. */
const RAISED = /[aA]larm(?:Once|Rarely)?\(\s*(?:turn,\s*)?'([A-Za-z-]+)'/g;

/** Name → text of its section. */
const runbook = readFileSync(join(SRC, '../docs/operate/runbook.md'), 'utf8');
const sections = new Map(
  runbook
    .split(/^## `/m)
    .slice(1)
    .map((part) => [/^[^`]+/.exec(part)![0], part.replace(/^[^`]+`/, '')]),
);

function raised(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, name] of readFileSync(join(SRC, file), 'utf8').matchAll(RAISED)) names.add(name!);
  }
  return names;
}

test('the runbook has a section for every name that is raised, in order, and no other', () => {
  const names = raised();
  expect(names.size).toBeGreaterThan(30);
  expect([...sections.keys()]).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
  expect(ALARM_NAMES).toEqual([...sections.keys()]);
});

test.each(ALARM_NAMES)('%s: the runbook says its severity, meaning, sight, remedy and end', (name) => {
  const section = sections.get(name) ?? '';
  expect(section).toMatch(/^\n\n[A-Z]\S* .*\.\n\n/);
  for (const label of ['Counterparty sees', 'Do', 'Clears'])
    expect(section).toMatch(new RegExp(`^- \\*\\*${label}:\\*\\* .+\\.$`, 'm'));
  expect(section).toContain(`- **Severity:** ${severityOf(name)}\n`);
});
