// @ts-check
// Asks the admin API. Holds the token for this tab only; it travels in a header and never in an address.

/**
 * @typedef {import('../../administration/mod.ts').SessionView} SessionView
 * @typedef {import('../../administration/mod.ts').DecodedMessage} DecodedMessage
 * @typedef {import('../../runtime/mod.ts').OrderSnapshot} OrderSnapshot
 * @typedef {import('../../runtime/mod.ts').OrderCounts} OrderCounts
 * @typedef {import('../../runtime/mod.ts').AuctionPhase} AuctionPhase
 * @typedef {import('../../administration/mod.ts').ExchangeLoginView} ExchangeLoginView
 * @typedef {import('../admin/alarm-digest.ts').ShownAlarm} Alarm
 * @typedef {Omit<OrderSnapshot, 'timeline'>} ListedOrder
 * @typedef {import('../admin/live-stream.ts').Reader} Reader
 * @typedef {import('../../runtime/mod.ts').KillSwitchView} KillSwitchView
 * @typedef {import('../alarms/alarm-book.ts').OpenAlarm} OpenAlarm
 * @typedef {import('../../administration/mod.ts').PastMessage} PastMessage
 * @typedef {import('../../administration/mod.ts').PastAction} PastAction
 * @typedef {import('../../engine/mod.ts').Alarm & { place: string, severity: string }} PastAlarm
 * @typedef {import('../admin/two-people.ts').ProposalView} Proposal
 * @typedef {import('../configuration/change/change-preview.ts').ConfigurationPreview} Preview
 * @typedef {import('../configuration/versions.ts').ConfigurationVersion} Version
 * @typedef {import('../configuration/change/draft.ts').SessionFileView} SessionFile
 * @typedef {{ name: string, text?: string, remove?: boolean, replaces?: string }} Draft a session file that is not saved
 * @typedef {{ text: string, password?: string, reference?: string }} Done what the gateway says about an action
 * @typedef {{ session: string, partition: string, clOrdID: string, orderID: string, symbol: string, status: string, open: boolean }} OrderFilter
 * @typedef {{ name: string, node: string, state: string, answered: boolean, ready: boolean, sessions: number, loggedOn: number, openOrders: number, startedAt: number | null, epoch: number | null }} Partition
 * @typedef {{ name: string, version: string, weight: number, isLive: boolean, isDraining: boolean, joinedAt: number }} ClusterNode
 */

/**
 * @typedef {object} Overview
 * @property {number} now
 * @property {number} startedAt
 * @property {{ ready: boolean, partlyReady: boolean, reasons: string[] }} health
 * @property {string} venue
 * @property {ExchangeLoginView[]} exchangeLogins
 * @property {SessionView[]} sessions
 * @property {AuctionPhase[]} auctions
 * @property {Alarm[]} alarms
 * @property {readonly OpenAlarm[]} openAlarms
 * @property {OrderCounts} orderCounts
 * @property {import('../../runtime/mod.ts').KillSwitchView[]} killSwitches
 * @property {{ at: number, who: string, ok: boolean, text: string, restartNeeded: string[] } | null} configuration
 * @property {readonly string[]} notices
 * @property {readonly Proposal[]} [proposals]
 * @property {{ stopAt: number, headline: string, text: string } | null} [plannedStop]
 * @property {readonly Partition[]} [partitions] of a gateway that runs several
 * @property {string} [node] the one that answers, of such a gateway
 * @property {readonly ClusterNode[]} [nodes] of a cluster
 * @property {boolean} [hasPrometheus] longer ranges than an hour are to be had
 * @property {readonly string[]} [certifications] names of the sessions that certify; a gateway of another version does not say
 */

const TOKEN_KEY = 'crossgate.token';
const LOADED_KEY = 'crossgate.loaded';
const LOADED_AGAIN_MS = 60_000;
const TIMEOUT_MS = 10_000;
/** An action waits for the journal, and for the exchange. */
const ACTION_MS = 15_000;
/** Of the gateway that answered first. @type {string | null} */
let version = null;

/** The token is missing or wrong. */
export class Unauthorized extends Error {}

/** Whoever asked has logged out meanwhile: the answer is nobody's. */
export class Outdated extends Error {}

/** The gateway is there, and does not give what was asked for. */
export class Refused extends Error {}

/** What was asked for is not there, or not any more. */
export class NotFound extends Refused {}

export function token() {
  return sessionStorage.getItem(TOKEN_KEY) ?? '';
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN_KEY) !== null;
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN_KEY, token);
}

export function forgetToken() {
  sessionStorage.removeItem(TOKEN_KEY);
}

/**
 * An answer with the token in its header. @param {string} path @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function ask(path, options = {}) {
  const token = sessionStorage.getItem(TOKEN_KEY) ?? '';
  // No header can carry it: the request would fail as if the gateway were gone.
  if (!/^[\x21-\x7e]*$/.test(token)) throw new Unauthorized();
  const response = await fetch(path, {
    ...options,
    headers: { ...options.headers, authorization: `Bearer ${token}` },
  });
  if (response.status === 401) throw isStill(token) ? new Unauthorized() : new Outdated();
  const refusal = await refusalOf(response, path);
  if (response.status === 404) throw new NotFound(refusal);
  if (!response.ok) throw new Refused(refusal);
  loadAgainFor(response.headers.get('x-crossgate-version'));
  if (!isStill(token)) throw new Outdated();
  return response;
}

/**
 * @template T
 * @param {string} path
 * @returns {Promise<T>}
 */
