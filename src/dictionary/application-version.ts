// FIX versions by the numbers that messages have for them: ApplVerID(1128), DefaultApplVerID(1137).

/** Values of ApplVerID(1128) (FIX 5.0 SP2, field 1128). */
export const APPL_VER_ID: Readonly<Record<string, string>> = {
  'FIX.4.0': '2',
  'FIX.4.1': '3',
  'FIX.4.2': '4',
  'FIX.4.3': '5',
  'FIX.4.4': '6',
  'FIX.5.0': '7',
  'FIX.5.0SP1': '8',
  'FIX.5.0SP2': '9',
};

/** Value of ApplVerID(1128) by version; the other way round, `FIX.5.0SP2` of `9`. */
const VERSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(APPL_VER_ID).map(([version, id]) => [id, version]),
);

/** The version behind an ApplVerID(1128); the value itself if there is none. */
export function versionOfApplVerID(applVerID: string): string {
  return VERSIONS.get(applVerID) ?? applVerID;
}

/** The version that a session speaks: `FIX.4.4`, or `FIX.5.0SP2` of FIXT.1.1 with DefaultApplVerID(1137)=9. */
export function applicationVersion(beginString: string, defaultApplVerID = '9'): string {
  return beginString === 'FIXT.1.1' ? versionOfApplVerID(defaultApplVerID) : beginString;
}

/** BeginString(8) of a version: `FIXT.1.1` from FIX.5.0 on. */
export function beginStringOf(version: string): string {
  return version.startsWith('FIX.5') ? 'FIXT.1.1' : version;
}
