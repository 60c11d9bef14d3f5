// Faults in the form of the control endpoint and the fault file (docs/operate/simulated-exchange.md), read into the settings of faults.ts.

import { invalidRequest } from '../rest/refusal.ts';
import { rejectionArea } from '../rest/rejection.ts';
import { type Fields, flag, list, oneOf, only, text, textOrNull, whole } from '../world/plain-fields.ts';
import type {
  AnswerFault,
  FaultSettings,
  Latency,
  Operation,
  RejectionFault,
  StreamFault,
  SubscriptionFault,
  TimedFault,
} from './faults.ts';

/** Names of the fields of each kind of fault. */
const FAULT = ['what', 'times', 'probability'];
const NAMES = {
  answer: [...FAULT, 'on', 'executed', 'httpStatus', 'errorCode', 'errorCodeName', 'message'],
  stream: [...FAULT, 'dataType'],
  subscription: [...FAULT, 'topic', 'subject'],
  rejection: ['reason', 'times', 'probability', 'symbol'],
  timed: ['what', 'times', 'everyMs', 'which', 'key', 'memory'],
  uniform: ['kind', 'minMs', 'maxMs'],
  exponential: ['kind', 'meanMs', 'maxMs'],
  quantiles: ['kind', 'points'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const ANSWERS = ['lost', 'hang', 'error', 'html', 'malformed', 'truncated', 'empty'] as const;
export const STREAM_KINDS = ['private', 'public', 'all'] as const;
const OPERATIONS: readonly Operation[] = ['create', 'cancel', 'amend', 'command', 'login', 'get', 'stream', 'any'];

function answerFault(fields: Fields): AnswerFault {
  only(fields, NAMES.answer);
  return {
    what: oneOf(fields, 'what', ANSWERS),
    on: fields.on === undefined ? 'command' : oneOf(fields, 'on', OPERATIONS),
    times: whole(fields, 'times', 1),
    ...(fields.executed === undefined ? {} : { executed: flag(fields, 'executed') }),
    ...(fields.httpStatus === undefined ? {} : { httpStatus: whole(fields, 'httpStatus', 500) }),
    ...(fields.errorCode === undefined ? {} : { errorCode: whole(fields, 'errorCode', 0) }),
    ...(fields.errorCodeName === undefined ? {} : { errorCodeName: text(fields, 'errorCodeName') }),
    ...(fields.message === undefined ? {} : { message: text(fields, 'message') }),
    ...shareOf(fields),
  };
}

function shareOf(fields: Fields): { probability?: number } {
  const { probability } = fields;
  if (probability === undefined) return {};
  if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1)) {
    throw invalidRequest('probability must be a number from 0 to 1');
  }
  return { probability };
}

function milliseconds(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number' || !(value >= 0 && value <= 3_600_000)) {
    throw invalidRequest(`${name} must be milliseconds, at most an hour`);
  }
  return value;
}

function latencyOf(value: unknown): Latency {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('latency must be an object, or null for none');
  }
  const fields = value as Fields;
  const kind = fields.kind === undefined ? 'uniform' : oneOf(fields, 'kind', ['uniform', 'exponential', 'quantiles']);
  only(fields, NAMES[kind]);
  if (kind === 'uniform') {
    const minMs = milliseconds({ minMs: 0, ...fields }, 'minMs');
    return { kind, minMs, maxMs: milliseconds({ maxMs: minMs, ...fields }, 'maxMs') };
  }
  if (kind === 'exponential') {
    return { kind, meanMs: milliseconds(fields, 'meanMs'), maxMs: milliseconds(fields, 'maxMs') };
  }
  const { points } = fields;
  if (!Array.isArray(points) || points.length === 0 || points.length > 20) {
    throw invalidRequest('points must be a list of [share, milliseconds]');
  }
  return {
    kind,
    points: points.map((point: unknown) => {
      const [share, ms] = Array.isArray(point) ? point : [];
      if (typeof share !== 'number' || !(share >= 0 && share <= 1)) throw invalidRequest('a share is from 0 to 1');
      return [share, milliseconds({ ms }, 'ms')] as const;
    }),
  };
}

