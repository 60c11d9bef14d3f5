// `crossgate certification serve`: the suite alone, for a vendor's continuous integration. The OMS connects, every case that applies
// is played, results are written, and the exit code says whether the OMS is certified.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { hostPort } from '../../base/host-port.ts';
import {
  type CaseView,
  certificationKey,
  type DeskView,
  decidingStep,
  junitOf,
  openDesk,
  scorecardContent,
  signed,
  totalsInWords,
} from '../../certification/mod.ts';
import { wholeOps } from '../../ops/mod.ts';
import type { EngineConfig, EngineSessionConfig } from '../../runtime/mod.ts';
import { createSelfSignedCertificate } from '../../transport/mod.ts';
import { VERSION } from '../options/version.ts';
import { stopSignal } from '../output/exit.ts';
import { writeNewFiles } from '../output/new-files.ts';
import { certificationSession } from './certification-session.ts';
import { cardFiles } from './scorecard-files.ts';
import { wordOf } from './steering.ts';

interface ServeOptions {
  readonly sessions: string;
  readonly host: string;
  readonly port: string;
  readonly oms: string;
  readonly gateway: string;
  readonly fix: string;
  readonly dialect: string;
  readonly kind: string;
  readonly passwordFile?: string;
  readonly profile?: string;
  readonly folder?: string;
  readonly case?: readonly string[];
  readonly connectWithin: string;
  readonly junit?: string;
  readonly html?: string;
  readonly certificate?: string;
  readonly json?: boolean;
}

const LOOK_MS = 100;
const DEFAULT_PASSWORD = 'certify';
const NAME = 'OMS';

export async function serve(name: string | undefined, options: ServeOptions): Promise<void> {
  const temporary = options.folder === undefined ? await mkdtemp(join(tmpdir(), 'crossgate-certification-')) : null;
  const folder = resolve(options.folder ?? temporary ?? '');
  try {
    const place =
      name === undefined
        ? await madeSession(folder, options)
        : { sessions: options.sessions, name, environment: process.env };
    const { config, session } = await certificationSession(place.sessions, place.name, place.environment);
    await play(name ?? options.oms, config, session, folder, options);
  } finally {
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
  }
}

async function play(
  name: string,
  config: EngineConfig,
  session: EngineSessionConfig,
  folder: string,
  options: ServeOptions,
): Promise<void> {
  const say = (text: string): void => (options.json === true ? console.error(text) : console.log(text));
  const { ensureDemoSecrets } = await wholeOps();
  const desk = await openDesk({
    name,
    config,
    session,
    folder,
    ...(options.profile === undefined ? {} : { profileFile: resolve(options.profile) }),
    log: (level, text) => {
      if (level === 'warn') console.error(text);
    },
    prepare: async (wanted) => {
      await ensureDemoSecrets(wanted, createSelfSignedCertificate);
    },
    onResult: (one) => say(resultInWords(one)),
  });
  let played: Awaited<ReturnType<typeof playCases>>;
  try {
    const port = await desk.open({ host: options.host, port: Number(options.port) });
    const { senderCompID, targetCompID, beginString } = session.session;
    say(`Certification ${name}: ${beginString}, SenderCompID(49)=${targetCompID}, TargetCompID(56)=${senderCompID}`);
    say(`The OMS connects to ${hostPort(options.host, port)}; cases begin when it logs on.`);
    if (options.case === undefined) desk.start();
    else for (const id of [...options.case].reverse()) desk.run(id);
    played = await playCases(desk, Number(options.connectWithin));
  } finally {
    // An open desk keeps the process alive.
    await desk.close();
  }
  const { view, end } = played;
  await writeResults(view, folder, options);
  if (options.json === true) console.log(JSON.stringify(view, null, 2));
  say(totalsInWords(view.totals));
  if (end === 'nobody') console.error(`crossgate: no OMS logged on within ${options.connectWithin} s`);
  const wanted = options.case === undefined ? null : new Set(options.case);
  const isGood =
    wanted === null
      ? view.certified
      : view.cases.every(({ id, result }) => !wanted.has(id) || result?.verdict === 'pass');
  if (!isGood || end !== 'played') process.exitCode = 1;
}

