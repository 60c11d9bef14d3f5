// A connection to the database of the journals, for rows that several nodes share. It is made anew when it broke, and brings the newest
// schema. NOTIFY wakes its user where the database passes that on (not behind a pooler). Leaves the rows and their meaning to its user.

import type { Client } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import { connectPatiently, endClient, mustBeAddress, reasonOf } from './pools.ts';
import { migrateOver } from './schema.ts';

export interface SharedRowsOptions {
  /** `postgresql://user:password@host:port/database`, a secret. Asked for with each connection: a password may be changed. */
  readonly url: () => string;
  readonly requestTimeoutMs: number;
  /** The channel to listen on; nothing is listened to if absent. */
  readonly channel?: string;
  readonly onNotify?: (payload: string) => void;
}

export class SharedRows {
  readonly #options: SharedRowsOptions;
  #client: Promise<Client> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: SharedRowsOptions) {
    this.#options = options;
  }

  /**
   * One query after the other, in the order of the calls.
   * @throws CrossgateError XG_JOURNAL_WRITE_FAILED if the database does not answer; the next call connects again
   */
  async query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const turn = this.#last.then(() => this.#query<Row>(sql, values));
    this.#last = turn.catch(() => {});
    return await turn;
  }

  async #query<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    let client: Client | null = null;
    try {
      this.#client ??= this.#connect();
      client = await this.#client;
      return (await client.query(sql, [...values])).rows as Row[];
    } catch (error) {
      await this.#drop(client);
      if (error instanceof CrossgateError) throw error;
      const text = `the database of the cluster does not answer: ${reasonOf(error)}`;
      throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', text, { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#last;
    this.#isClosed = true;
    const client = await this.#client?.catch(() => null);
    await this.#drop(client ?? null);
  }

  async #drop(client: Client | null): Promise<void> {
    this.#client = null;
    if (client !== null) await endClient(client);
  }

  async #connect(): Promise<Client> {
    if (this.#isClosed) throw new Error('it was closed');
    const { url, requestTimeoutMs, channel, onNotify } = this.#options;
    const address = url();
    mustBeAddress(address);
    const wait = { connectMs: requestTimeoutMs, answerMs: requestTimeoutMs };
    const client = await connectPatiently(address, 'crossgate cluster', wait);
    try {
      client.on('notification', ({ payload = '' }) => onNotify?.(payload));
      await migrateOver(client);
      if (channel !== undefined) await client.query(`listen ${channel}`);
    } catch (error) {
      await endClient(client);
      throw error;
    }
    return client;
  }
}
