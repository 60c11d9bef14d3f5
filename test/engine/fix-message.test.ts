// Fields of the library's messages by their names.

import { expect, test } from 'vitest';
import { type Field, FixMessage, newMessage } from '../../src/engine/fix-message.ts';
import { fromPrintable, Tag, viewOf } from '../../src/wire/mod.ts';

test('every field is written and read by its FIX name', () => {
  for (const [name, tag] of Object.entries(Tag)) {
    expect(newMessage('8', { [name]: `${tag}` }).get(tag), name).toBe(name === 'ApplVerID' ? null : `${tag}`);
  }
  const body = Object.values(Tag).filter((tag) => ![8, 9, 10, 35].includes(tag));
  const text = `35=8|${body.map((tag) => `${tag}=v${tag}`).join('|')}|`;
  const view = viewOf(fromPrintable(text, 'FIX.4.4'));
  const message = new FixMessage(view!, false);
  for (const [name, tag] of Object.entries(Tag)) {
    if (body.includes(tag)) expect(message.string(name as Field), name).toBe(`v${tag}`);
  }
});

test('a name that is no field of ours is absent', () => {
  const view = viewOf(fromPrintable('35=8|11=a|58=b|', 'FIX.4.4'));
  const message = new FixMessage(view!, false);
  for (const name of ['', 'X', 'clOrdID', 'ClOrdId', 'NoSuchField']) {
    expect(message.string(name as Field), name).toBeNull();
    expect(message.has(name as Field), name).toBe(false);
  }
});
