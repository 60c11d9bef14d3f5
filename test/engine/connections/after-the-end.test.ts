// Connections that are handed to an engine behind its end, as the node of a partition does until its process has ended.

import { createConnection } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { EngineHost } from '../../support/session/engine-host.ts';
import { listenForTest } from '../../transport/rig.ts';

test('a connection that comes behind the end of an engine is closed, with the reason', async () => {
  const host = await EngineHost.open({});
  onTestFinished(() => host.close());
  const { port, acceptedEnd, places } = await listenForTest();
  const client = createConnection({ port, host: '127.0.0.1' });
  onTestFinished(() => void client.destroy());
  const end = await acceptedEnd();
  host.engine.dropConnections('the gateway shut down');
  host.engine.acceptor.accept(end.connection, 'fix', places[0]!);
  expect(await end.ends()).toBe('the gateway shut down');
  expect(host.engine.acceptor.connections.size).toBe(0);
});
