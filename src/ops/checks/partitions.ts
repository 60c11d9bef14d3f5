// Partitions of a configuration: sessions that share a credential or an account of the exchange belong together, since nonces, rates
// and limits are counted by those. Sessions of different partitions share nothing, and could run in processes of their own.

import { type EngineConfig, sessionName } from '../../runtime/mod.ts';

/** Sessions by the names of their files, sorted; what they share, and who receives copies of their reports. */
export interface Partition {
  readonly credentials: readonly string[];
  readonly accounts: readonly string[];
  readonly sessions: readonly string[];
  readonly dropCopies: readonly string[];
}

interface Draft {
  readonly credentials: Set<string>;
  readonly accounts: Set<string>;
  readonly sessions: Set<string>;
  readonly sessionIds: Set<string>;
}

const draft = (): Draft => ({
  credentials: new Set(),
  accounts: new Set(),
  sessions: new Set(),
  sessionIds: new Set(),
});

const sorted = (set: ReadonlySet<string>): string[] => [...set].sort();

/** The partitions, by their first credential. Credentials without a session, and certifications, are in none. */
export function partitionsOf({ sessions }: Pick<EngineConfig, 'sessions'>): Partition[] {
  let drafts: Draft[] = [];
  for (const session of sessions) {
    const { kind, accounts, sessionId } = session.gateway;
    if (kind === 'dropCopy' || isCertification(session)) continue;
    const own = draft();
    own.sessions.add(sessionName(session));
    own.sessionIds.add(sessionId);
    for (const { credential, tradingAccountId } of accounts) {
      own.credentials.add(credential);
      own.accounts.add(tradingAccountId);
    }
    const apart: Draft[] = [];
    for (const other of drafts) {
      if (share(own.credentials, other.credentials) || share(own.accounts, other.accounts)) join(own, other);
      else apart.push(other);
    }
    drafts = [...apart, own];
  }
  const partitions = drafts.map((one) => ({
    credentials: sorted(one.credentials),
    accounts: sorted(one.accounts),
    sessions: sorted(one.sessions),
    dropCopies: dropCopiesOf(one, sessions),
  }));
  const first = ({ credentials, sessions: names }: Partition): string => credentials[0] ?? names[0] ?? '';
  return partitions.sort((a, b) => (first(a) < first(b) ? -1 : 1));
}

function isCertification({ certification }: EngineConfig['sessions'][number]): boolean {
  return certification !== undefined && certification !== null;
}

function share(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].some((one) => b.has(one));
}

function join(into: Draft, from: Draft): void {
  for (const name of ['credentials', 'accounts', 'sessions', 'sessionIds'] as const) {
    for (const one of from[name]) into[name].add(one);
  }
}

/** A drop copy session joins nothing: it may read the reports of several partitions. */
function dropCopiesOf({ sessionIds }: Draft, sessions: EngineConfig['sessions']): string[] {
  const copies = sessions.filter(({ gateway: { dropCopy } }) => {
    if (dropCopy === undefined) return false;
    return dropCopy.sessionIds === null || dropCopy.sessionIds.some((sessionId) => sessionIds.has(sessionId));
  });
  return copies.map(sessionName).sort();
}

/** One line for each, for people. */
export function partitionsInWords(partitions: readonly Partition[]): string[] {
  return partitions.map(({ credentials, accounts, sessions, dropCopies }, index) => {
    const copies = dropCopies.length === 0 ? '' : `; drop copies to ${dropCopies.join(', ')}`;
    const by = credentials.length === 0 ? 'without a credential' : `credential ${credentials.join(', ')}`;
    const on = accounts.length === 0 ? '' : `; accounts ${accounts.join(', ')}`;
    return `partition ${index + 1} of ${partitions.length}: sessions ${sessions.join(', ')}; ${by}${on}${copies}`;
  });
}
