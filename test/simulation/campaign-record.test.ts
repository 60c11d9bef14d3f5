// The record of the long campaign: days that held are counted once and by commit, those that failed come again.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CampaignRecord } from './campaign-record.ts';
import { newTally } from './tally.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'xg-campaign-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tallyOf = (days: number) => ({ ...newTally(), days, faults: { kill: days }, done: { cross: 1 } });

test('days that held are there in the next run, each once, by the commit that simulated them', () => {
  const path = join(folder, 'record.json');
  const first = new CampaignRecord(path);
  first.add(151, 50, 'aaa', new Set(), tallyOf(50));
  first.add(101, 50, 'aaa', new Set(), tallyOf(50));
  first.add(150, 3, 'bbb', new Set(), tallyOf(3));
  const next = new CampaignRecord(path);
  next.add(201, 10, 'bbb', new Set(), tallyOf(10));
  expect([next.count, [...next.byCommit]]).toEqual([
    110,
    [
      ['aaa', 100],
      ['bbb', 10],
    ],
  ]);
  expect([100, 101, 150, 151, 210, 211].map((seed) => next.has(seed))).toEqual([false, true, true, true, true, false]);
  expect([next.tally.days, next.tally.faults.kill, next.tally.done.cross]).toEqual([113, 113, 4]);
});

test('a day that failed is not among them', () => {
  const record = new CampaignRecord(join(folder, 'record.json'));
  record.add(1, 5, 'aaa', new Set([3]), tallyOf(5));
  expect([record.count, record.has(2), record.has(3), record.has(4)]).toEqual([4, true, false, true]);
  record.add(3, 1, 'bbb', new Set(), tallyOf(1));
  expect([record.count, [...record.byCommit.keys()]]).toEqual([5, ['aaa', 'bbb']]);
});
