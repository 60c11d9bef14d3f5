// Everything that operations has beside a running engine, started and stopped together: configuration changes taken over
// as they happen, metrics, admin API, console.

import { join } from 'node:path';
import type { AdministeredEngine } from '../administration/mod.ts';
import type { ReadAgain } from '../base/renewal.ts';
import type { EpochMs } from '../base/time.ts';
import type { CertificationHost } from '../certification/mod.ts';
import type { EngineLog } from '../engine/mod.ts';
import type { EngineConfig } from '../runtime/mod.ts';
import { removeAdminAddress, writeAdminAddress } from './admin/admin-access.ts';
import type { AdminServer } from './admin/admin-server.ts';
import { AlarmDesk, NO_RECEIVERS } from './alarms/alarm-desk.ts';
import { type CertificateWatch, type Ending, watchCertificates } from './checks/certificate-watch.ts';
import {
  type ConfigurationOptions,
  type LoadedConfiguration,
  loadBesideTraffic,
} from './configuration/configuration.ts';
import { Reloader } from './configuration/reload.ts';
import { ConfigurationVersions } from './configuration/versions.ts';
import { type OrderTraces, startTraces } from './traces/order-traces.ts';

export interface OperationsOptions {
  readonly engine: AdministeredEngine;
  /** How the configuration was loaded, to load it again. */
  readonly configuration: ConfigurationOptions;
  readonly started: LoadedConfiguration;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  /** Variables of OpenTelemetry (traces/order-traces.ts); absent: none. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** For callers of the admin API. */
  readonly version: string;
  /** The mark of this process, by which commands tell whether it is still there. */
  readonly process: string;
  /** A changed configuration is in effect. */
  readonly onApplied?: () => void;
  /** Counterparties that certify their OMS. */
  readonly certifications?: CertificationHost;
  /** Of the process that serves the admin API of several partitions, of which this is one; absent: this is a whole gateway. */
  readonly parentToken?: string;
  /** Where that process serves the console, for links in alarms; null: nowhere; absent: this process serves it. */
  readonly consoleUrl?: string | null;
  /** Creates the files that a start would create for a changed configuration. */
  readonly prepare: (config: EngineConfig) => Promise<void>;
}

export interface Operations {
  /** Where admin API and console are; null if they are switched off. */
  readonly url: string | null;
  close(): Promise<void>;
}

/** Read the parts of the admin API and the metrics, ahead of their start. Commands come through this room's door as well. */
export const loadOperations = () =>
  Promise.all([
    import('./admin/admin-api.ts'),
    import('./metrics/metrics.ts'),
    import('./metrics/console-plots.ts'),
    import('./metrics/order-hops.ts'),
  ]);

/** Start operations beside an engine. @throws CrossgateError XG_LISTEN_FAILED, XG_SECRET_MISSING */
export async function startOperations(options: OperationsOptions): Promise<Operations> {
  const { engine, configuration, started, log, now, prepare, version, process, certifications } = options;
  const { administration, config } = engine;
  const desks = certifications === undefined ? {} : { certifications };
  // The admin API asks the reloader, and has tokens that it takes over: it is started behind it, and the watch behind both.
  let admin: AdminServer | null = null;
  let certificates: CertificateWatch | null = null;
  const readAgain: ReadAgain = async (isNamed) => [
    ...administration.renewals(isNamed),
    ...((await admin?.renewals(isNamed)) ?? []),
  ];
  let address: string | null = null;
  const { stateDirectory } = config;
  const { alarms = NO_RECEIVERS } = config;
  const desk = new AlarmDesk({
    config: alarms,
    stateDirectory,
    log,
    now,
    url: () => (options.consoleUrl === undefined ? address : options.consoleUrl),
  });
  const early = [...engine.alarms];
  const traces = await startTraces({ environment: options.variables ?? {}, version, log });
  engine.observer = {
    ...engine.observer,
    alarm: (alarm) => desk.raise(alarm),
    orderReported: (times) => traces?.reported(times),
  };
  const onRenewed = (): void => certificates?.renewed();
  const reloader = new Reloader({
    configuration,
    started,
    administration,
    log,
    now,
    prepare,
    readAgain,
    onRenewed,
    versions: new ConfigurationVersions(join(stateDirectory, 'configuration'), now),
    ...(options.onApplied === undefined ? {} : { onApplied: options.onApplied }),
    ...desks,
  });
  const watch = (): void => {
    // Those of the start: their links lead to the admin API, which is there now.
    for (const alarm of early) desk.raise(alarm);
    reloader.watch();
    const load = (): Promise<LoadedConfiguration> => loadBesideTraffic(configuration);
    certificates = watchCertificates({ started, load, administration, now });
  };
  if (started.admin === null) {
    // Commands, and the health check of a container, would else know of no gateway, or of one that was killed.
    await writeAdminAddress(stateDirectory, { url: null, process, sharedToken: false }, log);
    watch();
    const close = async (): Promise<void> => {
      certificates?.end();
      await reloader.close();
      await removeAdminAddress(stateDirectory, log);
      await Promise.all([desk.close(), traces?.close()]);
    };
    return { url: null, close };
  }
  const endings = (): readonly Ending[] => certificates?.endings() ?? [];
  const { server, end } = await startServer({ options, settings: started.admin, desk, reloader, traces, endings });
  admin = server;
  address = server.url;
  watch();
  return {
    url: server.url,
    async close() {
      certificates?.end();
      await reloader.close();
      await server.close();
      await administration.history.close();
      end();
      await Promise.all([desk.close(), traces?.close()]);
    },
  };
}

interface ServerParts {
  readonly options: OperationsOptions;
  readonly settings: NonNullable<LoadedConfiguration['admin']>;
  readonly desk: AlarmDesk;
  readonly reloader: Reloader;
  readonly traces: OrderTraces | null;
  readonly endings: () => readonly Ending[];
}

/** Start metrics and the admin API with its console; `end` ends the metrics. */
async function startServer(parts: ServerParts): Promise<{ readonly server: AdminServer; end(): void }> {
  const { options, settings, desk, reloader, traces, endings } = parts;
  const { engine, log, version, process, certifications, parentToken = null } = options;
  const { administration } = engine;
  const [{ startAdmin }, { createMetrics }, { ConsolePlots }, { OrderHops }] = await loadOperations();
  const plots = new ConsolePlots(administration);
  const hops = new OrderHops();
  const metrics = createMetrics(engine, { version, endings, desk });
  const { observer } = metrics;
  engine.observer = {
    ...observer,
    alarm: (alarm) => {
      observer.alarm(alarm);
      desk.raise(alarm);
    },
    committed: (count, ms, synced) => {
      observer.committed(count, ms, synced);
      plots.gateway.observer.committed(count, ms, synced);
    },
    outcome: (kind, ms) => {
      observer.outcome(kind, ms);
      plots.gateway.observer.outcome(kind, ms);
    },
    orderReported: (times) => {
      observer.orderReported(times);
      plots.gateway.observer.orderReported(times);
      hops.note(times);
      traces?.reported(times);
    },
  };
  const { stateDirectory, secretsDirectory = stateDirectory } = engine.config;
  const server = await startAdmin({
    ...settings,
    stateDirectory,
    secretsDirectory,
    administration,
    metrics,
    plots,
    hops,
    reloader,
    desk,
    log,
    version,
    process,
    ...(certifications === undefined ? {} : { certifications }),
    parentToken,
  });
  const end = (): void => {
    metrics.close();
    plots.close();
  };
  return { server, end };
}
