// Partitions of a configuration: sessions that share a credential or an account of the exchange belong together, since nonces, rates
// and limits are counted by those. Partitions share nothing, and may run in processes or on nodes of their own.

import { type EngineConfig, sessionName } from '../../runtime/mod.ts';

/** All names sorted. */
export interface Partition {
  /** Its first credential: it stays while that credential has a session or a bridge caller. */
  readonly name: string;
  readonly credentials: readonly string[];
  /** Trading accounts that its sessions and bridge callers name. */
  readonly accounts: readonly string[];
  /** By their names for operators (`sessionName`), templates and drop copy sessions included. */
  readonly sessions: readonly string[];
  readonly bridgeCallers: readonly string[];
}

type Parts = Pick<EngineConfig, 'sessions' | 'exchange' | 'bridge'>;

interface Member {
  readonly kind: 'session' | 'caller';
  readonly name: string;
  /** Keys of its credentials and accounts; two members with one key belong together. */
  readonly keys: readonly string[];
}

const CREDENTIAL = 'credential ';
const ACCOUNT = 'account ';

/**
 * The partitions by name. A credential without a session and without a bridge caller is in none, as certifications are.
 * A session without a credential reads public data only, and belongs to the first partition.
 */
export function partitionsOf(config: Parts): readonly Partition[] {
  const members = membersOf(config);
  const parents = new Map<string, string>();
  for (const { keys } of members) for (const key of keys) join(parents, keys[0]!, key);
  const groups = new Map<string, Member[]>();
  const alone = members.filter(({ keys }) => keys.length === 0);
  for (const member of members) {
    const [first] = member.keys;
    if (first === undefined) continue;
    const root = rootOf(parents, first);
    groups.set(root, [...(groups.get(root) ?? []), member]);
  }
  const partitions = [...groups.values()].map(partitionOf).sort((a, b) => compare(a.name, b.name));
  const [first, ...others] = partitions;
  if (alone.length === 0) return partitions;
  const names = alone.map(({ name }) => name);
  if (first === undefined) {
    return [{ name: names.sort(compare)[0]!, credentials: [], accounts: [], sessions: names, bridgeCallers: [] }];
  }
  return [{ ...first, sessions: [...first.sessions, ...names].sort(compare) }, ...others];
}

/** Sessions and bridge callers that may move; those of a certification have a gateway of their own. */
function membersOf({ sessions, exchange, bridge }: Parts): Member[] {
  const accountsOf = new Map(exchange.credentials.map(({ name, tradingAccountIds }) => [name, tradingAccountIds]));
  const callers = bridge?.callers ?? [];
  const keysOf = (credential: string, accounts: readonly string[]): string[] => [
    CREDENTIAL + credential,
    ...accounts.map((account) => ACCOUNT + account),
  ];
  const found: Member[] = [];
  for (const session of sessions) {
    if (isCertification(session)) continue;
    const { accounts, bridgeCaller = null } = session.gateway;
    const keys = accounts.flatMap(({ credential, tradingAccountId }) =>
      // The Logon of a template says which account of the login it is: any of them.
      keysOf(credential, tradingAccountId.includes('{') ? (accountsOf.get(credential) ?? []) : [tradingAccountId]),
    );
    const caller = callers.find(({ name }) => name === bridgeCaller);
    if (caller !== undefined) keys.push(CREDENTIAL + caller.credential);
    found.push({ kind: 'session', name: sessionName(session), keys });
  }
  for (const { name, credential, tradingAccountIds } of callers) {
    found.push({ kind: 'caller', name, keys: keysOf(credential, tradingAccountIds) });
  }
  for (const { tradingAccountId, credential } of bridge?.orders ?? []) {
    found.push({ kind: 'caller', name: '', keys: keysOf(credential, [tradingAccountId]) });
  }
  return found;
}

function isCertification({ certification }: EngineConfig['sessions'][number]): boolean {
  return certification !== undefined && certification !== null;
}

/** Put two keys into one set. */
function join(parents: Map<string, string>, one: string, other: string): void {
  const [a, b] = [rootOf(parents, one), rootOf(parents, other)];
  if (a !== b) parents.set(b, a);
}

/** The key that stands for a set; shortens the way to it. */
function rootOf(parents: Map<string, string>, key: string): string {
  let root = key;
  for (let up = parents.get(root); up !== undefined; up = parents.get(root)) root = up;
  for (let at = key; at !== root; ) {
    const up = parents.get(at)!;
    parents.set(at, root);
    at = up;
  }
  return root;
}

function partitionOf(members: readonly Member[]): Partition {
  const keys = new Set(members.flatMap((member) => member.keys));
  const named = (prefix: string): string[] =>
    [...keys].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : [])).sort(compare);
  const namesOf = (kind: Member['kind']): string[] =>
    members.flatMap((one) => (one.kind === kind && one.name !== '' ? [one.name] : [])).sort(compare);
  const credentials = named(CREDENTIAL);
  return {
    name: credentials[0]!,
    credentials,
    accounts: named(ACCOUNT),
    sessions: namesOf('session'),
    bridgeCallers: namesOf('caller'),
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** One line for each, for people. */
export function partitionsInWords(partitions: readonly Partition[]): string[] {
  return partitions.map(({ name, credentials, accounts, sessions, bridgeCallers }, index) => {
    const parts = [
      `sessions ${sessions.join(', ') || 'none'}`,
      ...(credentials.length === 0 ? ['without a credential'] : [`credential ${credentials.join(', ')}`]),
      ...(accounts.length === 0 ? [] : [`accounts ${accounts.join(', ')}`]),
      ...(bridgeCallers.length === 0 ? [] : [`bridge callers ${bridgeCallers.join(', ')}`]),
    ];
    return `partition ${name}, ${index + 1} of ${partitions.length}: ${parts.join('; ')}`;
  });
}

/** Why credentials lie in one partition that could be apart: the sessions and accounts that join them, for people. */
export function joinsInWords(config: Parts): string[] {
  const members = membersOf(config);
  const credentialsOf = ({ keys }: Member): string[] => [
    ...new Set(keys.flatMap((key) => (key.startsWith(CREDENTIAL) ? [key.slice(CREDENTIAL.length)] : []))),
  ];
  const joining = members.flatMap((member) => {
    const credentials = credentialsOf(member).sort(compare);
    if (credentials.length < 2) return [];
    return [
      `session ${member.name} joins the credentials ${credentials.join(', ')} in one partition, and so in one process: give it a session file for each credential if they may be apart`,
    ];
  });
  const byAccount = new Map<string, Set<string>>();
  for (const member of members) {
    const credentials = credentialsOf(member);
    if (credentials.length !== 1) continue;
    for (const key of member.keys) {
      if (!key.startsWith(ACCOUNT)) continue;
      const account = key.slice(ACCOUNT.length);
      byAccount.set(account, (byAccount.get(account) ?? new Set<string>()).add(credentials[0]!));
    }
  }
  const shared = [...byAccount].flatMap(([account, credentials]) =>
    credentials.size < 2
      ? []
      : [
          `account ${account} joins the credentials ${[...credentials].sort(compare).join(', ')} in one partition: name it under one credential only if they may be apart`,
        ],
  );
  return [...joining, ...shared];
}
