// The part of a session file that lets a counterparty certify its OMS, or demands that it has.

import { Type } from '../../base/schema.ts';
import { CLOSED, choice, path } from '../../base/schema-node.ts';

export const Certification = Type.Optional(
  choice(
    ['standard'],
    'This session certifies the OMS of its counterparty: it has a simulated exchange of its own, with its own books, and no order of it reaches the exchange. The value is the suite of cases.',
  ),
);

export const Certificate = Type.Optional(
  Type.Object(
    {
      file: path(
        'The certificate, as `crossgate certification export NAME --json FILE` writes it; relative to the state folder unless absolute.',
        { requiredWhen: '`certificate` is given' },
      ),
    },
    {
      ...CLOSED,
      description:
        'The session may log on with a valid certificate only: signed by this gateway, of the present rules of engagement, for the same FIX version and dialect. Without one it is switched off, and `crossgate check` says why.',
    },
  ),
);
