// Door of the ops room: configuration and its problems, secrets of a first start, the log.

export { type ConfigProblem, formatProblems } from './config-problem.ts';
export { type ConfigurationOptions, type LoadedConfiguration, loadConfiguration } from './configuration.ts';
export { type DescribedValue, describeConfiguration } from './describe.ts';
export { createLog, type LogFormat, type LogOptions } from './log.ts';
export { type CreateCertificate, ensureDemoSecrets } from './secrets.ts';
