// Maps a session's run-time settings to the keys in its file, for reports of changes: one key may be several values
// here. The schema of ops explains the keys (docs/reference/settings).

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^session\.(schedule|messageRate)\b.*/, '$1'],
  [/^session\.sessionMessagesMax$/, 'messageRate'],
  [/^session\.logonsPerMinute$/, 'logon.perMinute'],
  [/^gateway\.marketData\b.*/, 'marketData'],
  [/^connect\.addresses\b.*/, 'connect.addresses'],
  [/^gateway\.dropCopy\.sessionIds\b.*/, 'dropCopy.sessions'],
  [/^gateway\.statusFromExchange$/, 'statusFrom'],
  [/^gateway\.(.*)\.tradingAccountId$/, '$1.tradingAccount'],
  [/^session\.sendsSessionStatus$/, 'dialect'],
  [/^session\.repeatsOnRequest$/, 'kind'],
  [/^session\.provesBeforeLogout$/, 'proveBeforeLogout'],
  [/^session\.resetsWithinSession$/, 'schedule.resetsWithinSession'],
  [/^session\.sends(Last|Next)/, 'send$1'],
  [/^access\.passwordOverlapMs$/, 'logon.newPasswordOverlapMs'],
  [/^access\.answersUnproved$/, 'logon.answerUnproved'],
  [/^(?:access\.|session\.(?=onRefusal$))/, 'logon.'],
  [/^template\.sessionsMax$/, 'templateSessionsMax'],
  [/^(?:session|gateway)\./, ''],
  // A secret is compared by its reference.
  [/\.reference$/, ''],
  [/\.(\d+)/g, '[$1]'],
];

/** The keys of the file that stand for paths of values, each once. */
export function settingNames(paths: readonly string[]): string[] {
  return [...new Set(paths.map((path) => NAMES.reduce((name, [pattern, by]) => name.replace(pattern, by), path)))];
}
