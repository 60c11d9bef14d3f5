// Applies a changed configuration folder while the gateway runs, by command or after a file change. Everything is
// validated, then sessions are applied, and changed certificates and tokens taken over; any problem prevents all
// changes. Settings of the process are reported as waiting for a restart.

import { createHash } from 'node:crypto';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { resolve } from 'node:path';
import type { Administration } from '../../administration/mod.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { ReadAgain, Renewal } from '../../base/renewal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { CertificationHost } from '../../certification/mod.ts';
import { type EngineLog, inTurns } from '../../engine/mod.ts';
import { type EngineConfig, type EngineSessionConfig, sessionName } from '../../runtime/mod.ts';
import { checkingCertificates } from '../checks/certificate-check.ts';
import { certificatesEnding } from '../checks/certificate-watch.ts';
import { checkDictionariesInUse } from '../checks/dictionary-check.ts';
import { type ApplyReport, changesAnything, inWords, NOT_USED, refusedInWords } from './change/apply-report.ts';
import { type ConfigurationPreview, sessionChanges } from './change/change-preview.ts';
import {
  digestOfText,
  draftOf,
  type SessionFileView,
  sessionTexts,
  type WantedFiles,
  withSession,
} from './change/draft.ts';
import { type ConfigProblem, formatProblems } from './config-problem.ts';
import { type ConfigurationOptions, type LoadedConfiguration, loadBesideTraffic } from './configuration.ts';
import { describing, inJson } from './describe.ts';
import { filesState, statesOf } from './file-states.ts';
import { namedIn, renewableFiles } from './renewable-secrets.ts';
import { samplesFolder, samplesInWords } from './samples.ts';
import { StartedValues } from './started-values.ts';
import { venueIn } from './venue.ts';
import {
  type ConfigurationTexts,
  type ConfigurationVersion,
  type ConfigurationVersions,
  restoreTexts,
  textsIn,
} from './versions.ts';

export interface ReloaderOptions {
  readonly configuration: ConfigurationOptions;
  /** Configuration of the start. */
  readonly started: LoadedConfiguration;
  readonly administration: Administration;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /** Creates the files that a start would create, such as sample passwords of new sessions. */
  readonly prepare: (config: EngineConfig) => Promise<void>;
  /** Sessions that certify are theirs. */
  readonly certifications?: Pick<CertificationHost, 'apply'>;
  /** Users of replaceable secrets read them again. */
  readonly readAgain: ReadAgain;
  /** Called after secrets were taken over. */
  readonly onRenewed: () => void;
  /** Called once a changed configuration is in effect. */
  readonly onApplied?: () => void;
  /** Keeps what counted. */
  readonly versions?: ConfigurationVersions;
}

/** The operator of a change, with the reason. */
export interface Request {
  readonly who: string;
  readonly why: string;
  /** Digest of the configuration that a second person approved. */
  readonly approved: string | null;
}

/** How often it is looked whether the folder is still the one that is watched. */
const LOOK_MS = 1_000;
/** Quiet time after a change before files are read: editors write in several steps. */
const DEBOUNCE_MS = 300;
const FILE_CHANGE = 'file change';
const STOPPING = 'Nothing was changed: the gateway is stopping. Its next start reads the files.';
const WAITS =
  'Saved configuration files wait: `crossgate config diff` shows them, `crossgate config apply` takes them over.';
/** Limit of automatic changes kept for the next query. */
const UNTOLD_MAX = 20;

export class Reloader {
  private readonly options: ReloaderOptions;
  private readonly ofStart: StartedValues;
  /** The configuration in effect, but for settings that wait for a start. */
  private present: LoadedConfiguration;
  private readonly appliesSaved: boolean;
  private watcher: FSWatcher | null = null;
  private look: NodeJS.Timeout | null = null;
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<unknown> = Promise.resolve();
  private closed = false;
  /** Automatic changes not yet reported: a saved file is applied before an operator can type a command. */
  private untold: string[] = [];
  /** Lasting remarks on the configuration, in words. */
  standing: readonly string[] = [];
  /** Result of the last application, or null if the configuration is the one of the start. */
  last: ApplyReport | null = null;

  constructor(options: ReloaderOptions) {
    this.options = options;
    this.ofStart = new StartedValues(options.started);
    this.standing = this.ofSamples();
    this.present = options.started;
    this.appliesSaved = options.started.effective.get('gateway')?.values.applySaved !== false;
    this.keep(options.started, 'start', '');
  }

  /** The sessions' exchange, in words, as the gateway was started (rule S8). */
  get venue(): string {
    return venueIn(this.options.started);
  }

