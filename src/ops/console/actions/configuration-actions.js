// @ts-check
// Actions of an operator on the configuration: apply saved files, go back to a version, write a session file, make a session and its
// password. Each shows the difference first; a fault in any file leaves everything as it is. Leaves the view to configuration.js.
import { h } from 'preact';
import * as api from '../api.js';
import { post } from './dialog.js';

/** @typedef {import('./dialog.js').Action} Action */

/** Changes that a dialog names one by one. */
const NAMED_MAX = 12;
/** @type {Readonly<Record<string, string>>} */
export const COUNTS = {
  now: 'at once',
  'next Logon': 'at its next Logon',
  'next start': 'at the next start of the gateway',
};

/** @param {api.Preview['changes'][number]} change */
function inWords({ of, key, before, after, counts }) {
  const when = COUNTS[counts] ?? counts;
  if (key === '') return `${of}: ${after ?? 'the session ends'}, ${when}.`;
  return `${of}: ${key} ${before ?? 'not set'} → ${after ?? 'not set'}, ${when}.`;
}

/** The effect of a difference, for an action. @param {api.Preview} preview @returns {import('./dialog.js').Loaded} */
function effectsOf({ problems, changes }) {
  const faults = problems.map(({ file, line, key, problem, remedy }) =>
    [`${file}${line === null ? '' : `:${line}`}`, key === '' ? '' : ` ${key}`, `: ${problem}; ${remedy}`].join(''),
  );
  if (faults.length > 0) return { effects: [], refusal: `This cannot be applied. ${faults.slice(0, 5).join('\n')}` };
  if (changes.length === 0) return { effects: ['Nothing would change.'] };
  const more = changes.length - NAMED_MAX;
  return { effects: [...changes.slice(0, NAMED_MAX).map(inWords), ...(more > 0 ? [`And ${more} more changes.`] : [])] };
}

/** @param {() => void} [onDone] @returns {Action} */
export function applyConfiguration(onDone) {
  return {
    title: 'Apply the configuration',
    load: async () => effectsOf(await api.difference()),
    button: 'Apply',
    run: (why, form) => post('/api/configuration/apply', { why }, form),
    ...(onDone === undefined ? {} : { onDone }),
  };
}

/** @param {number} version @param {() => void} onDone @returns {Action} */
export function rollBack(version, onDone) {
  return {
    title: `Roll back to version ${version}`,
    effects: ['Its files are put back, later session files are removed, and this becomes a version of its own.'],
    load: async () => effectsOf(await api.versionDifference(version)),
    button: 'Roll back',
    isGrave: true,
    run: (why, form) => post('/api/configuration/rollback', { version, why }, form),
    onDone,
  };
}

/**
 * Write a session file, or remove it.
 * @param {api.Draft} file
 * @param {() => void} onDone
 * @returns {Action}
 */
export function saveFile(file, onDone) {
  const isGone = file.remove === true;
  return {
    title: isGone ? `Remove ${file.name}` : `Save ${file.name}`,
    effects: isGone
      ? ['A connected counterparty gets Logout(5); its open orders are treated by its cancel-on-disconnect rule.']
      : [],
    load: async () => effectsOf(await api.draftDifference(file)),
    button: isGone ? 'Remove it' : 'Save and apply',
    isGrave: isGone,
    run: (why, form) => post('/api/configuration/files', { ...file, why }, form),
    onDone,
  };
}

const LIMITS = /** @type {const} */ ([
  ['orderQtyMax', 'Largest OrderQty(38) of one order'],
  ['notionalMax', 'Largest price × quantity of one order'],
  ['openOrdersMax', 'Most open orders'],
  ['priceBandPercent', 'Price band in percent, or off'],
]);

/** @param {string} label @param {Readonly<Record<string, unknown>>} input */
const field = (label, input) =>
  h('label', { key: label }, h('span', null, label), h('input', { class: 'box', autocomplete: 'off', ...input }));

