// Which Length field announces which data field, as dictionaries say.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dataPairsOf } from '../../src/dictionary/data-pairs.ts';
import { loadDictionary } from '../../src/dictionary/mod.ts';
import { DataFields } from '../../src/wire/mod.ts';

const OURS = ['FIX42', 'FIX44', 'FIXT11', 'FIX50', 'FIX50SP1', 'FIX50SP2'];
const text = (name: string): string => readFileSync(`dictionaries/${name}.xml`, 'utf8');

test.each(OURS)('the wire knows every pair of %s by itself', (name) => {
  const pairs = dataPairsOf(loadDictionary(text(name), name));
  expect(pairs.length).toBeGreaterThan(0);
  for (const [lengthTag, dataTag] of pairs) expect(DataFields.STANDARD.dataTagOf(lengthTag)).toBe(dataTag);
});

test("finds an overlay's data pairs in messages and groups, by place or consecutive numbers", () => {
  const overlay = `<fix type='FIX' major='4' minor='4'>
    <messages><message name='Seal' msgtype='U1' msgcat='app'>
      <field name='SealLen' required='N'/><field name='Seal' required='N'/>
      <group name='NoSeals' required='N'>
        <field name='SealID' required='Y'/><field name='PartLen' required='N'/><field name='Part' required='N'/>
      </group>
      <field name='LooseLen' required='N'/><field name='SealID' required='N'/><field name='Loose' required='N'/>
      <field name='OldLen' required='N'/><field name='Old' required='N'/>
      <field name='Other' required='N'/><field name='Alone' required='N'/>
    </message></messages>
    <fields>
      <field number='5101' name='SealLen' type='LENGTH'/><field number='5102' name='Seal' type='DATA'/>
      <field number='5103' name='NoSeals' type='NUMINGROUP'/><field number='5104' name='SealID' type='STRING'/>
      <field number='5105' name='PartLen' type='LENGTH'/><field number='5106' name='Part' type='XMLDATA'/>
      <field number='5107' name='LooseLen' type='LENGTH'/><field number='5108' name='Loose' type='DATA'/>
      <field number='5109' name='OldLen' type='INT'/><field number='5110' name='Old' type='DATA'/>
      <field number='5112' name='Other' type='INT'/><field number='5114' name='Alone' type='DATA'/>
    </fields>
  </fix>`;
  const dictionary = loadDictionary(text('FIX44'), 'FIX44.xml', [{ xmlText: overlay, fileName: 'overlay.xml' }]);
  expect(dataPairsOf(dictionary).filter(([lengthTag]) => lengthTag > 3000)).toEqual([
    [5101, 5102],
    [5105, 5106],
    [5107, 5108],
    [5109, 5110],
  ]);
});
