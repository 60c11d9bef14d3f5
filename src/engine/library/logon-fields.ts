// Further fields of an initiator's Logon(A), as a program gives them: a list, or a function that returns one.

/** Fields of a Logon that are the session's, or have a setting. */
const OF_LOGON: ReadonlySet<number> = new Set([
  ...[8, 9, 10, 34, 35, 43, 49, 50, 52, 56, 57, 97, 98, 108, 122, 141, 142, 143, 369, 464, 553, 554, 789, 1128, 1137],
]);

/** Description of `logonFields`, in words. */
export const LOGON_FIELDS = 'a list of [tag, text] without the fields that a Logon has by itself';

/** Whether they can be further fields of a Logon. */
export function areLogonFields(fields: unknown): fields is readonly (readonly [tag: number, value: string])[] {
  return Array.isArray(fields) && fields.every(isLogonField);
}

function isLogonField(field: unknown): boolean {
  if (!Array.isArray(field) || field.length !== 2) return false;
  const [tag, value] = field as readonly unknown[];
  const isFree = Number.isSafeInteger(tag) && (tag as number) > 0 && !OF_LOGON.has(tag as number);
  return isFree && typeof value === 'string' && value !== '' && !value.includes('\x01');
}
