// Session test case 14, written in the language of src/scenario: 14-receive-message.scenario.

import { testScenarioFile } from '../../support/session/scenario-script.ts';

testScenarioFile(new URL('./14-receive-message.scenario', import.meta.url), (tags) =>
  tags.includes('unchecked') ? {} : { validator: 'stock' },
);
