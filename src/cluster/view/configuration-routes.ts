// The configuration of a node over HTTP: one folder, which every partition of the node reads. It is applied to all of them, and the
// node keeps its versions.

import { resolve } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CrossgateError } from '../../base/errors.ts';
import type { ApplyReport, ConfigurationOptions, ConfigurationPreview, WholeOps } from '../../ops/mod.ts';
import { detailOf, isGood, type Reply, statesOf } from './fleet.ts';
import type { ViewContext } from './view-context.ts';

const START = 'start';
const FILE_CHANGE = 'file change';
const NOT_USED = 422;
const NOT_FOUND = 404;
const CONFLICT = 409;
const PROPOSED = 202;
/** A partition with a thousand sessions, on a machine that is busy with others. */
const APPLY_MS = 60_000;
const WHY_MAX = 500;

export class NodeConfiguration {
  readonly #context: ViewContext;
  readonly #directory: string;
  readonly #versions: InstanceType<WholeOps['ConfigurationVersions']>;
  /** One change after the other. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(context: ViewContext, { directory, workingDirectory = '.' }: ConfigurationOptions, folder: string) {
    this.#context = context;
    this.#directory = resolve(workingDirectory, directory);
    this.#versions = new context.ops.ConfigurationVersions(folder, context.now);
    this.#keep(START, '');
  }

  /** Add the routes below /api/configuration. */
  addRoutes(app: FastifyInstance): void {
    const context = this.#context;
    app.get('/api/configuration', async (request, reply) => {
      const replies = await context.look(request, context.own(request));
      const one = replies.find(({ status }) => isGood(status));
      return context.answer(reply, replies, () => ({ ...one?.json, partition: one?.place.name }));
    });
    app.get('/api/configuration/diff', async (request, reply) => {
      const replies = await context.look(request, context.own(request));
      return context.answer(reply, replies, () => mergedPreview(replies));
    });
    app.get('/api/configuration/versions', async (request) => {
      await this.#keepSaved(request);
      return { versions: this.#versions.list() };
    });
    app.post('/api/configuration/apply', async (request, reply) => {
      const why = whyOf(request);
      if (why === null) return context.ops.problem(reply, 400, `why is a text of at most ${WHY_MAX}`);
      return await this.#inTurn(async () => {
        const replies = await this.#apply(request, request.body);
        return this.#answer(request, reply, replies, why);
      });
    });
    app.post('/api/configuration/rollback', async (request, reply) => {
      const { version } = (request.body ?? {}) as { readonly version?: unknown };
      const why = whyOf(request);
      if (why === null || why === '' || typeof version !== 'number')
        return context.ops.problem(reply, 400, `give a version, and why in at most ${WHY_MAX} characters`);
      try {
        return await this.#inTurn(() => this.#rollback(request, reply, version, why));
      } catch (error) {
        if (!(error instanceof CrossgateError)) throw error;
        return context.ops.problem(reply, error.code === 'XG_NOT_FOUND' ? NOT_FOUND : CONFLICT, error.message);
      }
    });
  }

  /** Put the files back. If a partition does not take them, the files become what they were, for all partitions. */
  async #rollback(request: FastifyRequest, reply: FastifyReply, version: number, why: string): Promise<FastifyReply> {
    const { restoreTexts, textsIn } = this.#context.ops;
    const wanted = this.#versions.texts(version);
    const before = textsIn(this.#directory);
    restoreTexts(this.#directory, wanted);
    const words = `back to version ${version}: ${why}`.slice(0, WHY_MAX);
    const replies = await this.#apply(request, { why: words });
    if (replies.every(({ status, json }) => isGood(status) && json?.ok === true))
      return this.#answer(request, reply, replies, words);
    restoreTexts(this.#directory, before);
    await this.#apply(request, { why: `version ${version} was not taken over by all partitions`.slice(0, WHY_MAX) });
    return this.#answer(request, reply, replies, words);
  }

  #apply(request: FastifyRequest, body: unknown): Promise<Reply[]> {
    const { fleet } = this.#context;
    const { headers } = this.#context.askerOf(request);
    const given = body === undefined || body === null ? null : JSON.stringify(body);
    return fleet.ask(
      this.#context.own(request),
      { headers: { ...headers, ...(given === null ? {} : { 'content-type': 'application/json' }) } },
      {
        method: 'POST',
        path: '/api/configuration/apply',
        withinMs: APPLY_MS,
        ...(given === null ? {} : { body: given }),
      },
    );
  }

  #answer(request: FastifyRequest, reply: FastifyReply, replies: readonly Reply[], why: string): FastifyReply {
    const report = mergedReport(replies, { at: this.#context.now(), who: this.#context.nameOf(request) });
    const proposal = replies.find(({ json }) => json?.proposal !== undefined)?.json?.proposal;
    const partitions = statesOf(replies);
    const version = report.ok ? this.#keep(report.who, why) : null;
    if (proposal !== undefined && replies.every(({ status }) => isGood(status)))
      return reply.code(PROPOSED).send({ done: false, text: report.text, proposal, partitions });
    return reply.code(report.ok ? 200 : NOT_USED).send({ ...report, version, partitions });
  }

  /** A saved file is applied by the partitions themselves: it is a version once they all have it. */
  async #keepSaved(request: FastifyRequest): Promise<void> {
    const replies = await this.#context.look(request, this.#context.own(request), '/api/configuration/diff');
    const isInEffect = ({ status, json }: Reply): boolean => {
      const preview = json as ConfigurationPreview | null;
      return (
        isGood(status) && preview?.problems.length === 0 && preview.changes.every(({ counts }) => counts !== 'now')
      );
    };
    if (replies.length > 0 && replies.every(isInEffect)) this.#keep(FILE_CHANGE, '');
  }

  #keep(who: string, why: string): number | null {
    try {
      return this.#versions.record(this.#context.ops.textsIn(this.#directory), who, why)?.version ?? null;
    } catch (error) {
      this.#context.log('warn', 'this version of the configuration could not be kept', { error });
      return null;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#running.then(work);
    this.#running = next.catch(() => {});
    return next;
  }
}

function whyOf({ body }: FastifyRequest): string | null {
  const { why = '' } = (body ?? {}) as { readonly why?: unknown };
  return typeof why === 'string' && why.length <= WHY_MAX ? why : null;
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
  const ok = replies.length > 0 && replies.every(({ status, json }) => isGood(status) && json?.ok === true);
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
    version: null,
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
