// Door of the ops room: configuration and its problems, secrets of a first start, the log, metrics, admin API and console.

export { readAdminAddress, readAdminToken, VERSION_HEADER } from './admin-access.ts';
export { certificateWarnings } from './certificate-watch.ts';
export { formatFindings, formatProblems } from './config-problem.ts';
export {
  type AdminAddress,
  type ConfigurationOptions,
  type ExchangePart,
  type LoadedConfiguration,
  loadConfiguration,
} from './configuration.ts';
export { describeConfiguration } from './describe.ts';
export { checkDictionaries } from './dictionary-check.ts';
export { createLog, type LogFormat, type LogOptions } from './log.ts';
export { type Operations, type OperationsOptions, startOperations } from './operations.ts';
export { execTypeName, ordStatusName } from './order-status.ts';
export type { CfgSession, SettingReport } from './quickfix-cfg.ts';
export { checkedReports } from './quickfix-cfg-check.ts';
export { readCfgBytes } from './quickfix-cfg-file.ts';
export type { ApplyReport } from './reload.ts';
export { createSecretFile, ensureDemoSecrets, secretReference } from './secrets.ts';
