// The configuration of a node over HTTP: one folder, which every partition of the node reads. One of them leads: it shows files and
// versions, and writes. The others take the change over as well, or it is taken back.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApplyReport, ConfigurationPreview } from '../../ops/mod.ts';
import { detailOf, isGood, type Reply, statesOf } from './fleet.ts';
import type { PartitionPlace } from './place.ts';
import type { ViewContext } from './view-context.ts';

const NOT_USED = 422;
const PROPOSED = 202;
const CONFLICT = 409;
/** A partition with a thousand sessions, on a machine that is busy with others. */
const APPLY_MS = 60_000;
const APPLY = '/api/configuration/apply';
const ROLLBACK = '/api/configuration/rollback';
const OF_EACH_NODE =
  'Each node of a cluster has secret files of its own. Make the password with `crossgate sessions secret NAME --replace` on one node, and copy its file to the others.';

/** Add the routes below /api/configuration. @param isCluster other nodes have folders of their own */
export function addConfigurationRoutes(app: FastifyInstance, context: ViewContext, isCluster: boolean): void {
  const turns = new Turns();
  for (const path of ['', '/versions', '/versions/diff', '/files']) {
    app.get(`/api/configuration${path}`, async (request, reply) => {
      const { session } = request.query as { readonly session?: string };
      const replies = await context.look(request, context.own(request));
      const lead = await leadOf(context, request, session);
      const one = replies.find(({ place, status }) => place.name === lead?.name && isGood(status));
      const shown = one ?? replies.find(({ status }) => isGood(status));
      return context.answer(reply, replies, () => ({ ...shown?.json, partition: shown?.place.name }));
    });
  }
  app.get('/api/configuration/diff', async (request, reply) => {
    const replies = await context.look(request, context.own(request));
    return context.answer(reply, replies, () => mergedPreview(replies));
  });
  app.post(APPLY, async (request, reply) =>
    turns.next(async () =>
      answer(context, request, reply, await apply(context, request, context.own(request), request.body)),
    ),
  );
  app.post(ROLLBACK, async (request, reply) => turns.next(() => changeThrough(context, request, reply, undefined)));
  app.post('/api/configuration/files', async (request, reply) =>
    turns.next(() => changeThrough(context, request, reply, nameIn(request))),
  );
  app.post('/api/configuration/files/diff', async (request, reply) => {
    const lead = await leadOf(context, request, nameIn(request));
    if (lead === undefined) return context.refuse(reply, [], 'No partition of this node answers');
    const [found] = await context.act(request, [lead]);
    return context.pass(reply, found!);
  });
  app.post('/api/configuration/password', async (request, reply) => {
    if (isCluster) return context.ops.problem(reply, CONFLICT, OF_EACH_NODE);
    return await turns.next(() => makePassword(context, request, reply));
  });
}

/** The partition of the session knows where its password lies; that of a new session lies where any partition puts it. */
async function makePassword(context: ViewContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = `/api/sessions/${encodeURIComponent(nameIn(request) ?? '')}`;
  const replies = await context.look(request, context.own(request), path);
  const silent = replies.filter(({ silence }) => silence !== null);
  const found = replies.find(({ status }) => isGood(status));
  if (found === undefined && silent.length > 0)
    return context.refuse(reply, silent, 'The session may be of a partition that does not answer');
  const place = found?.place ?? replies[0]?.place;
  if (place === undefined) return context.refuse(reply, [], 'No partition of this node answers');
  const [made] = await context.act(request, [place]);
  return context.pass(reply, made!);
}

/** One change after the other. */
class Turns {
  #running: Promise<unknown> = Promise.resolve();

  next<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#running.then(work);
    this.#running = next.catch(() => {});
    return next;
  }
}

/** The partition that writes: that of the session, which knows its limits and orders, else the first one of this node that answers. */
async function leadOf(
  context: ViewContext,
  request: FastifyRequest,
  session?: string,
): Promise<PartitionPlace | undefined> {
  const path = session === undefined ? '/api/proposals' : `/api/sessions/${encodeURIComponent(session)}`;
  const replies = await context.look(request, context.own(request), path);
  const found = replies.find(({ status }) => isGood(status)) ?? replies.find(({ status }) => status !== null);
  return found?.place;
}