async function get(path) {
  const token = sessionStorage.getItem(TOKEN_KEY) ?? '';
  const response = await ask(path, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const answer = await response.json();
  if (!isStill(token)) throw new Outdated();
  return answer;
}

/** In the gateway's words, if it has any. @param {Response} response @param {string} path */
async function refusalOf(response, path) {
  const plain = `the gateway answered ${response.status} to ${path.replace(/\?.*/s, '').slice(0, 80)}`;
  if (response.ok || !response.headers.get('content-type')?.includes('json')) return plain;
  // A report on a configuration that was not taken has `text`.
  const { detail, text } = await response.json().catch(() => ({}));
  return [detail, text].find((words) => typeof words === 'string') ?? plain;
}

/** Whether nobody logged out since. @param {string} token */
export function isStill(token) {
  return sessionStorage.getItem(TOKEN_KEY) === token;
}

/** What a gateway of another version answers is for its own page. The token stays. @param {string | null} said */
function loadAgainFor(said) {
  version ??= said;
  if (said === version) return;
  // Two that answer in turn would have it loaded for ever.
  const before = Number(sessionStorage.getItem(LOADED_KEY) ?? 0);
  if (Date.now() - before < LOADED_AGAIN_MS) return;
  sessionStorage.setItem(LOADED_KEY, String(Date.now()));
  location.reload();
}

/**
 * A page of the past.
 * @param {'messages' | 'orders' | 'alarms' | 'actions'} subject
 * @param {URLSearchParams} query
 * @returns {Promise<import('../../administration/mod.ts').PastPage<PastMessage | OrderSnapshot | PastAlarm | PastAction>>}
 */
export function past(subject, query) {
  return get(`/api/history/${subject}?${query}`);
}

/**
 * Have the gateway do something; what it says about it.
 * @param {string} path
 * @param {object} body
 * @param {string} operator name of the caller, for the shared token
 * @returns {Promise<Done>}
 */
export async function act(path, body, operator) {
  const response = await ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(operator === '' ? {} : { 'x-crossgate-operator': operator }) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ACTION_MS),
  });
  return await response.json();
}

/** Measurements later than `after`, of an hour at most. @param {number} after @returns {Promise<unknown>} */
export function plots(after) {
  return get(`/api/plots?after=${Math.trunc(after)}`);
}

/** The same of one session. @param {string} session @param {number} after @returns {Promise<unknown>} */
export function sessionPlots(session, after) {
  return get(`/api/plots/session?${new URLSearchParams({ session, after: String(Math.trunc(after)) })}`);
}

/** Hours or days, from Prometheus. @param {string} range @param {string | null} session @returns {Promise<unknown>} */
export function rangePlots(range, session) {
  return get(`/api/plots/range?${new URLSearchParams({ range, ...(session === null ? {} : { session }) })}`);
}

/** Auctions of a symbol, or of the first one. @param {string} symbol @returns {Promise<{ symbols: readonly string[], auctions: readonly import('../metrics/auction-ring.ts').AuctionCourse[] }>} */
export function auctionPlots(symbol) {
  return get(`/api/plots/auctions?${new URLSearchParams(symbol === '' ? {} : { symbol })}`);
}

/** The effect of the saved files. @returns {Promise<Preview>} */
export function difference() {
  return get('/api/configuration/diff');
}

/** The effect of going back to a version. @param {number} version @returns {Promise<Preview>} */
export function versionDifference(version) {
  return get(`/api/configuration/versions/diff?version=${version}`);
}

/** @returns {Promise<{ versions: readonly Version[] }>} */
export function versions() {
  return get('/api/configuration/versions');
}

/** Names of the session files, and whether they may be written here. @returns {Promise<{ names: readonly string[], writable: boolean }>} */
export function sessionFiles() {
  return get('/api/configuration/files');
}

/**
 * One of them, with the limits in effect.
 * @param {string} session
 * @returns {Promise<{ file: SessionFile, limits: Readonly<Record<string, string | number | null>> | null, writable: boolean }>}
 */
export function sessionFile(session) {
  return get(`/api/configuration/files?${new URLSearchParams({ session })}`);
}

/** @param {string} name @returns {Promise<{ questions: readonly { feature: string, text: string }[], can: readonly string[], hasProfile: boolean }>} */
export function interview(name) {
  return get(`/api/certifications/${encodeURIComponent(name)}/interview`);
}

/** The effect of another text of a session file. @param {Draft} file @returns {Promise<Preview>} */
export async function draftDifference(file) {
  const response = await ask('/api/configuration/files/diff', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(file),
    signal: AbortSignal.timeout(ACTION_MS),
  });
  return await response.json();
}
