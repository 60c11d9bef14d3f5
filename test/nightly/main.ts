// The long campaigns by name: `npm run nightly -- <name> [arguments]`. Each campaign is a file beside this one that exports
// `run(args): Promise<boolean>`; it shows its progress, prints its seed, and answers whether everything held. The short form
// of each campaign runs in `npm test`.
import { readdirSync } from 'node:fs';
import process from 'node:process';
import { COMPILE_CACHE } from '../support/processes/compile-cache.ts';

// Of each process that one of them starts.
process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;

interface Campaign {
  run(args: readonly string[]): Promise<boolean>;
}

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length));

const [name = '', ...args] = process.argv.slice(2);
if (!names.includes(name)) {
  console.error(`usage: npm run nightly -- <name> [arguments]\ncampaigns: ${names.join(', ')}`);
  process.exitCode = 2;
} else {
  const campaign: Campaign = await import(`./${name}.ts`);
  process.exitCode = (await campaign.run(args)) ? 0 : 1;
}
