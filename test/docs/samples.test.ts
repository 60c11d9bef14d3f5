// The samples of docs/connect are what the gateway sends today.

import { basename } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { auctionDiagram, recordAuction, wordsOf } from './auction-diagram.ts';
import {
  connectPages,
  fillSamples,
  namesIn,
  readDiagram,
  recordSamples,
  type Samples,
  shapeOf,
  shownIn,
} from './samples.ts';

const AGAIN = "else: npx -c 'node test/docs/samples.ts'";
const pages = [...connectPages()].map(([path, page]) => [basename(path), page] as const);
const shown = pages.flatMap(([file, page]) => namesIn(page).map((name) => [file, name, page] as const));

describe(`the samples of docs/connect are current (${AGAIN})`, () => {
  let samples: Samples;
  beforeAll(async () => {
    samples = await recordSamples();
  });

  test.each(shown)('%s: %s', (_, name, page) => {
    expect(shownIn(page, name).map(shapeOf)).toEqual(samples.get(name)?.map(shapeOf));
  });

  test('each recorded sample is on a page', () => {
    expect([...samples.keys()].filter((name) => !shown.some(([, each]) => each === name))).toEqual([]);
  });
});

test.each(pages)('the tables of fields in %s are those of the messages above them', (_, page) => {
  const itsOwn = new Map(namesIn(page).map((name) => [name, shownIn(page, name)]));
  expect(fillSamples(page, itsOwn)).toBe(page);
});

test(`auction.svg shows an auction as it runs today (${AGAIN})`, async () => {
  expect(wordsOf(readDiagram())).toEqual(wordsOf(auctionDiagram(await recordAuction())));
});