/** The limits that differ from those in effect, as settings. @param {FormData} form @param {Readonly<Record<string, unknown>>} limits */
function changedLimits(form, limits) {
  /** @type {Record<string, string>} */
  const changed = {};
  for (const [key] of LIMITS) {
    const given = String(form.get(key) ?? '').trim();
    const present = limits[key] === null ? 'off' : String(limits[key] ?? '');
    if (given !== '' && given !== present) changed[`limits.${key}`] = given;
  }
  return changed;
}

/** Change the risk limits of a session, while it trades. @param {string} name @returns {Action} */
export function changeLimits(name) {
  /** @type {Awaited<ReturnType<typeof api.sessionFile>> | null} */
  let session = null;
  return {
    title: `Limits of ${name}`,
    load: async () => {
      session = await api.sessionFile(name);
      const { limits, writable } = session;
      if (!writable)
        return { effects: [], refusal: 'Session files are changed where they lie: `admin.sessionFiles` is false.' };
      if (limits === null) return { effects: [], refusal: `${name} has no limits.` };
      const fields = LIMITS.map(([key, label]) =>
        field(label, { name: key, required: true, defaultValue: limits[key] === null ? 'off' : String(limits[key]) }),
      );
      return { effects: [], fields };
    },
    effects: (form) => {
      const { limits = null } = session ?? {};
      if (limits === null) return [];
      const changed = Object.entries(changedLimits(form, limits));
      if (changed.length === 0) return ['Nothing changes yet.'];
      return [
        ...changed.map(
          ([key, value]) => `${key} ${limits[key.slice('limits.'.length)] ?? 'off'} → ${value}, for the next order.`,
        ),
        'Orders that are open stay as they are. The session stays logged on.',
      ];
    },
    button: 'Change the limits',
    run: (why, form) => {
      const { limits = null, file } = /** @type {NonNullable<typeof session>} */ (session);
      const changed = Object.entries(changedLimits(form, limits ?? {}));
      // Amounts stand in quotes, so that they stay exact.
      const inJson = (/** @type {[string, string]} */ [key, value]) => [
        key,
        key === 'limits.openOrdersMax' ? value : JSON.stringify(value),
      ];
      const settings = Object.fromEntries(changed.map(inJson));
      return post('/api/configuration/files', { name, settings, replaces: file.digest, why }, form);
    },
  };
}

/** Enable or disable a session by its file, so that a restart changes nothing. @param {string} name @param {boolean} enabled @param {string} why @param {FormData} form */
export async function setEnabledInFile(name, enabled, why, form) {
  const { file } = await api.sessionFile(name);
  const settings = { enabled: enabled ? 'null' : 'false' };
  return await post('/api/configuration/files', { name, settings, replaces: file.digest, why }, form);
}

/** @param {string} name @returns {Action} */
export function replacePassword(name) {
  return {
    title: `Password of ${name}`,
    fields: field('Hours for which the old one stays valid beside the new; 0: not at all', {
      name: 'hours',
      type: 'number',
      min: 0,
      max: 8760,
      defaultValue: 24,
    }),
    effects: (form) => {
      const hours = Number(form.get('hours') ?? 24);
      const old =
        hours > 0
          ? `The counterparty may log on with either password for ${hours} hours: no Logon is refused.`
          : 'The old password ends at once: its next Logon with it is refused.';
      return ['A new password is made. It is shown once, here.', old, 'The session stays logged on.'];
    },
    button: 'Make a password',
    run: (why, form) =>
      post('/api/configuration/password', { name, oldValidHours: Number(form.get('hours') ?? 24), why }, form),
  };
}

