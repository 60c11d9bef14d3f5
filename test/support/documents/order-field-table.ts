// The table of the rules of engagement that says what becomes of every field of D, G and E, made from the gateway's own.

import { FIELD_GROUPS, nameOf } from '../../../src/gateway/rules/order-fields.ts';

const WORDS = { carried: 'used', checked: 'held against', noted: 'no effect', refused: '**refused**, 103=11' } as const;

/** Fill the place between `<!--order-fields-->` and `<!--/order-fields-->`. */
export function fillOrderFields(markdown: string): string {
  const rows = FIELD_GROUPS.map(({ use, tags, what }) => {
    const fields = tags.map(nameOf).join(', ');
    return `| ${WORDS[use]} | ${what} | ${fields} |`;
  });
  const table = ['| What becomes of it | | Fields |', '|---|---|---|', ...rows].join('\n');
  return markdown.replace(
    /<!--order-fields-->\n[\s\S]*?<!--\/order-fields-->/,
    () => `<!--order-fields-->\n\n${table}\n\n<!--/order-fields-->`,
  );
}
