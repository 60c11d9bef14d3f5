// Operators find every alarm in sessions/README.md, and none that is not raised.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALARM_NAMES } from '../../../src/ops/alarms/alarm-severity.ts';

const SRC = join(import.meta.dirname, '../../../src');
/** `alarm('name'`, `onAlarm('name'`, `alarmOnce(turn, 'name'`, `alarmRarely('name'`, also where the name stands on a line of its own. */
const RAISED = /[aA]larm(?:Once|Rarely)?\(\s*(?:turn,\s*)?'([A-Za-z-]+)'/g;

function raised(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, name] of readFileSync(join(SRC, file), 'utf8').matchAll(RAISED)) names.add(name!);
  }
  return names;
}

test('the table of alarms has every name that is raised, in order, and no other', () => {
  const text = readFileSync(join(SRC, '../sessions/README.md'), 'utf8');
  const section = /^## Alarms\n([\s\S]*?)^## /m.exec(text)?.[1] ?? '';
  const listed = [...section.matchAll(/^\| `([A-Za-z-]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, name]) => name!);
  const names = raised();
  expect(names.size).toBeGreaterThan(30);
  expect(listed).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
  expect(ALARM_NAMES).toEqual(listed);
});
