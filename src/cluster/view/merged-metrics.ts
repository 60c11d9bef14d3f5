// Prometheus pages of several partitions as one: each series with the label `partition`, HELP and TYPE once for each metric. Pure.

import type { PartitionState } from './place.ts';

interface Family {
  /** `# HELP` and `# TYPE`, as the first partition says them. */
  readonly comments: Map<string, string>;
  readonly samples: string[];
}

const COMMENT = /^# (HELP|TYPE) (\S+)/;
/** Series of histograms and summaries, below the name of their metric. */
const SUFFIX = /_(?:bucket|sum|count)$/;

/** A sample with the label in front. */
function labelled(line: string, label: string): string {
  const end = /[{\s]/.exec(line)?.index ?? line.length;
  if (line[end] !== '{') return `${line.slice(0, end)}{${label}}${line.slice(end)}`;
  const isEmpty = line[end + 1] === '}';
  return `${line.slice(0, end)}{${label}${isEmpty ? '' : ','}${line.slice(end + 1)}`;
}

/** The metric of a sample. */
function nameOf(line: string): string {
  return line.slice(0, /[{\s]/.exec(line)?.index ?? line.length);
}

/** Join pages of text. @param pages by partition */
export function mergedMetrics(pages: ReadonlyMap<string, string>): string {
  const families = new Map<string, Family>();
  const familyOf = (name: string): Family => {
    let family = families.get(name);
    if (family === undefined) {
      family = { comments: new Map(), samples: [] };
      families.set(name, family);
    }
    return family;
  };
  for (const [partition, page] of pages) {
    const label = `partition="${escaped(partition)}"`;
    for (const line of page.split('\n')) {
      if (line === '') continue;
      const [, kind, name] = COMMENT.exec(line) ?? [];
      if (kind !== undefined) {
        const { comments } = familyOf(name!);
        if (!comments.has(kind)) comments.set(kind, line);
      } else if (!line.startsWith('#')) {
        const own = nameOf(line);
        const whole = own.replace(SUFFIX, '');
        familyOf(families.has(own) || !families.has(whole) ? own : whole).samples.push(labelled(line, label));
      }
    }
  }
  return [...families.values()]
    .map(({ comments, samples }) => `${[...comments.values(), ...samples].join('\n')}\n`)
    .join('\n');
}

/** Which partitions are in a page, as a metric of its own. */
export function partitionsUp(
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: string },
  states: readonly PartitionState[],
): string {
  const samples = states.map(
    ({ name: partition, node, answered }) =>
      `${name}{partition="${escaped(partition)}",node="${escaped(node)}"} ${answered ? 1 : 0}`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map((line) => `${line}\n`).join('')}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
