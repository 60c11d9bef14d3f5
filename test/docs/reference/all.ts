// Everything in docs/reference that is made from the code.

import { commandLine } from '../../support/documents/command-line.ts';
import { callsPage } from './bridge-pages.ts';
import { cliPages } from './cli-pages.ts';
import { alarmsPage, errorsPage, metricsPage, rulesPage } from './code-pages.ts';
import { reachPage } from './reach-page.ts';
import { settingsPages } from './settings-pages.ts';

/** The generated pages: path from the top of the repository → text. */
export async function referencePages(): Promise<Map<string, string>> {
  return new Map([
    ...settingsPages(),
    ...cliPages(await commandLine()),
    ['docs/bridge/calls.md', callsPage()],
    ['docs/reference/metrics.md', await metricsPage()],
    ['docs/reference/alarms.md', alarmsPage()],
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/rules.md', rulesPage()],
    ['docs/reference/reach.md', reachPage()],
  ]);
}
