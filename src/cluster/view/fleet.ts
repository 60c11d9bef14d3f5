// All partitions, asked at once for one caller. Knows which of them were silent lately, so that one that hangs delays others for a short time only,
// and which partition has a session.

import type { FastifyRequest } from 'fastify';
import { type Answer, type Dial, PartitionClient, type Question } from './ask-partition.ts';
import { type PartitionPlace, type PartitionState, RUNNING } from './place.ts';

/** Time for a look. */
export const LOOK_MS = 5_000;
/** Time for a look at a partition that was silent at the last one. */
const SILENT_LOOK_MS = 500;
/** Time for an action: shorter than a command waits, longer than a cancel does. */
export const ACTION_MS = 25_000;
/** An adoption reads every open order first. */
export const LONG_ACTION_MS = 170_000;
const UNAVAILABLE = 503;

/** A caller without a name: the view itself, which may look only. */
export interface Asker {
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer of a partition; each part is looked at where it is used. */
export type Json = Readonly<Record<string, unknown>>;

/** One partition's answer, its JSON read. */
export interface Reply {
  readonly place: PartitionPlace;
  /** Null: it gave none. */
  readonly status: number | null;
  readonly json: Json | null;
  /** Why there is no answer; null if there is one. */
  readonly silence: string | null;
  /** Whether an action may have been done without an answer. */
  readonly mayBeDone: boolean;
}

export interface FleetOptions {
  readonly partitions: () => readonly PartitionPlace[];
  /** For partitions of other nodes; absent: there are none. */
  readonly dial?: Dial;
}

type Asked = Omit<Question, 'headers' | 'withinMs'> & { readonly withinMs?: number };

export class Fleet {
  readonly #options: FleetOptions;
  readonly #client: PartitionClient;
  readonly #silent = new Set<string>();

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#client = new PartitionClient(options.dial);
  }

  /** By name. */
  places(): readonly PartitionPlace[] {
    return [...this.#options.partitions()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Ask these partitions at once. Never rejects. */
  async ask(places: readonly PartitionPlace[], asker: Asker, asked: Asked): Promise<Reply[]> {
    return await Promise.all(places.map((place) => this.askOne(place, asker, asked)));
  }

  async askOne(place: PartitionPlace, { headers }: Asker, { withinMs, ...asked }: Asked): Promise<Reply> {
    const isLook = asked.method === 'GET';
    const limit = withinMs ?? (isLook ? LOOK_MS : ACTION_MS);
    const wait = isLook && this.#silent.has(place.name) ? Math.min(limit, SILENT_LOOK_MS) : limit;
    const answer = await this.#client.ask(place, { ...asked, headers, withinMs: wait });
    const reply = replyOf(place, answer);
    if (reply.silence === null) this.#silent.delete(place.name);
    else this.#silent.add(place.name);
    return reply;
  }

  /** The text of an answer that is no JSON; null if there is none. */
  async textFrom(place: PartitionPlace, { headers }: Asker, path: string): Promise<string | null> {
    const answer = await this.#client.ask(place, { method: 'GET', path, headers, withinMs: LOOK_MS });
    return answer.kind === 'answer' && answer.status === 200 ? answer.text : null;
  }

  close(): void {
    this.#client.close();
  }
}

function replyOf(place: PartitionPlace, answer: Answer): Reply {
  const none = { place, status: null, json: null };
  if (answer.kind === 'silent') return { ...none, silence: answer.why, mayBeDone: answer.mayBeDone };
  const { status, text } = answer;
  const json = parsed(text);
  if (json === null) return { ...none, silence: 'gives an answer that is not understood', mayBeDone: true };
  // It starts, stops or stands by: there is no admin API behind this yet. A history that cannot be read has a code.
  if (status !== UNAVAILABLE || json.code !== undefined)
    return { place, status, json, silence: null, mayBeDone: false };
  return { ...none, silence: `is not ready: ${detailOf(json) ?? 'it does not say why'}`, mayBeDone: false };
}

/** Null if it is no object in JSON, which every answer of an admin API is. */
function parsed(text: string): Json | null {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? (json as Json) : null;
  } catch {
    return null;
  }
}

/** The sentence of a refusal. */
export function detailOf(json: Json | null): string | null {
  return typeof json?.detail === 'string' ? json.detail : null;
}

/** The partitions of an answer, each with its state. */
export function statesOf(replies: readonly Reply[]): PartitionState[] {
  return replies.map(({ place: { name, node }, silence, status, json }) => ({
    name,
    node,
    answered: isGood(status),
    state: silence ?? (isGood(status) ? RUNNING : (detailOf(json) ?? `answered ${status}`)),
  }));
}

export function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The query of a request without the view's own parameter. */
export function forwardedPath({ raw }: FastifyRequest): string {
  const [path = '', query = ''] = (raw.url ?? '').split('?', 2);
  const params = new URLSearchParams(query);
  params.delete('partition');
  const rest = params.toString();
  return rest === '' ? path : `${path}?${rest}`;
}
