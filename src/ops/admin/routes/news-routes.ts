// News(B) of operators over HTTP: send it, look at a planned stop, withdraw that. The length of each text is bounded.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Administration } from '../../../administration/mod.ts';
import { type Static, Type } from '../../../base/schema.ts';
import { parseIso } from '../../../base/time.ts';
import { problem } from '../problem.ts';

const NewsBody = Type.Object(
  {
    sessions: Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { maxItems: 1000, default: [] }),
    headline: Type.String({ minLength: 1, maxLength: 200 }),
    text: Type.String({ maxLength: 500, default: '' }),
    urgency: Type.Union([Type.Literal('0'), Type.Literal('1'), Type.Literal('2')], { default: '0' }),
    stopAt: Type.Optional(Type.String({ maxLength: 40 })),
  },
  { additionalProperties: false },
);
const WithdrawBody = Type.Object(
  { why: Type.String({ maxLength: 500, default: '' }) },
  { additionalProperties: false },
);

/** Add the routes below /api/news. */
export function addNewsRoutes(
  app: FastifyInstance,
  { news }: Administration,
  who: (request: FastifyRequest) => string,
): void {
  app.get('/api/news', async () => ({ plannedStop: news.plannedStop() }));
  app.post<{ Body: Static<typeof NewsBody> }>('/api/news', { schema: { body: NewsBody } }, async (request, reply) => {
    const { stopAt: given, ...content } = request.body;
    const stopAt = given === undefined ? null : parseIso(given);
    if (given !== undefined && stopAt === null) {
      return problem(reply, 400, `"${given}" is no time: write it as 2026-11-30T22:00:00Z.`);
    }
    return news.publish({ ...content, stopAt }, who(request));
  });
  app.post<{ Body: Static<typeof WithdrawBody> }>(
    '/api/news/withdraw',
    { schema: { body: WithdrawBody } },
    async (request) => news.withdraw(request.body.why, who(request)),
  );
}
