// Read a message without a session: find its fields, and check it with the dictionary.
import { readFileSync } from 'node:fs';
import { fromPrintable, loadDictionary, Tag, Validator, viewOf } from 'crossgate';

const file = new URL('./dictionaries/FIX44.xml', import.meta.resolve('crossgate/package.json'));
const validator = new Validator(loadDictionary(readFileSync(new URL(file), 'utf8'), 'FIX44.xml'));
const texts = [
  '8=FIX.4.4|35=D|49=DESK|56=BROKER|34=2|52=20260105-12:00:00|11=A-1|55=BTCUSDC|54=1|60=20260105-12:00:00|38=1|40=1|',
  '8=FIX.4.4|35=D|49=DESK|56=BROKER|34=3|52=20260105-12:00:00|11=A-2|55=BTCUSDC|54=X|60=20260105-12:00:00|38=1|40=1|',
];
for (const text of texts) {
  const view = viewOf(fromPrintable(text))!;
  const fault = validator.validate(view);
  console.log(`${view.string(Tag.ClOrdID)}: ${fault === null ? 'valid' : `tag ${fault.refTagID} is not valid`}`);
}