  /** Configuration matters that wait for an operator, in general words; they keep no order out. */
  notices(): string[] {
    if (this.last?.ok !== false) return [...this.standing];
    const isLong = this.last.problems.length > 0;
    return [...this.standing, isLong ? `${NOT_USED} \`crossgate check\` says why.` : refusedInWords(this.last)];
  }

  private ofSamples(): string[] {
    const { directory, environment, workingDirectory = '.' } = this.options.configuration;
    const folder = samplesFolder(resolve(workingDirectory, directory), environment);
    if (folder === null) return [];
    const { problem, remedy } = samplesInWords(folder);
    return [`${problem[0]!.toUpperCase()}${problem.slice(1)}: ${remedy}.`];
  }

  /** Every value in effect in the files now, redacted, with its origin, in JSON. */
  async describe(): Promise<string> {
    const described = await inTurns(describing(await loadBesideTraffic(this.options.configuration)));
    return await inTurns(inJson(described));
  }

  /** Apply the folder as it is now. One at a time; never rejects for the configuration. */
  apply(who: string, approved: string | null = null, why = ''): Promise<ApplyReport> {
    return this.inTurn(() => this.applyNow({ who, why, approved }));
  }

  /** The changes that `apply` would make, and from when on they would count. */
  async preview(): Promise<ConfigurationPreview> {
    return this.difference(await loadBesideTraffic(this.options.configuration));
  }

  /** The same if a session file had this text (null: were not there), or of the files of a version. Writes none of them. */
  async previewOf(wanted: WantedFiles): Promise<ConfigurationPreview> {
    return this.difference(await draftOf(this.options.configuration, this.textsOf(wanted), this.stateDirectory));
  }

  private difference(loaded: LoadedConfiguration): ConfigurationPreview {
    const views = this.options.administration.sessions();
    const ofStart = this.ofStart.changes(loaded);
    const ofSessions = loaded.config === null ? [] : sessionChanges(this.present, loaded, views);
    return { problems: loaded.problems, changes: [...ofSessions, ...ofStart] };
  }

  /** A session in effect by the name of its file; null if there is none. */
  sessionNamed(name: string): EngineSessionConfig | null {
    return this.present.config?.sessions.find((session) => sessionName(session) === name) ?? null;
  }

  /** Versions that counted, newest first. */
  versions(): readonly ConfigurationVersion[] {
    return this.options.versions?.list() ?? [];
  }

  /** The session files as they are saved; those of QuickFIX are not among them. @throws the file system's error */
  sessionFiles(): readonly SessionFileView[] {
    return [...sessionTexts(textsIn(this.directory))].map(([name, text]) => ({
      name,
      text,
      digest: digestOfText(text),
    }));
  }

  /**
   * Write a session file or remove it, or put the files of a version back, and apply. If that cannot be applied, the files stay as
   * they were. @throws CrossgateError XG_NOT_FOUND; XG_USAGE if the folder cannot be written, or the file was changed meanwhile
   */
  change(wanted: WantedFiles, request: Request): Promise<ApplyReport> {
    return this.inTurn(async () => {
      const { configuration, administration } = this.options;
      const texts = this.textsOf(wanted);
      const draft = await draftOf(configuration, texts, this.stateDirectory);
      const refused = await this.obstacle(draft, this.begun(draft, request.who), request.approved);
      if (refused !== null) {
        if (refused.raised === null) administration.audit(request.who, 'configuration refused', refused.text);
        return refused;
      }
      const before = textsIn(this.directory);
      restoreTexts(this.directory, texts);
      const why = 'version' in wanted ? `back to version ${wanted.version}: ${request.why}` : request.why;
      const report = await this.applyNow({ ...request, why });
      if (!report.ok) restoreTexts(this.directory, before);
      return report;
    });
  }

  private textsOf(wanted: WantedFiles): ConfigurationTexts {
    if (!('version' in wanted)) return withSession(textsIn(this.directory), wanted);
    const { versions } = this.options;
    if (versions === undefined) throw new CrossgateError('XG_NOT_FOUND', 'no version of the configuration is kept');
    return versions.texts(wanted.version);
  }

  /** One after the other. */
  private inTurn(work: () => Promise<ApplyReport>): Promise<ApplyReport> {
    const next = this.running.then(work);
    this.running = next.catch(() => {});
    return next;
  }

  private begun(loaded: LoadedConfiguration, who: string): Omit<ApplyReport, 'ok' | 'text' | 'changes'> {
    const restartNeeded = this.ofStart.waiting(loaded);
    const none = { warnings: [], renewed: [], raised: null, version: null };
    return { ...none, at: this.options.now(), who, problems: loaded.problems, restartNeeded };
  }

