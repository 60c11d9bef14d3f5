// Environment variables that override gateway.yaml, for containers. Leaves CROSSGATE_SESSIONS, the folder itself, to the
// command line, and `env:` secrets to secrets.ts.

import { didYouMean } from '../../base/did-you-mean.ts';
import type { Environment } from '../secrets/secrets.ts';
import type { ConfigProblem } from './config-problem.ts';
import type { Override, Path } from './layers.ts';
import { SAMPLES_VARIABLE } from './samples.ts';

interface Variable {
  readonly name: string;
  /** Name of the overridden setting, for people. */
  readonly key: string;
  readonly meaning: string;
  /** Paths to set, given the values so far. */
  paths(gateway: Readonly<Record<string, unknown>>): Path[];
  readonly number?: boolean;
}

function listeners(gateway: Readonly<Record<string, unknown>>): { readonly tls: boolean; readonly index: number }[] {
  const fix = gateway.fix as { readonly listen?: unknown } | null | undefined;
  if (typeof fix !== 'object' || fix === null || !Array.isArray(fix.listen)) return [];
  return fix.listen.map((entry: unknown, index) => ({
    index,
    tls: typeof entry === 'object' && entry !== null && 'tls' in entry,
  }));
}

function portOf(tls: boolean): Variable['paths'] {
  return (gateway) => {
    const first = listeners(gateway).find((listener) => listener.tls === tls);
    return first === undefined ? [] : [['fix', 'listen', first.index, 'port']];
  };
}

/** One of `cluster`, where the files have that: a gateway becomes no node by a variable alone. */
function ofCluster(gateway: Readonly<Record<string, unknown>>, key: string): Path[] {
  return typeof gateway.cluster === 'object' && gateway.cluster !== null ? [['cluster', key]] : [];
}

/** Every variable that overrides a key. */
export const ENVIRONMENT_VARIABLES: readonly Variable[] = [
  { name: 'CROSSGATE_STATE', key: 'state', meaning: 'State folder.', paths: () => [['state']] },
  {
    name: 'CROSSGATE_FIX_HOST',
    key: 'fix.listen[].host',
    meaning: 'Address of every FIX listener.',
    paths: (gateway) => listeners(gateway).map(({ index }) => ['fix', 'listen', index, 'host']),
  },
  {
    name: 'CROSSGATE_FIX_PORT',
    key: 'fix.listen[].port',
    meaning: 'Port of the first listener without TLS.',
    paths: portOf(false),
    number: true,
  },
  {
    name: 'CROSSGATE_FIX_TLS_PORT',
    key: 'fix.listen[].port',
    meaning: 'Port of the first listener with TLS.',
    paths: portOf(true),
    number: true,
  },
  {
    name: 'CROSSGATE_EXCHANGE_URL',
    key: 'exchange.baseUrl',
    meaning: 'Where the exchange is.',
    paths: () => [['exchange', 'baseUrl']],
  },
  {
    name: 'CROSSGATE_EXCHANGE_ENVIRONMENT',
    key: 'exchange.environment',
    meaning: "The exchange's environment: `simulator`, `test` or `production`.",
    paths: () => [['exchange', 'environment']],
  },
  {
    name: 'CROSSGATE_SIMULATOR_EMBEDDED',
    key: 'simulator.embedded',
    meaning: '`true` or `false`.',
    paths: () => [['simulator', 'embedded']],
  },
  {
    name: 'CROSSGATE_SIMULATOR_HOST',
    key: 'simulator.host',
    meaning: 'Address of the embedded simulated exchange.',
    paths: () => [['simulator', 'host']],
  },
  {
    name: 'CROSSGATE_SIMULATOR_PORT',
    key: 'simulator.port',
    meaning: 'Its port.',
    paths: () => [['simulator', 'port']],
    number: true,
  },
  {
    name: 'CROSSGATE_CLUSTER_NODE',
    key: 'cluster.node',
    meaning: 'Name of this node of the cluster.',
    paths: (gateway) => ofCluster(gateway, 'node'),
  },
  {
    name: 'CROSSGATE_CLUSTER_ADDRESS',
    key: 'cluster.address',
    meaning: 'Where the other nodes reach it.',
    paths: (gateway) => ofCluster(gateway, 'address'),
  },
  {
    name: 'CROSSGATE_CLUSTER_PORT',
    key: 'cluster.port',
    meaning: 'Its port for the other nodes.',
    paths: (gateway) => ofCluster(gateway, 'port'),
    number: true,
  },
  {
    name: 'CROSSGATE_BUSY_POLL_MICROS',
    key: 'busyPollMicros',
    meaning: 'Time for which the next message is looked for without sleeping; 0 for none.',
    paths: () => [['busyPollMicros']],
    number: true,
  },
  {
    name: 'CROSSGATE_BRIDGE_HOST',
    key: 'bridge.host',
    meaning: 'Address of the bridge.',
    paths: () => [['bridge', 'host']],
  },
  {
    name: 'CROSSGATE_BRIDGE_PORT',
    key: 'bridge.port',
    meaning: 'Its port.',
    paths: () => [['bridge', 'port']],
    number: true,
  },
  {
    name: 'CROSSGATE_ADMIN_HOST',
    key: 'admin.host',
    meaning: 'Address of admin API, metrics and console.',
    paths: () => [['admin', 'host']],
  },
  {
    name: 'CROSSGATE_ADMIN_PORT',
    key: 'admin.port',
    meaning: 'Their port.',
    paths: () => [['admin', 'port']],
    number: true,
  },
];

