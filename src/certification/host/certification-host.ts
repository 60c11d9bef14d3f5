// The certifications of a running gateway: each desk in a thread of its own, opened when its counterparty or an operator comes.
// A desk that fails takes nothing with it: its thread ends, its counterparty is disconnected, and the next Logon opens it again.

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { stringify } from 'yaml';
import { CrossgateError } from '../../base/errors.ts';
import type { EngineLog } from '../../engine/mod.ts';
import type { EngineSessionConfig } from '../../runtime/mod.ts';
import { type Scorecard, scorecardContent } from '../card/scorecard.ts';
import { certificationKey, signed } from '../card/signature.ts';
import type { DeskView } from '../desk/desk-view.ts';
import { profileFrom } from '../suite/profile.ts';
import { certificationName } from './certification-name.ts';
import type { Certifications, DeskRequest, FromDesk, ToDesk } from './desk-request.ts';
import { certificationFolder } from './open-desk.ts';

/** Data for a new thread, which reads the configuration itself. */
export interface DeskThreadData {
  readonly name: string;
  readonly sessions: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface CertificationHostOptions {
  /** The file of the desk's thread, which composes it. */
  readonly thread: URL;
  readonly data: Omit<DeskThreadData, 'name'>;
  /** Has the key of certificates; it is made when the first is signed. */
  readonly stateDirectory: string;
  /** Of the program, for scorecards. */
  readonly version: string;
  readonly log: EngineLog;
  readonly alarm: (alarm: string, text: string, fields: Readonly<Record<string, string>>) => void;
}

/** Desks open at a time: each has a thread, a journal and books. */
const DESKS_MAX = 4;
const HEAP_MB_MAX = 512;
const OPEN_MS = 30_000;
const ANSWER_MS = 10_000;
const CLOSE_MS = 5_000;

export class CertificationHost implements Certifications {
  private readonly options: CertificationHostOptions;
  private sessions: readonly EngineSessionConfig[] = [];
  private readonly desks = new Map<string, Desk>();

  constructor(options: CertificationHostOptions) {
    this.options = options;
  }

  /** Make these the sessions that certify; the desk of a changed or removed one is closed. */
  async apply(sessions: readonly EngineSessionConfig[]): Promise<void> {
    const before = new Map(this.sessions.map((session) => [session.source, textOf(session)]));
    this.sessions = sessions;
    const same = new Set(
      sessions.filter((one) => before.get(one.source) === textOf(one)).map(({ source }) => certificationName(source)),
    );
    await Promise.all([...this.desks.keys()].filter((name) => !same.has(name)).map((name) => this.close(name)));
  }

  /** Where the session of one of these names is; null: none of these certifies. */
  elsewhere(names: readonly string[], listener: string): Promise<number> | null {
    const found = this.sessions.find(
      ({ session, enabled, listeners }) =>
        enabled && names.includes(session.sessionId) && (listeners.length === 0 || listeners.includes(listener)),
    );
    return found === undefined ? null : this.open(certificationName(found.source)).then((desk) => desk.port);
  }

  names(): readonly string[] {
    return this.sessions.map(({ source }) => certificationName(source));
  }

  async ask(name: string, request: DeskRequest): Promise<DeskView> {
    this.mustCertify(name);
    const desk = await this.open(name);
    return await desk.ask(request);
  }

  async saveProfile(name: string, can: readonly string[], answerSeconds: number): Promise<void> {
    this.mustCertify(name);
    const found = profileFrom({ can, answerSeconds });
    if (typeof found === 'string') throw new CrossgateError('XG_USAGE', found);
    const folder = certificationFolder(this.options.stateDirectory, name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, 'profile.yaml');
    const draft = `${path}.draft`;
    const head = `# What the OMS of ${name} can do: decides which cases of its certification are mandatory.\n`;
    await writeFile(draft, `${head}${stringify({ can, answerSeconds })}`, { mode: 0o600, flush: true });
    await rename(draft, path);
  }

  async scorecard(name: string): Promise<Scorecard> {
    const { stateDirectory, version } = this.options;
    const content = scorecardContent(await this.ask(name, { kind: 'view' }), version, new Date().toISOString());
    return { ...content, signature: signed(content, certificationKey(stateDirectory)) };
  }

