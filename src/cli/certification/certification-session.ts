// The session file of a certification, by its name.

import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { certificationName } from '../../certification/mod.ts';
import { formatProblems, wholeOps } from '../../ops/mod.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';

/** Read the configuration and find a certification in it. @throws CrossgateError XG_CONFIG_INVALID, XG_NOT_FOUND */
export async function certificationSession(
  sessions: string,
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<{ readonly config: EngineConfig; readonly session: EngineSessionConfig }> {
  const { loadConfiguration } = await wholeOps();
  const { config, certifications, problems } = loadConfiguration({ directory: sessions, environment });
  if (config === null) throw new CrossgateError('XG_CONFIG_INVALID', formatProblems(problems));
  const session = certifications.find(({ source }) => certificationName(source) === name);
  if (session === undefined) {
    const known = certifications.map(({ source }) => certificationName(source)).join(', ');
    const remedy = known === '' ? 'no session file there has `certification`' : `there are ${known}`;
    throw new CrossgateError('XG_NOT_FOUND', `there is no certification ${name} in ${sessions}: ${remedy}`);
  }
  return { config, session };
}
