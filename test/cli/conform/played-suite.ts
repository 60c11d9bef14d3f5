// Plays a suite in this process, for the tests of conformance: the command's parts without its options.

import type { ConformedCase } from '../../../src/cli/conform/conform-report.ts';
import { connectingTo } from '../../../src/cli/conform/endpoint.ts';
import { loadSuites } from '../../../src/cli/conform/suite-files.ts';
import { SuitePlayer } from '../../../src/cli/conform/suite-player.ts';
import { SESSION_VARIABLES } from '../../../src/scenario/mod.ts';
import { DataFields } from '../../../src/wire/mod.ts';

export interface PlayedSuiteOptions {
  readonly port: number;
  readonly suite: string;
  readonly version?: string;
  readonly beginString?: string;
  readonly senderCompID?: string;
  readonly targetCompID?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Which cases; default: all. */
  readonly wants?: (id: string, tags: readonly string[]) => boolean;
}

const VARIABLES = { run: 'T', username: '', password: '', testMessageIndicator: '', defaultApplVerID: '' };

/** Every case with its result; null: it does not apply. */
export async function playSuite(options: PlayedSuiteOptions): Promise<ConformedCase[]> {
  const { port, suite, version = 'FIX.4.4', beginString = version, timeoutMs = 3_000, wants = () => true } = options;
  const { senderCompID = 'OMS', targetCompID = 'XGATE' } = options;
  const variables = new Map(Object.entries({ ...VARIABLES, version, ...options.variables }));
  const { cases } = await loadSuites([suite], {
    role: 'initiator',
    hostVariables: [...SESSION_VARIABLES, ...variables.keys()],
  });
  const player = new SuitePlayer({
    endpoint: connectingTo({ host: '127.0.0.1', port }),
    identity: { beginString, senderCompID, targetCompID },
    version,
    dataFields: DataFields.STANDARD,
    variables,
    timeoutMs,
    onSay: () => {},
  });
  const conformed: ConformedCase[] = [];
  for (const one of cases) {
    if (wants(one.linked.id, one.linked.tags)) conformed.push({ ...one, result: await player.play(one) });
  }
  return conformed;
}

/** `id: outcome` of the cases that did not pass, with the step that failed and the differing tags. */
export function failures(cases: readonly ConformedCase[]): string[] {
  return cases.flatMap(({ linked, result }) => {
    if (result === null || result.outcome === 'passed') return [];
    const verdict = result.verdicts.find(({ outcome }) => outcome !== 'passed');
    const tags = verdict?.differences.map(({ tag }) => tag).join(',') ?? '';
    return [`${linked.id}: ${result.outcome} at “${verdict?.step.text ?? ''}”${tags === '' ? '' : ` (${tags})`}`];
  });
}
