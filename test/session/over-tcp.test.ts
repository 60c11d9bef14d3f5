// The scripts of the published session test cases once more, over real sockets: what the pure machine says in virtual
// time it also says on a wire, cut into whatever chunks the kernel makes. Once with the machine alone behind the port, once
// with the engine around it; every script in every version that has its case.

import { describe, expect, test } from 'vitest';
import { EngineHost } from '../support/engine-host.ts';
import { BEGIN_STRINGS, inVersion, recordScenarios } from '../support/every-version.ts';
import { runOverTcp, runsOverTcp, type ScenarioTarget } from '../support/scenario-over-tcp.ts';
import { SessionHost } from '../support/session-host.ts';
import type { MachineOptions } from '../support/session-machine.ts';

const recorded = await recordScenarios(() =>
  Promise.all([
    import('./cases/1s-receive-logon.test.ts'),
    import('./cases/2-standard-header.test.ts'),
    import('./cases/2s-first-message-not-logon.test.ts'),
    import('./cases/3-standard-trailer.test.ts'),
    import('./cases/4-send-heartbeat.test.ts'),
    import('./cases/5-receive-heartbeat.test.ts'),
    import('./cases/7-receive-reject.test.ts'),
    import('./cases/8-receive-resend-request.test.ts'),
    import('./cases/9-synchronise-sequence-numbers.test.ts'),
    import('./cases/10-sequence-reset-gap-fill.test.ts'),
    import('./cases/11-sequence-reset-reset.test.ts'),
    import('./cases/12-initiate-logout.test.ts'),
    import('./cases/13-receive-logout.test.ts'),
    import('./cases/14-receive-message.test.ts'),
    import('./cases/15-field-order.test.ts'),
    import('./cases/16-queue-outgoing-messages.test.ts'),
    import('./cases/17-encryption.test.ts'),
    import('./cases/18-third-party-addressing.test.ts'),
    import('./cases/19-possresend.test.ts'),
    import('./cases/20-simultaneous-resend-request.test.ts'),
  ]),
);

const scenarios = recorded.filter(({ script, options }) => options.config?.role !== 'initiator' && runsOverTcp(script));

interface Target {
  readonly open: (options: MachineOptions, script: string) => Promise<ScenarioTarget>;
  readonly runs: (script: string) => boolean;
  /** The script in the target's own words. */
  readonly wording: (script: string) => string;
}

const TARGETS: readonly [string, Target][] = [
  [
    'the machine alone',
    { open: (options) => SessionHost.open(options), runs: () => true, wording: (script) => script },
  ],
  [
    'the engine',
    {
      open: (options, script) => EngineHost.open(options, script.includes('554=wrong') ? { password: 'right' } : {}),
      // Before its Logon a connection is no session's, and an operator can log nobody out.
      runs: (script) => !/connect\s+logout/.test(script),
      // The engine checks the password itself.
      wording: (script) =>
        script.replace(
          'invalid username or password',
          'Invalid user or password: check Username(553) and Password(554), or the signature in RawData(96)',
        ),
    },
  ],
];

test('there are scripts to run', () => {
  expect(scenarios.length).toBeGreaterThan(60);
});

describe.each(TARGETS)('%s', (_name, { open, runs, wording }) => {
  describe.each(BEGIN_STRINGS)('%s', (beginString) => {
    const applicable = scenarios.filter(({ from, script }) => from <= beginString && runs(script));
    test.each(applicable)('$title', async ({ script, options }) => {
      const config = { ...options.config, beginString };
      const target = await open({ ...options, config }, script);
      try {
        await runOverTcp(inVersion(wording(script), beginString), target);
      } finally {
        await target.close();
      }
    });
  });
});
