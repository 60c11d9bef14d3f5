// `crossgate cluster status|drain|undrain|move|rebalance|audit`: the nodes of a cluster and the partitions on them. The commands work
// on the rows in PostgreSQL that all nodes share, so that they need no running node; any node's configuration leads there.

import { hostname } from 'node:os';
import process from 'node:process';
import type { Command } from 'commander';
import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import { type ClusterPlacement, openRegister, type Register, type RegisterRows } from '../../cluster/mod.ts';
import { configurationOrExit } from '../options/configuration.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { operatorName } from '../options/operator.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { tellFailure } from '../output/exit.ts';
import { type Column, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { settled } from './settled.ts';

interface ClusterOptions {
  readonly sessions: string;
  readonly json?: boolean;
}

interface WaitOptions extends ClusterOptions {
  readonly wait?: string | true;
}

/** Of `status` 1 is an answer: a database that gives none has a code of its own. */
const NOT_ASKED = 3;
const WAIT_S_DEFAULT = 60;
const WAIT_S_MAX = 86_400;

interface Opened {
  readonly register: Register;
  readonly goneMs: number;
  readonly close: () => Promise<void>;
}

export function addClusterCommands(program: Command): void {
  const group = program.command('cluster').description('nodes that share partitions over PostgreSQL');
  const add = (words: string, description: string): Command =>
    group
      .command(words)
      .description(description)
      .option('--sessions <directory>', 'folder of the configuration of a node', SESSIONS_DEFAULT)
      .option('--json', 'as JSON');
  const withWait = (command: Command): Command =>
    command.option(
      '--wait [seconds]',
      `until it is done, ${WAIT_S_DEFAULT} s or as long as said; exit code 1 if it is not`,
    );
  withWatch(
    add(
      'status',
      'nodes, and where each partition is served; exit code 1 if one is not where it should be, 3 if that cannot be known',
    ),
  ).action(statusOrNotAsked);
  withWait(
    add('drain <node>', 'move its partitions to the other nodes, one after the other, and give it no new ones'),
  ).action((node: string, options: WaitOptions) => drain(node, true, options));
  add('undrain <node>', 'let it serve partitions again').action((node: string, options: WaitOptions) =>
    drain(node, false, options),
  );
  withWait(
    add(
      'move <partition> <node>',
      'move a partition, and keep it there until a rebalance, a drain or the end of the node',
    ),
  ).action(move);
  withWait(
    add('rebalance', 'give each node its share again, one partition after the other; moved ones may move again'),
  ).action(rebalance);
  add('audit', 'show what was placed, moved and drained, and who did it, newest first')
    .option('--limit <number>', 'so many at most', '50')
    .action(audit);
}

/** Do something with the rows of a cluster. Nothing if the configuration has problems, which were printed. */
async function withRegister(sessions: string, act: (opened: Opened) => Promise<void>): Promise<void> {
  const config = await configurationOrExit(sessions);
  if (config === null) return;
  const { postgres } = config;
  if (postgres === null) {
    const remedy = 'a cluster has `store: { kind: postgres }` and `cluster` in gateway.yaml';
    throw new CrossgateError('XG_USAGE', `the gateway of ${sessions} is no node of a cluster; ${remedy}`);
  }
  const opened = openRegister(postgres);
  try {
    await act({ ...opened, goneMs: postgres.leaseMs });
  } finally {
    await opened.close();
  }
}

const who = (): string => `${operatorName() || 'somebody'} at ${hostname()}`;

async function drain(node: string, isDraining: boolean, options: WaitOptions): Promise<void> {
  await withRegister(options.sessions, async (opened) => {
    const changed = await opened.register.drain(node, isDraining, who());
    const verb = isDraining ? 'drains' : 'serves partitions again';
    tell(options, { node, isDraining, changed }, `Node ${node} ${verb}${changed ? '' : ' already'}.`);
    const isEmpty = ({ placements }: RegisterRows): boolean =>
      placements.every((row) => row.node !== node && row.owner !== node);
    await waited(opened, options, isEmpty, `Node ${node} serves no partition.`);
  });
}

async function move(partition: string, node: string, options: WaitOptions): Promise<void> {
  await withRegister(options.sessions, async (opened) => {
    const { register, goneMs } = opened;
    if (!(await register.move(partition, node, who(), goneMs))) {
      throw new CrossgateError(
        'XG_ADMIN_REFUSED',
        `partition ${partition} was moved meanwhile: look at \`crossgate cluster status\``,
      );
    }
    tell(options, { partition, node }, `Partition ${partition} moves to node ${node}.`);
    const isThere = ({ placements }: RegisterRows): boolean =>
      placements.some((row) => row.partition === partition && row.owner === node);
    await waited(opened, options, isThere, `Node ${node} serves partition ${partition}.`);
  });
}

async function rebalance(options: WaitOptions): Promise<void> {
  await withRegister(options.sessions, async (opened) => {
    await opened.register.rebalance(who());
    tell(options, { isRebalanceWanted: true }, 'The nodes move partitions until each has its share.');
    const isDone = (rows: RegisterRows): boolean =>
      !rows.isRebalanceWanted && settled(rows, opened.goneMs).length === 0;
    await waited(opened, options, isDone, 'Each node has its share.');
  });
}

async function audit(options: ClusterOptions & { readonly limit: string }): Promise<void> {
  const limit = wholeNumber('--limit', options.limit, 1, 10_000);
  await withRegister(options.sessions, async ({ register }) => {
    const rows = await register.audit(limit);
    const text = rows.length === 0 ? 'Nothing was done yet.' : formatTable(AUDIT, rows);
    console.log(options.json ? JSON.stringify({ audit: rows }, null, 2) : text);
  });
}

type AuditRow = Awaited<ReturnType<Register['audit']>>[number];

const AUDIT: readonly Column<AuditRow>[] = [
  { title: 'AT (UTC)', cell: ({ at }) => formatIso(at).slice(0, 19).replace('T', ' ') },
  { title: 'WHO', cell: (row) => row.who },
  { title: 'ACTION', cell: ({ action }) => action },
  { title: 'DETAIL', cell: ({ detail }) => detail },
];

function tell(options: ClusterOptions, result: object, text: string): void {
  console.log(options.json ? JSON.stringify(result) : text);
}

/** With `--wait`: until the rows say that it is done. */
async function waited(
  { register }: Opened,
  options: WaitOptions,
  isDone: (rows: RegisterRows) => boolean,
  done: string,
): Promise<void> {
  const { wait } = options;
  if (wait === undefined) return;
  const seconds = wait === true ? WAIT_S_DEFAULT : wholeNumber('--wait', wait, 1, WAIT_S_MAX);
  for (const until = performance.now() + 1000 * seconds; ; ) {
    if (isDone(await register.read())) return tell(options, { done: true }, done);
    if (performance.now() > until) {
      process.exitCode = 1;
      return tell(options, { done: false }, `Not done after ${seconds} s: look at \`crossgate cluster status\`.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function statusOrNotAsked(options: ClusterOptions): Promise<void> {
  try {
    await withRegister(options.sessions, async ({ register, goneMs }) => {
      await shown(async () => status(await register.read(), goneMs, options))(options);
    });
  } catch (error) {
    const code = tellFailure(error);
    process.exitCode = code === 1 ? NOT_ASKED : code;
  }
}

function status(rows: RegisterRows, goneMs: number, { json = false }: ClusterOptions): string {
  const problems = settled(rows, goneMs);
  process.exitCode = problems.length === 0 ? 0 : 1;
  if (json) return JSON.stringify({ ...rows, problems }, null, 2);
  const nodes = rows.nodes.map((node) => ({
    ...node,
    state: node.silentMs > goneMs ? 'gone' : node.isDraining ? 'drains' : 'live',
    serves: rows.placements.filter(({ owner }) => owner === node.name).length,
  }));
  const on = rows.killSwitches.filter(({ isOn }) => isOn);
  return [
    nodes.length === 0 ? 'No node has joined yet.' : formatTable(NODES, nodes),
    rows.placements.length === 0 ? 'No partition is placed yet.' : formatTable(PLACEMENTS, rows.placements),
    ...on.map(
      ({ scope, name, thrownBy, why }) => `kill switch ${`${scope} ${name}`.trim()} is on (${thrownBy}: ${why})`,
    ),
    ...(rows.isRebalanceWanted ? ['The nodes rebalance.'] : []),
    ...(problems.length === 0 ? ['Every partition is served where it should be.'] : problems),
  ].join('\n\n');
}

type NodeLine = RegisterRows['nodes'][number] & { readonly state: string; readonly serves: number };

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const NODES: readonly Column<NodeLine>[] = [
  { title: 'NODE', cell: ({ name }) => name },
  { title: 'STATE', cell: ({ state }) => state },
  { title: 'SERVES', cell: ({ serves }) => `${serves}`, right: true },
  { title: 'WEIGHT', cell: ({ weight }) => `${weight}`, right: true },
  { title: 'HEARTBEAT', cell: ({ silentMs }) => seconds(silentMs), right: true },
  { title: 'ADDRESS', cell: ({ address }) => address },
  { title: 'VERSION', cell: ({ version }) => version },
  { title: 'CONFIGURATION', cell: ({ configuration }) => configuration },
];

const PLACEMENTS: readonly Column<ClusterPlacement>[] = [
  { title: 'NODE', cell: ({ node, isPinned }) => `${node}${isPinned ? ' (moved there)' : ''}` },
  { title: 'SERVED BY', cell: ({ owner }) => owner ?? '-' },
  { title: 'LEASE', cell: ({ lease }) => (lease === null ? 'free' : seconds(lease.leftMs)), right: true },
  { title: 'EPOCH', cell: ({ lease }) => (lease === null ? '-' : `${lease.epoch}`), right: true },
];
