// The flags with which `npm start` gives the gateway to Node, for everyone who starts or measures one like a user.

import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly scripts: { readonly start: string };
};

export const START_FLAGS: readonly string[] = scripts.start.split(' ').filter((word) => word.startsWith('--'));
