// All that the routes of a view share: the partitions, who asks, and the parts of the ops room that one gateway's admin API is made of.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EpochMs } from '../../base/time.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { AdminAccess, WholeOps } from '../../ops/mod.ts';
import { type Asker, detailOf, type Fleet, forwardedPath, isGood, type Reply, statesOf } from './fleet.ts';
import type { PartitionPlace } from './place.ts';

export interface ViewOptions {
  readonly ops: WholeOps;
  readonly fleet: Fleet;
  /** The name of this node. */
  readonly node: string;
  readonly now: () => EpochMs;
  readonly log: EngineLog;
  /** Of a cluster. */
  readonly switches: ClusterSwitches | null;
}

/** Notes kill switches for partitions that start later. @throws Error if it cannot */
export interface ClusterSwitches {
  throw(scope: string, name: string, why: string, who: string): Promise<void>;
  lift(scope: string, name: string, why: string, who: string): Promise<void>;
}

interface ActOptions {
  readonly path?: string;
  readonly withinMs?: number | undefined;
}

const NOT_FOUND = 404;
const CONFLICT = 409;
const UNAVAILABLE = 503;

export class ViewContext {
  readonly ops: WholeOps;
  readonly fleet: Fleet;
  readonly node: string;
  readonly now: () => EpochMs;
  readonly log: EngineLog;
  readonly switches: ClusterSwitches | null;
  readonly #access: AdminAccess;

  constructor({ ops, fleet, node, now, log, switches }: ViewOptions, access: AdminAccess) {
    this.ops = ops;
    this.fleet = fleet;
    this.node = node;
    this.now = now;
    this.log = log;
    this.switches = switches;
    this.#access = access;
  }

  /** The partitions that a request is about: all, or those of `?partition=`. */
  chosen(request: FastifyRequest): readonly PartitionPlace[] {
    const wanted = partitionsAsked(request);
    const places = this.fleet.places();
    return wanted.length === 0 ? places : places.filter(({ name }) => wanted.includes(name));
  }

  /** Partitions of this node among them: the configuration is the node's. */
  own(request: FastifyRequest): readonly PartitionPlace[] {
    return this.chosen(request).filter(({ node }) => node === this.node);
  }

  /** Why a request cannot be answered: it names a partition that there is not; null if it can. */
  refusalOf(request: FastifyRequest): string | null {
    const names = this.fleet.places().map(({ name }) => name);
    const unknown = partitionsAsked(request).find((name) => !names.includes(name));
    if (unknown === undefined) return null;
    return `There is no partition "${unknown.slice(0, 64)}"; there are ${names.join(', ')}.`;
  }

  /** The caller, for the partition: its audit trail has that name. */
  askerOf(request: FastifyRequest): Asker {
    const operator = request.headers['x-crossgate-operator'];
    return {
      headers: {
        [this.ops.CALLER_HEADER]: this.ops.callerHeader(this.#access.callerOf(request)),
        ...(typeof operator === 'string' ? { 'x-crossgate-operator': operator } : {}),
      },
    };
  }

  nameOf(request: FastifyRequest): string {
    return this.ops.nameOf(request, this.#access.callerOf(request));
  }

  /** Ask partitions the question of a request. */
  look(request: FastifyRequest, places = this.chosen(request), path = forwardedPath(request)): Promise<Reply[]> {
    return this.fleet.ask(places, this.askerOf(request), { method: 'GET', path });
  }

  /** Have partitions do what a request wants, or post its body to another path. */
  act(
    request: FastifyRequest,
    places: readonly PartitionPlace[],
    body: unknown = request.body,
    { path = forwardedPath(request), withinMs }: ActOptions = {},
  ): Promise<Reply[]> {
    const { headers } = this.askerOf(request);
    const given = body === undefined || body === null ? null : JSON.stringify(body);
    return this.fleet.ask(
      places,
      { headers: { ...headers, ...(given === null ? {} : { 'content-type': 'application/json' }) } },
      {
        method: 'POST',
        path,
        ...(given === null ? {} : { body: given }),
        ...(withinMs === undefined ? {} : { withinMs }),
      },
    );
  }

  /** Answer with what the partitions say together, and how each of them is. */
  answer(reply: FastifyReply, replies: readonly Reply[], merge: () => object): FastifyReply | object {
    if (replies.some(({ status }) => isGood(status))) return { ...merge(), partitions: statesOf(replies) };
    return this.refuse(reply, replies, 'No partition answers');
  }

  /** Pass a partition's own answer on. */
  pass(reply: FastifyReply, { place, status, json }: Reply): FastifyReply {
    return reply.code(status ?? UNAVAILABLE).send({ ...json, partition: place.name });
  }

  /** The only partition that has what was asked for; null where another answer was given. */
  onlyOne(reply: FastifyReply, replies: readonly Reply[], what: string): Reply | null {
    const [one, ...more] = replies.filter(({ status }) => isGood(status));
    if (one === undefined) {
      this.refuse(reply, replies, `No partition that answers has ${what}`);
      return null;
    }
    if (more.length === 0) return one;
    const names = [one, ...more].map(({ place }) => place.name).join(', ');
    const text = `Several partitions have ${what}: ${names}. Name one with --partition (\`?partition=NAME\`).`;
    this.ops.problem(reply, CONFLICT, text);
    return null;
  }

  /** No partition says yes: the words of one that says no count, unless others say nothing. */
  refuse(reply: FastifyReply, replies: readonly Reply[], otherwise: string): FastifyReply {
    const silent = replies.filter(({ silence }) => silence !== null);
    const refused = replies.find(({ status, silence }) => silence === null && status !== NOT_FOUND) ?? replies[0];
    if (refused !== undefined && (silent.length === 0 || (refused.silence === null && refused.status !== NOT_FOUND))) {
      const { status, json } = refused;
      const code = typeof json?.code === 'string' ? json.code : undefined;
      return this.ops.problem(reply, status ?? UNAVAILABLE, detailOf(json) ?? `answered ${status}`, code);
    }
    const states = silent.map(({ place, silence }) => `${place.name} on ${place.node} ${silence}`);
    const why = replies.length === 0 ? 'none is known' : states.join('; ');
    return this.ops.problem(reply, UNAVAILABLE, `${otherwise}: ${why}.`);
  }
}

/** Names in `?partition=`, which may be given several times. */
function partitionsAsked({ query }: FastifyRequest): readonly string[] {
  const { partition } = query as { readonly partition?: string | readonly string[] };
  return partition === undefined ? [] : typeof partition === 'string' ? [partition] : partition;
}
