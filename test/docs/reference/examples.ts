// The programs of docs/library/examples in the pages that show them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../../docs/library/examples');

/** Fill each place between `<!--example NAME-->` and `<!--/example-->` with the program of that name. */
export function fillExamples(markdown: string): string {
  return markdown.replace(/<!--example ([\w-]+)-->\n[\s\S]*?<!--\/example-->/g, (_, name: string) => {
    const code = readFileSync(join(FOLDER, `${name}.ts`), 'utf8').trim();
    return `<!--example ${name}-->\n\n\`\`\`ts\n${code}\n\`\`\`\n\n<!--/example-->`;
  });
}
