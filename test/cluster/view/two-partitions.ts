// Two ordinary gateways in this process as the partitions of a view: what each of them serves is real, and so is every request. The test
// may take one away, or give another state.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { VERSION } from '../../../src/cli/options/version.ts';
import type { Dial } from '../../../src/cluster/view/ask-partition.ts';
import type { ViewCluster } from '../../../src/cluster/view/cluster-routes.ts';
import type { PartitionPlace } from '../../../src/cluster/view/place.ts';
import { startView } from '../../../src/cluster/view/view.ts';
import { markOfThisProcess } from '../../../src/store/mod.ts';
import { configurationFolder, type Folder } from '../../ops/configuration-folder.ts';
import { ACCOUNT, GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../../ops/running-gateway.ts';

export const TOKENS = {
  ann: 'ann-has-this-token-of-her-own',
  ben: 'ben-has-this-token-of-his-own',
  eve: 'eve-only-looks-and-stops-it',
  pam: 'prometheus-reads-metrics-only',
};

const ADMIN = `admin:
  port: 0
  users:
    - { name: ann, token: "env:ANN" }
    - { name: ben, token: "env:BEN" }
    - { name: eve, token: "env:EVE", roles: [kill] }
    - { name: pam, token: "env:PAM", roles: [metrics] }
`;
const ENVIRONMENT = { ANN: TOKENS.ann, BEN: TOKENS.ben, EVE: TOKENS.eve, PAM: TOKENS.pam };
const PARENT = 'the-token-of-this-start-made-by-the-parent';
export const OTHER_ACCOUNT = '111000000000002';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of it
  readonly body: any;
}

export interface TwoPartitions {
  readonly alpha: RunningGateway;
  readonly beta: RunningGateway;
  /** The list of the view; a test may change it. */
  readonly places: PartitionPlace[];
  readonly url: string;
  /** The shared token of the view. */
  readonly token: string;
  readonly stateDirectory: string;
  readonly folder: Folder;
  ask(path: string, body?: unknown, token?: string): Promise<Answer>;
  text(path: string, token?: string): Promise<string>;
  takePeer(socket: Duplex): void;
}

export interface Wanted {
  /** Keys of `admin` besides users. */
  readonly admin?: string;
  readonly node?: string;
  readonly cluster?: ViewCluster;
}

/** Start partition `alpha` with session OMS, `beta` with session DESK, and a view of both. */
export async function twoPartitions({ admin = '', node = 'here', cluster }: Wanted = {}): Promise<TwoPartitions> {
  const gateway = GATEWAY.replace('admin: { port: 0 }\n', `${ADMIN}${admin}`);
  const ofBeta = gateway.replace(`"${ACCOUNT}", `, '').replace('name: primary', 'name: second');
  const desk = sessionFile('DESK').replaceAll(ACCOUNT, OTHER_ACCOUNT);
  const alpha = await runningGateway({ 'gateway.yaml': gateway }, ENVIRONMENT, () => {}, PARENT);
  const beta = await runningGateway(
    { 'gateway.yaml': ofBeta, 'DESK.yaml': desk },
    ENVIRONMENT,
    (path) => rmSync(join(path, 'sessions', 'OMS.yaml')),
    PARENT,
  );
  const place = (name: string, { url }: RunningGateway): PartitionPlace => ({
    name,
    node,
    state: 'running',
    adminUrl: url,
    token: PARENT,
  });
  const places = [place('beta', beta), place('alpha', alpha)];
  const view = await viewOf(places, { gateway, node, ...(cluster === undefined ? {} : { cluster }) });
  return { alpha, beta, places, ...view };
}

interface Viewing {
  readonly gateway?: string;
  readonly node?: string;
  readonly dial?: Dial;
  readonly cluster?: ViewCluster;
}

/** A view of any partitions. */
export async function viewOf(
  places: readonly PartitionPlace[],
  { gateway = GATEWAY.replace('admin: { port: 0 }\n', ADMIN), node = 'here', dial, cluster }: Viewing = {},
): Promise<Omit<TwoPartitions, 'alpha' | 'beta' | 'places'>> {
  const folder = configurationFolder({ 'gateway.yaml': gateway, 'OMS.yaml': sessionFile('OMS') });
  const configuration = { directory: 'sessions', environment: ENVIRONMENT, workingDirectory: folder.path };
  const loaded = folder.load({ environment: ENVIRONMENT });
  const { stateDirectory } = loaded.config!;
  const view = await startView({
    configuration,
    loaded,
    node,
    partitions: () => places,
    ...(dial === undefined ? {} : { dial }),
    ...(cluster === undefined ? {} : { cluster }),
    log: () => {},
    now: Date.now,
    version: VERSION,
    process: markOfThisProcess(),
  });
  onTestFinished(() => view!.close());
  const { url } = view!;
  const token = readFileSync(join(stateDirectory, 'secrets', 'admin.token'), 'utf8').trim();
  const send = (path: string, body: unknown, own: string): Promise<Response> =>
    fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${own}`,
        'x-crossgate-operator': 'pat',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    url,
    token,
    stateDirectory,
    folder,
    async ask(path, body, own = token) {
      const response = await send(path, body, own);
      return { status: response.status, body: await response.json() };
    },
    takePeer: (socket) => view!.takePeer(socket),
    text: async (path, own = token) => await (await send(path, undefined, own)).text(),
  };
}

/** A partition that does not answer: nothing listens there. */
export function withoutAnswer(name: string): PartitionPlace {
  return { name, node: 'there', state: 'running', adminUrl: 'http://127.0.0.1:1', token: PARENT };
}
