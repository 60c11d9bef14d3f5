// Links of pages that leave docs/: GitHub follows them into the repository, and the site has no such file. The site links to
// the page that is made from the file, or shows the words alone.

import { dirname, join, normalize } from 'node:path';
import type { MarkdownOptions } from 'vitepress';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Files of the repository with a page of their own in the site. */
const PAGES: Readonly<Record<string, string>> = {
  '../README.md': '/',
  '../dictionaries/README.md': '/connect/',
  '../dictionaries/RULES.md': '/reference/rules',
  '../sessions/README.md': '/operate/',
};

/** Make the links of a page that leave docs/ fit for the site. `exists` says whether the site has a page. */
export function mendOutsideLinks(md: MarkdownIt, exists: (page: string) => boolean): void {
  md.core.ruler.push('outside-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      const isWords: boolean[] = [];
      for (const token of children ?? []) {
        if (token.type === 'link_close' && isWords.pop() === true) token.tag = 'span';
        if (token.type !== 'link_open') continue;
        const [path = '', anchor] = (token.attrGet('href') ?? '').split('#');
        const target = normalize(join(dirname(env.relativePath ?? ''), path));
        const isOutside = !/^[a-z]+:|^\//.test(path) && target.startsWith('../');
        const page = isOutside ? PAGES[target] : undefined;
        const isReachable = page !== undefined && exists(page);
        isWords.push(isOutside && !isReachable);
        if (isReachable) token.attrSet('href', anchor === undefined ? page : `${page}#${anchor}`);
        else if (isOutside) {
          token.tag = 'span';
          token.attrs = [['title', `${target.replace(/^(?:\.\.\/)+/, '')} in the repository`]];
        }
      }
    }
  });
}
