// Tests that need something outside this package (a container engine, QuickFIX C++, tshark): run where it exists,
// skipped with the reason in the title otherwise, failed where the environment requires it (REQUIRE_… = 1).

import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { describe, test } from 'vitest';

export interface Requirement {
  /** Why the tests cannot run here; null if they can. */
  readonly missing: string | null;
  /** Environment variable that turns the skip into a failure when it is `1`. */
  readonly demandedBy: 'REQUIRE_CONTAINERS' | 'REQUIRE_TOOLS' | 'REQUIRE_EXCHANGE_DICTIONARY';
}

/** `describe`, if the requirement is met. */
export function describeWith(requirement: Requirement, title: string, body: () => void): void {
  const { missing, demandedBy } = requirement;
  if (missing === null) describe(title, body);
  else if (process.env[demandedBy] === '1') {
    test(title, () => {
      throw new Error(`${demandedBy}=1 but ${missing}`);
    });
  } else {
    // The reporter shows the titles of skipped tests only when asked for.
    console.warn(`skipped: ${title}: ${missing} (${demandedBy}=1 makes this a failure)`);
    test.skip(`${title} [skipped: ${missing}]`, () => {});
  }
}

/** Does a Docker-compatible engine answer at DOCKER_HOST, or at the usual socket? */
export async function containerEngine(): Promise<Requirement> {
  const host = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
  const url = new URL(host);
  const address = url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: url.port };
  const answers = await new Promise<boolean>((resolve) => {
    const ping = request({ ...address, path: '/_ping', timeout: 3_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy(new Error('timeout')));
    ping.on('error', () => resolve(false));
    ping.end();
  });
  return { missing: answers ? null : `no container engine answers at ${host}`, demandedBy: 'REQUIRE_CONTAINERS' };
}

/** Is this command there (and, for compilers, this header)? */
export async function tool(command: string, args: readonly string[], what: string): Promise<Requirement> {
  const found = await promisify(execFile)(command, [...args]).then(
    () => true,
    () => false,
  );
  return { missing: found ? null : `${what} is not installed`, demandedBy: 'REQUIRE_TOOLS' };
}
