// @ts-check
// Times, durations and FIX values as people read them. All times are UTC.

/** Time of day; with the date if that is not today's. @param {number} at @param {number} [digits] */
function momentOf(at, digits = 23) {
  const text = new Date(at).toISOString();
  const isToday = text.startsWith(new Date().toISOString().slice(0, 10));
  return isToday ? text.slice(11, digits) : text.slice(5, digits).replace('T', ' ');
}

/** With milliseconds. @param {number} at */
export function timeOf(at) {
  return momentOf(at);
}

/** @param {number | null} at */
export function secondOf(at) {
  return at === null ? '–' : momentOf(at, 19);
}

/** Date and time with milliseconds. @param {number} at */
export function instantOf(at) {
  return new Date(at).toISOString().slice(0, 23).replace('T', ' ');
}

/** @param {number} at */
export function dateTimeOf(at) {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** @param {number} ms */
export function durationOf(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}

/** OrdStatus(39) → name and how it looks. @type {Readonly<Record<string, readonly [string, string]>>} */
const STATUS = {
  0: ['New', 'good'],
  1: ['Partially filled', 'good'],
  2: ['Filled', 'done'],
  4: ['Canceled', 'quiet'],
  5: ['Replaced', 'good'],
  6: ['Pending cancel', 'wait'],
  8: ['Rejected', 'bad'],
  A: ['Pending new', 'wait'],
  C: ['Expired', 'quiet'],
  E: ['Pending replace', 'wait'],
};

/** @param {string} value */
export function statusOf(value) {
  const [name, look] = STATUS[value] ?? [value, 'quiet'];
  return { name, look };
}

/** ExecType(150) → name. @type {Readonly<Record<string, string>>} */
const EXEC_TYPES = { 3: 'Done for day', 7: 'Stopped', D: 'Restated', F: 'Trade', I: 'Order status', L: 'Triggered' };

/** What happened to an order; a report is told by its name. @param {string} what */
export function happeningOf(what) {
  return what.replace(
    /^150=(\w)/,
    (_, type) => `Report: ${EXEC_TYPES[type] ?? STATUS[type]?.[0] ?? type} (150=${type})`,
  );
}

export const STATUSES = Object.entries(STATUS).map(([value, [name]]) => ({ value, name }));

/** State of a session → name and how it looks. @type {Readonly<Record<string, readonly [string, string]>>} */
const STATES = {
  disconnected: ['Disconnected', 'quiet'],
  awaitingLogon: ['Awaiting Logon', 'wait'],
  logonSent: ['Logon sent', 'wait'],
  loggedOn: ['Logged on', 'good'],
  logoutSent: ['Logout sent', 'wait'],
  logoutReceived: ['Logout received', 'wait'],
  closing: ['Closing', 'wait'],
};

/** @param {import('./api.js').SessionView} session */
export function stateOf({ status, enabled, retired, keptOut }) {
  if (retired) return { name: 'Removed', look: 'quiet' };
  if (keptOut !== null && status.state === 'disconnected') return { name: 'Kept out', look: 'bad' };
  if (!enabled && status.state === 'disconnected') return { name: 'Disabled', look: 'bad' };
  const [name, look] = STATES[status.state] ?? [status.state, 'quiet'];
  return { name, look };
}

/** @type {Readonly<Record<string, string>>} */
const TYPES = { 1: 'Market', 2: 'Limit', 4: 'Stop limit', p: 'Post only' };
/** @type {Readonly<Record<string, string>>} */
const TIMES = { 0: 'Day', 1: 'GTC', 3: 'IOC', 4: 'FOK', 5: 'GTX' };

/** @param {import('./api.js').ListedOrder} order */
export function kindOf({ ordType, timeInForce }) {
  const type = TYPES[ordType] ?? ordType;
  return timeInForce === null ? type : `${type} ${TIMES[timeInForce] ?? timeInForce}`;
}

/** The order, session or login that an alarm is about. @param {Readonly<Record<string, unknown>>} fields */
export function inWords(fields) {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${value}`)
    .join('  ');
}
