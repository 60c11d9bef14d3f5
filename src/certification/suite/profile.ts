// The counterparty's profile: what its OMS can do. It decides which cases are mandatory, optional or not applicable.

import type { ScenarioCase } from '../../scenario/mod.ts';
import { FEATURES, type Feature } from './features.ts';

export interface Profile {
  readonly features: ReadonlySet<Feature>;
  /** Seconds in which the OMS, or its user, does what a case asks. */
  readonly answerS: number;
}

export type Obligation = 'mandatory' | 'optional' | 'not applicable';

export interface Question {
  readonly feature: Feature;
  readonly text: string;
}

/** The interview, in the order in which it is asked. */
export const QUESTIONS: readonly Question[] = [
  { feature: 'orders', text: 'Does the OMS enter orders on this session (no: it is a drop copy)?' },
  { feature: 'market', text: 'Does it send market orders (40=1)?' },
  { feature: 'stop-limit', text: 'Does it send stop limit orders (40=4)?' },
  { feature: 'post-only', text: 'Does it send post-only orders (40=p)?' },
  { feature: 'ioc', text: 'Does it send immediate-or-cancel orders (59=3)?' },
  { feature: 'fok', text: 'Does it send fill-or-kill orders (59=4)?' },
  { feature: 'replace', text: 'Does it replace orders (G)?' },
  { feature: 'mass-cancel', text: 'Does it send mass cancels (q)?' },
  { feature: 'status', text: 'Does it ask for the status of an order (H)?' },
  { feature: 'mass-status', text: 'Does it ask for the status of all orders (AF)?' },
  { feature: 'auctions', text: 'Does it take part in auctions (59=5, GTX)?' },
  { feature: 'resend', text: 'Does it keep its sequence numbers over a disconnect, and ask for missing messages?' },
  { feature: 'reset', text: 'Does it ever log on with ResetSeqNumFlag(141)=Y?' },
  { feature: 'poss-resend', text: 'Does it ever repeat an order with PossResend(97)=Y?' },
  { feature: 'drop-copy', text: 'Is this session a drop copy?' },
  { feature: 'market-data', text: 'Does it subscribe to market data (V)?' },
  { feature: 'security-list', text: 'Does it ask for the list of securities (x)?' },
];

const KNOWN: ReadonlySet<string> = new Set(FEATURES);

/** A profile from its file, already parsed. @returns the fault in words if it is none */
export function profileFrom(value: unknown): Profile | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'a profile is a list of settings';
  const { can, answerSeconds = 120, ...rest } = value as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `there is no setting "${unknown}"; there are \`can\` and \`answerSeconds\``;
  if (!Array.isArray(can)) return '`can` is missing: the list of what the OMS can do';
  const stray = can.find((name) => !KNOWN.has(String(name)));
  if (stray !== undefined) return `"${String(stray)}" is no ability; there are ${FEATURES.join(', ')}`;
  if (typeof answerSeconds !== 'number' || !(answerSeconds >= 1 && answerSeconds <= 3600)) {
    return '`answerSeconds` is a number from 1 to 3600';
  }
  return { features: new Set(can as Feature[]), answerS: answerSeconds };
}

/** The exchange's own FIX has no message for these: H, AF, V (rule D1), 150=A (rule D6). */
const NOT_IN_VENUE: ReadonlySet<Feature> = new Set(['status', 'mass-status', 'market-data', 'pending-new']);

/** The profile of an OMS that can do everything that a session of its kind and dialect can. */
export function fullProfile(
  kind: 'order' | 'dropCopy',
  answerS: number,
  dialect: 'standard' | 'venue' = 'standard',
): Profile {
  const ofCopies: readonly Feature[] = ['resend', 'reset', 'drop-copy'];
  const ofOrders = FEATURES.filter(
    (feature) => feature !== 'drop-copy' && !(dialect === 'venue' && NOT_IN_VENUE.has(feature)),
  );
  return { features: new Set(kind === 'dropCopy' ? ofCopies : ofOrders), answerS };
}

/** Whether a case is demanded of an OMS with this profile, on a session of this version. */
export function obligationOf(
  { mandatory, tags, versions }: Pick<ScenarioCase, 'mandatory' | 'tags' | 'versions'>,
  profile: Profile,
  version: string,
): Obligation {
  if (versions !== null && !versions.includes(version)) return 'not applicable';
  if (!tags.every((tag) => profile.features.has(tag as Feature))) return 'not applicable';
  return mandatory ? 'mandatory' : 'optional';
}
