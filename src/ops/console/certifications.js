// @ts-check
// Certifications: which there are, and of the chosen one the present request to the tester, its step, and every verdict as it comes.
import { h } from 'preact';
import { interview, playCase, startCases, stopCases } from './actions/certification-actions.js';
import { ActionButton, theReader } from './actions/dialog.js';
import { Mark, Panel, Table } from './parts.js';

/**
 * @typedef {import('../../certification/mod.ts').DeskView} DeskView
 * @typedef {import('../../certification/mod.ts').CaseView} CaseView
 */

/** @type {Readonly<Record<string, readonly [string, string]>>} */
const VERDICTS = {
  pass: ['passed', 'good'],
  fail: ['failed', 'bad'],
  missing: ['not seen in time', 'wait'],
  broken: ['not judged', 'wait'],
};

/** @type {readonly import('./parts.js').Column<CaseView>[]} */
const COLUMNS = [
  { title: 'Case', cell: ({ id }) => id, code: true },
  { title: 'Result', cell: result },
  { title: 'Obligation', cell: ({ obligation }) => obligation },
  { title: 'Title', cell: ({ title, rule }) => h('span', { title: rule }, title) },
  { title: 'Why', cell: why },
];

/** @param {string} name @returns {import('./parts.js').Column<CaseView>} */
const playColumn = (name) => ({
  title: '',
  cell: ({ id, obligation }) =>
    obligation === 'not applicable'
      ? ''
      : h(ActionButton, { action: () => playCase(name, id), label: `Play ${id}` }, 'Play …'),
});

/** @param {CaseView} one */
function result({ obligation, result: found }) {
  if (found === null) return obligation === 'not applicable' ? 'does not apply' : 'not played';
  const [name, look] = VERDICTS[found.verdict] ?? [found.verdict, 'quiet'];
  return h(Mark, { name, look });
}

/** @param {CaseView} one */
function why({ result: found }) {
  const [step] = found?.verdict === 'pass' ? [] : (found?.steps ?? []);
  return step === undefined ? '' : h('span', null, h('b', null, step.detail), ' ', step.hint);
}

/**
 * @param {object} props
 * @param {readonly string[]} props.names
 * @param {string | null} props.selected
 * @param {DeskView | null} props.desk
 * @param {(name: string) => void} props.onSelect
 */
export function Certifications({ names, selected, desk, onSelect }) {
  const choice = names.map((name) =>
    h(
      'button',
      { key: name, type: 'button', class: 'plain', 'aria-pressed': name === selected, onClick: () => onSelect(name) },
      name,
    ),
  );
  const aside = desk === null ? '' : `${totalsInWords(desk.totals)}, rules ${desk.rules}`;
  const body =
    selected === null
      ? h('p', { class: 'empty' }, 'Choose one to see its cases.')
      : desk === null
        ? h('p', { class: 'empty' }, 'The certification is being opened …')
        : h(Desk, { desk });
  return h(
    Panel,
    { id: 'certifications', title: 'Certifications', aside },
    h('div', { class: 'filter' }, ...choice),
    body,
  );
}

/** Totals of the mandatory cases. @param {DeskView['totals']} totals */
function totalsInWords({ passed, mandatory, failed, broken }) {
  const words = [`${passed} of ${mandatory} mandatory cases passed`];
  if (failed > 0) words.push(`${failed} failed`);
  if (broken > 0) words.push(`${broken} not judged: play them again`);
  return words.join(', ');
}

/** The actions on a desk. @param {{ desk: DeskView }} props */
function DeskActions({ desk }) {
  const { name, running, hasProfile } = desk;
  const run = running === null && desk.queue.length === 0 ? startCases : stopCases;
  return h(
    'div',
    { class: 'actions desk-actions', role: 'group', 'aria-label': `Actions on ${name}` },
    hasProfile ? null : h('span', { class: 'of' }, 'No interview yet: all abilities are assumed.'),
    h(ActionButton, { action: () => interview(name) }, 'Interview …'),
    h(ActionButton, { action: () => run(name) }, run === startCases ? 'Play the open cases …' : 'Stop …'),
  );
}

/** @param {{ desk: DeskView }} props */
function Desk({ desk }) {
  const { certified, running, loggedOn, connected, queue, cases } = desk;
  const oms = loggedOn ? 'logged on' : connected ? 'connected, not logged on' : 'not connected';
  const rest = queue.length === 0 ? '' : `, ${queue.length} more wait`;
  return h(
    'div',
    { class: 'desk' },
    h(
      'p',
      { class: 'request', role: 'status' },
      h(Mark, certified ? { name: 'Certified', look: 'good' } : { name: 'Not certified', look: 'wait' }),
      `. The OMS is ${oms}. `,
      running === null
        ? `No case is being played${rest}.`
        : h(
            'span',
            null,
            h('b', null, `${running.id}, step ${running.step} of ${running.steps}${rest}: `),
            running.instruction === null ? '' : h('span', null, 'Asked: ', h('b', null, running.instruction), ' '),
            `Now: ${running.text}`,
          ),
    ),
    theReader().mayOperate ? h(DeskActions, { desk }) : null,
    h(/** @type {typeof Table<CaseView>} */ (Table), {
      label: 'Cases',
      columns: theReader().mayOperate ? [...COLUMNS, playColumn(desk.name)] : COLUMNS,
      rows: cases,
      keyOf: ({ id }) => id,
      empty: 'There are no cases.',
    }),
  );
}
