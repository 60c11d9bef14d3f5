// A configured session's needs of its dictionaries, and the files that lack them. Leaves the needs themselves to the
// dictionary room, and who says it to the ops room.

import { type Dictionary, type Lack, lacksOf, needsOf, type SessionUse } from '../dictionary/mod.ts';
import type { EngineSessionConfig } from './gateway-config.ts';

/** A gap of a dictionary, and the name of its file. */
type LackInFile = Lack & { readonly fileName: string };

/** Gaps of dictionaries against the needs of sessions. Sessions with the same use, as most are, cost one comparison. */
export class DictionaryLacks {
  readonly #found = new Map<Dictionary, Map<string, readonly LackInFile[]>>();

  /** @param names the dictionaries of the version that the session speaks */
  of(session: EngineSessionConfig, names: readonly Dictionary[]): LackInFile[] {
    return spokenTogether(names).flatMap((dictionaries) => {
      const own = dictionaries[0]!;
      const use = useOf(session, own);
      const key = JSON.stringify(use);
      const ofOwn = this.#found.get(own) ?? new Map<string, readonly LackInFile[]>();
      const lacks = ofOwn.get(key) ?? lacksFor(use, dictionaries);
      this.#found.set(own, ofOwn.set(key, lacks));
      return lacks;
    });
  }
}

function lacksFor(use: SessionUse, dictionaries: readonly Dictionary[]): LackInFile[] {
  return lacksOf(dictionaries, needsOf(use)).map((lack) => {
    const isFraming = lack.place === 'header' || lack.place === 'trailer' || '012345A'.includes(lack.place);
    const { version } = dictionaries.at(isFraming ? -1 : 0)!;
    // `FIX.5.0SP2` is in FIX50SP2.xml.
    return { ...lack, fileName: `${version.replaceAll('.', '')}.xml` };
  });
}

/** Each application with its transport; of FIX.4.x the one dictionary. */
function spokenTogether(names: readonly Dictionary[]): (readonly Dictionary[])[] {
  const transport = names.find(({ version }) => version.startsWith('FIXT'));
  if (transport === undefined) return names.slice(0, 1).map((one) => [one]);
  return names.filter((one) => one !== transport).map((application) => [application, transport]);
}

function useOf({ session, gateway, password, access, connect }: EngineSessionConfig, own: Dictionary): SessionUse {
  const identity: readonly (readonly [tag: number, agreed: string | null | undefined])[] = [
    [50, session.targetSubID],
    [142, session.targetLocationID],
    [57, session.senderSubID],
    [143, session.senderLocationID],
  ];
  return {
    version: own.version,
    isVenue: gateway.dialect === 'venue',
    entersOrders: gateway.kind !== 'dropCopy',
    isAcceptor: connect === null,
    hasPassword: password !== null,
    hasUsername: session.username !== null,
    changesPassword: access.passwordOverlapMs !== null,
    isSigned: access.signature !== null,
    resetsNumbers: (session.resetOn ?? []).includes('logon') || (session.schedule?.resets ?? []).length > 0,
    agreesOnNextExpected: session.sendsNextExpectedMsgSeqNum === true,
    agreesOnLastProcessed: session.sendsLastMsgSeqNumProcessed === true,
    isTest: session.environment === 'test',
    hasSeveralAccounts: gateway.accounts.length > 1,
    hasSeveralVersions: (session.applVerIDs ?? []).length > 0,
    identityTags: identity.flatMap(([tag, agreed]) => ((agreed ?? '') === '' ? [] : [tag])),
  };
}
