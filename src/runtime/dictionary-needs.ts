// A configured session's needs of its dictionaries, and the files that lack them. Leaves the needs themselves to the
// dictionary room, and who says it to the ops room.

import { type Dictionary, type Lack, lacksOf, needsOf, type SessionUse } from '../dictionary/mod.ts';
import type { EngineSessionConfig } from './gateway-config.ts';

/** @param names the dictionaries of the version that it speaks */
export function lacksFor(
  session: EngineSessionConfig,
  names: readonly Dictionary[],
): (Lack & { readonly fileName: string })[] {
  return spokenTogether(names).flatMap((dictionaries) =>
    lacksOf(dictionaries, needsOf(useOf(session, dictionaries[0]!))).map((lack) => {
      const isFraming = lack.place === 'header' || lack.place === 'trailer' || '012345A'.includes(lack.place);
      const { version } = dictionaries.at(isFraming ? -1 : 0)!;
      // `FIX.5.0SP2` is in FIX50SP2.xml.
      return { ...lack, fileName: `${version.replaceAll('.', '')}.xml` };
    }),
  );
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
