// A front of the bridge for tests: a real bridge as the partition behind it, here or behind the front of another node. Clients come
// from addresses of their own on this machine.

import { once } from 'node:events';
import { type Agent, request as askHttp } from 'node:http';
import { request as askHttps } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { BridgeFront, type BridgeWay } from '../../../src/cluster/front/bridge-front.ts';
import type { EngineLog } from '../../../src/engine/mod.ts';
import type { BridgeConfig, EngineConfig } from '../../../src/runtime/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import { CALLERS, type Desk, LIMITS, startDesk } from '../../bridge/desk.ts';

/** Of the process that owns the port. */
export const NODE_TOKEN = 'token-of-this-start-made-by-the-node';

type Headers = Readonly<Record<string, string | string[]>>;

export interface Client {
  /** Its own address. */
  readonly from: string;
  readonly headers: Headers;
}

export interface FrontRig {
  readonly desk: Desk;
  readonly isSecure: boolean;
  readonly url: string;
  /** Addresses that the partition logged with a wrong token. */
  readonly wrong: readonly string[];
  get(path: string, client: Client): Promise<{ status: number; text: string }>;
  /** Open a stream: the socket, or the status of the refusal. */
  stream(path: string, client: Client): Promise<WebSocket | number>;
  connect(from: string): Socket;
  close(): Promise<void>;
}

export async function newFront(
  options: { isSecure?: boolean; limits?: Partial<BridgeConfig['limits']>; log?: EngineLog },
  wayTo: () => BridgeWay | null,
): Promise<BridgeFront> {
  const { isSecure = false, limits = {}, log = () => {} } = options;
  const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'localhost' });
  const secret = (text: string) => ({ reference: 'file:of-a-test', read: () => text });
  const tls: BridgeConfig['tls'] = {
    certificate: secret(certificatePem),
    key: secret(keyPem),
    clientAuthority: null,
    clientRevocations: null,
    selfSigned: false,
    minVersion: 'TLSv1.2',
    ciphers: 'ECDHE+AESGCM',
    names: [],
  };
  const place = { host: '127.0.0.1', port: 0, hosts: [], origins: [], orders: [] };
  const bridge = { ...place, tls: isSecure ? tls : null, callers: CALLERS, limits: { ...LIMITS, ...limits } };
  const config = { sessions: [], exchange: { credentials: [] }, bridge } as unknown as EngineConfig;
  const front = new BridgeFront({ config, wayTo, log }, bridge);
  await front.open();
  return front;
}

/** @param limits of the partition's own bridge */
export async function frontRig(
  where: 'here' | 'at another node',
  isSecure: boolean,
  limits: Partial<BridgeConfig['limits']> = {},
): Promise<FrontRig> {
  const wrong: string[] = [];
  const desk = await startDesk({
    frontToken: NODE_TOKEN,
    limits,
    log: (_level, text, fields) => {
      if (text === 'a wrong token was refused') wrong.push(String(fields.remote));
    },
  });
  const here = await newFront({ isSecure }, () => ({ kind: 'here', url: desk.bridge.url, token: NODE_TOKEN }));
  // In place of the mutual TLS between nodes.
  const door = createServer((socket) => here.takePeer(socket)).listen(0, '127.0.0.1');
  await once(door, 'listening');
  const dial = (): Socket => connect((door.address() as AddressInfo).port, '127.0.0.1');
  const other = await newFront({ isSecure }, () => ({ kind: 'node', address: 'here.example:1', dial }));
  const { url } = where === 'here' ? here : other;
  return {
    desk,
    isSecure,
    url,
    wrong,
    get: (path, client) => get(url + path, client),
    stream: (path, client) => stream(url.replace('http', 'ws') + path, client),
    connect: (localAddress) => {
      const to = { host: '127.0.0.1', port: Number(new URL(url).port), localAddress };
      return isSecure ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
    },
    close: async () => {
      await other.close();
      await here.close();
      door.close();
      await desk.close();
    },
  };
}

async function get(url: string, { from, headers }: Client): Promise<{ status: number; text: string }> {
  const options = { localAddress: from, headers, agent: false as const as unknown as Agent };
  const isSecure = url.startsWith('https');
  const asked = isSecure ? askHttps(url, { ...options, rejectUnauthorized: false } as object) : askHttp(url, options);
  const [answer] = await once(asked.end(), 'response');
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode, text };
}

function stream(url: string, { from, headers }: Client): Promise<WebSocket | number> {
  const options = { localAddress: from, headers: headers as Record<string, string>, rejectUnauthorized: false };
  const socket = new WebSocket(url, options);
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
    socket.on('error', reject);
  });
}