/** @param {readonly string[]} accounts that other sessions have @param {(name: string) => void} onDone @returns {Action} */
export function newSession(accounts, onDone) {
  let name = '';
  return {
    title: 'New session',
    isWide: true,
    fields: h(NewSessionFields, { accounts }),
    effects: (form) => {
      const own = String(form.get('name') ?? '').trim();
      return [
        `sessions/${own === '' ? 'NAME' : own}.yaml is written and applied: the counterparty may log on at once.`,
        'A password is made for it, and shown once, here.',
      ];
    },
    button: 'Make the session',
    run: async (why, form) => {
      name = String(form.get('name') ?? '').trim();
      const draft = sessionText(form);
      const { password, reference = '' } = await post(
        '/api/configuration/password',
        { name, oldValidHours: 0, why },
        form,
      );
      const text = draft.replace('PASSWORD', reference);
      const done = await post('/api/configuration/files', { name, text, why }, form);
      return password === undefined
        ? done
        : { text: `${done.text} The password is shown once: hand it over now.`, password };
    },
    onDone: () => onDone(name),
  };
}

/** @param {{ accounts: readonly string[] }} props */
function NewSessionFields({ accounts }) {
  /** @param {string} label @param {string} name @param {readonly (readonly [string, string])[]} options */
  const select = (label, name, options) =>
    h(
      'label',
      { key: name },
      h('span', null, label),
      h('select', { class: 'box', name }, ...options.map(([value, text]) => h('option', { key: value, value }, text))),
    );
  const same = (/** @type {readonly string[]} */ values) =>
    values.map((value) => /** @type {const} */ ([value, value]));
  return h(
    'div',
    { class: 'fields-grid' },
    field('Name', { name: 'name', required: true, pattern: '[A-Za-z0-9_\\-]{1,64}' }),
    field('SenderCompID(49); the name if empty', { name: 'compID', maxLength: 64 }),
    select('Kind', 'kind', [
      ['order', 'orders'],
      ['dropCopy', 'drop copy'],
    ]),
    select('BeginString(8)', 'beginString', same(['FIX.4.4', 'FIX.4.2', 'FIXT.1.1'])),
    select('Dialect', 'dialect', same(['standard', 'venue'])),
    field('Account(1)', { name: 'account', required: true, list: 'known-accounts' }),
    h('datalist', { id: 'known-accounts' }, ...accounts.map((one) => h('option', { key: one, value: one }))),
    ...LIMITS.map(([key, label]) =>
      field(label, { name: key, defaultValue: { openOrdersMax: '50', priceBandPercent: '20' }[String(key)] ?? '' }),
    ),
    field('Common name of its TLS certificate, if any', { name: 'commonName', maxLength: 64 }),
    field('SHA-256 fingerprint of it, if only that one', { name: 'fingerprint', maxLength: 95 }),
  );
}

/** The file of a new session; PASSWORD stands for the reference of its password. @param {FormData} form */
function sessionText(form) {
  const given = (/** @type {string} */ name) => String(form.get(name) ?? '').trim();
  const quoted = (/** @type {string} */ text) => JSON.stringify(text);
  const isOrder = given('kind') !== 'dropCopy';
  const certificate = [
    ...(given('commonName') === '' ? [] : [`    commonName: ${quoted(given('commonName'))}`]),
    ...(given('fingerprint') === '' ? [] : [`    fingerprints: [${quoted(given('fingerprint'))}]`]),
  ];
  return `${[
    `targetCompID: ${quoted(given('compID') || given('name'))}`,
    ...(isOrder ? [] : ['kind: dropCopy']),
    `beginString: ${given('beginString')}`,
    `dialect: ${given('dialect')}`,
    'password: PASSWORD',
    ...(certificate.length === 0 ? [] : ['logon:', '  certificate:', ...certificate]),
    'accounts:',
    `  - account: ${quoted(given('account'))}`,
    ...(isOrder
      ? ['limits:', ...LIMITS.map(([key]) => `  ${key}: ${key === 'openOrdersMax' ? given(key) : quoted(given(key))}`)]
      : []),
  ].join('\n')}\n`;
}
