// Where a server in a container is: at the container's own address if this machine reaches that, as on Linux. The published port leads
// through a process of the engine, which waits for a processor like any other.

import { connect } from 'node:net';
import type { StartedTestContainer } from 'testcontainers';

const REACH_MS = 2_000;

interface Place {
  host: string;
  port: number;
}

/** After a restart it is another place. */
export async function placeOf(container: StartedTestContainer, port: number): Promise<Place> {
  const { NetworkSettings } = await (await dockerOf(container)).inspect();
  for (const { IPAddress } of Object.values(NetworkSettings.Networks)) {
    const own = { host: IPAddress, port };
    if (IPAddress !== '' && (await isReached(own))) return own;
  }
  // Of a name with several addresses the first may refuse, and on a busy machine the next is not waited for.
  const host = container.getHost() === 'localhost' ? '127.0.0.1' : container.getHost();
  return { host, port: Number(NetworkSettings.Ports[`${port}/tcp`]![0]!.HostPort) };
}

/** The container for what testcontainers does not do. */
export async function dockerOf(container: StartedTestContainer) {
  const { getContainerRuntimeClient } = await import('testcontainers');
  return (await getContainerRuntimeClient()).container.getById(container.getId());
}

/** Whether the address answers; a refusal is an answer of a server that starts. */
async function isReached(at: Place): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ ...at, timeout: REACH_MS });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(code === 'ECONNREFUSED'));
  });
}
