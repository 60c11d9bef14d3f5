import { expect, test } from 'vitest';
import { DataFields, fromPrintable, maskSecrets, resendFrame, toPrintable, viewOf } from '../../src/wire/mod.ts';

const stored = fromPrintable('35=8|49=XG|56=OMS|34=5|57=t|52=20261121-10:00:00.000|37=1|17=e-1|58=52=not a field|');
const change = { sendingTime: '20261121-10:00:05.000' };

test('S3 a resend changes 43, 122, 52, 9 and 10, and nothing else', () => {
  expect(toPrintable(resendFrame(stored, change))).toBe(
    toPrintable(
      fromPrintable(
        '35=8|49=XG|56=OMS|34=5|43=Y|57=t|52=20261121-10:00:05.000|122=20261121-10:00:00.000|37=1|17=e-1|58=52=not a field|',
      ),
    ),
  );
});

test('S3 in a header by ascending tags the fields that a resend adds have their places', () => {
  const ascending = fromPrintable(
    '35=8|34=5|49=XG|50=s|52=20261121-10:00:00.000|56=OMS|57=t|97=Y|128=f|142=l|347=UTF-8|37=1|',
  );
  expect(toPrintable(resendFrame(ascending, { ...change, lastMsgSeqNumProcessed: 9 }))).toContain(
    '35=8|34=5|43=Y|49=XG|50=s|52=20261121-10:00:05.000|56=OMS|57=t|97=Y|122=20261121-10:00:00.000|128=f|142=l|347=UTF-8|369=9|37=1|',
  );
});

test('S3 a resend sets 369 where it is used, and leaves it alone where it is not', () => {
  const with369 = fromPrintable('35=8|34=5|52=20261121-10:00:00.000|369=3|37=1|');
  expect(toPrintable(resendFrame(with369, { ...change, lastMsgSeqNumProcessed: 9 }))).toContain(
    '|122=20261121-10:00:00.000|369=9|37=1|',
  );
  expect(toPrintable(resendFrame(with369, change))).toContain('|369=3|37=1|');
  expect(toPrintable(resendFrame(stored, change))).not.toContain('|369=');
});

test("S3 keeps an application's second 52 unchanged", () => {
  const twice = fromPrintable('35=8|34=5|52=20261121-10:00:00.000|37=1|52=its own|');
  expect(toPrintable(resendFrame(twice, change))).toContain(
    '|43=Y|52=20261121-10:00:05.000|122=20261121-10:00:00.000|37=1|52=its own|10=',
  );
});

test('S3 a resend of a PossResend keeps 97 and puts 43 before it', () => {
  const possResend = fromPrintable('35=8|34=5|97=Y|52=20261121-10:00:00.000|37=1|');
  expect(toPrintable(resendFrame(possResend, change))).toContain('34=5|43=Y|97=Y|52=20261121-10:00:05.000|122=');
});

test('S3 a resend of a resend keeps the first OrigSendingTime', () => {
  const again = resendFrame(resendFrame(stored, change), { sendingTime: '20261121-11:00:00.000' });
  expect(viewOf(again)!.string(122)).toBe('20261121-10:00:00.000');
  expect(toPrintable(again).match(/\|(43|52|122)=/g)).toEqual(['|43=', '|52=', '|122=']);
});

test('S3 a resend after a clock set back never has a later OrigSendingTime', () => {
  const times = (sendingTime: string): (string | null)[] => {
    const view = viewOf(resendFrame(stored, { sendingTime }))!;
    return [view.string(52), view.string(122)];
  };
  expect(times('20261121-09:59:59.999')).toEqual(['20261121-09:59:59.999', '20261121-09:59:59.999']);
  expect(times('20261121-10:00:00.000')).toEqual(['20261121-10:00:00.000', '20261121-10:00:00.000']);
  expect(times('20261121-10:00:00')).toEqual(['20261121-10:00:00', '20261121-10:00:00']);
  expect(times('20261121-10:00:01')).toEqual(['20261121-10:00:01', '20261121-10:00:00.000']);
});

test('a data field with SOH survives a resend byte by byte', () => {
  const raw = viewOf(fromPrintable('35=B|34=5|52=20261121-10:00:00.000|148=h|58=x|'))!.copyBytes();
  expect(viewOf(resendFrame(raw, change))!.string(58)).toBe('x');
});

test('secrets are masked length for length, and the frame still frames', () => {
  const logon = fromPrintable('35=A|49=OMS|56=XG|34=1|95=7|96=a\x01|=bcd|98=0|553=user|554=hunter2|925=n|58=554=kept|');
  const masked = maskSecrets(logon);
  expect(viewOf(masked)).not.toBeNull();
  expect(masked.length).toBe(logon.length);
  expect(toPrintable(masked)).toContain('|98=0|553=user|554=*******|925=*|58=554=kept|');
  expect(toPrintable(masked)).not.toContain('bcd');
  expect(toPrintable(logon)).toContain('554=hunter2');
});

test('keeps secret-like data of a session, and masks a secret behind it', () => {
  const logon = fromPrintable('35=A|49=OMS|56=XG|34=1|5101=10|5102=a|554=kept|554=hunter2|');
  const masked = toPrintable(maskSecrets(logon, new DataFields([[5101, 5102]])));
  expect(masked).toContain('|5102=a|554=kept|554=*******|');
});

test('the passwords of FIX.5.0SP2 that are called encrypted are secrets too', () => {
  const logon = fromPrintable('35=A|49=OMS|1401=6|1402=enc\x01|x|1403=5|1404=enc|y|98=0|');
  expect(toPrintable(maskSecrets(logon))).toContain('|1401=6|1402=******|1403=5|1404=*****|98=0|');
});

test('of a secret with SOH in it nothing is left where the bytes end inside it', () => {
  for (const tail of ['sec\x01ret', 'sec\x01', 'sec\x01554=ret\x0158=x\x01']) {
    const torn = Buffer.from(`35=A\x0195=60\x0196=${tail}`, 'latin1');
    expect(toPrintable(maskSecrets(torn))).toBe(`35=A|95=60|96=${'*'.repeat(tail.length)}`);
  }
  expect(toPrintable(maskSecrets(Buffer.from('35=B\x01354=60\x01355=a\x01b', 'latin1')))).toBe('35=B|354=60|355=a|b');
});

test('secrets are masked in bytes that are no frame', () => {
  const torn = Buffer.from('35=A\x01553=user\x01554=hunt', 'latin1');
  expect(toPrintable(maskSecrets(torn))).toBe('35=A|553=user|554=****');
  const lied = fromPrintable('35=A|95=9999|96=secret|554=x|');
  expect(toPrintable(maskSecrets(lied))).toContain('|95=9999|96=******|554=*|10=');
  expect(maskSecrets(Buffer.alloc(0)).length).toBe(0);
});
