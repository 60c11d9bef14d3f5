// The site: search is local, and nothing is fetched from elsewhere. .ci/site.mjs builds it into dist/docs, for any sub-path.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf } from './anchor.ts';
import { mendOutsideLinks } from './outside-links.ts';
import { keepBraces } from './plain-braces.ts';
import { navigation, sidebar } from './sections.ts';

const docs = join(import.meta.dirname, '..');

/** Whether the site has a page at this address, such as `/operate/` or `/reference/rules`. */
const exists = (page: string): boolean => existsSync(join(docs, page.endsWith('/') ? `${page}index.md` : `${page}.md`));

export default defineConfig({
  lang: 'en',
  title: 'Crossgate',
  description: 'A FIX engine and gateway: how to start, operate, connect, and what everything means.',
  outDir: '../dist/docs',
  cacheDir: '../node_modules/.cache/vitepress',
  metaChunk: true,
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  // No icon: browsers would ask the server's top for one.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      keepBraces(md);
      mendOutsideLinks(md, exists);
    },
    languageAlias: { properties: 'ini' },
  },
  themeConfig: {
    nav: navigation(docs),
    sidebar: sidebar(docs).map((entry) => ({ ...entry, items: [...(entry.items ?? [])] })) as never,
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
