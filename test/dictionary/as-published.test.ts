// The gateway's messages in the standard dialect against each version as published, without extension packs: by the FIX
// Repository, and so by stock engines' dictionaries.

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDictionary, type ValidationFault, Validator } from '../../src/dictionary/mod.ts';
import { importRepository } from '../../src/interop/mod.ts';
import { FrameWriter, MessageDraft, viewOf } from '../../src/wire/mod.ts';
import { type SentMessage, sentByGateway } from '../support/campaigns/sent-campaign.ts';

const data = join(dirname(createRequire(import.meta.url).resolve('jspurefix/package.json')), 'data');
// A user-defined message answers only a request that is user-defined too.
const sent = sentByGateway().filter(({ isVenue, msgType }) => !isVenue && !msgType.startsWith('U'));

/** Listed exceptions, as in docs/connect/versions.md. */
const BEYOND: Readonly<Record<string, readonly string[]>> = {
  // As the counterparty asked.
  'FIX.5.0SP1': ['336=9 in h'],
  // D3, D4, S7: from its extension packs.
  'FIX.5.0SP2': ['326=27 in f', '378=12 in 8', '378=13 in 8', '380=8 in j'],
};

async function validatorOf(version: string): Promise<Validator> {
  const imported = await importRepository(join(data, 'fix_repo', version, 'Base'));
  const [application, transport] = imported.map(({ xmlText, fileName }) => loadDictionary(xmlText, fileName));
  return new Validator(transport === undefined ? application! : { transport, applications: [application!] });
}

function faultOf(validator: Validator, { version, msgType, fields }: SentMessage): ValidationFault | null {
  const draft = new MessageDraft(msgType);
  for (const [tag, value] of fields) if (tag !== 35) draft.add(tag, value);
  const beginString = version.startsWith('FIX.5') ? 'FIXT.1.1' : version;
  const header = {
    beginString,
    senderCompID: 'CROSSGATE',
    targetCompID: 'OMS',
    sendingTime: '20261121-10:00:00',
    msgSeqNum: 1,
  };
  return validator.validate(viewOf(new FrameWriter().encode(header, draft))!);
}

test.each(['FIX.4.2', 'FIX.4.4', 'FIX.5.0', 'FIX.5.0SP1', 'FIX.5.0SP2'])(
  'D1 the standard dialect of %s has no field or value beyond the published version, except listed ones',
  async (version) => {
    const validator = await validatorOf(version);
    const faults = new Map<string, string>();
    for (const message of sent) {
      if (message.version !== version) continue;
      const fault = faultOf(validator, message);
      if (fault === null) continue;
      const value = message.fields.find(([tag]) => tag === fault.refTagID)?.[1];
      faults.set(`${fault.refTagID}=${value} in ${message.msgType}`, `${fault.text}: ${message.text}`);
    }
    const beyond = BEYOND[version] ?? [];
    expect([...faults].filter(([what]) => !beyond.includes(what))).toEqual([]);
    expect([...faults.keys()].sort()).toEqual(beyond);
  },
);
