// The thread of a disk on a machine that is busy: whatever it saw, it goes to sleep a moment later.

const { wait } = Atomics;

function fallAsleepLate(...what: Parameters<typeof wait>): ReturnType<typeof wait> {
  wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  return wait(...what);
}

Object.assign(Atomics, { wait: fallAsleepLate });
await import('../../src/store/disk/disk-worker.ts');
