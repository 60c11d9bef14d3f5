// @ts-check
// Actions of an operator on sessions, orders, kill switches and alarms, each with what will happen. dialog.js shows it and asks for the
// reason; configuration-actions.js has what changes the configuration. Leaves where the buttons stand to the panels.
import { h } from 'preact';
import { sessionFile } from '../api.js';
import { setEnabledInFile } from './configuration-actions.js';
import { post } from './dialog.js';

/** @typedef {import('./dialog.js').Action} Action */
/** @typedef {import('../api.js').SessionView} SessionView */

/** @param {string} name */
const at = (name) => `/api/sessions/${encodeURIComponent(name)}`;

/** @param {SessionView} session @returns {Action} */
export function logOutSession({ name, sessionId, openOrders }) {
  return {
    title: `Log ${name} out`,
    effects: [
      'The counterparty gets Logout(5) with your reason in Text(58).',
      `${ordersIn(openOrders)} treated by its cancel-on-disconnect rule.`,
      'It may log on again at once.',
    ],
    button: 'Log out the session',
    isGrave: true,
    run: (why, form) => post(`${at(sessionId)}/logout`, { why }, form),
  };
}

/** The name of the session's own file; null for one that was made from a template, was removed, or stands in a file of QuickFIX. @param {SessionView} session */
export function fileOf({ source, template, retired }) {
  const [, name = null] = /([^\\/]+)\.yaml$/.exec(source) ?? [];
  return template === null && !retired ? name : null;
}

/** @param {SessionView} session @returns {Action} */
export function disableSession(session) {
  const { name, sessionId, openOrders } = session;
  const file = fileOf(session);
  const keeps = (/** @type {FormData} */ form) => file !== null && form.get('until') === 'file';
  return {
    title: `Disable ${name}`,
    fields: file === null ? null : h(Until, { file }),
    effects: (form) => [
      keeps(form)
        ? `A connected counterparty gets Logout(5); every Logon is refused until you enable it, over restarts too: ${file}.yaml gets \`enabled: false\`.`
        : 'A connected counterparty gets Logout(5); every Logon is refused until you enable it, or the gateway starts anew.',
      `${ordersIn(openOrders)} treated by its cancel-on-disconnect rule, without its grace time.`,
    ],
    button: 'Disable the session',
    isGrave: true,
    run: (why, form) =>
      file !== null && keeps(form)
        ? setEnabledInFile(file, false, why, form)
        : post(`${at(sessionId)}/disable`, { why }, form),
  };
}

/** @param {{ file: string }} props */
function Until({ file }) {
  /** @param {string} value @param {string} text @param {boolean} defaultChecked */
  const choice = (value, text, defaultChecked) =>
    h('label', { class: 'choice' }, h('input', { type: 'radio', name: 'until', value, defaultChecked }), text);
  return h(
    'fieldset',
    null,
    h('legend', null, 'Until'),
    choice('start', 'you enable it, or the gateway starts anew', true),
    choice('file', `you enable it, over restarts: in ${file}.yaml`, false),
  );
}

/** @param {SessionView} session @returns {Action} */
export function enableSession(session) {
  const { name, sessionId } = session;
  const file = fileOf(session);
  let isInFile = false;
  return {
    title: `Enable ${name}`,
    effects: ['The counterparty may log on from now on.'],
    load: async () => {
      isInFile = file !== null && /^enabled: *false/m.test((await sessionFile(file)).file.text);
      return { effects: isInFile ? [`${file}.yaml loses its \`enabled: false\`.`] : [] };
    },
    button: 'Enable the session',
    run: (why, form) =>
      isInFile && file !== null
        ? setEnabledInFile(file, true, why, form)
        : post(`${at(sessionId)}/enable`, { why }, form),
  };
}

/** @param {number} count */
const ordersIn = (count) => (count === 1 ? 'Its open order is' : `Its ${count} open orders are`);

