// Entry script of a gateway under measurement: `crossgate start` in a process that notes when an order passes each stage.

import { keepMarks } from './marks.ts';

keepMarks();
await import('../../src/cli/main.ts');
