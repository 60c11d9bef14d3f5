// A file stands for the device: what it does to processors is the kernel's.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askToWakeWithin } from '../../src/cli/wakeful-processors.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossgate-wake-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function asked(micros: number, device: string, driver = join(folder, 'no driver file')): string[] {
  const said: string[] = [];
  askToWakeWithin(micros, (level, text) => said.push(`${level}: ${text}`), { device, driver });
  return said;
}

test('wakeMicrosMax is written to the device as the kernel reads it, a whole number of 32 bits, and said', () => {
  const device = join(folder, 'device');
  writeFileSync(device, '');
  expect(asked(300, device)).toEqual([
    'info: idle processors of this machine wake within 300 µs while the gateway runs',
  ]);
  expect([...readFileSync(device)]).toEqual([0x2c, 1, 0, 0]);
  expect(asked(0, device)).toEqual(['info: idle processors of this machine do not sleep while the gateway runs']);
});

test('a device that is not there, or may not be written, is a warning with what to do, and no more', () => {
  const absent = join(folder, 'none');
  expect(asked(0, join(absent, 'device'))).toEqual([
    `warn: wakeMicrosMax is 0, and ${absent}/device cannot be written (ENOENT): this system has no such device; in a container, hand it over with \`--device ${absent}/device\``,
  ]);
  expect(asked(0, folder)).toEqual([
    `warn: wakeMicrosMax is 0, and ${folder} cannot be written (EISDIR): the user of the gateway must be able to write to it, by a rule of udev or \`SupplementaryGroups=\` of its service`,
  ]);
});

test('a kernel without a cpuidle driver asks nobody before a processor sleeps: the start says so instead of a promise', () => {
  const [device, driver] = [join(folder, 'device'), join(folder, 'current_driver')];
  writeFileSync(device, '');
  writeFileSync(driver, 'none\n');
  expect(asked(0, device, driver)).toEqual([
    `warn: wakeMicrosMax is 0, and without effect: this kernel has no cpuidle driver (${driver}). \`idle=poll\` on its command line keeps processors awake without this setting; on a guest of KVM \`cpuidle_haltpoll.force=Y\` brings a driver`,
  ]);
  writeFileSync(driver, 'intel_idle\n');
  expect(asked(0, device, driver)).toEqual([
    'info: idle processors of this machine do not sleep while the gateway runs',
  ]);
});
