// Pages are Vue templates to VitePress, and their authors write Markdown: two braces are text here, in prose and in code.

import type { MarkdownOptions } from 'vitepress';

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];

const BRACES = '&#123;&#123;';

/** Show `{{` as it stands. Code blocks do so by themselves. */
export function keepBraces(md: MarkdownIt): void {
  for (const rule of ['text', 'code_inline'] as const) {
    const render = md.renderer.rules[rule]!;
    md.renderer.rules[rule] = (...of) => render(...of).replaceAll('{{', BRACES);
  }
}