  private get stateDirectory(): string {
    return this.options.started.exchangePart?.stateDirectory ?? '.';
  }

  private get directory(): string {
    const { directory, workingDirectory = '.' } = this.options.configuration;
    return resolve(workingDirectory, directory);
  }

  /** Keep the files as the newest version, if they still are those that were loaded. */
  private keep(loaded: LoadedConfiguration, who: string, why: string): number | null {
    const { versions, log, administration } = this.options;
    if (versions === undefined || filesState(this.directory) !== loaded.files) return null;
    try {
      const kept = versions.record(textsIn(this.directory), who, why);
      if (kept === null) return null;
      if (who !== 'start') administration.audit(who, 'configuration: version', `${kept.version} ${why}`.trim());
      return kept.version;
    } catch (error) {
      log('warn', 'this version of the configuration could not be kept', { error });
      return null;
    }
  }

  /** Apply whenever a file of the folder changes, or another folder is put into its place. */
  watch(): void {
    const path = this.directory;
    let watched = folderAt(path);
    this.watchFolder(path);
    // A start may take minutes, over PostgreSQL behind a node that was killed.
    if (filesState(path) !== this.options.started.files) this.changed();
    const files = renewableFiles(this.options.started);
    let [seen, taken] = [statesOf(files), statesOf(files)];
    // File events miss a symbolic link with a new target, and later a fresh checkout.
    this.look = setInterval(() => {
      const states = statesOf(files);
      // A certificate and its key are written one after the other: they are read when both have rested for a while.
      if (states === seen && states !== taken) {
        taken = states;
        this.changed();
      }
      seen = states;
      const present = folderAt(path);
      if (present === watched) return;
      watched = present;
      if (present !== null) this.watchFolder(path);
      this.changed();
    }, LOOK_MS);
    this.look.unref();
  }

  private watchFolder(path: string): void {
    this.watcher?.close();
    this.watcher = null;
    const fail = (error: unknown): void => {
      const reason = error instanceof Error ? error.message : String(error);
      this.options.log('warn', 'changes of configuration files are not noticed; use `crossgate config apply`', {
        reason,
      });
    };
    try {
      this.watcher = watch(path, { persistent: false }, () => this.changed());
      this.watcher.on('error', fail);
    } catch (error) {
      fail(error);
    }
  }

  /** Stop watching, and wait for the present application. */
  async close(): Promise<void> {
    this.closed = true;
    this.watcher?.close();
    if (this.look !== null) clearInterval(this.look);
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
  }

