// Alarms on their way to people: the open ones, their receivers, and the silences of operators, which outlive a restart
// in a file of the state folder.

import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochMs } from '../../base/time.ts';
import type { Alarm, EngineLog } from '../../engine/mod.ts';
import type { AlarmsConfig } from '../../runtime/mod.ts';
import { redactText, redactValue } from '../secrets/redaction.ts';
import { AlarmBook, type Notice, type OpenAlarm, type Silence, type Word } from './alarm-book.ts';
import type { Links } from './payloads.ts';
import { type DeliveryCounts, Receiver } from './receiver.ts';

const FILE = 'alarm-silences.json';
/** Repetitions that wait for their time are looked for this often. */
const LOOK_MS = 1_000;
/** Time for the last alarms to leave at the end of the process. */
const CLOSE_MS = 2_000;

/** For an engine without settings of alarms: they are open for a while, and are sent nowhere. */
export const NO_RECEIVERS: AlarmsConfig = {
  documentation: null,
  repeatMs: 300_000,
  escalateAfter: 10,
  escalateWithinMs: 3_600_000,
  closeAfterMs: 900_000,
  receivers: [],
};

export interface AlarmDeskOptions {
  readonly config: AlarmsConfig;
  readonly stateDirectory: string;
  /** Address of admin API and console; null where they are off. Asked for each alarm: they start later. */
  readonly url: () => string | null;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  readonly retryFirstMs?: number;
}

/** A receiver, for metrics. */
export interface ReceiverView extends Readonly<DeliveryCounts> {
  readonly name: string;
  readonly queued: number;
}

export class AlarmDesk {
  readonly #options: AlarmDeskOptions;
  readonly #book: AlarmBook;
  readonly #receivers: readonly Receiver[];
  readonly #timer: NodeJS.Timeout;
  readonly #links: Links;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: AlarmDeskOptions) {
    const { config, log, retryFirstMs } = options;
    this.#options = options;
    this.#book = new AlarmBook(config, readSilences(options));
    this.#links = linksOf(options);
    const how = { links: this.#links, log, ...(retryFirstMs === undefined ? {} : { retryFirstMs }) };
    this.#receivers = config.receivers.map((receiver) => new Receiver({ receiver, ...how }));
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK_MS, config.repeatMs)).unref();
  }

  /** Take an alarm, and send it unless it is a repetition, acknowledged or silenced. */
  raise(alarm: Alarm): void {
    const { text, fields } = alarm;
    // It leaves this machine.
    const shown = redactValue(fields) as Record<string, string>;
    this.#send(this.#book.raise({ ...alarm, text: redactText(text), fields: shown }));
  }

  /** The page of the runbook about an alarm. */
  runbook(alarm: string): string | null {
    return this.#links.runbook(alarm);
  }

  open(): OpenAlarm[] {
    return this.#book.list(this.#options.now());
  }

  acknowledge(id: string, word: Omit<Word, 'at'>): OpenAlarm | null {
    return this.#book.acknowledge(id, { ...word, at: this.#options.now() });
  }

  silences(): readonly Silence[] {
    return this.#book.silences(this.#options.now());
  }

  /** Send no alarm of this name for `forMs`; null if there are too many silences. */
  silence(what: Omit<Silence, 'id' | 'at' | 'until'>, forMs: number): Silence | null {
    const at = this.#options.now();
    const silence = this.#book.silence({ ...what, at, until: at + forMs });
    if (silence !== null) this.#save();
    return silence;
  }

  endSilence(id: string): boolean {
    const isEnded = this.#book.endSilence(id);
    if (isEnded) this.#save();
    return isEnded;
  }

  receivers(): ReceiverView[] {
    return this.#receivers.map(({ name, queued, counts }) => ({ name, queued, ...counts }));
  }

  /** Let the last alarms leave. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#saving, ...this.#receivers.map((receiver) => receiver.close(CLOSE_MS))]);
  }

  #look(): void {
    for (const notice of this.#book.due(this.#options.now())) this.#send(notice);
  }

  #send(notice: Notice | null): void {
    if (notice !== null) for (const receiver of this.#receivers) receiver.send(notice);
  }

  #save(): void {
    const { stateDirectory, log } = this.#options;
    const file = join(stateDirectory, FILE);
    this.#saving = this.#saving
      .then(async () => {
        await writeFile(`${file}.new`, `${JSON.stringify(this.silences())}\n`, { mode: 0o600 });
        await rename(`${file}.new`, file);
      })
      .catch((error: unknown) =>
        log('warn', 'the silences of alarms end with this process: no room to keep them', { error }),
      );
  }
}

/** Those of the process before; one that cannot be read ends its silences, and is no reason not to start. */
function readSilences({ stateDirectory, log }: AlarmDeskOptions): readonly Silence[] {
  try {
    const json: unknown = JSON.parse(readFileSync(join(stateDirectory, FILE), 'utf8'));
    return Array.isArray(json) ? json.filter(isSilence) : [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log('warn', `${FILE} cannot be read: no alarm is silenced`, { error });
    return [];
  }
}

function isSilence(json: unknown): json is Silence {
  const { id, alarm, session, until } = (json ?? {}) as Record<string, unknown>;
  const isAbout = session === null || typeof session === 'string';
  return typeof id === 'string' && typeof alarm === 'string' && isAbout && typeof until === 'number';
}

function linksOf({ config, url }: AlarmDeskOptions): Links {
  const base = (): string | null => {
    const own = url();
    return config.documentation ?? (own === null ? null : `${own}/docs`);
  };
  return {
    runbook: (alarm) => {
      const documentation = base();
      return documentation === null ? null : `${documentation.replace(/\/+$/, '')}/operate/runbook.html#${alarm}`;
    },
    get console() {
      return url();
    },
  };
}
