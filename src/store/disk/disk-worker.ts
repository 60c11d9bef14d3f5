// Program of the thread that writes and syncs for a journal: one request after another, each in the shared memory. It
// sleeps between them and reads no messages. It sends a message only if the other side has stopped waiting.

import { parentPort, workerData } from 'node:worker_threads';
import { DiskRoom, Slot } from './disk-shared-memory.ts';
import { realDisk } from './real-disk.ts';

function serve(room: DiskRoom): void {
  const { slots } = room;
  let done = Atomics.load(slots, Slot.done);
  for (;;) {
    const asked = Atomics.load(slots, Slot.asked);
    // Looked at behind the number, which changes with it: who falls asleep now is not woken again.
    if (Atomics.load(slots, Slot.stop) !== 0) return;
    if (asked === done) {
      Atomics.wait(slots, Slot.asked, done);
      continue;
    }
    const fd = slots[Slot.fd]!;
    const length = slots[Slot.length]!;
    room.failure = null;
    try {
      if (length > 0) realDisk.write(fd, room.bytes, length, room.position);
      Atomics.store(slots, Slot.written, asked);
      Atomics.notify(slots, Slot.written);
      realDisk.syncBlocking(fd);
    } catch (error) {
      room.failure = error as NodeJS.ErrnoException;
    }
    done = asked;
    Atomics.store(slots, Slot.done, done);
    Atomics.notify(slots, Slot.done);
    // Either this side sees the wish, or the other one sees that it is done.
    if (Atomics.load(slots, Slot.tell) === done) parentPort?.postMessage(done);
  }
}

serve(new DiskRoom(workerData as SharedArrayBuffer));
