// The prose check of `npm run check`: comments of src, test titles, and the pages of docs keep to the English of docs/CONTRIBUTING.md.
// `node .ci/prose.mjs [FILE…]`: the files given, else all.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const WORDS_MAX = 35;
const TITLE_MAX = 100;
const IDIOM = /\b(?:whoever|whomever|whose|whom|told|tells|nobody)\b/i;
const OPENING = /^(?:what|whether what|of what|who|that which)\b/i;

/** The comment blocks of a TypeScript file: `{ pos, end, line, kind, text }`, markers removed, one entry per paragraph line. */
function commentBlocks(source, file = 'file.ts') {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const ranges = new Map();
  const add = (found) => {
    for (const range of found ?? []) ranges.set(range.pos, range);
  };
  const visit = (node) => {
    const children = node.getChildren(tree);
    if (children.length === 0) {
      add(ts.getLeadingCommentRanges(source, node.pos));
      add(ts.getTrailingCommentRanges(source, node.end));
    }
    for (const child of children) visit(child);
  };
  visit(tree);
  const blocks = [];
  for (const { pos, end, kind } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia;
    const last = blocks.at(-1);
    const between = last === undefined ? 'code' : source.slice(last.end, pos);
    if (isLine && last?.isLine && last.ownLine && /^\r?\n[ \t]*$/.test(between)) last.end = end;
    else blocks.push({ pos, end, isLine, ownLine: /(?:^|\n)[ \t]*$/.test(source.slice(0, pos)) });
  }
  return blocks.map((block) => {
    const raw = source.slice(block.pos, block.end);
    const text = raw
      .replace(/^\/\*\*?|\*\/$/g, '')
      .split('\n')
      .map((line) => line.replace(/^\s*(?:\/\/|\*(?!\*))? ?/, '').trimEnd())
      .join('\n')
      .trim();
    return { ...block, raw, text, line: source.slice(0, block.pos).split('\n').length };
  });
}

/** The sentences of a text. Lists, tables and drawings end a sentence at their line. */
export function sentences(text) {
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/^ {2,}\S.*$/gm, '\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+\.)\s)|(?=@(?:param|returns|throws)\b)/)
    .flatMap((part) => part.replace(/\s+/g, ' ').split(/(?<=[.!?])\s+(?=["'(]?(?:[A-Z`]|[\w./-]+\.(?:ts|md|cjs|mjs)\b|code\b))/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** What a text offends against, one line each. */
export function offences(text) {
  const found = [];
  for (const sentence of sentences(text)) {
    const words = sentence.match(/[\p{L}\d][^\s]*/gu) ?? [];
    if (words.length > WORDS_MAX) found.push(`${words.length} words in a sentence, ${WORDS_MAX} at most: ${sentence.slice(0, 60)}…`);
    const idiom = IDIOM.exec(sentence);
    if (idiom !== null) found.push(`“${idiom[0]}”: name the actor: ${sentence.slice(0, 60)}`);
    if (OPENING.test(sentence) && !sentence.endsWith('?')) found.push(`opens with “${sentence.split(' ')[0]}”: put the actor first: ${sentence.slice(0, 60)}`);
  }
  return found;
}

/** The titles of `test`, `it` and `describe` in a test file: `{ pos, end, line, text }`. */
function testTitles(source, file = 'file.ts') {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false);
  const titles = [];
  const nameOf = (callee) => {
    if (ts.isIdentifier(callee)) return callee.text;
    if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return nameOf(callee.expression);
    return '';
  };
  const visit = (node) => {
    const first = ts.isCallExpression(node) ? node.arguments[0] : undefined;
    if (first !== undefined && ['test', 'it', 'describe'].includes(nameOf(node.expression))) {
      const literal = ts.isStringLiteral(first) || ts.isNoSubstitutionTemplateLiteral(first) || ts.isTemplateExpression(first);
      if (literal) {
        const [pos, end] = [first.getStart(tree), first.end];
        titles.push({ pos, end, line: source.slice(0, pos).split('\n').length, raw: source.slice(pos, end), text: source.slice(pos + 1, end - 1) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return titles;
}

/** A Markdown page without its code blocks, tables and front matter. */
function markdownProse(source) {
  return source
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .split('\n')
    .map((line) => (/^\s*\|/.test(line) ? '' : line))
    .join('\n');
}

/** The offences of one file with its comment blocks: `{ file, line, kind, text, faults }`. */
function offencesOf(file, source, comments) {
  if (file.endsWith('.md')) {
    const faults = offences(markdownProse(source));
    return faults.map((fault) => ({ file, line: 0, kind: 'page', text: '', faults: [fault] }));
  }
  const found = [];
  for (const { line, text } of comments) {
    const faults = offences(text);
    if (faults.length > 0) found.push({ file, line, kind: 'comment', text, faults });
  }
  if (file.startsWith('test/')) {
    for (const { line, text } of testTitles(source, file)) {
      if (text.length > TITLE_MAX) found.push({ file, line, kind: 'title', text, faults: [`${text.length} characters, ${TITLE_MAX} at most`] });
    }
  }
  return found;
}

/** Idiom words that may remain in the comments of src, of 10,000: quotations and names of fields hold some. */
const IDIOM_OF_10000 = 30;

/** Words in a sentence of all pages together, on average. */
const WORDS_AVERAGE = 20;

/** The pages that the check reads. */
const PAGES = ['docs', '.github', 'README.md', 'sessions/README.md', 'dictionaries/README.md'];

function main(listed) {
  const tracked = () =>
    execFileSync('git', ['ls-files', '--', 'src/**/*.ts', 'src/**/*.tsx', 'test/**/*.ts', ...PAGES], { encoding: 'utf8' });
  const files = listed.length > 0 ? listed : tracked().trim().split('\n').filter((file) => /\.(?:ts|tsx|md)$/.test(file));
  let failed = 0;
  const counted = { words: 0, idioms: 0 };
  const pages = { words: 0, sentences: 0 };
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    const comments = /^(?:src|test)\/.*(?<!\.md)$/.test(file) ? commentBlocks(source, file) : [];
    for (const { line, faults } of offencesOf(file, source, comments)) {
      for (const fault of faults) console.error(`${file}:${line}: ${fault}`);
      failed += faults.length;
    }
    if (file.endsWith('.md')) {
      for (const sentence of sentences(markdownProse(source))) {
        pages.words += (sentence.match(/[\p{L}\d][^\s]*/gu) ?? []).length;
        pages.sentences += 1;
      }
    }
    if (file.startsWith('src/')) {
      for (const { text } of comments) {
        counted.words += (text.match(/[A-Za-z']+/g) ?? []).length;
        counted.idioms += (text.match(/\b(?:what|whoever|whose|whom|told|tells|nobody)\b/gi) ?? []).length;
      }
    }
  }
  const rate = (counted.idioms / Math.max(1, counted.words)) * 10_000;
  if (listed.length === 0 && rate > IDIOM_OF_10000) {
    console.error(`src: ${rate.toFixed(0)} idiom words of 10,000 in comments, ${IDIOM_OF_10000} at most`);
    failed += 1;
  }
  const average = pages.words / Math.max(1, pages.sentences);
  if (average > WORDS_AVERAGE) {
    console.error(`the pages have ${average.toFixed(1)} words in a sentence on average, ${WORDS_AVERAGE} at most`);
    failed += 1;
  }
  if (failed > 0) {
    console.error(`\n${failed} offences against the English of docs/CONTRIBUTING.md`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
