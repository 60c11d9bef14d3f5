import { expect, test } from 'vitest';
import { MemoryStorage, openMemoryJournal } from '../../src/store/mod.ts';
import { journalContract } from './journal-contract.ts';
import { inbound, SESSION } from './records.ts';

journalContract('memory', async () => {
  const storage = new MemoryStorage();
  return {
    open: async () => openMemoryJournal(storage),
    crash: async () => storage.crash('process'),
    remove: async () => {},
  };
});

test('a power loss takes unsynced writes', async () => {
  const storage = new MemoryStorage();
  const journal = openMemoryJournal(storage);
  journal.append([inbound(1)], 1);
  await journal.sync();
  journal.append([inbound(2)], 2);
  journal.write();
  storage.crash('power');
  expect(openMemoryJournal(storage).recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(2);
});

test('a memory journal refuses records beyond its bound', () => {
  const journal = openMemoryJournal(new MemoryStorage(1));
  journal.append([inbound(1)], 1);
  expect(() => journal.append([inbound(2)], 2)).toThrow(expect.objectContaining({ code: 'XG_JOURNAL_WRITE_FAILED' }));
});
