// The sections of the site and its navigation. A section's pages are the Markdown files of its folder: a new file is a new
// page, ordered by `order` and named by `title` in its front matter. A section without a page does not appear.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One entry of the sidebar: a page, or a group of pages. */
export interface Entry {
  readonly text: string;
  readonly link?: string;
  readonly collapsed?: boolean;
  readonly items?: readonly Entry[];
}

interface Section {
  readonly folder: string;
  readonly title: string;
  /** Pages outside the folder that belong to the section, in this order, before the folder's own. */
  readonly pages?: readonly string[];
}

const SECTIONS: readonly Section[] = [
  { folder: 'start', title: 'Start' },
  { folder: 'operate', title: 'Operate' },
  { folder: 'connect', title: 'Connect' },
  { folder: 'bridge', title: 'Bridge' },
  { folder: 'library', title: 'Library' },
  { folder: 'reference', title: 'Reference' },
  {
    folder: 'contribute',
    title: 'Contribute',
    pages: ['CONTRIBUTING.md', 'ARCHITECTURE.md', 'THREATS.md', 'CHANGELOG.md'],
  },
];

/** Title and place of a page among its neighbours: front matter, else the first heading and the end. */
export function pageHead(markdown: string): { readonly title: string; readonly order: number } {
  const [, front = ''] = /^---\n([\s\S]*?)\n---\n/.exec(markdown) ?? [];
  const value = (key: string): string | undefined => new RegExp(`^${key}: *(.+)$`, 'm').exec(front)?.[1];
  const title = value('title')?.replace(/^(["'])(.*)\1$/, '$2') ?? /^# (.+)$/m.exec(markdown)?.[1] ?? 'Untitled';
  return { title: title.replaceAll('`', ''), order: Number(value('order') ?? 1000) };
}

interface Placed {
  readonly order: number;
  readonly entry: Entry;
}

function page(docs: string, path: string): Placed {
  const { title, order } = pageHead(readFileSync(join(docs, path), 'utf8'));
  return {
    order,
    entry: { text: title, link: `/${path.replace(/(?:^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')}` },
  };
}

/** A folder of a section: its index page is the group's own page. */
function group(docs: string, folder: string): Placed[] {
  const items = pages(docs, folder);
  if (items.length === 0) return [];
  const index = join(docs, folder, 'index.md');
  if (!existsSync(index)) throw new Error(`${folder} has pages and no index.md with the title of the group`);
  const { title, order } = pageHead(readFileSync(index, 'utf8'));
  return [{ order, entry: { text: title, link: `/${folder}/`, collapsed: true, items } }];
}

function pages(docs: string, folder: string, withIndex = false): Entry[] {
  const path = join(docs, folder);
  if (!existsSync(path)) return [];
  const placed = readdirSync(path, { withFileTypes: true }).flatMap((file): Placed[] => {
    if (file.isDirectory()) return group(docs, `${folder}/${file.name}`);
    if (!file.name.endsWith('.md') || (file.name === 'index.md' && !withIndex)) return [];
    return [page(docs, `${folder}/${file.name}`)];
  });
  const byPlace = (a: Placed, b: Placed): number => a.order - b.order || a.entry.text.localeCompare(b.entry.text, 'en');
  return placed.sort(byPlace).map(({ entry }) => entry);
}

/** The sidebar: a group per section that has pages. `docs` is the folder of the site. */
export function sidebar(docs: string): Entry[] {
  return SECTIONS.flatMap(({ folder, title, pages: others = [] }) => {
    const outside = others.filter((name) => existsSync(join(docs, name))).map((name) => page(docs, name).entry);
    const items = [...outside, ...pages(docs, folder, true)];
    return items.length === 0 ? [] : [{ text: title, collapsed: true, items }];
  });
}

function firstLink({ link, items = [] }: Entry): string {
  return link ?? firstLink(items[0]!);
}

/** The bar at the top: each section, by its first page. */
export function navigation(
  docs: string,
): { readonly text: string; readonly link: string; readonly activeMatch: string }[] {
  return sidebar(docs).map((entry) => {
    const { folder, pages: others = [] } = SECTIONS.find(({ title }) => title === entry.text)!;
    const names = [`${folder}/`, ...others.map((name) => name.replace(/\.md$/, ''))];
    return { text: entry.text, link: firstLink(entry), activeMatch: `^/(?:${names.join('|')})` };
  });
}
