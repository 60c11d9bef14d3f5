// Dictionaries that are not ours, as engines' users have them: the QuickFIX XML that jspurefix ships, and every version of
// the FIX Repository that it ships, imported. Each is read, and random messages of every type of it are written, read
// back and found valid.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { type Dictionary, loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { importRepository } from '../../src/interop/mod.ts';
import { FrameWriter, MessageDraft, MsgType, viewOf } from '../../src/wire/mod.ts';
import { dictionary } from '../support/generated.ts';
import { randomDraft, randomNumbers } from '../support/random/random-message.ts';

const data = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data');
const SEED = Number(process.env.CROSSGATE_SEED ?? Math.floor(Math.random() * 2 ** 32));
const HEADER = { senderCompID: 'OMS', targetCompID: 'CROSSGATE', sendingTime: '20261121-10:00:00' };

/** A version's repository as dictionaries; each takes seconds to read, and is read once. */
const repositories = new Map<string, Promise<readonly Dictionary[]>>();
function repository(version: string): Promise<readonly Dictionary[]> {
  const known = repositories.get(version) ?? read(version);
  repositories.set(version, known);
  return known;
}
async function read(version: string): Promise<readonly Dictionary[]> {
  const imported = await importRepository(join(data, 'fix_repo', version, 'Base'));
  return imported.map(({ xmlText, fileName }) => loadDictionary(xmlText, fileName));
}

/** Write a random message of every type, read it, compare it field for field, and validate it. */
function everyTypeIsSound(beginString: string, dictionaries: readonly Dictionary[], validator: Validator): void {
  const writer = new FrameWriter();
  const random = randomNumbers(SEED);
  // Of FIX.5.0 and later the transport's come last: session messages are its.
  for (const definition of new Map(dictionaries.flatMap((each) => [...each.messages])).values()) {
    const draft = randomDraft(definition, random);
    const view = viewOf(writer.encode({ ...HEADER, beginString, msgSeqNum: 1 }, draft));
    expect(view, definition.name).not.toBeNull();
    const from = Array.from({ length: view!.fieldCount }, (_, i) => view!.tagAt(i)).indexOf(56) + 1;
    const { tags, values } = draft;
    const body = tags.map((_, i) => [view!.tagAt(from + i), view!.stringAt(from + i)]);
    expect(body, definition.name).toEqual(tags.map((tag, i) => [tag, values[i]]));
    expect(validator.validate(view!), definition.name).toBeNull();
    expect(validator.missingIn(draft), definition.name).toBeNull();
  }
}

describe(`of the QuickFIX XML that jspurefix ships (seed ${SEED})`, () => {
  test.each(['FIX42.xml', 'FIX43.xml', 'FIX44.xml', 'FIX44-MD.xml'])('%s reads and validates every type', (name) => {
    const loaded = loadDictionary(readFileSync(join(data, name), 'utf8'), name);
    everyTypeIsSound(loaded.beginString, [loaded], new Validator(loaded));
  });

  test('FIX50SP2.xml with all extension packs validates every type over our FIXT.1.1', () => {
    const application = loadDictionary(readFileSync(join(data, 'FIX50SP2.xml'), 'utf8'), 'FIX50SP2.xml');
    const transport = dictionary('FIXT11.xml');
    everyTypeIsSound('FIXT.1.1', [application, transport], new Validator({ transport, applications: [application] }));
  });
});

