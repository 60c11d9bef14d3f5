// Chooses the alarm to drop for a new one: the oldest of the most frequent name. An alarm that repeats for hours, as
// while the exchange answers no read, must not displace the few that need action.

interface Named {
  readonly alarm: string;
}

/** Take one out of alarms that stand in the order in which they were raised. */
export function forgetOne(alarms: Named[]): void {
  const counts = new Map<string, number>();
  for (const { alarm } of alarms) counts.set(alarm, (counts.get(alarm) ?? 0) + 1);
  const most = Math.max(...counts.values());
  const at = alarms.findIndex(({ alarm }) => counts.get(alarm) === most);
  alarms.splice(at, 1);
}
