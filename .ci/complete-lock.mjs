// Completes package-lock.json after `npm install`: npm leaves optional packages of foreign platforms out of the lock when
// the registry at hand does not hold them, and `npm ci` then refuses the lock on every machine. Each missing one gets the
// entry that npm would have written, without a checksum. Run `node .ci/complete-lock.mjs` after every change of dependencies;
// `--check` changes nothing and exits 1 if an entry is missing.

import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const PLATFORM = /-(android|darwin|freebsd|linux|win32|openharmony|aix|netbsd|openbsd|sunos)\b/;
const CPU = /-(arm64|x64|arm|ia32|ppc64|riscv64|s390x|loong64)\b/;

/** Whether a package that lies at `from` finds `name`, looking upwards as Node does. */
function resolves(from, name) {
  for (let folder = from; ; ) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true;
    if (folder === '') return false;
    const up = folder.lastIndexOf('/node_modules/');
    folder = up === -1 ? '' : folder.slice(0, up);
  }
}

const missing = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (resolves(path, name)) continue;
    missing.push(name);
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~>=]+/, ''),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      os: [PLATFORM.exec(name)?.[1] ?? 'none'],
      cpu: [CPU.exec(name)?.[1] ?? 'none'],
      ...(name.includes('musl') ? { libc: ['musl'] } : {}),
    };
  }
}

if (process.argv.includes('--check')) {
  if (missing.length > 0) console.error(`package-lock.json lacks ${missing.join(', ')}: run node .ci/complete-lock.mjs`);
  process.exitCode = missing.length > 0 ? 1 : 0;
} else {
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${missing.length} entries added`);
}
