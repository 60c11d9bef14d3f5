// What of the ops room reads a configuration, or runs with a gateway: behind the door (mod.ts), for whoever asks for all of it.

export { adminPortMustBeFree } from './admin-port.ts';
export { checkCertificates } from './certificate-check.ts';
export { certificateWarnings } from './certificate-watch.ts';
export { loadConfiguration } from './configuration.ts';
export { describeConfiguration } from './describe.ts';
export { checkDictionaries, dictionaryWarnings } from './dictionary-check.ts';
export { createLog } from './log.ts';
export { startOperations } from './operations.ts';
export { checkedReports } from './quickfix-cfg-check.ts';
export { readCfgBytes } from './quickfix-cfg-file.ts';
export { secretVariables } from './secret-check.ts';
export { createSecretFile, ensureDemoSecrets, secretReference } from './secrets.ts';
export { startStandbyServer } from './standby-server.ts';
