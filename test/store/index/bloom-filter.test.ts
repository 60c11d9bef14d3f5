// The filter before the index of ended orders: what is there is never denied, what is not nearly always.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fingerprint, fingerprintsOf } from '../../../src/store/fingerprint.ts';
import { keyFilter, mayHold } from '../../../src/store/index/bloom-filter.ts';
import { SortedFile, sortEntries, writeSortedFile } from '../../../src/store/index/sorted-file.ts';

const printOf = (name: string): readonly [hi: number, lo: number] => {
  const { hi, lo } = fingerprint(name);
  return [hi, lo];
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'crossgate-filter-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('every key is held, and of others not one in thirty seems to be', () => {
  const names = Array.from({ length: 20_000 }, (_, k) => `c|OMS|${k}`);
  const filter = keyFilter(fingerprintsOf(names), 2);
  const denied = Array.from({ length: 20_000 }, (_, k) => k).filter((k) => !mayHold(filter, ...printOf(`c|OMS|${k}`)));
  expect(denied).toEqual([]);
  let seeming = 0;
  for (let k = 20_000; k < 50_000; k++) if (mayHold(filter, ...printOf(`c|OMS|${k}`))) seeming++;
  expect(seeming).toBeLessThan(1_000);
});

test('no filter denies nothing', () => {
  expect(mayHold(keyFilter(new Uint32Array(0), 2), 1, 2)).toBe(true);
});

function write(count: number): { readonly path: string; readonly pages: number } {
  const entries = new Uint32Array(count * 5);
  for (let k = 0; k < count; k++) entries.set([...printOf(`key ${k}`), k, 0, 0], k * 5);
  const sorted = sortEntries(entries);
  const path = join(directory, 'keys-00000001.xgk');
  return { path, pages: writeSortedFile(path, [sorted], true).pages };
}

const open = (pages: number): SortedFile => SortedFile.open(directory, 'keys-00000001.xgk', pages);

test('a file finds its keys through the filter, as it does without one', () => {
  const { path, pages } = write(1_000);
  const size = pages * (4096 + 8) + 4;
  for (const filtered of [true, false]) {
    if (!filtered) truncateSync(path, size);
    const file = open(pages);
    file.check();
    for (let k = 0; k < 1_000; k++) expect(file.find({ firstPage: 0, pages }, ...printOf(`key ${k}`))?.[2]).toBe(k);
    for (let k = 0; k < 1_000; k++) expect(file.find({ firstPage: 0, pages }, ...printOf(`none ${k}`))).toBeNull();
    file.close();
  }
});

test('detects a damaged filter: a wrong bit, missing bytes or surplus ones', () => {
  const { path, pages } = write(1_000);
  const whole = readFileSync(path);
  const wrong = Buffer.from(whole);
  wrong[wrong.length - 100]! ^= 4;
  for (const damage of [
    () => writeFileSync(path, wrong),
    () => writeFileSync(path, whole.subarray(0, -10)),
    () => appendFileSync(path, 'more'),
  ]) {
    writeFileSync(path, whole);
    damage();
    const file = open(pages);
    expect(() => file.check()).toThrow(/index file is damaged/);
    expect(() => file.find({ firstPage: 0, pages }, 1, 2)).toThrow(/index file is damaged/);
    file.close();
  }
});

test('an order in a damaged page, or behind damaged firsts of the pages, is never said to be none', () => {
  const { path, pages } = write(1_000);
  const whole = readFileSync(path);
  const fences = pages * 4096;
  for (const at of [4 + 8, 4096 - 1, (pages - 1) * 4096 + 8 + 20, fences, fences + pages * 8 - 1]) {
    const wrong = Buffer.from(whole);
    wrong[at]! ^= 1;
    writeFileSync(path, wrong);
    const file = open(pages);
    const found = Array.from({ length: 1_000 }, (_, k) => {
      try {
        return file.find({ firstPage: 0, pages }, ...printOf(`key ${k}`))?.[2];
      } catch (error) {
        return (error as Error).message.includes(`index file is damaged at offset`) ? 'damaged' : error;
      }
    });
    expect(found.filter((one, k) => one !== k && one !== 'damaged')).toEqual([]);
    expect(found).toContain('damaged');
    expect(() => file.check()).toThrow(/index file is damaged at offset/);
    file.close();
  }
});
