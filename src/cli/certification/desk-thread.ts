// The thread of one certification desk: reads the configuration, opens the desk, answers the gateway's main thread.

import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { CrossgateError } from '../../base/errors.ts';
import {
  briefView,
  certificationFolder,
  certificationName,
  type DeskThreadData,
  type FromDesk,
  openDesk,
  type ToDesk,
} from '../../certification/mod.ts';
import { wholeOps } from '../../ops/mod.ts';
import { createSelfSignedCertificate } from '../../transport/mod.ts';

function tell(message: FromDesk): void {
  parentPort?.postMessage(message);
}

async function run({ name, sessions, environment }: DeskThreadData): Promise<void> {
  try {
    const { loadConfiguration, ensureDemoSecrets } = await wholeOps();
    const { config, certifications } = loadConfiguration({ directory: sessions, environment });
    const session = certifications.find(({ source }) => certificationName(source) === name);
    if (config === null || session === undefined) {
      throw new CrossgateError('XG_CONFIG_INVALID', 'its session file has problems: `crossgate check` shows them');
    }
    const desk = await openDesk({
      name,
      config,
      session,
      folder: certificationFolder(config.stateDirectory, name),
      log: (level, text) => tell({ kind: 'log', level, text }),
      prepare: async (wanted) => {
        await ensureDemoSecrets(wanted, createSelfSignedCertificate);
      },
    });
    const port = await desk.open({ behindRelay: true });
    parentPort?.on('message', (message: ToDesk) => {
      if (message.kind === 'close') {
        void desk.close().finally(() => process.exit(0));
        return;
      }
      const { id, request } = message;
      try {
        if (request.kind === 'start') desk.start();
        if (request.kind === 'stop') desk.stop();
        if (request.kind === 'run') desk.run(request.caseId);
        const view = desk.view();
        tell({ kind: 'answer', id, view: request.kind === 'view' && request.brief !== true ? view : briefView(view) });
      } catch (error) {
        if (!(error instanceof CrossgateError)) throw error;
        tell({ kind: 'refused', id, text: error.message });
      }
    });
    tell({ kind: 'open', port });
  } catch (error) {
    tell({ kind: 'failed', text: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
    parentPort?.close();
  }
}

// Commands are listed by reading their files: only a thread has data.
if (workerData !== null) await run(workerData as DeskThreadData);
