// The way for other nodes to the partitions of this one: the admin API of each below `/partitions/NAME`. Only a node of the cluster may
// go it: its token says so, and it names the caller, as a parent process does.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../ops/mod.ts';
import { PartitionClient } from './ask-partition.ts';
import { LONG_ACTION_MS } from './fleet.ts';
import type { ViewContext } from './view-context.ts';

export const PASSAGE = '/partitions';

/** Add it. */
export function addPassage(
  app: FastifyInstance,
  context: ViewContext,
  callerOf: (request: FastifyRequest) => Caller,
): void {
  const client = new PartitionClient();
  app.addHook('onClose', async () => client.close());
  app.route({
    method: ['GET', 'POST'],
    url: `${PASSAGE}/:name/*`,
    handler: async (request, reply) => {
      if (callerOf(request).isParent !== true)
        return context.ops.problem(reply, 403, 'Only another node of the cluster may ask here.');
      const { name } = request.params as { readonly name: string };
      const place = context.fleet.places().find((one) => one.name === name && one.node === context.node);
      if (place === undefined) return context.ops.problem(reply, 503, `Node ${context.node} does not run ${name}.`);
      const path = (request.raw.url ?? '').slice(`${PASSAGE}/${encodeURIComponent(name)}`.length);
      const isPost = request.method === 'POST';
      const body = isPost && request.body !== null && request.body !== undefined ? JSON.stringify(request.body) : null;
      const type = body === null ? {} : { 'content-type': 'application/json' };
      const answer = await client.ask(place, {
        method: isPost ? 'POST' : 'GET',
        path,
        headers: { ...context.askerOf(request).headers, ...type },
        ...(body === null ? {} : { body }),
        // The asking node ends it earlier.
        withinMs: LONG_ACTION_MS,
      });
      if (answer.kind === 'silent') return context.ops.problem(reply, 503, `Partition ${name} ${answer.why}.`);
      return reply
        .code(answer.status)
        .type(answer.headers['content-type'] ?? 'application/json')
        .send(answer.text);
    },
  });
}
