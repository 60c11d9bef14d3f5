// Scorecards as files: exported from a running gateway, which signs them, and proved anywhere.

import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { readScorecard, type Scorecard, scorecardPage } from '../../certification/mod.ts';
import { type AdminClientOptions, askGateway } from '../admin/admin-client.ts';
import { writeNewFiles } from '../output/new-files.ts';
import { certificationPath } from './steering.ts';

interface ExportOptions extends Omit<AdminClientOptions, 'json'> {
  readonly html?: string;
  readonly json?: string;
  readonly force?: boolean;
}

export async function exportCard(name: string, options: ExportOptions): Promise<void> {
  const { html, json, force = false, ...rest } = options;
  if (html === undefined && json === undefined)
    throw new CrossgateError('XG_USAGE', 'name a file with --html or --json');
  const card = await askGateway<Scorecard>(rest, 'GET', certificationPath(name, '/scorecard'));
  for (const [path, text] of cardFiles(card, html, json)) await writeNewFiles(dirname(path), [[path, text]], force);
  const { totals, certified } = card;
  console.log(
    `${certified ? 'Certified' : 'Not certified'}: ${totals.passed} of ${totals.mandatory} mandatory cases passed.`,
  );
}

/** The files of a scorecard that are wanted. */
export function cardFiles(
  card: Scorecard,
  html: string | undefined,
  json: string | undefined,
): (readonly [string, string])[] {
  const files: (readonly [string, string])[] = [];
  if (html !== undefined) files.push([html, scorecardPage(card)]);
  if (json !== undefined) files.push([json, `${JSON.stringify(card, null, 2)}\n`]);
  return files;
}

interface VerifyOptions {
  readonly key?: string;
  readonly json?: boolean;
}

export async function verifyCard(file: string, options: VerifyOptions): Promise<void> {
  const card = readScorecard(file);
  const fault = typeof card === 'string' ? card : await keyFault(card, options.key);
  const certified = typeof card !== 'string' && card.certified;
  if (options.json === true) {
    const facts = typeof card === 'string' ? {} : { session: card.session, rules: card.rules, issuedAt: card.issuedAt };
    console.log(JSON.stringify({ signed: fault === null, certified, fault, ...facts }, null, 2));
  } else if (fault !== null || typeof card === 'string') console.error(`crossgate: ${fault}`);
  else {
    const { session, beginString, dialect, rules, issuedAt, totals } = card;
    console.log(
      `The signature holds: ${session}, ${beginString} ${dialect}, issued ${issuedAt}, rules of engagement ${rules}.`,
    );
    console.log(
      `${certified ? 'Certified' : 'NOT certified'}: ${totals.passed} of ${totals.mandatory} mandatory cases passed.`,
    );
    if (options.key === undefined) console.log('Whose key it is was not asked: --key FILE proves that too.');
  }
  if (fault !== null || !certified) process.exitCode = 1;
}

async function keyFault({ signature }: Scorecard, path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  let wanted: string;
  try {
    wanted = createPublicKey(await readFile(path, 'utf8'))
      .export({ type: 'spki', format: 'pem' })
      .toString()
      .trim();
  } catch (cause) {
    throw new CrossgateError('XG_USAGE', `${path} is no key in PEM`, { cause });
  }
  return wanted === signature.publicKey ? null : 'another key signed it';
}
