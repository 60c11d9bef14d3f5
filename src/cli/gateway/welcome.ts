// The lines that a start prints: addresses, credentials and folders.

import { extname } from 'node:path';
import process from 'node:process';
import type { AdministeredEngine } from '../../administration/mod.ts';
import { hostPort } from '../../base/host-port.ts';
import type { RunningPartition } from '../../cluster/mod.ts';
import type { EngineAddress, EngineLog } from '../../engine/mod.ts';
import type { Operations } from '../../ops/mod.ts';
import type { EngineConfig } from '../../runtime/mod.ts';
import type { StartOptions } from './starting.ts';

/** Print them, or write them to the log where that is one stream. */
export function tellWelcome(lines: readonly string[], options: StartOptions, log: EngineLog): void {
  if (options.log === 'json') {
    for (const line of lines.filter((each) => each !== '')) log('info', line.trim().replace(/ {2,}/, ': '));
  } else for (const line of lines) console.log(line);
}

/** The few lines that a newcomer needs: the address, the credentials and the folders. */
export function welcome(engine: AdministeredEngine, operations: Operations, takesSharedToken: boolean): string[] {
  const { heldFor, partlyHeldFor } = engine.logonGate;
  const logins = engine.administration.exchangeLogins();
  const isReady = logins.some(({ up }) => up);
  const lines =
    heldFor === null
      ? ['', isReady ? 'Crossgate is ready for orders.' : 'Crossgate runs, and is not ready for orders yet.']
      : [
          '',
          `Crossgate accepts no Logon: ${heldFor}.`,
          '  The page "Back up and restore" of the documentation has the next steps: `crossgate sessions open`.',
        ];
  for (const { name, up } of logins) {
    if (!up) lines.push(`  but: the exchange login ${name} is not up; it is tried again by itself`);
  }
  for (const reason of partlyHeldFor) lines.push(`  but: ${reason}`);
  for (const { scope, name, thrownBy, why } of engine.administration.orders.killSwitches()) {
    const whose = scope === 'all' ? 'of everything' : `of ${scope} ${name}`;
    lines.push(`  but: the kill switch ${whose} is on (${thrownBy}: ${why}); see \`crossgate kill-switch status\``);
  }
  lines.push(...addressLines(engine.addresses), ...sessionLines(engine.config));
  const where =
    engine.simulator === null ? engine.config.exchange.baseUrl : `${engine.simulator.url} (simulated, embedded)`;
  lines.push(`  exchange       ${where}`);
  if (engine.bridge !== null) lines.push(bridgeLine(engine.config, engine.bridge.url));
  if (operations.url !== null) {
    const token = takesSharedToken ? 'token file:secrets/admin.token' : 'with a token of `admin.users`';
    lines.push(`  console        ${operations.url} ${token}`);
  }
  lines.push(`  journal        ${engine.journal.location}`);
  lines.push(`  file: paths    relative to ${engine.config.stateDirectory}`);
  // The demo places orders: nothing to propose where they would be real.
  const demo = engine.simulator === null ? '' : demoHint();
  lines.push(`${demo}Ctrl-C logs every session out and stops.`, '');
  return lines;
}

/**
 * Facts for a session's counterparty: the names in its messages, and the proof required; or the address that we connect
 * to.
 */
function counterpartyOf({ session, password, access, connect }: EngineConfig['sessions'][number]): string {
  const { senderCompID, targetCompID } = session;
  if (connect !== null) {
    const places = connect.addresses.map(({ host, port }) => hostPort(host, port)).join(', ');
    return `SenderCompID(49)=${senderCompID} TargetCompID(56)=${targetCompID}, we connect to ${places}`;
  }
  const proofs = [
    ...(password === null ? [] : [`password ${password.reference}`]),
    ...(access.signature === null ? [] : [`signature ${access.signature.algorithm} ${access.signature.key.reference}`]),
    ...(access.certificate === null ? [] : ['client certificate']),
  ];
  const proof = proofs.length === 0 ? 'password none' : proofs.join(', ');
  return `SenderCompID(49)=${targetCompID} TargetCompID(56)=${senderCompID} ${proof}`;
}

/** How the demo is run in a clone, in the image, or in an installed package; empty if its OMS was left out. */
function demoHint(): string {
  try {
    import.meta.resolve('jspurefix');
  } catch {
    return '';
  }
  const isClone = extname(import.meta.filename) === '.ts';
  const isImage = process.env.CROSSGATE_SAMPLES !== undefined;
  if (isImage) return 'Try `crossgate demo` in this container. ';
  return `Try \`${isClone ? 'npm run demo' : 'npx crossgate demo'}\` in a second terminal. `;
}

/** The same of a node with partitions. */
export function nodeWelcome(
  config: EngineConfig,
  node: {
    readonly addresses: readonly EngineAddress[];
    readonly partitions: readonly RunningPartition[];
    readonly exchange: string;
    readonly bridge: string | null;
    readonly console: string | null;
  },
): string[] {
  return [
    '',
    readinessLine(node.partitions),
    ...addressLines(node.addresses),
    ...sessionLines(config),
    `  exchange       ${node.exchange}`,
    ...(node.bridge === null ? [] : [bridgeLine(config, node.bridge)]),
    ...(node.console === null ? [] : [`  console        ${node.console}`]),
    ...node.partitions.map(({ name, pid, journal }) => `  partition      ${name}: process ${pid}, journal ${journal}`),
    `  file: paths    relative to ${config.stateDirectory}`,
    'Ctrl-C logs every session out and stops.',
    '',
  ];
}

/** A node that joins a cluster serves no partition at first. */
function readinessLine(partitions: readonly RunningPartition[]): string {
  if (partitions.length === 0)
    return 'Crossgate runs, and serves no partition yet: `crossgate status` shows where each is.';
  const isReady = partitions.every((partition) => partition.isReady);
  return isReady ? 'Crossgate is ready for orders.' : 'Crossgate runs, and is not ready for orders yet.';
}

function addressLines(addresses: readonly EngineAddress[]): string[] {
  return addresses.map(({ host, port, tls }) => `  FIX${tls ? ' over TLS' : '         '}  ${hostPort(host, port)}`);
}

function sessionLines({ sessions }: EngineConfig): string[] {
  return sessions
    .filter(({ enabled }) => enabled)
    .map((session) => `  session        ${session.session.beginString} ${counterpartyOf(session)}`);
}

function bridgeLine({ bridge }: EngineConfig, url: string): string {
  const tokens = bridge?.callers.map(({ token }) => token.reference).join(', ') ?? 'none';
  return `  bridge         ${url}/openapi.json token ${tokens}`;
}
