// `crossgate sessions kit NAME`: one archive for the counterparty of a session. It holds what connects its engine and what the two
// sides agreed on, and no secret.

import { dirname } from 'node:path';
import type { Command } from 'commander';
import { formatIso } from '../../base/time.ts';
import { SESSIONS_DEFAULT } from '../options/environment.ts';
import { writeNewFiles } from '../output/new-files.ts';
import type { KitPlace, KitSession } from './kit-session.ts';

interface KitOptions extends KitPlace {
  readonly out?: string;
  readonly force?: boolean;
  readonly samples: boolean;
  readonly json?: boolean;
}

export function addKitCommand(sessions: Command): void {
  sessions
    .command('kit <name>')
    .description('write one archive for the counterparty: engine files, dictionary, rules, samples; no secret')
    .option('--out <file>', 'the archive (default: NAME-kit.zip)')
    .option('--host <host>', 'address by which the counterparty reaches the listener (default: that of the listener)')
    .option('--port <port>', 'port by which it does (default: that of the listener)')
    .option('--listener <name>', 'listener of gateway.yaml (default: the first with TLS that takes the session)')
    .option('--authority <file>', 'certificates that the counterparty should trust, PEM')
    .option('--comp-id <compID>', 'of a template: SenderCompID(49) of the counterparty')
    .option('--sub-id <subID>', 'of a template: SenderSubID(50) of the counterparty')
    .option('--location-id <locationID>', 'of a template: SenderLocationID(142) of the counterparty')
    .option('--no-samples', 'leave the sample messages out')
    .option('--force', 'replace an archive that is there')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--json', 'print JSON')
    .action(writeKit);
}

async function writeKit(name: string, options: KitOptions): Promise<void> {
  // Read only now: the commands beside this one start no gateway and write no archive.
  const { kitSession } = await import('./kit-session.ts');
  const kit = await kitSession(name, options);
  const files = await kitFiles(kit, options.samples);
  const { strToU8, zipSync } = await import('fflate');
  const folder = `${kit.name}-kit`;
  const entries = files.map(([path, text]) => [`${folder}/${path}`, strToU8(text)] as const);
  const out = options.out ?? `${folder}.zip`;
  const archive = Buffer.from(zipSync(Object.fromEntries(entries)));
  await writeNewFiles(dirname(out), [[out, archive]], options.force ?? false);
  const paths = files.map(([path]) => path);
  if (options.json === true) console.log(JSON.stringify({ file: out, files: paths, notes: kit.door.notes }, null, 2));
  else console.log(`${out}  ${paths.length} files for the counterparty; hand the password over apart from it`);
  for (const note of kit.door.notes) console.error(`note: ${note}`);
}

/** Every file of the kit: path, and text. */
async function kitFiles(kit: KitSession, withSamples: boolean): Promise<[path: string, text: string][]> {
  const { kitDictionaries } = await import('./kit-dictionaries.ts');
  const { AUTHORITY, engineFiles } = await import('./engine-files.ts');
  const { rulesOfEngagement } = await import('./rules-of-engagement.ts');
  const { readMe } = await import('./read-me.ts');
  const dictionaries = kitDictionaries(kit);
  const files: [string, string][] = [
    ['RULES.md', rulesOfEngagement(kit, dictionaries.known, formatIso(Date.now()).slice(0, 10))],
    ...engineFiles(kit, dictionaries),
    ...dictionaries.files.map(([path, xml]): [string, string] => [path, xml]),
  ];
  const pem = kit.door.tls?.authority.pem ?? null;
  if (pem !== null) files.push([AUTHORITY, pem]);
  if (withSamples) {
    const { decodedText, rawText, sampleMessages } = await import('./sample-messages.ts');
    const samples = await sampleMessages(kit);
    files.push(['samples/messages.log', rawText(samples)]);
    files.push(['samples/decoded.txt', decodedText(samples, dictionaries.known)]);
  }
  return [
    [
      'README.md',
      readMe(
        kit,
        files.map(([path]) => path),
      ),
    ],
    ...files,
  ];
}
