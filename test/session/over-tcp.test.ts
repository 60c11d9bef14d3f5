// The scripts of the published session test cases once more, over real sockets: what the pure machine says in virtual
// time it also says on a wire, cut into whatever chunks the kernel makes.

import { expect, test } from 'vitest';
import { recordScenarios } from '../support/every-version.ts';
import { runOverTcp, runsOverTcp } from '../support/scenario-over-tcp.ts';
import { SessionHost } from '../support/session-host.ts';

const recorded = await recordScenarios(() =>
  Promise.all([
    import('./cases/2s-first-message-not-logon.test.ts'),
    import('./cases/3-standard-trailer.test.ts'),
    import('./cases/4-send-heartbeat.test.ts'),
    import('./cases/7-receive-reject.test.ts'),
    import('./cases/8-receive-resend-request.test.ts'),
    import('./cases/10-sequence-reset-gap-fill.test.ts'),
    import('./cases/11-sequence-reset-reset.test.ts'),
    import('./cases/12-initiate-logout.test.ts'),
    import('./cases/13-receive-logout.test.ts'),
    import('./cases/16-queue-outgoing-messages.test.ts'),
    import('./cases/17-encryption.test.ts'),
    import('./cases/18-third-party-addressing.test.ts'),
    import('./cases/19-possresend.test.ts'),
    import('./cases/20-simultaneous-resend-request.test.ts'),
  ]),
);

const scenarios = recorded.filter(({ script, options }) => options.config?.role !== 'initiator' && runsOverTcp(script));

test('there are scripts to run', () => {
  expect(scenarios.length).toBeGreaterThan(30);
});

test.each(scenarios)('$title', async ({ script, options }) => {
  const host = await SessionHost.open(options);
  try {
    await runOverTcp(script, host);
  } finally {
    await host.close();
  }
});
