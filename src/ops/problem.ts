// An error of the admin API as problem+json: a title by its status and a sentence for whoever asked.

import type { FastifyReply } from 'fastify';

/** Answer with problem+json (RFC 9457). */
export function problem(reply: FastifyReply, status: number, detail: string, code?: string): FastifyReply {
  const title = TITLES[status] ?? 'Error';
  return reply
    .code(status)
    .type('application/problem+json')
    .send({ type: 'about:blank', title, status, detail, ...(code === undefined ? {} : { code }) });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  404: 'Not found',
  409: 'Refused',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Configuration not used',
  500: 'Internal error',
  503: 'Not ready',
};
