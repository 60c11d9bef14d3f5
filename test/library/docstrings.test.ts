// The package's exports have descriptions that an editor shows.

import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const DOOR = fileURLToPath(new URL('../../src/mod.ts', import.meta.url));

test('every exported name of the package has a description', () => {
  const program = ts.createProgram([DOOR], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const names = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(DOOR)!)!);
  const silent = names.filter((name) => {
    const meant = name.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(name) : name;
    return meant.getDocumentationComment(checker).length === 0;
  });
  expect(names.length).toBeGreaterThan(90);
  expect(silent.map(({ name }) => name)).toEqual([]);
});