  private changed(): void {
    if (this.closed) return;
    if (!this.appliesSaved) {
      this.standing = [...this.ofSamples(), WAITS];
      return;
    }
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = null;
      // No caller waits for it: an unforeseen error would end the process, and the orders with it.
      this.apply(FILE_CHANGE).catch((error: unknown) => {
        this.options.log('error', 'a changed configuration could not be applied', { error });
      });
    }, DEBOUNCE_MS);
  }

  private async applyNow({ who, why, approved }: Request): Promise<ApplyReport> {
    const loaded = await loadBesideTraffic(this.options.configuration);
    const common = this.begun(loaded, who);
    const outcome = await this.outcome(loaded, common, approved);
    if (outcome.ok) {
      this.present = loaded;
      this.options.onApplied?.();
    }
    const version = outcome.ok && !this.options.administration.isClosing ? this.keep(loaded, who, why) : null;
    const report = { ...outcome, version, warnings: await this.warnings(loaded, common.at) };
    // Its journal may be closed already, and its next start reads all of it anyway.
    if (this.options.administration.isClosing) return report;
    this.say(report);
    this.last = report;
    this.standing = this.ofSamples();
    if (who === FILE_CHANGE) {
      if (changesAnything(report)) this.untold = [...this.untold, report.text].slice(-UNTOLD_MAX);
      return report;
    }
    const before = this.untold;
    this.untold = [];
    if (before.length === 0) return report;
    return { ...report, text: `Taken over by itself before: ${before.join('\n')}\nNow: ${report.text}` };
  }

  /** All that a start and `crossgate check` say too, of the dictionaries as they are in use here. */
  private async warnings(loaded: LoadedConfiguration, at: EpochMs): Promise<readonly ConfigProblem[]> {
    const { config } = loaded;
    if (config === null) return loaded.warnings;
    const ending = await inTurns(certificatesEnding(loaded, at));
    const pairs = await inTurns(checkingCertificates(config, at));
    const dictionaries = await checkDictionariesInUse(config, this.options.administration);
    return [...loaded.warnings, ...ending, ...pairs.warnings, ...dictionaries.warnings];
  }

  private async outcome(
    loaded: LoadedConfiguration,
    common: Omit<ApplyReport, 'ok' | 'text' | 'changes'>,
    approved: string | null,
  ): Promise<ApplyReport> {
    const obstacle = await this.obstacle(loaded, common, approved);
    if (obstacle !== null || loaded.config === null) return obstacle!;
    try {
      await this.options.prepare(loaded.config);
      const renewals = await this.renewals(loaded);
      if (this.options.administration.isClosing) return { ...common, ok: false, text: STOPPING, changes: null };
      // An operator's request is explicit.
      const options = { keepsMost: common.who === FILE_CHANGE };
      const changes = await this.options.administration.applySessions(loaded.config.sessions, common.who, options);
      await this.options.certifications?.apply(loaded.certifications);
      for (const renewal of renewals) renewal.take();
      const renewed = renewals.map(({ text }) => text);
      for (const text of renewed) this.options.administration.audit(common.who, 'configuration: secret renewed', text);
      if (renewed.length > 0) this.options.onRenewed();
      return { ...common, ok: true, text: inWords(changes, renewed, common.restartNeeded), changes, renewed };
    } catch (error) {
      if (!(error instanceof CrossgateError)) throw error;
      return { ...common, ok: false, text: `Nothing was changed. ${error.message} [${error.code}]`, changes: null };
    }
  }

  /** Why these files are not applied, with nothing tried yet; null if nothing is against it. */
  private async obstacle(
    loaded: LoadedConfiguration,
    common: Omit<ApplyReport, 'ok' | 'text' | 'changes'>,
    approved: string | null,
  ): Promise<ApplyReport | null> {
    const lacks = await checkDictionariesInUse(loaded.config, this.options.administration);
    const problems = [...loaded.problems, ...lacks.problems];
    if (loaded.config === null || problems.length > 0) {
      return { ...common, ok: false, text: `Nothing was changed.\n${formatProblems(problems)}`, changes: null };
    }
    const [runs, wanted] = [venueIn(this.options.started), venueIn(loaded)];
    if (runs !== wanted) {
      // Sessions were checked for the other one, and would report its properties as theirs (rule S8).
      const text = `Nothing was changed. The gateway trades on ${runs}, gateway.yaml says ${wanted}: start the gateway again to take it over.`;
      return { ...common, ok: false, text, changes: null };
    }
    const raised = this.raisedIn(loaded);
    if (raised === null || raised.digest === approved) return null;

    const changed = approved === null ? '' : ' The files were changed since they were proposed.';
    const text = `Nothing was changed: raising limits takes two people (admin.twoPeople), \`crossgate config apply\` proposes it. Raised: ${raised.limits.join(', ')}.${changed}`;
    return { ...common, ok: false, text, changes: null, raised };
  }

  /** Users of a certificate or token that has changed. @throws CrossgateError if one is unusable */
  private async renewals({ config, admin }: LoadedConfiguration): Promise<Renewal[]> {
    return this.options.readAgain(namedIn({ config, admin }));
  }

  /** Null where no limit is raised, or one person may raise them. */
  private raisedIn({ config, effective }: LoadedConfiguration): ApplyReport['raised'] {
    const { started, administration } = this.options;
    if (config === null || started.admin?.twoPeople.includes('limits') !== true) return null;
    const limits = administration.raisedLimits(config.sessions);
    if (limits.length === 0) return null;
    const values = [...effective].map(([scope, layered]) => [scope, layered.values]);
    return { limits, digest: createHash('sha256').update(JSON.stringify(values)).digest('hex') };
  }

  private say(report: ApplyReport): void {
    const { log, administration } = this.options;
    if (!report.ok) {
      // Said once for the same trouble: files are often saved again and again until they are right.
      if (this.last?.ok === false && this.last.text === report.text) return;
      administration.audit(report.who, 'configuration refused', report.text);
      const isPartition = this.options.configuration.part !== undefined;
      administration.alarm('configuration-invalid', `${refusedInWords(report)}${isPartition ? ` ${NO_START}` : ''}`);
      return;
    }
    const quiet = !changesAnything(report) && report.restartNeeded.length === 0;
    if (!quiet || this.last?.ok === false) log('info', `configuration applied: ${report.text}`, { who: report.who });
  }
}

const NO_START =
  'This process goes on with the configuration before. If it ends, it cannot start until the files are mended or rolled back (`crossgate config rollback`).';

/** Which folder is there, or null for none. */
function folderAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev} ${ino}`;
  } catch {
    // Its reader reports why it cannot be read.
    return null;
  }
}