/** @param {SessionView} session @returns {Action} */
export function setNumbers(session) {
  const { name, sessionId, status } = session;
  const { nextSenderMsgSeqNum: out, nextTargetMsgSeqNum: into } = status.numbers;
  return {
    title: `Sequence numbers of ${name}`,
    fields: h(NumberFields, { out, into }),
    effects: (form) => numbersPreview(session, form),
    button: 'Change the numbers',
    isGrave: true,
    run: (why, form) => post(`${at(sessionId)}/numbers`, { ...numbersOf(form), why }, form),
  };
}

/** @param {{ out: number, into: number }} props */
function NumberFields({ out, into }) {
  /** @param {string} value @param {string} text */
  const choice = (value, text) =>
    h(
      'label',
      { class: 'choice', key: value },
      h('input', { type: 'radio', name: 'how', value, defaultChecked: value === 'reset' }),
      text,
    );
  /** @param {string} label @param {string} field @param {number} value */
  const number = (label, field, value) =>
    h(
      'label',
      null,
      h('span', null, label),
      h('input', { class: 'box', type: 'number', min: 1, name: field, placeholder: String(value) }),
    );
  return h(
    'fieldset',
    null,
    h('legend', null, `Now: next out ${out}, next in ${into}`),
    choice('reset', 'Both begin at 1, after a Logout'),
    choice('within', 'Both begin at 1 within the session'),
    choice('set', 'Set them:'),
    h('div', { class: 'pair' }, number('Next out (ours)', 'out', out), number('Next in (expected)', 'in', into)),
  );
}

/** @param {FormData} form */
function numbersOf(form) {
  const how = form.get('how') ?? 'reset';
  if (how !== 'set') return { reset: true, within: how === 'within' };
  const [out, into] = [Number(form.get('out')), Number(form.get('in'))];
  return { ...(out > 0 ? { nextSenderMsgSeqNum: out } : {}), ...(into > 0 ? { nextTargetMsgSeqNum: into } : {}) };
}

/** The messages that the counterparty will see. @param {SessionView} session @param {FormData} form */
function numbersPreview({ status }, form) {
  const { nextSenderMsgSeqNum: out, nextTargetMsgSeqNum: into } = status.numbers;
  const isOn = status.state === 'loggedOn';
  const leaves = isOn ? ['The counterparty gets Logout(5) first, with your reason.'] : [];
  const how = form.get('how') ?? 'reset';
  if (how === 'within') {
    return [
      'The counterparty sees TestRequest(1), then Logon(A) with MsgSeqNum(34)=1 and ResetSeqNumFlag(141)=Y.',
      'It has to answer with the same; reports not proven received follow with PossResend(97)=Y.',
    ];
  }
  if (how === 'reset') {
    return [
      ...leaves,
      `Next out ${out} → 1, next in ${into} → 1: its next Logon has to begin at MsgSeqNum(34)=1, as ours will.`,
      'Reports not proven received are sent again under new numbers, with PossResend(97)=Y.',
    ];
  }
  const { nextSenderMsgSeqNum: newOut = out, nextTargetMsgSeqNum: newIn = into } =
    /** @type {{ nextSenderMsgSeqNum?: number, nextTargetMsgSeqNum?: number }} */ (numbersOf(form));
  const lines = [...leaves];
  if (newOut > out)
    lines.push(`Next out ${out} → ${newOut}: it sees a gap, asks for ${out} to ${newOut - 1}, and gets a gap fill.`);
  if (newOut < out) lines.push(`Next out ${out} → ${newOut}: refused, ours may only rise within a series.`);
  if (newIn > into)
    lines.push(
      `Next in ${into} → ${newIn}: its messages ${into} to ${newIn - 1} are not asked for; a lower number of it ends the session.`,
    );
  if (newIn < into)
    lines.push(`Next in ${into} → ${newIn}: a message with ${newIn} is taken as new, and a higher one as a gap.`);
  return lines.length === leaves.length ? ['Nothing changes: write at least one number.'] : lines;
}

