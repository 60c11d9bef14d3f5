// Who sits here, for the audit trail. A token of one's own (admin.users) says it better.

import { userInfo } from 'node:os';

/** The name of the user that runs the command; empty for a number without a name, under which a container may run. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
