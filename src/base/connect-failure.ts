// The operating system's reason for a failed connection, as text for logs. The caller decides how to react.

/** Without the address on this side, which such a connection mostly has none of: `- Local (undefined:undefined)`. */
export function connectFailure({ message }: Pick<Error, 'message'>): string {
  return message.replace(/ - Local \([^)]*\)$/, '');
}
