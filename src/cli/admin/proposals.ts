// `crossgate proposals list|confirm|withdraw`: actions that one operator proposed at a running gateway and that another one has to
// confirm (`admin.twoPeople`).

import process from 'node:process';
import type { Command } from 'commander';
import { formatIso } from '../../base/time.ts';
import type { ProposalView } from '../../ops/mod.ts';
import { type Column, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, tell, understood, withAdminOptions } from './admin-client.ts';

/** An adoption reads every open order first. */
const CONFIRMED_WITHIN_MS = 180_000;
/** Answers that say: nothing was changed. */
const NOT_USED = 422;

const clock = (at: number): string => formatIso(at).slice(11, 19);

const COLUMNS: readonly Column<ProposalView>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'PROPOSED BY', cell: ({ proposedBy }) => proposedBy },
  { title: 'AT (UTC)', cell: ({ proposedAt }) => clock(proposedAt) },
  { title: 'UNTIL', cell: ({ until }) => clock(until) },
  { title: 'ACTION', cell: ({ summary }) => summary },
];

export function addProposalCommands(program: Command): void {
  const group = program.command('proposals').description('actions that wait for a second person at a running gateway');
  withWatch(
    withAdminOptions(
      group.command('list').description('actions that wait for a second person, with proposer and expiry'),
    ),
  ).action(understood(shown(list)));
  withAdminOptions(
    group.command('confirm <id>').description('carry out what another operator proposed, as the second person'),
  ).action(understood(confirm));
  withAdminOptions(group.command('withdraw <id>').description('take a proposal back')).action(understood(withdraw));
}

async function list(options: AdminClientOptions): Promise<string> {
  const answer = await askGateway<{ proposals: ProposalView[] }>(options, 'GET', '/api/proposals');
  if (options.json) return JSON.stringify(answer, null, 2);
  if (answer.proposals.length === 0) return 'Nothing waits for a second person.';
  return formatTable(COLUMNS, answer.proposals);
}

interface Carried {
  readonly text?: string;
  readonly ok?: boolean;
  readonly adopted?: readonly unknown[];
  readonly refused?: readonly unknown[];
}

/** Exit code 1 if it came to nothing, as for the command that proposed it. */
async function confirm(id: string, options: AdminClientOptions): Promise<void> {
  const asking = { withinMs: CONFIRMED_WITHIN_MS, answers: [NOT_USED] };
  const result = await askGateway<Carried>(options, 'POST', pathOf(id, 'confirm'), {}, asking);
  const { text, ok = true, adopted, refused = [] } = result;
  if (!ok || adopted?.length === 0 || refused.length > 0) process.exitCode = 1;
  if (adopted === undefined || options.json) tell(result as { text: string }, options);
  else {
    console.log(`Orders taken over: ${adopted.length}, refused: ${refused.length}.`);
    if (text !== undefined) tell({ text }, options);
  }
}

async function withdraw(id: string, options: AdminClientOptions): Promise<void> {
  tell(await askGateway<{ text: string }>(options, 'POST', pathOf(id, 'withdraw'), {}), options);
}

function pathOf(id: string, action: string): string {
  return `/api/proposals/${encodeURIComponent(id)}/${action}`;
}