  /** @throws CrossgateError XG_NOT_FOUND */
  private mustCertify(name: string): void {
    if (this.names().includes(name)) return;
    const known = this.names().join(', ');
    const remedy = known === '' ? 'no session file has `certification`' : `there are ${known}`;
    throw new CrossgateError('XG_NOT_FOUND', `there is no certification ${name}: ${remedy}`);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.desks.keys()].map((name) => this.close(name)));
  }

  private async close(name: string): Promise<void> {
    const desk = this.desks.get(name);
    this.desks.delete(name);
    await desk?.close();
  }

  private open(name: string): Promise<Desk> {
    const known = this.desks.get(name);
    if (known !== undefined) return known.opened;
    if (this.desks.size >= DESKS_MAX) {
      const text = `${DESKS_MAX} certifications are open: end one by \`enabled: false\` in its session file`;
      return Promise.reject(new CrossgateError('XG_USAGE', text));
    }
    const { thread, data, log, alarm } = this.options;
    const desk = new Desk(name, thread, { ...data, name }, log);
    this.desks.set(name, desk);
    desk.onEnd = (why) => {
      if (this.desks.get(name) === desk) this.desks.delete(name);
      if (why !== null)
        alarm('certification-ended', `the certification ${name} ended: ${why}`, { certification: name });
    };
    return desk.opened;
  }
}

function textOf(session: EngineSessionConfig): string {
  return JSON.stringify(session, (_, value) => (typeof value === 'function' ? undefined : value));
}

class Desk {
  readonly opened: Promise<Desk>;
  port = 0;
  onEnd: (why: string | null) => void = () => {};
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (answer: FromDesk) => void>();
  private requests = 0;
  private failure: string | null = null;
  private isClosing = false;

  constructor(name: string, thread: URL, workerData: DeskThreadData, log: EngineLog) {
    this.worker = new Worker(thread, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
      execArgv: [],
      // Nothing of the environment but what it was given.
      env: {},
      stdout: false,
      stderr: false,
    });
    this.opened = new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new CrossgateError('XG_NOT_FOUND', `the certification ${name} did not open in time`));
        void this.worker.terminate();
      }, OPEN_MS);
      this.worker.on('message', (message: FromDesk) => {
        if (message.kind === 'open') {
          clearTimeout(timer);
          this.port = message.port;
          resolve(this);
        } else if (message.kind === 'log') log(message.level, `certification ${name}: ${message.text}`);
        else if (message.kind === 'failed') this.failure = message.text;
        else this.waiting.get(message.id)?.(message);
      });
      this.worker.on('error', (error) => {
        this.failure = error.message;
      });
      this.worker.on('exit', () => {
        clearTimeout(timer);
        const why = this.failure ?? 'its thread ended';
        reject(new CrossgateError('XG_NOT_FOUND', `the certification ${name} does not open: ${why}`));
        for (const answer of [...this.waiting.values()]) answer({ kind: 'refused', id: 0, text: why });
        this.onEnd(this.isClosing ? null : why);
      });
    });
    // The caller that asked has the answer.
    this.opened.catch(() => {});
    this.worker.unref();
  }

  async ask(request: DeskRequest): Promise<DeskView> {
    const id = ++this.requests;
    const answer = await new Promise<FromDesk>((resolve) => {
      const timer = setTimeout(() => resolve({ kind: 'refused', id, text: 'it does not answer in time' }), ANSWER_MS);
      this.waiting.set(id, (found) => {
        clearTimeout(timer);
        resolve(found);
      });
      this.tell({ kind: 'request', id, request });
    });
    this.waiting.delete(id);
    if (answer.kind === 'answer') return answer.view;
    throw new CrossgateError('XG_USAGE', answer.kind === 'refused' ? answer.text : 'it answered something else');
  }

  async close(): Promise<void> {
    this.isClosing = true;
    const ended = new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
    this.tell({ kind: 'close' });
    const timer = setTimeout(() => void this.worker.terminate(), CLOSE_MS);
    await ended;
    clearTimeout(timer);
  }

  private tell(message: ToDesk): void {
    this.worker.postMessage(message);
  }
}