/** @param {import('../api.js').OrderSnapshot} order @returns {Action} */
export function cancelOrder({ sessionId, clOrdID, symbol, side, leavesQty, price }) {
  return {
    title: `Cancel order ${clOrdID}`,
    effects: [
      `${side === '1' ? 'Buy' : 'Sell'} ${leavesQty} ${symbol} at ${price ?? 'market'} is canceled at the exchange.`,
      `Its OMS gets ExecutionReport(8) with ExecType(150)=4, unsolicited; fills that come before it are reported.`,
    ],
    button: 'Cancel the order',
    isGrave: true,
    run: (why, form) => post('/api/orders/cancel', { session: sessionId, clOrdID, why }, form),
  };
}

/** @param {readonly SessionView[]} sessions @returns {Action} */
export function throwKillSwitch(sessions) {
  const accounts = [...new Set(sessions.flatMap((session) => session.accounts))];
  /** @param {FormData} form */
  const scopeOf = (form) => {
    const [scope = 'all', ...name] = String(form.get('scope') ?? 'all').split(' ');
    return { scope, name: name.join(' ') };
  };
  return {
    title: 'Stop trading',
    fields: h(
      'label',
      null,
      h('span', null, 'Of'),
      h(
        'select',
        { class: 'box', name: 'scope' },
        h('option', { value: 'all' }, 'everything'),
        ...sessions.map(({ name, sessionId }) =>
          h('option', { key: sessionId, value: `session ${sessionId}` }, `session ${name}`),
        ),
        ...accounts.map((account) => h('option', { key: account, value: `account ${account}` }, `account ${account}`)),
      ),
    ),
    effects: (form) => {
      const { scope, name } = scopeOf(form);
      const open = sessions
        .filter(({ sessionId, accounts: own }) => scope === 'all' || sessionId === name || own.includes(name))
        .reduce((sum, { openOrders }) => sum + openOrders, 0);
      return [
        `${open === 1 ? '1 open order is' : `${open} open orders are`} canceled one by one, and new ones are refused, over restarts.`,
        'Only two people with role `lift` can undo it.',
      ];
    },
    button: 'Stop trading',
    isGrave: true,
    run: (why, form) => post('/api/kill-switches/throw', { ...scopeOf(form), why }, form),
  };
}

/** @param {import('../api.js').KillSwitchView} one @returns {Action} */
export function liftKillSwitch({ scope, name, liftAskedBy }) {
  const first = ['This asks for it: a second person has to lift it within 15 minutes.'];
  const second = [`${liftAskedBy} asked for it: you lift it, and orders are taken again at once.`];
  return {
    title: `Lift the kill switch of ${scope === 'all' ? 'everything' : `${scope} ${name}`}`,
    effects: liftAskedBy === null ? first : second,
    button: liftAskedBy === null ? 'Ask for it' : 'Lift it',
    run: (why, form) => post('/api/kill-switches/lift', { scope, name, why }, form),
  };
}

/** @param {string | null} account @returns {Action} */
export function reconcile(account) {
  return {
    title: account === null ? 'Reconcile all accounts' : `Reconcile account ${account}`,
    effects: [
      'Orders and trades are read from the exchange and compared.',
      'Differences become reports to the OMS, or alarms.',
    ],
    button: 'Reconcile',
    needsNoWhy: true,
    run: (_why, form) => post('/api/reconcile', account === null ? {} : { account }, form),
  };
}

/** @param {import('../api.js').OpenAlarm} alarm @returns {Action} */
export function acknowledge({ id, alarm, text, count }) {
  return {
    title: `Acknowledge ${alarm}`,
    effects: [
      `${text} (${count === 1 ? 'once' : `${count} times`})`,
      'It is not sent again unless it escalates; your note stands beside it.',
    ],
    button: 'Acknowledge',
    run: (why, form) => post('/api/alarms/acknowledge', { id, why }, form),
  };
}

