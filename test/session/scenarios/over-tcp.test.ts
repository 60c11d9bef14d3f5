// The scripts of the published session test cases once more, over real sockets: what the pure machine says in virtual
// time it also says on a wire, cut into whatever chunks the kernel makes. Once with the machine alone behind the port, once
// with the engine around it; every script in every version that has its case.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EngineHost } from '../../support/session/engine-host.ts';
import {
  BEGIN_STRINGS,
  inVersion,
  type RecordedScenario,
  recordScenarios,
} from '../../support/session/every-version.ts';
import { runOverTcp, runsOverTcp, type ScenarioTarget } from '../../support/session/scenario-over-tcp.ts';
import { SessionHost } from '../../support/session/session-host.ts';
import type { MachineOptions } from '../../support/session/session-machine.ts';

const CASES = new URL('../cases/', import.meta.url);

/** Read anew after any earlier reader: test files share a process. */
function load(name: string): Promise<unknown> {
  return import(/* @vite-ignore */ `${fileURLToPath(new URL(name, CASES))}?recorded`);
}

const recordedByFile = new Map<string, readonly RecordedScenario[]>();
for (const name of readdirSync(CASES)) {
  if (!/\.ts$/.test(name) || !/test(?:InEveryVersion|ScenarioFile)\(/.test(readFileSync(new URL(name, CASES), 'utf8')))
    continue;
  recordedByFile.set(name, await recordScenarios(() => load(name)));
}

const recorded = [...recordedByFile.values()].flat();
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
      // Before its Logon a connection belongs to no session, and an operator can log none out.
      runs: (script) => !/connect\s+logout/.test(script),
      // The engine checks the password itself.
      wording: (script) =>
        script.replace(
          'invalid username or password',
          'Invalid user or password; check Username(553) and Password(554), or the signature in RawData(96)',
        ),
    },
  ],
];

test('every case has its scripts here', () => {
  for (const [name, found] of recordedByFile) expect(found.length, name).toBeGreaterThan(0);
  expect(scenarios.length).toBeGreaterThan(100);
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
