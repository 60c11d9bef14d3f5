// Compiles the sources into dist/, which is what a program of somebody else's imports: Node runs no TypeScript from
// node_modules, and their compiler reads declarations. `--for-others`, as npm's `prepare`, does it where the package is packed
// or made a dependency, and leaves it out where npm only installs what this repository needs itself: it runs from its sources.
// `npm run build` builds the site of docs/ too; `--for-others` keeps the site that is there.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const root = realpathSync(join(import.meta.dirname, '..'));
const {
  npm_command: command,
  npm_config_global: isGlobal,
  npm_config_local_prefix: project = root,
} = process.env;

const isForOthers = command === 'pack' || command === 'publish' || isGlobal === 'true' || realpathSync(project) !== root;
const isWhole = !process.argv.includes('--for-others');
if (isForOthers || isWhole) build();
if (isWhole) await (await import('./site.mjs')).buildSite();

function build() {
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  if (!existsSync(compiler)) {
    console.error(`crossgate cannot be compiled: run \`npm ci\` in ${root} first`);
    process.exit(1);
  }
  const dist = join(root, 'dist');
  for (const name of existsSync(dist) ? readdirSync(dist) : [])
    if (name !== 'docs') rmSync(join(dist, name), { recursive: true, force: true });
  try {
    execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  } catch {
    process.exit(1);
  }
  cpSync(join(root, 'src/certification/cases'), join(dist, 'certification/cases'), { recursive: true });
  cpSync(join(root, 'src/bridge/description/samples.json'), join(dist, 'bridge/description/samples.json'));
  cpSync(join(root, 'src/ops/console'), join(dist, 'ops/console'), { recursive: true });
  writeFileSync(join(dist, 'crossgate.1'), execFileSync(process.execPath, [join(dist, 'cli/main.js'), 'man']));
}
