// Words of a certification: groups of cases, abilities of an OMS. A case names its abilities as tags.

/** Abilities of an OMS, as its profile names them (profile.ts). */
export const FEATURES = [
  'orders',
  'market',
  'stop-limit',
  'post-only',
  'ioc',
  'fok',
  'replace',
  'mass-cancel',
  'status',
  'mass-status',
  'auctions',
  'resend',
  'reset',
  'poss-resend',
  'drop-copy',
  'market-data',
  'security-list',
  'cancel-on-disconnect',
  'pending-new',
] as const;

export type Feature = (typeof FEATURES)[number];

export const GROUPS = ['session', 'orders', 'changes', 'auctions', 'recovery', 'copies'] as const;

export type Group = (typeof GROUPS)[number];

/** Titles of the groups, for people. */
export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  session: 'Session',
  orders: 'Orders',
  changes: 'Cancels and replaces',
  auctions: 'Auctions',
  recovery: 'Recovery',
  copies: 'Drop copy and market data',
};

/** The group of a case: the first part of its name, as in `orders.partial-fill`. */
export function groupOf(caseId: string): Group {
  return GROUPS.find((group) => caseId.startsWith(`${group}.`)) ?? 'session';
}