function rejection(fields: Fields): RejectionFault {
  only(fields, NAMES.rejection);
  if (rejectionArea(fields.reason) === null) throw invalidRequest('reason must be a status reason code');
  return {
    reason: Number(fields.reason),
    times: whole(fields, 'times', 1),
    ...(fields.symbol === undefined ? {} : { symbol: text(fields, 'symbol') }),
    ...shareOf(fields),
  };
}

function subscriptionFault(fields: Fields): SubscriptionFault {
  only(fields, NAMES.subscription);
  return {
    topic: text(fields, 'topic'),
    times: whole(fields, 'times', 1),
    ...(fields.what === undefined ? {} : { what: oneOf(fields, 'what', ['refused', 'unanswered']) }),
    ...(fields.subject === undefined ? {} : { subject: text(fields, 'subject') }),
    ...shareOf(fields),
  };
}

function timedFault(fields: Fields): TimedFault {
  only(fields, NAMES.timed);
  const everyMs = milliseconds(fields, 'everyMs');
  if (everyMs < 1) throw invalidRequest('everyMs must be at least 1');
  const common = { everyMs, times: whole(fields, 'times', 1) };
  const what = oneOf(fields, 'what', ['cutStreams', 'expireLogins', 'restart']);
  switch (what) {
    case 'cutStreams':
      return { ...common, what, which: fields.which === undefined ? 'all' : oneOf(fields, 'which', STREAM_KINDS) };
    case 'expireLogins':
      return { ...common, what, key: textOrNull(fields, 'key') };
    case 'restart':
      return { ...common, what, memory: flag(fields, 'memory') };
  }
}

function streamFault(fields: Fields): StreamFault {
  only(fields, NAMES.stream);
  return {
    what: oneOf(fields, 'what', ['duplicate', 'suppress', 'reorder']),
    times: whole(fields, 'times', 1),
    ...(fields.dataType === undefined ? {} : { dataType: text(fields, 'dataType') }),
    ...shareOf(fields),
  };
}

const KNOBS: ReadonlySet<string> = new Set([
  'answers',
  'streams',
  'subscriptions',
  'rejections',
  'latency',
  'streamsSilent',
  'commandsHeld',
  'globalBreach',
  'clockOffsetMs',
  'timed',
  'clear',
]);

/** Read everything that the fault settings hold, from a request or a file. @throws Refusal */
export function faultSettings(fields: Fields): FaultSettings {
  const { latency, clockOffsetMs } = fields;
  const unknown = Object.keys(fields).find((name) => !KNOBS.has(name));
  if (unknown !== undefined) throw invalidRequest(`'${unknown.slice(0, 40)}' is no fault`);
  if (clockOffsetMs !== undefined && !Number.isSafeInteger(clockOffsetMs)) {
    throw invalidRequest('clockOffsetMs must be a whole number');
  }
  return {
    answers: list(fields, 'answers').map(answerFault),
    streams: list(fields, 'streams').map(streamFault),
    subscriptions: list(fields, 'subscriptions').map(subscriptionFault),
    rejections: list(fields, 'rejections').map(rejection),
    timed: list(fields, 'timed').map(timedFault),
    ...(latency === undefined ? {} : { latency: latency === null ? null : latencyOf(latency) }),
    ...(fields.streamsSilent === undefined ? {} : { streamsSilent: flag(fields, 'streamsSilent') }),
    ...(fields.commandsHeld === undefined ? {} : { commandsHeld: flag(fields, 'commandsHeld') }),
    ...(fields.globalBreach === undefined ? {} : { globalBreach: flag(fields, 'globalBreach') }),
    ...(clockOffsetMs === undefined ? {} : { clockOffsetMs: Number(clockOffsetMs) }),
  };
}
