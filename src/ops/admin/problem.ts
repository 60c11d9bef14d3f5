// An error of the admin API as problem+json: a title by its status and a sentence for the caller.

import type { FastifyReply } from 'fastify';
import type { Refusal, Refusals } from '../../base/unread-requests.ts';

const TYPE = 'application/problem+json';

/** Answer with problem+json (RFC 9457). */
export function problem(reply: FastifyReply, status: number, detail: string, code?: string): FastifyReply {
  const title = TITLES[status] ?? 'Error';
  return reply
    .code(status)
    .type(TYPE)
    .send({ type: 'about:blank', title, status, detail, ...(code === undefined ? {} : { code }) });
}

function unreadRefusal(status: number, title: string, detail: string): Refusal {
  const body = JSON.stringify({ type: 'about:blank', title, status, detail });
  return { status: `${status} ${title}`, type: TYPE, body };
}

/** Answer to input that is no complete request. */
export const UNREAD_REFUSALS: Refusals = {
  tooSlow: unreadRefusal(408, 'Request Timeout', 'It came too slowly; nothing of it was carried out.'),
  headersTooLong: unreadRefusal(431, 'Request Header Fields Too Large', 'The headers are too long.'),
  noRequest: unreadRefusal(400, 'Bad Request', 'This is no HTTP request.'),
};

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Refused',
  413: 'Too large',
  415: 'Unsupported media type',
  421: 'Unknown Host',
  422: 'Configuration not used',
  500: 'Internal error',
  503: 'Not ready',
};
