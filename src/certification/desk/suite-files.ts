// Reads what a certification is made of from the files delivered with the program: cases, dictionaries, rules of engagement.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CrossgateError } from '../../base/errors.ts';
import { DELIVERED_DICTIONARIES, loadVersion, ORDER_VERSIONS } from '../../engine/mod.ts';
import { FieldNames } from '../../scenario/mod.ts';
import { GROUPS } from '../suite/features.ts';
import { readSuite, type Suite, type SuiteText } from '../suite/suite.ts';

/** Suites by name. */
export const SUITES = ['standard'] as const;

export type SuiteName = (typeof SUITES)[number];

const CASES = fileURLToPath(new URL('../cases', import.meta.url));
/** The exact form of the rules of engagement: the dictionaries that an OMS loads. */
const RULES = ['FIX42.xml', 'FIX44.xml', 'FIXT11.xml', 'FIX50.xml', 'FIX50SP1.xml', 'FIX50SP2.xml'];
const DIGEST_LENGTH = 16;

export interface LoadedSuite {
  readonly suite: Suite;
  readonly names: FieldNames;
  /** Digest of the rules of engagement and of what every case demands. */
  readonly rules: string;
}

/** Read a suite. @throws CrossgateError if a file cannot be read */
export async function loadSuite(name: SuiteName): Promise<LoadedSuite> {
  const texts = suiteTexts();
  const names = await fieldNames();
  return { suite: readSuite(name, texts, names), names, rules: digestOf(texts) };
}

/** The version of the rules of engagement: a digest of them and of what every case demands. */
export function rulesVersion(): string {
  return digestOf(suiteTexts());
}

function digestOf(texts: readonly SuiteText[]): string {
  const digest = createHash('sha256');
  for (const file of RULES) digest.update(bindingXml(readText(join(DELIVERED_DICTIONARIES, file)))).update('\0');
  for (const { text } of texts) digest.update(bindingSteps(text)).update('\0');
  return digest.digest('hex').slice(0, DIGEST_LENGTH);
}

/** A dictionary without what no engine reads. */
function bindingXml(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/>\s+</g, '><')
    .trim();
}

/** The demands of the cases: neither comments, titles nor hints, which a certificate outlives. */
export function bindingSteps(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^((?:case|suite) \S+) ".*"$/, '$1'))
    .filter((line) => line !== '' && !/^(?:#|hint |rule )/.test(line))
    .join('\n');
}

/** In the order of the groups. */
function suiteTexts(): readonly SuiteText[] {
  return GROUPS.map((group) => `${group}.scenario`).map((file) => ({ file, text: readText(join(CASES, file)) }));
}

async function fieldNames(): Promise<FieldNames> {
  const versions = await Promise.all(ORDER_VERSIONS.map((version) => loadVersion(DELIVERED_DICTIONARIES, version)));
  return new FieldNames(versions.flatMap((version) => version?.names ?? []));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CrossgateError('XG_NOT_FOUND', `${path} cannot be read: the installation is not complete`, { cause });
  }
}
