// Commands that steer a certification at a running gateway, and show what it has come to.

import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { CrossgateError } from '../../base/errors.ts';
import { terminalLines } from '../../base/terminal-text.ts';
import {
  type CaseView,
  type DeskView,
  decidingStep,
  GROUP_TITLES,
  GROUPS,
  totalsInWords,
} from '../../certification/mod.ts';
import { type AdminClientOptions, askGateway } from '../admin/admin-client.ts';
import { type Column, formatTable } from '../output/table.ts';

interface ShowOptions extends AdminClientOptions {
  readonly case?: string;
}

/** How often the gateway is asked for a verdict. */
const LOOK_MS = 300;

/** Address of a certification in the admin API. */
export function certificationPath(name: string, rest = ''): string {
  return `/api/certifications/${encodeURIComponent(name)}${rest}`;
}

/** The result of a case in one word. */
export function wordOf({ obligation, result }: CaseView): string {
  if (result === null) return obligation === 'not applicable' ? 'does not apply' : '-';
  return { pass: 'passed', fail: 'FAILED', missing: 'NOT SEEN', broken: 'not judged' }[result.verdict];
}

const COLUMNS: readonly Column<CaseView>[] = [
  { title: 'CASE', cell: ({ id }) => id },
  { title: 'OBLIGATION', cell: ({ obligation }) => obligation },
  { title: 'RESULT', cell: wordOf },
  { title: 'TITLE', cell: ({ title }) => title },
];

export async function show(name: string, options: ShowOptions): Promise<void> {
  const view = await askGateway<DeskView>(options, 'GET', certificationPath(name));
  const one = options.case === undefined ? null : caseIn(view, options.case);
  if (options.json === true) console.log(JSON.stringify(one ?? view, null, 2));
  else if (one !== null) console.log(caseInWords(one));
  else console.log(viewInWords(view));
}

export async function start(name: string, options: AdminClientOptions): Promise<void> {
  const view = await askGateway<DeskView>(options, 'POST', certificationPath(name, '/start'), {});
  if (options.json === true) console.log(JSON.stringify(view, null, 2));
  else console.log(`${queuedInWords(view)}\n${presentInWords(view)}`);
}

export async function stop(name: string, options: AdminClientOptions): Promise<void> {
  const view = await askGateway<DeskView>(options, 'POST', certificationPath(name, '/stop'), {});
  if (options.json === true) console.log(JSON.stringify(view, null, 2));
  else console.log('No case is being played.');
}

/** Play a case and say each instruction as it comes; exit code 1 unless it is passed. */
export async function runCase(name: string, caseId: string, options: AdminClientOptions): Promise<void> {
  const before = caseIn(await askGateway<DeskView>(options, 'GET', certificationPath(name)), caseId);
  await askGateway<DeskView>(options, 'POST', certificationPath(name, '/run'), { case: caseId });
  let said = '';
  for (;;) {
    const view = await askGateway<DeskView>(options, 'GET', certificationPath(name, '?brief=true'));
    const text = presentInWords(view);
    if (options.json !== true && text !== said && view.running?.id !== undefined) console.log(text);
    said = text;
    const one = caseIn(view, caseId);
    const isNew = one.result !== null && one.result.endedAt !== before.result?.endedAt;
    if (isNew && view.running?.id !== caseId) {
      const whole = caseIn(await askGateway<DeskView>(options, 'GET', certificationPath(name)), caseId);
      console.log(options.json === true ? JSON.stringify(whole, null, 2) : caseInWords(whole));
      if (one.result?.verdict !== 'pass') process.exitCode = 1;
      return;
    }
    const isGone = view.running === null && !view.queue.includes(caseId);
    if (isGone && !isNew)
      throw new CrossgateError('XG_ADMIN_REFUSED', `${caseId} is not played any more: somebody stopped it`);
    await pause(LOOK_MS);
  }
}

function caseIn({ cases }: DeskView, id: string): CaseView {
  const found = cases.find((one) => one.id === id);
  if (found === undefined)
    throw new CrossgateError('XG_NOT_FOUND', `there is no case ${id}: \`crossgate certification show\` lists them`);
  return found;
}

function viewInWords(view: DeskView): string {
  const { cases, totals, certified, hasProfile, name } = view;
  const lines = [`${name}: ${certified ? 'CERTIFIED' : 'not certified'}, rules of engagement ${view.rules}`];
  lines.push(totalsInWords(totals));
  lines.push(`${totals.optionalPassed} of ${totals.optional} optional passed; ${totals.notApplicable} do not apply.`);
  if (!hasProfile)
    lines.push(`No profile: all abilities are assumed. \`crossgate certification profile ${name}\` asks for them.`);
  lines.push(presentInWords(view));
  for (const group of GROUPS) {
    const own = cases.filter((one) => one.group === group);
    if (own.length > 0) lines.push('', GROUP_TITLES[group], formatTable(COLUMNS, own));
  }
  for (const one of cases) {
    const deciding = one.result === null ? null : decidingStep(one.result);
    if (deciding !== null) lines.push('', `${one.id}: ${deciding.detail}`, `  ${deciding.hint}`);
  }
  return terminalLines(lines.join('\n'));
}

function queuedInWords({ queue, running }: DeskView): string {
  const count = queue.length + (running === null ? 0 : 1);
  return count === 0 ? 'Every case that applies is passed.' : `${count} cases to play.`;
}

/** The case under way. */
function presentInWords({ running, loggedOn, connected, queue }: DeskView): string {
  const where = loggedOn ? 'logged on' : connected ? 'connected, not logged on' : 'not connected';
  if (running === null) {
    const waits = queue.length > 0 && !loggedOn ? ': the first case begins when it logs on' : '';
    return `The OMS is ${where}${waits}.`;
  }
  const { id, step, steps, text, instruction } = running;
  const asked = instruction === null ? '' : `\n  ASKED: ${instruction}`;
  return `${id}, step ${step} of ${steps} (the OMS is ${where})${asked}\n  NOW:   ${text}`;
}

function caseInWords(one: CaseView): string {
  const lines = [`${one.id}: ${wordOf(one)}`, one.title, one.rule];
  for (const [index, step] of (one.result?.steps ?? []).entries()) {
    const mark = step.verdict === null ? ' ' : step.verdict === 'pass' ? '+' : '!';
    lines.push(`${mark} ${index + 1}. ${step.text}`);
    if (step.detail !== '') lines.push(`     ${step.detail}`);
    if (step.hint !== '') lines.push(`     ${step.hint}`);
    for (const message of step.evidence) lines.push(`     | ${message}`);
  }
  return terminalLines(lines.join('\n'));
}
