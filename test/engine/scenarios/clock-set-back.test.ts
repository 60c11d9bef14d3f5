// The clock of the machine is set back under a running engine.

import { expect, test } from 'vitest';
import { startAcceptor } from '../../../src/mod.ts';
import { openFix } from '../../support/network/fix-connection.ts';

test('heartbeats go on when the clock is set back by an hour', async () => {
  let setBackMs = 0;
  const engine = await startAcceptor({
    port: 0,
    sessions: [{ senderCompID: 'XGATE', targetCompID: 'OMS', heartBtIntMinS: 1 }],
    application: { onMessage: () => {} },
    now: () => Date.now() - setBackMs,
  });
  try {
    const connection = await openFix(engine.port, {
      senderCompID: 'OMS',
      targetCompID: 'XGATE',
      beginString: 'FIX.4.4',
    });
    connection.send('35=A|98=0|108=1|');
    expect((await connection.next()).msgType).toBe('A');
    setBackMs = 3_600_000;
    expect((await connection.next()).msgType).toMatch(/^[01]$/);
  } finally {
    await engine.close();
  }
});
