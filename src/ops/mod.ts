// Door of the ops room: configuration and its problems, secrets of a first start, the log.

export { formatProblems } from './config-problem.ts';
export { type ConfigurationOptions, type LoadedConfiguration, loadConfiguration } from './configuration.ts';
export { describeConfiguration } from './describe.ts';
export { createLog, type LogFormat, type LogOptions } from './log.ts';
export { ensureDemoSecrets } from './secrets.ts';
