// Loads the folder of configuration files: reads all of it, reports every problem at once, or hands out the frozen
// configuration. Leaves the schema, the layering, the checks and the translation for the engine to their own files.

import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { schemaNode } from '../../base/schema-node.ts';
import { atOnce, inTurns, type Steps, strayOverlays } from '../../engine/mod.ts';
import type { AdminTlsConfig, EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import { type AdminUser, adminUsers } from '../checks/admin-users.ts';
import { lackingCertificate } from '../checks/certification-check.ts';
import { type CfgReports, checkCfgSecurity } from '../checks/cfg-security-check.ts';
import { type CheckedSession, checkIdentities, checkSession } from '../checks/cross-checks.ts';
import { checkFileModes } from '../checks/file-modes.ts';
import { type CheckedGateway, checkGateway, venueOf } from '../checks/gateway-checks.ts';
import { checkSecrets, secretFiles } from '../checks/secret-check.ts';
import type { PrometheusAddress } from '../metrics/prometheus-range.ts';
import { asOwnSetting } from '../quickfix-cfg/own-keys.ts';
import type { TwoPeopleAction } from '../schema/admin-user-schema.ts';
import { GatewayFileSchema, type GatewaySettings } from '../schema/gateway-schema.ts';
import { NOT_IN_DEFAULTS, SessionFileSchema, type SessionSettings } from '../schema/session-schema.ts';
import type { Environment } from '../secrets/secrets.ts';
import { type ConfigProblem, firstOfEach, keyPath, type Place, showValue, sortProblems } from './config-problem.ts';
import { warnings as warningsOf } from './config-warnings.ts';
import { toEngineConfig } from './engine-config.ts';
import { environmentOverrides, uncheckedCertificates, unknownVariables } from './environment.ts';
import { filesState } from './file-states.ts';
import type { KnownFiles, LoadedSession } from './known-files.ts';
import {
  applyOverrides,
  fileLayer,
  fillDefaults,
  type Layered,
  mergeLayers,
  type Origins,
  originsOf,
  type Path,
  placeOf,
} from './layers.ts';
import { samplesFolder, samplesInWords } from './samples.ts';
import { type SchemaChecks, schemaChecks } from './schema-check.ts';
import { DEFAULTS_FILE, GATEWAY_FILE, listFiles, sessionFiles } from './session-files.ts';
import { pathOf, withoutFaults } from './without-faults.ts';
import { readYamlFile, type YamlFile } from './yaml-file.ts';

export interface ConfigurationOptions {
  /** Holds gateway.yaml, defaults.yaml and one file per session. */
  readonly directory: string;
  readonly environment: Environment;
  /** Values of gateway.yaml by path, for example `{ 'simulator.port': 0, 'fix.listen[0].port': 0 }`; strongest of all. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Relative paths start here; the process's working directory if absent. */
  readonly workingDirectory?: string;
  /** Files that were read before, for who reads the same folder again and again. */
  readonly known?: KnownFiles;
  /** The part of it that a process runs, or why it runs none of it; absent: all of it. */
  readonly part?: (whole: LoadedConfiguration) => LoadedConfiguration;
}

export interface LoadedConfiguration {
  /** Deeply frozen; null if there are problems. */
  readonly config: EngineConfig | null;
  /** Sessions that certify their counterparties; none of them is in `config`. */
  readonly certifications: readonly EngineSessionConfig[];
  /** The exchange settings of gateway.yaml, despite problems elsewhere; null if the file itself is unsound. */
  readonly exchangePart: ExchangePart | null;
  /** Where admin API, metrics and console are served; null if they are not, or if there are problems. */
  readonly admin: AdminAddress | null;
  /** Everything that is wrong, in the order of the files. */
  readonly problems: readonly ConfigProblem[];
  /** Permitted but doubtful settings. */
  readonly warnings: readonly ConfigProblem[];
  /** Where each value in effect comes from, by its key: `gateway.state`, `sessions.ACME_OMS.dialect`. */
  readonly origins: Origins;
  /** Values in effect by file, `gateway` first and then the sessions, for printing; not redacted. */
  readonly effective: ReadonlyMap<string, Layered>;
  /** As of when the files of its folder were when they were read, in one word. */
  readonly files: string;
}

/** Enough to reach the exchange without a gateway, and to see whether there is one. */
export type ExchangePart = Pick<EngineConfig, 'exchange' | 'simulator' | 'stateDirectory' | 'postgres'>;

export interface AdminAddress {
  readonly host: string;
  readonly port: number;
  /** Further names that Host may give. */
  readonly hosts: readonly string[];
  readonly users: readonly AdminUser[];
  /** True if the shared token is accepted. */
  readonly sharedToken: boolean;
  /** Whether the console offers actions. */
  readonly console: 'actions' | 'read-only';
  /** Actions that take two users. */
  readonly twoPeople: readonly TwoPeopleAction[];
  /** Whether users may write session files through the admin API. */
  readonly sessionFiles: boolean;
  /** Has what is older than an hour; null: none is named. */
  readonly prometheus: PrometheusAddress | null;
  /** Null for HTTP. */
  readonly tls: AdminTlsConfig | null;
}

/** Load the configuration. Never throws for the configuration: all problems are in the answer. */
export function loadConfiguration(options: ConfigurationOptions): LoadedConfiguration {
  return partOf(atOnce(loadingSteps(options)), options);
}

/** The same beside the traffic of a running gateway. */
export async function loadBesideTraffic(options: ConfigurationOptions): Promise<LoadedConfiguration> {
  return partOf(await inTurns(loadingSteps(options)), options);
}

function partOf(whole: LoadedConfiguration, { part }: ConfigurationOptions): LoadedConfiguration {
  return part === undefined ? whole : part(whole);
}

function* loadingSteps(options: ConfigurationOptions): Steps<LoadedConfiguration> {
  const workingDirectory = resolve(options.workingDirectory ?? process.cwd());
  const directory = resolve(workingDirectory, options.directory);
  const shown = (name: string): string => {
    const path = relative(workingDirectory, join(directory, name));
    return path.startsWith('..') ? join(directory, name) : path;
  };
  const problems: ConfigProblem[] = [];
  const checks = schemaChecks();
  // First: later changes may not have been read.
  const files = filesState(directory);
  const names = listFiles(directory, shown, problems);
  const gateway = loadGateway(
    readYamlFile(join(directory, GATEWAY_FILE), shown(GATEWAY_FILE)),
    options,
    checks,
    problems,
  );
  const { known } = options;
  const defaults = names.has(DEFAULTS_FILE)
    ? readYamlFile(join(directory, DEFAULTS_FILE), shown(DEFAULTS_FILE), known)
    : null;
  if (defaults !== null) checkDefaults(defaults, checks, problems);

  const effective = new Map<string, Layered>([['gateway', gateway.layered]]);
  const sessions: CheckedSession[] = [];
  const notes: ConfigProblem[] = [];
  const samples = samplesFolder(directory, options.environment);
  if (samples !== null) {
    const place: Place = { file: samples, line: null, column: null };
    notes.push({ ...place, key: '', value: null, ...samplesInWords(samples) });
  }
  const cfgReports = new Map<string, CfgReports>();
  for (const { name, file, reports } of yield* sessionFiles({ directory, names, known }, shown, problems, notes)) {
    if (reports !== null) cfgReports.set(name, { file: file.file, reports });
    const load = (): LoadedSession => loadSession(name, file, defaults, checks);
    const session = known?.session(name, file, defaults, load) ?? load();
    problems.push(...session.problems);
    effective.set(`sessions.${name}`, session.layered);
    if (session.checked !== null) sessions.push(session.checked);
    yield;
  }
  known?.keepOnly(new Set([...names].map(shown)));
  if (gateway.checked !== null) problems.push(...checkGateway(gateway.checked));
  // A key that is wrong by itself, or in a part of it, is not also missing.
  const said = problems.map(({ file, key }) => `${file} ${key}`);
  const isSaid = (problem: string): boolean =>
    said.some((one) => one === problem || one.startsWith(`${problem}.`) || one.startsWith(`${problem}[`));
  for (const session of sessions) {
    const between = checkSession(session, gateway.checked?.settings ?? null);
    problems.push(...between.filter(({ file, key }) => !isSaid(`${file} ${key}`)));
    yield;
  }
  problems.push(...checkIdentities(sessions));
  const security = checkCfgSecurity(sessions, cfgReports, gateway.checked?.settings ?? null);
  problems.push(...security.problems);
  notes.push(...security.warnings);
  yield;
  return yield* conclude({
    problems,
    gateway: gateway.checked,
    sessions,
    effective,
    workingDirectory,
    environment: options.environment,
    notes,
    files,
    directory,
    names,
  });
}

interface Findings extends Pick<LoadedConfiguration, 'files'> {
  readonly problems: ConfigProblem[];
  /** Settings of a QuickFIX file that have no effect here, and that all is the image's. */
  readonly notes: readonly ConfigProblem[];
  readonly gateway: CheckedGateway | null;
  readonly sessions: readonly CheckedSession[];
  readonly effective: ReadonlyMap<string, Layered>;
  readonly workingDirectory: string;
  readonly environment: Environment;
  /** The folder, and the files that were read from it. */
  readonly directory: string;
  readonly names: ReadonlySet<string>;
}

function* conclude({
  problems,
  gateway,
  sessions,
  effective,
  workingDirectory,
  environment,
  notes,
  files,
  directory,
  names,
}: Findings): Steps<LoadedConfiguration> {
  const config =
    gateway === null ? null : yield* toEngineConfig(gateway.settings, sessions, { workingDirectory, environment });
  const warnings: ConfigProblem[] = [...notes];
  let users: readonly AdminUser[] = [];
  if (config !== null && gateway !== null) {
    yield;
    warnings.push(...warningsOf(gateway, sessions));
    yield;
    users = adminUsers(config.stateDirectory, gateway, environment, problems);
    yield* checkSecrets(config, { gateway, sessions, users }, problems, warnings);
    const { stateDirectory, dictionariesDirectory } = config;
    const others = [['state', stateDirectory] as const, ['dictionaries', dictionariesDirectory] as const];
    const secrets = secretFiles(config, users).map((file) => ['', file] as const);
    const opened = { configuration: directory, names, others: [...others, ...secrets] };
    checkFileModes(opened, gateway.settings.files, problems, warnings);
    yield;
    checkDictionaries(config.dictionariesDirectory, gateway, problems, warnings);
    warnings.push(...unknownVariables(environment, yield* referencedVariables(effective)));
    problems.push(...uncheckedCertificates(environment, venueOf(gateway.settings)));
  }
  const admin = gateway?.settings.admin;
  const apart = config === null ? null : setApart(config, sessions, warnings);
  if (problems.length === 0 && apart !== null) yield* freezing(apart.config);
  return {
    admin:
      problems.length === 0 && admin?.enabled === true
        ? { ...admin, users, prometheus: admin.prometheus ?? null, tls: config?.adminTls ?? null }
        : null,
    config: problems.length === 0 ? (apart?.config ?? null) : null,
    certifications: problems.length === 0 ? (apart?.certifications ?? []) : [],
    exchangePart: config,
    problems: sortProblems(firstOfEach(problems)).map(asOwnSetting),
    warnings: sortProblems(firstOfEach(warnings)),
    origins: originsOf(effective),
    effective,
    files,
  };
}

function checkDictionaries(
  folder: string,
  gateway: CheckedGateway,
  problems: ConfigProblem[],
  warnings: ConfigProblem[],
): void {
  if (!existsSync(folder)) {
    const problem = `there is no folder ${folder}`;
    const place = gateway.placeOf(['dictionaries']);
    const remedy = 'correct the path, or remove the key to use the dictionaries delivered with the program';
    problems.push({ ...place, key: 'dictionaries', value: gateway.settings.dictionaries ?? null, problem, remedy });
  }
  for (const name of strayOverlays(folder)) {
    const file = join(folder, name);
    const problem = 'this file is called an overlay, but belongs to no dictionary and changes nothing';
    warnings.push({
      file,
      line: null,
      column: null,
      key: '',
      value: null,
      problem,
      remedy: 'call it as its dictionary: FIX44.overlay.xml beside FIX44.xml',
    });
  }
}

/** Sessions that certify are none of the gateway that trades; one without the certificate that it needs is switched off. */
function setApart(
  config: EngineConfig,
  checked: readonly CheckedSession[],
  warnings: ConfigProblem[],
): { readonly config: EngineConfig; readonly certifications: readonly EngineSessionConfig[] } {
  const sessions: EngineSessionConfig[] = [];
  const certifications: EngineSessionConfig[] = [];
  for (const [index, session] of config.sessions.entries()) {
    const { certification = null } = session;
    const lacking = lackingCertificate(session, config.stateDirectory);
    if (certification !== null) certifications.push(session);
    else sessions.push(lacking === null ? session : { ...session, enabled: false });
    if (lacking === null) continue;
    const place = checked[index]?.placeOf(['certificate', 'file']) ?? {
      file: session.source,
      line: null,
      column: null,
    };
    const problem = `the session may not log on: ${lacking}`;
    const remedy = 'certify the OMS, export its certificate to this file, then `crossgate config apply`';
    warnings.push({ ...place, key: 'certificate.file', value: session.certificate ?? null, problem, remedy });
  }
  return { config: { ...config, sessions }, certifications };
}

function loadGateway(
  file: YamlFile,
  options: ConfigurationOptions,
  checks: SchemaChecks,
  problems: ConfigProblem[],
): { readonly layered: Layered; readonly checked: CheckedGateway | null } {
  const layered = mergeLayers([fileLayer(file)]);
  const environment = environmentOverrides(options.environment, layered.values);
  const fromCommandLine = Object.entries(options.overrides ?? {}).map(([key, value]) => ({
    path: pathOf(key),
    value,
    from: 'command line',
  }));
  for (const { path, value, from } of applyOverrides(layered, [...environment.entries, ...fromCommandLine])) {
    const key = keyPath(path);
    const problem = 'there is no such element in gateway.yaml';
    const place: Place = { file: from, line: null, column: null };
    problems.push({ ...place, key, value: showValue(key, value), problem, remedy: 'add it there first' });
  }
  fillDefaults(schemaNode(GatewayFileSchema), layered);
  if (file.problems.length > 0) {
    problems.push(...file.problems);
    return { layered, checked: null };
  }
  const where = (path: Path): Place => placeOf(layered, path, { file: file.file, line: 1, column: 1 });
  const found = checks.gateway(layered.values, where);
  problems.push(...environment.problems, ...found);
  // The schema has just said that the values have this type.
  const settings = layered.values as GatewaySettings;
  return { layered, checked: found.length > 0 ? null : { settings, placeOf: where } };
}

function checkDefaults(file: YamlFile, checks: SchemaChecks, problems: ConfigProblem[]): void {
  problems.push(...file.problems, ...checks.defaultsFile(file.values, (path) => file.place(path)));
  for (const key of NOT_IN_DEFAULTS) {
    if (file.values[key] === undefined) continue;
    const problem = 'belongs to one session, not to all';
    problems.push({ ...file.place([key]), key, value: null, problem, remedy: 'move it into the session files' });
  }
}

function loadSession(name: string, file: YamlFile, defaults: YamlFile | null, checks: SchemaChecks): LoadedSession {
  const layered = mergeLayers([fileLayer(file), ...(defaults === null ? [] : [fileLayer(defaults)])]);
  fillDefaults(schemaNode(SessionFileSchema), layered);
  // Known ones are in every later configuration too.
  deepFreeze(layered.values);
  if (file.problems.length > 0) return { layered, checked: null, problems: file.problems };
  const where = (path: Path): Place => placeOf(layered, path, { file: file.file, line: 1, column: 1 });
  const problems = [
    ...checks.sessionFile(file.values, (path) => file.place(path)),
    ...checks.sessionMissing(layered.values, (path) => file.place(path)),
  ];
  const sound =
    problems.length === 0 &&
    (defaults === null || (defaults.problems.length === 0 && checks.sessionFile(defaults.values, where).length === 0));
  const checkAll = (values: Record<string, unknown>): ConfigProblem[] => [
    ...checks.sessionFile(values, where),
    ...checks.sessionMissing(values, where),
  ];
  if (sound)
    return { layered, checked: { name, settings: layered.values as SessionSettings, placeOf: where }, problems };
  const rest = withoutFaults(layered.values, checkAll);
  if (rest === null) return { layered, checked: null, problems };
  const { values, asWritten } = rest;
  const settings = values as SessionSettings;
  return { layered, checked: { name, settings, placeOf: (path) => where(asWritten(path)), asWritten }, problems };
}

function* referencedVariables(effective: ReadonlyMap<string, Layered>): Steps<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { values } of effective.values()) {
    yield;
    for (const [, name] of JSON.stringify(values).matchAll(/"env:(\w+)"/g)) names.add(name!);
  }
  return names;
}

function* freezing(config: EngineConfig): Steps<void> {
  for (const session of config.sessions) {
    yield;
    deepFreeze(session);
  }
  yield;
  deepFreeze(config);
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}
