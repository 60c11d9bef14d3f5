// The console's modules pass the type checker, with what they take from the gateway.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const CONSOLE = fileURLToPath(new URL('../../src/ops/console', import.meta.url));

// Of the engine behind them only the types are looked up: `npm run types` checks it.
test('the modules of the console pass the type checker', { timeout: 120_000 }, () => {
  const { config } = ts.readConfigFile(join(CONSOLE, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, CONSOLE);
  const program = ts.createProgram(fileNames, { ...options, incremental: false });
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(CONSOLE));
  expect(files.length).toBe(readdirSync(CONSOLE).filter((name) => name.endsWith('.js')).length);
  const found = files.flatMap((file) => [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ]);
  const problems = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics(), ...found];
  expect(ts.formatDiagnostics(problems, ts.createCompilerHost(options))).toBe('');
});