/** Until every wanted case is played, a signal comes, or no OMS logs on in time. */
async function playCases(
  desk: Awaited<ReturnType<typeof openDesk>>,
  connectWithinS: number,
): Promise<{ readonly view: DeskView; readonly end: 'played' | 'stopped' | 'nobody' }> {
  const stopped = stopSignal().then(() => true);
  const connectBy = Date.now() + connectWithinS * 1000;
  let hasConnected = false;
  while (!desk.isIdle) {
    const isStopped = await Promise.race([stopped, pause(LOOK_MS, false)]);
    hasConnected ||= desk.view().loggedOn;
    if (isStopped) return { view: desk.view(), end: 'stopped' };
    if (!hasConnected && Date.now() > connectBy) return { view: desk.view(), end: 'nobody' };
  }
  return { view: desk.view(), end: 'played' };
}

async function writeResults(view: DeskView, folder: string, options: ServeOptions): Promise<void> {
  const content = scorecardContent(view, VERSION, new Date().toISOString());
  const card = { ...content, signature: signed(content, certificationKey(folder)) };
  const files = cardFiles(card, options.html, options.certificate);
  if (options.junit !== undefined) files.push([options.junit, junitOf(view)]);
  for (const [path, text] of files) await writeNewFiles(dirname(resolve(path)), [[resolve(path), text]], true);
}

function resultInWords(one: CaseView): string {
  const deciding = one.result === null ? null : decidingStep(one.result);
  const head = `${wordOf(one).padEnd(10)} ${one.id}`;
  return deciding === null ? head : `${head}\n           ${deciding.detail}\n           ${deciding.hint}`;
}

/** A configuration of one session, as the options say. */
async function madeSession(
  folder: string,
  options: ServeOptions,
): Promise<{ readonly sessions: string; readonly name: string; readonly environment: Record<string, never> }> {
  const sessions = join(folder, 'sessions');
  const secrets = join(folder, 'gateway', 'secrets');
  await mkdir(sessions, { recursive: true, mode: 0o700 });
  await mkdir(secrets, { recursive: true, mode: 0o700 });
  const password =
    options.passwordFile === undefined ? DEFAULT_PASSWORD : (await readFile(options.passwordFile, 'utf8')).trim();
  await writeFile(join(secrets, 'oms.password'), `${password}\n`, { mode: 0o600 });
  const account = '111000000000001';
  const gateway = {
    state: join(folder, 'gateway'),
    fix: { listen: [{ name: 'plain', port: 0 }] },
    exchange: {
      credentials: [{ name: 'primary', key: 'file:secrets/demo-ecdsa.json', tradingAccounts: [account] }],
    },
    simulator: { embedded: true, port: 0 },
    admin: { enabled: false },
  };
  const isOrder = options.kind !== 'dropCopy';
  const session = {
    certification: 'standard',
    kind: options.kind,
    targetCompID: options.oms,
    senderCompID: options.gateway,
    beginString: options.fix,
    dialect: options.dialect,
    password: 'file:secrets/oms.password',
    // A machine of a continuous integration has slow disks and no journal to keep.
    durability: 'process',
    accounts: [{ account }],
    ...(isOrder
      ? {
          limits: { orderQtyMax: '100', notionalMax: '6000000', openOrdersMax: 200, priceBandPercent: '20' },
          marketData: { enabled: true },
        }
      : {}),
  };
  await writeFile(
    join(sessions, 'gateway.yaml'),
    stringify(gateway, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
  );
  await writeFile(
    join(sessions, `${NAME}.yaml`),
    stringify(session, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
  );
  // Variables such as CROSSGATE_STATE, which an image sets, are about another gateway.
  return { sessions, name: NAME, environment: {} };
}