/** Change files through the partition that leads, then have the others take them over. If one does not, everything is taken back. */
async function changeThrough(
  context: ViewContext,
  request: FastifyRequest,
  reply: FastifyReply,
  session: string | undefined,
): Promise<FastifyReply> {
  const lead = await leadOf(context, request, session);
  if (lead === undefined) return context.refuse(reply, [], 'No partition of this node answers');
  const others = context.own(request).filter(({ name }) => name !== lead.name);
  const before = await newestVersion(context, request, lead);
  const [first] = await context.act(request, [lead], request.body, { withinMs: APPLY_MS });
  const isTaken = isGood(first!.status) && first!.json?.ok === true;
  if (!isTaken || others.length === 0) return context.pass(reply, first!);
  const { why } = (request.body ?? {}) as { readonly why?: unknown };
  const replies = [first!, ...(await apply(context, request, others, { why }))];
  if (!replies.every(isApplied) && before !== null) {
    const back = { version: before, why: 'a partition did not take the change over' };
    await context.act(request, [lead], back, { path: ROLLBACK, withinMs: APPLY_MS });
    await apply(context, request, others, { why: back.why });
  }
  return answer(context, request, reply, replies);
}

async function newestVersion(
  context: ViewContext,
  request: FastifyRequest,
  lead: PartitionPlace,
): Promise<number | null> {
  const [found] = await context.look(request, [lead], '/api/configuration/versions');
  const versions = found?.json?.versions as readonly { readonly version: number }[] | undefined;
  return versions?.[0]?.version ?? null;
}

function apply(
  context: ViewContext,
  request: FastifyRequest,
  places: readonly PartitionPlace[],
  body: unknown,
): Promise<Reply[]> {
  return context.act(request, places, body, { path: APPLY, withinMs: APPLY_MS });
}

/** Answer with one report of all partitions. */
function answer(
  context: ViewContext,
  request: FastifyRequest,
  reply: FastifyReply,
  replies: readonly Reply[],
): FastifyReply {
  if (replies.length === 0) return context.refuse(reply, [], 'No partition of this node answers');
  const report = mergedReport(replies, { at: context.now(), who: context.nameOf(request) });
  const proposal = replies.find(({ json }) => json?.proposal !== undefined)?.json?.proposal;
  const partitions = statesOf(replies);
  if (proposal !== undefined && replies.every(({ status }) => isGood(status)))
    return reply.code(PROPOSED).send({ done: false, text: report.text, proposal, partitions });
  return reply.code(report.ok ? 200 : NOT_USED).send({ ...report, partitions });
}

function isApplied({ status, json }: Reply): boolean {
  return isGood(status) && json?.ok === true;
}

function nameIn({ body }: FastifyRequest): string | undefined {
  const { name } = (body ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function mergedPreview(replies: readonly Reply[]): ConfigurationPreview {
  const previews = replies
    .filter(({ status }) => isGood(status))
    .map(({ json }) => json as unknown as ConfigurationPreview);
  return {
    problems: distinct(previews.flatMap(({ problems }) => problems)),
    changes: distinct(previews.flatMap(({ changes }) => changes)),
  };
}

/** One report of all partitions: what the files have to say is the same for all, what changed adds up. */
function mergedReport(replies: readonly Reply[], by: { readonly at: number; readonly who: string }): ApplyReport {
  const reports = replies.flatMap(({ json }) =>
    json?.restartNeeded === undefined ? [] : [json as unknown as ApplyReport],
  );
  const ok = replies.every(isApplied);
  const applied = reports.flatMap(({ changes }) => changes ?? []);
  return {
    ...by,
    ok,
    text: textOf(replies, ok),
    problems: distinct(reports.flatMap(({ problems }) => problems)),
    warnings: distinct(reports.flatMap(({ warnings }) => warnings)),
    changes:
      applied.length === 0
        ? null
        : {
            added: applied.flatMap(({ added }) => added),
            changed: applied.flatMap(({ changed }) => changed),
            retired: applied.flatMap(({ retired }) => retired),
            unchanged: applied.reduce((sum, { unchanged }) => sum + unchanged, 0),
          },
    renewed: distinct(reports.flatMap(({ renewed }) => renewed)),
    restartNeeded: distinct(reports.flatMap(({ restartNeeded }) => restartNeeded)),
    raised: null,
    version: reports.find(({ version }) => version !== null)?.version ?? null,
  };
}

/** Once what all say; else partition by partition, with a head where some took it over and others did not. */
function textOf(replies: readonly Reply[], ok: boolean): string {
  const texts = replies.map(({ place, json, silence, status, mayBeDone }) => ({
    name: place.name,
    isDone: isGood(status) && json?.ok === true,
    text:
      silence !== null
        ? `The partition ${silence}: ${mayBeDone ? 'it may be applied there, or may still be' : 'it is not applied there'}.`
        : typeof json?.text === 'string'
          ? json.text
          : (detailOf(json) ?? `answered ${status}`),
  }));
  if (new Set(texts.map(({ text }) => text)).size === 1) return texts[0]!.text;
  const head = !ok && texts.some(({ isDone }) => isDone) ? 'PARTLY DONE.\n' : '';
  return `${head}${texts.map(({ name, text }) => `${name}: ${text}`).join('\n')}`;
}

function distinct<T>(values: readonly T[]): T[] {
  const seen = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...seen.values()];
}
