// What the system says of a connection that could not be made, for logs. Leaves what that means to whoever wanted it.

/** Without the address on this side, which such a connection mostly has none of: `- Local (undefined:undefined)`. */
export function connectFailure({ message }: Pick<Error, 'message'>): string {
  return message.replace(/ - Local \([^)]*\)$/, '');
}
