// Which of the alarms that are kept is let go for a new one: of the name that came most often the oldest, so that one that comes
// again and again for hours, as while the exchange answers no read, does not push out the few that somebody has to act on.

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
