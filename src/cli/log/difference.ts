// `crossgate log --diff`: how two logs differ, as people and scripts read it.

import { terminalText } from '../../base/terminal-text.ts';
import { fieldName, type LogDifference, messageName } from '../../replay/mod.ts';
import { decodeText, isSecretTag } from '../../wire/mod.ts';
import { printLine } from '../output/exit.ts';
import type { LogDictionaries } from './message-log.ts';

interface DifferenceOutput {
  /** Names of the two logs. */
  readonly before: string;
  readonly after: string;
  readonly json: boolean;
  readonly dictionaries: LogDictionaries;
  /** Their values are compared as they are, and shown as stars. */
  readonly secretTags: ReadonlySet<number>;
}

/** Print the differences of two logs, one a line in JSON. */
export async function printDifferences(differences: readonly LogDifference[], output: DifferenceOutput): Promise<void> {
  for (const difference of differences) for (const line of await linesOf(difference, output)) await printLine(line);
}

async function linesOf(difference: LogDifference, output: DifferenceOutput): Promise<string[]> {
  const { direction, msgSeqNum, before, after, tags } = difference;
  const { msgType } = (before ?? after)!;
  const dictionaries = await output.dictionaries.naming((before ?? after)!.view());
  const onlyIn = after === null ? output.before : before === null ? output.after : null;
  const shown = tags.map(({ tag, ...values }) => {
    const isSecret = isSecretTag(tag) || output.secretTags.has(tag);
    const [was, is] = [values.before, values.after].map((value) => {
      if (value === null) return null;
      return isSecret ? '*'.repeat(value.length) : decodeText(value, 'UTF-8');
    });
    return { tag, name: fieldName(tag, dictionaries), before: was!, after: is! };
  });
  if (output.json) {
    const fields = shown.map(({ tag, before: was, after: is }) => ({ tag, before: was, after: is }));
    return [JSON.stringify({ direction, msgSeqNum, msgType, onlyIn, tags: fields })];
  }
  const what = `${terminalText(direction)}  34=${msgSeqNum ?? '-'}  ${messageName(msgType, dictionaries)}`;
  if (onlyIn !== null) return [`${what}: only in ${terminalText(onlyIn)}`];
  if (shown.length === 0) return [`${what}: the same fields in another order`];
  const shownValue = (value: string | null): string => (value === null ? 'absent' : terminalText(value));
  return [
    what,
    ...shown.map(({ name, before: was, after: is }) => `  ${name}: ${shownValue(was)} | ${shownValue(is)}`),
  ];
}