describe(`of the FIX Repository, imported (seed ${SEED})`, () => {
  test.each(['FIX.4.0', 'FIX.4.1', 'FIX.4.2', 'FIX.4.4'])('%s validates every type', async (version) => {
    const [loaded] = await repository(version);
    expect(loaded!.version).toBe(version);
    everyTypeIsSound(version, [loaded!], new Validator(loaded!));
  });

  test.each([
    ['FIX.5.0', '7'],
    ['FIX.5.0SP1', '8'],
    ['FIX.5.0SP2', '9'],
  ])('%s validates every type of both files, ApplVerID(1128)=%s', async (version, applVerID) => {
    const [application, transport] = await repository(version);
    expect(application).toMatchObject({ version, applVerID });
    const validator = new Validator({ transport: transport!, applications: [application!] });
    everyTypeIsSound('FIXT.1.1', [application!, transport!], validator);
  });

  test("refuses FIX.4.3 with the Fields.xml of FIX.4.2, alone and with another's fields", async () => {
    const folder = join(data, 'fix_repo/FIX.4.3/Base');
    await expect(importRepository(folder)).rejects.toThrow(/242 more; Fields.xml is of FIX.4.2;/);
    // Three fields are of FIX.4.3 alone.
    await expect(importRepository(folder, [join(data, 'fix_repo/FIX.4.4/Base')])).rejects.toThrow(/: 465, 449, 450;/);
    const [imported] = await importRepository(folder, [join(data, 'fix_repo/FIX.4.4/Base'), join(data, 'FIX43.xml')]);
    const loaded = loadDictionary(imported!.xmlText, imported!.fileName);
    expect(loaded.version).toBe('FIX.4.3');
    expect([...loaded.messages.keys()].sort()).toEqual([...theirs43().messages.keys()].sort());
    // A number in FIX.4.4, where it comes from; a character here, as its values are.
    expect(loaded.fields.get(487)).toMatchObject({ type: 'CHAR' });
    everyTypeIsSound('FIX.4.3', [loaded], new Validator(loaded));
  });

  test('FIX.4.2 equals the QuickFIX dictionary of that version, member by member', async () => {
    const ours = (await repository('FIX.4.2'))[0]!;
    const theirs = loadDictionary(readFileSync(join(data, 'FIX42.xml'), 'utf8'), 'FIX42.xml');
    expect([...ours.messages.keys()].sort()).toEqual([...theirs.messages.keys()].sort());
    for (const [msgType, { members }] of theirs.messages) {
      expect(shapeOf(ours.messages.get(msgType)!.members), msgType).toBe(shapeOf(members));
    }
  });
});

describe('of this gateway', () => {
  const versions = [
    ['FIX.4.2', 'FIX42.xml'],
    ['FIX.4.4', 'FIX44.xml'],
    ['FIX.5.0', 'FIX50.xml'],
    ['FIX.5.0SP1', 'FIX50SP1.xml'],
    ['FIX.5.0SP2', 'FIX50SP2.xml'],
  ] as const;

  test.each(versions)(
    "in %s D, G, F and H may carry all standard fields, except an instrument's details",
    async (version, fileName) => {
      const theirs = (await repository(version)).find(({ messages }) => messages.has('D'))!;
      const ours = dictionary(fileName);
      // Legs, underlyings, bonds, repos, nested parties: what describes an instrument is in TradeCaptureReport(AE) as well.
      const details = tagsOf(theirs.messages.get('AE')?.members ?? []);
      for (const msgType of ['D', 'E', 'F', 'G', 'H', 'q', 'AF']) {
        const standard = theirs.messages.get(msgType);
        if (standard === undefined) continue;
        const known = tagsOf(ours.messages.get(msgType)!.members);
        const missing = [...tagsOf(standard.members)].filter((tag) => !known.has(tag) && !details.has(tag));
        expect(missing, standard.name).toEqual([]);
      }
    },
  );
});

function tagsOf(members: Dictionary['header'], tags: Set<number> = new Set()): Set<number> {
  for (const member of members) {
    tags.add(member.field.tag);
    if (member.kind === 'group') tagsOf(member.members, tags);
  }
  return tags;
}

function theirs43(): Dictionary {
  return loadDictionary(readFileSync(join(data, 'FIX43.xml'), 'utf8'), 'FIX43.xml');
}

function shapeOf(members: Dictionary['header']): string {
  const one = (member: Dictionary['header'][number]): string =>
    `${member.field.tag}${member.required ? '!' : ''}${member.kind === 'group' ? `(${shapeOf(member.members)})` : ''}`;
  return members.map(one).join(' ');
}

test("checks a message with ApplVerID(1128) by that version's dictionary, others by the default", async () => {
  const [[fix50], [fix50sp2, transport]] = await Promise.all([repository('FIX.5.0'), repository('FIX.5.0SP2')]);
  const validator = new Validator({ transport: transport!, applications: [fix50sp2!, fix50!] });
  const writer = new FrameWriter();
  const request = (applVerID: string | null): string => {
    const draft = new MessageDraft(MsgType.OrderStatusRequest);
    if (applVerID !== null) draft.add(1128, applVerID);
    draft.add(11, 'A-1').add(55, 'BTCUSDC').add(54, '1').add(1301, 'XNAS');
    const fault = validator.validate(
      viewOf(writer.encode({ ...HEADER, beginString: 'FIXT.1.1', msgSeqNum: 1 }, draft))!,
    );
    return fault === null ? 'ok' : `${fault.sessionRejectReason} ${fault.refTagID}`;
  };
  // MarketID(1301) came with SP1: known to SP2 but not of this message, unknown to FIX.5.0.
  expect(request(null)).toBe('2 1301');
  expect(request('9')).toBe('2 1301');
  expect(request('7')).toBe('0 1301');
});
