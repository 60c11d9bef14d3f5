// The schema of a session's schedule: when it may be connected, when its numbers begin again. Part of session-schema.ts.
// Leaves agreement between its keys to ops/checks/schedule-check.ts and library/fix-session-check.ts, and calendars to the session room.

import { Type } from '../../base/schema.ts';
import { CLOSED, choice, text, yesNo } from '../../base/schema-node.ts';
import { WEEKDAYS, type Weekday } from '../../session/mod.ts';

/** Remedy for an invalid time. */
const AS_TIME = {
  form: 'write `HH:MM` or `HH:MM:SS`, 00:00 to 23:59:59, such as `08:30`; midnight is `00:00`',
} as const;
const TIME_OF_DAY = '^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$';

const days = (description: string) =>
  Type.Array(Type.Unsafe<Weekday>({ type: 'string', enum: [...WEEKDAYS] }), {
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
    default: [...WEEKDAYS],
    description,
  });

/** Names of Windows have blanks too: the check of the schedule says which IANA zone each is. */
const ZONE = '^[A-Za-z0-9_+/.() -]{1,64}$';
const ownZone = (description: string) => Type.Optional(text(ZONE, description));

const Window = Type.Object(
  {
    days: days('Days on which it opens; every day if absent.'),
    from: text(TIME_OF_DAY, 'Time at which it opens, `HH:MM` or `HH:MM:SS`.', { requiredWhen: 'always', ...AS_TIME }),
    to: text(TIME_OF_DAY, 'Time at which it closes; not after `from`: on the next day.', {
      requiredWhen: 'always',
      ...AS_TIME,
    }),
    toDay: Type.Optional(
      choice(WEEKDAYS, 'Day on which it closes, for a window of several days that opens on one day of the week.'),
    ),
    fromTimeZone: ownZone('Time zone of `from` and `days`, if it is another than `schedule.timeZone`.'),
    toTimeZone: ownZone(
      'Time zone of `to` and `toDay`, if it is another than `schedule.timeZone`: the window closes when clocks there next show `to` after it opened.',
    ),
  },
  CLOSED,
);

const Reset = Type.Object(
  {
    days: days('Days of this reset; every day if absent.'),
    at: text(TIME_OF_DAY, 'Time at which both numbers begin again at 1; a live session is logged out for it.', {
      ...AS_TIME,
      requiredWhen: 'always',
    }),
    timeZone: ownZone('Time zone of `at` and `days`, if it is another than `schedule.timeZone`.'),
  },
  CLOSED,
);

export const ScheduleSchema = Type.Object(
  {
    timeZone: text(
      ZONE,
      'Time zone of every time below that names none of its own, an IANA name such as `Europe/London`.',
      {
        default: 'UTC',
      },
    ),
    windows: Type.Array(Window, {
      maxItems: 50,
      default: [],
      description: 'When the session may be connected; around the clock if there is none.',
    }),
    holidays: Type.Array(text('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'A date, `YYYY-MM-DD`.'), {
      maxItems: 1000,
      uniqueItems: true,
      default: [],
      description: 'Dates, `YYYY-MM-DD`, on which it is closed from midnight to midnight in `timeZone`.',
    }),
    resets: Type.Array(Reset, {
      maxItems: 50,
      default: [],
      description: 'When sequence numbers are reset, whatever the windows and holidays are; never if there is none.',
    }),
    resetsWithinSession: yesNo(
      false,
      'A live session is not logged out for a reset: we begin it within the session by a Logon with ResetSeqNumFlag(141)=Y. On one side only.',
    ),
  },
  {
    ...CLOSED,
    default: {},
    description: 'When the session may be connected, and when its sequence numbers begin again.',
  },
);