/** Overrides from the environment; an empty variable counts as absent. */
export function environmentOverrides(
  environment: Environment,
  gateway: Readonly<Record<string, unknown>>,
): { readonly entries: Override[]; readonly problems: ConfigProblem[] } {
  const entries: Override[] = [];
  const problems: ConfigProblem[] = [];
  for (const variable of ENVIRONMENT_VARIABLES) {
    const text = environment[variable.name];
    if (text === undefined || text === '') continue;
    const value =
      text === 'true' || text === 'false'
        ? text === 'true'
        : variable.number && /^\d{1,9}$/.test(text)
          ? Number(text)
          : text;
    const paths = variable.paths(gateway);
    for (const path of paths) entries.push({ path, value, from: `environment ${variable.name}` });
    if (paths.length === 0) {
      problems.push({
        file: `environment ${variable.name}`,
        line: null,
        column: null,
        key: variable.key,
        value: text,
        problem: 'there is no such listener in gateway.yaml',
        remedy: 'unset the variable, or add the listener under `fix.listen`',
      });
    }
  }
  return { entries, problems };
}

const OTHER_VARIABLES = [
  'CROSSGATE_SESSIONS',
  'CROSSGATE_TOKEN_FILE',
  'CROSSGATE_AUTHORITY',
  'CROSSGATE_CLIENT_CERTIFICATE',
  'CROSSGATE_CLIENT_KEY',
];
/** Set by the image for itself; never suggested. */
const OF_IMAGE = [SAMPLES_VARIABLE];

/** Variables that Kubernetes gives every container of a service named `crossgate` or `crossgate-…`. */
const SERVICE_LINK = /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;

function isServiceLink(name: string, value = ''): boolean {
  return SERVICE_LINK.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));
}

/** Variables with our prefix that mean nothing: probably misspelt. `referenced` are those that `env:` secrets name. */
export function unknownVariables(environment: Environment, referenced: ReadonlySet<string>): ConfigProblem[] {
  const known = [...ENVIRONMENT_VARIABLES.map(({ name }) => name), ...OTHER_VARIABLES];
  return Object.keys(environment)
    .filter(
      (name) =>
        name.startsWith('CROSSGATE_') && !known.includes(name) && !OF_IMAGE.includes(name) && !referenced.has(name),
    )
    .filter((name) => !isServiceLink(name, environment[name]))
    .map((name) => {
      const meant = didYouMean(name, known);
      return {
        file: `environment ${name}`,
        line: null,
        column: null,
        key: '',
        value: null,
        problem: 'this variable means nothing to Crossgate',
        remedy: meant === null ? `known: ${known.join(', ')}` : `did you mean ${meant}?`,
      };
    });
}

/** Node.js options that disable the check of the exchange's certificate; harmless at the simulated exchange. */
export function uncheckedCertificates(environment: Environment, venue: string | null): ConfigProblem[] {
  const name = 'NODE_TLS_REJECT_UNAUTHORIZED';
  if (environment[name] !== '0' || venue === 'simulator') return [];
  const problem = 'no certificate of the exchange is checked: an intermediary could read and change every order';
  const remedy = 'unset it; for a certificate authority of your own, name its file in NODE_EXTRA_CA_CERTS';
  return [{ file: `environment ${name}`, line: null, column: null, key: '', value: '0', problem, remedy }];
}
