// The first page of a kit: what it holds, and how each engine is started with it.

import type { KitSession } from './kit-session.ts';
import { bullets, table } from './markdown.ts';

const CONTENT: readonly (readonly [path: RegExp, what: string])[] = [
  [/^RULES\.md$/, 'the rules of engagement of this session'],
  [/^quickfix-cpp\.cfg$/, 'settings for QuickFIX C++'],
  [/^quickfix-j\.cfg$/, 'settings for QuickFIX/J'],
  [/^quickfix-n\.cfg$/, 'settings for QuickFIX/n'],
  [/^quickfix-go\.cfg$/, 'settings for QuickFIX/Go'],
  [/^jspurefix\.json$/, 'session of jspurefix'],
  [/^dictionary\/.*-whole\.xml$/, 'the same in one file, for engines that take one'],
  [/^dictionary\//, 'data dictionary of this session'],
  [/^certificates\//, 'the authority of our certificate'],
  [/^samples\/messages\.log$/, 'sample messages as sent, `>` from you and `<` to you'],
  [/^samples\/decoded\.txt$/, 'the same with names and meanings'],
];

export function readMe(kit: KitSession, paths: readonly string[]): string {
  const { session } = kit;
  const { password, access, session: fix } = session;
  const added = [
    ...(fix.username === null ? [] : [`Username(553)=${fix.username}`]),
    ...(password === null ? [] : ['Password(554)']),
    ...(access.signature === null ? [] : ['the signature in RawData(96)']),
    ...(fix.environment === 'test' ? ['TestMessageIndicator(464)=Y'] : []),
  ];
  const rows = paths.map((path) => [`\`${path}\``, CONTENT.find(([form]) => form.test(path))?.[1] ?? '']);
  const steps = [
    'Unpack the archive and work in its folder: the paths in the files are relative to it.',
    'QuickFIX: read the file of your engine with its SessionSettings.',
    ...(added.length === 0
      ? []
      : [
          `Add ${added.join(', ')} to the Logon(A) in \`toAdmin\`. The kit holds no secret: the password comes apart from it.`,
        ]),
    'jspurefix: read the JSON, make `dictionary` and the paths below `tls` absolute, because it looks for relative ones in its own folder, and set `Password`.',
    ...(kit.door.tls === null ? [] : ['QuickFIX/J: make the trust store by the command in `quickfix-j.cfg`.']),
    'Read RULES.md: time in force, cancel on disconnect and auctions differ from other venues.',
  ];
  return `# Client kit: ${kit.name}\n\n${table(['File', 'Content'], rows)}\n\n## Log on\n\n${bullets(steps)}\n\nSecrets in the samples are masked, so the CheckSum(10) of such a message does not fit.\n`;
}
