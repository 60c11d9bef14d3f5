// The exit codes of every command: for the man page and the page of the site.

export const EXIT_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done'],
  ['1', 'refused, or nothing found'],
  ['2', 'wrong usage'],
  ['3', '`replay`: nothing was sent; `kill-switch status`: no gateway answers'],
  ['4', 'proposed: a second person has to confirm'],
  ['70', 'a bug of ours: the log of the gateway has it'],
];