/** @param {readonly SessionView[]} sessions @returns {Action} */
export function sendNews(sessions) {
  const isOn = (/** @type {SessionView} */ { status }) => status.state === 'loggedOn';
  return {
    title: 'Send News',
    fields: h(NewsFields, { sessions }),
    effects: (form) => {
      const to = String(form.get('to') ?? '');
      const receivers = sessions.filter((session) => isOn(session) && (to === '' || session.sessionId === to)).length;
      const stopAt = String(form.get('stopAt') ?? '');
      return [
        `News(B) goes to ${receivers === 1 ? '1 session that is' : `${receivers} sessions that are`} logged on.`,
        ...(stopAt === ''
          ? []
          : [
              `It announces a stop at ${stopAt.replace('T', ' ')} UTC, and goes again 60, 30, 15, 5 and 1 minutes before, and after each Logon.`,
              'It stops nothing: at that time you log the sessions out, or end the gateway.',
            ]),
      ];
    },
    button: 'Send',
    needsNoWhy: true,
    run: (_why, form) => {
      const text = (/** @type {string} */ name) => String(form.get(name) ?? '').trim();
      const stopAt = text('stopAt') === '' ? {} : { stopAt: `${text('stopAt')}:00Z` };
      const to = text('to') === '' ? [] : [text('to')];
      const urgency = form.has('flash') ? '1' : '0';
      return post(
        '/api/news',
        { sessions: to, headline: text('headline'), text: text('text'), urgency, ...stopAt },
        form,
      );
    },
  };
}

/** @param {{ sessions: readonly SessionView[] }} props */
function NewsFields({ sessions }) {
  /** @param {string} label @param {object} input */
  const field = (label, input) => h('label', null, h('span', null, label), h('input', { class: 'box', ...input }));
  return [
    h(
      'label',
      { key: 'to' },
      h('span', null, 'To'),
      h(
        'select',
        { class: 'box', name: 'to' },
        h('option', { value: '' }, 'all sessions'),
        ...sessions.map(({ name, sessionId }) => h('option', { key: sessionId, value: sessionId }, name)),
      ),
    ),
    field('Headline(148)', { name: 'headline', maxLength: 200, required: true, autocomplete: 'off' }),
    field('Text(58); the headline if empty', { name: 'text', maxLength: 500, autocomplete: 'off' }),
    field('Announces a stop at (UTC)', { name: 'stopAt', type: 'datetime-local' }),
    h(
      'label',
      { class: 'choice', key: 'flash' },
      h('input', { type: 'checkbox', name: 'flash' }),
      'Flash: Urgency(61)=1',
    ),
  ];
}

/** @param {{ headline: string }} stop @returns {Action} */
export function withdrawStop({ headline }) {
  return {
    title: 'Withdraw the announced stop',
    effects: [`“${headline}” does not take place: the sessions that are logged on get News(B) that says so.`],
    button: 'Withdraw it',
    run: (why, form) => post('/api/news/withdraw', { why }, form),
  };
}

/** @param {import('../api.js').Proposal} proposal @returns {Action} */
export function confirmProposal({ id, summary, proposedBy }) {
  return {
    title: 'Confirm a proposal',
    effects: [`${proposedBy} proposes ${summary}.`, 'You carry it out, once; the audit trail names you both.'],
    button: 'Confirm it',
    needsNoWhy: true,
    run: (_why, form) => post(`/api/proposals/${id}/confirm`, {}, form),
  };
}

/** @param {import('../api.js').Proposal} proposal @returns {Action} */
export function withdrawProposal({ id, summary }) {
  return {
    title: 'Withdraw a proposal',
    effects: [`Not done: ${summary}.`],
    button: 'Withdraw it',
    needsNoWhy: true,
    run: (_why, form) => post(`/api/proposals/${id}/withdraw`, {}, form),
  };
}
