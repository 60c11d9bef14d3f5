// Door of the ops room: configuration and its problems, secrets of a first start, the log, metrics, admin API and console.

export { type NotedTls, readAdminAddress, readAdminToken, STANDING_BY, VERSION_HEADER } from './admin/admin-access.ts';
export type { Access as AdminAccess, AdminServer } from './admin/admin-server.ts';
export type { OverviewPieces } from './admin/live-overview.ts';
export type { FoundOrder, LiveSource } from './admin/live-stream.ts';
export { execTypeName, ordKindName, ordStatusName } from './admin/order-status.ts';
export type { ProposalView } from './admin/two-people.ts';
export type { OpenAlarm, Silence } from './alarms/alarm-book.ts';
export type { Caller } from './checks/admin-users.ts';
export type { ApplyReport } from './configuration/change/apply-report.ts';
export type { ConfigurationPreview, SettingChange } from './configuration/change/change-preview.ts';
export { formatFindings, formatProblems } from './configuration/config-problem.ts';
export type {
  AdminAddress,
  ConfigurationOptions,
  ExchangePart,
  LoadedConfiguration,
} from './configuration/configuration.ts';
export type { ConfigurationVersion } from './configuration/versions.ts';
export type { LogFormat, LogOptions } from './log/log.ts';
export type { Operations, OperationsOptions } from './operations.ts';
export type { CfgSession, SettingReport } from './quickfix-cfg/quickfix-cfg.ts';

export type WholeOps = typeof import('./whole-ops.ts');

/**
 * All of the room: parts that read a configuration, or run with a gateway. It is read when it is asked for: a look at a
 * running gateway would else wait for the checks of every setting, and for all that is behind them.
 */
export const wholeOps = () => import('./whole-ops.ts');
