// The operator at the terminal, for the audit trail. A personal token (admin.users) is the better proof.

import { userInfo } from 'node:os';

/** The name of the user that runs the command; empty for a number without a name, under which a container may run. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
