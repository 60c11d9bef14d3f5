// Parts of the ops room that read a configuration, or run with a gateway: behind the door (mod.ts), for callers that
// need all of it.

export { watchAccess } from './admin/access-watch.ts';
export { adminPortMustBeFree } from './admin/admin-port.ts';
export { nameOf, refusalOf } from './admin/admin-roles.ts';
export { serveAdmin } from './admin/admin-server.ts';
export { addLiveStream } from './admin/live-stream.ts';
export { CALLER_HEADER, callerHeader } from './admin/parent-caller.ts';
export { problem } from './admin/problem.ts';
export { addCertificationRoutes } from './admin/routes/certification-routes.ts';
export { startStandbyServer } from './admin/standby-server.ts';
export { checkCertificates } from './checks/certificate-check.ts';
export { certificateWarnings } from './checks/certificate-watch.ts';
export { bringsDictionaries, checkDictionaries } from './checks/dictionary-check.ts';
export { secretVariables } from './checks/secret-check.ts';
export { loadConfiguration } from './configuration/configuration.ts';
export { describeConfiguration } from './configuration/describe.ts';
export { KnownFiles } from './configuration/known-files.ts';
export { PUBLISHED, type PublishedFile, publishedSchema } from './configuration/published-schema.ts';
export { createLog } from './log/log.ts';
export { METRICS } from './metrics/declarations.ts';
export { loadOperations, startOperations } from './operations.ts';
export { checkedReports } from './quickfix-cfg/check.ts';
export { readCfgBytes } from './quickfix-cfg/file.ts';
export { createSecretFile, ensureDemoSecrets, secretReference } from './secrets/secrets.ts';
