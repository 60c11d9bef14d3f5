// `crossgate certification …`: counterparties certify their OMS. Commands that steer a running gateway, the interview for a
// profile, scorecards and their proof, and the suite alone for a vendor's continuous integration.

import type { Command } from 'commander';
import { rulesVersion } from '../../certification/mod.ts';
import { understood, withAdminOptions } from '../admin/admin-client.ts';
import { SESSIONS_DEFAULT, STATE_DEFAULT } from '../options/environment.ts';
import { interview } from './profile.ts';
import { exportCard, verifyCard } from './scorecard-files.ts';
import { serve } from './serve.ts';
import { runCase, show, start, stop } from './steering.ts';

export function addCertificationCommands(program: Command): void {
  const group = program.command('certification').description('let a counterparty certify its OMS, and judge it');
  group
    .command('profile')
    .description('ask what the OMS can do, and write its profile: which cases are mandatory')
    .argument('<name>', 'session file with `certification`')
    .option('--state <directory>', 'state folder of the gateway', STATE_DEFAULT)
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--file <path>', 'another place for the profile; no session file is needed then')
    .option('--can <abilities>', 'answer at once: abilities, separated by commas')
    .option('--answer-seconds <number>', 'time in which the OMS does what a case asks', '120')
    .action(interview);
  withAdminOptions(
    group.command('show').description('the scorecard, and what the tester is asked to do now').argument('<name>'),
  )
    .option('--case <id>', 'one case, with the evidence of each step')
    .action(understood(show));
  withAdminOptions(
    group.command('start').description('play all cases that apply and are not passed').argument('<name>'),
  ).action(understood(start));
  withAdminOptions(group.command('stop').description('end the case under way').argument('<name>')).action(
    understood(stop),
  );
  withAdminOptions(
    group
      .command('run')
      .description('play one case, again if it was played before, and wait for its verdict')
      .argument('<name>')
      .argument('<case>', 'such as orders.partial-fill'),
  ).action(understood(runCase));
  group
    .command('export')
    .description('write the signed scorecard; as JSON it is the certificate')
    .argument('<name>')
    .option('--html <file>', 'one page for people, with the evidence of each step')
    .option('--json <file>', 'the certificate')
    .option('--state <directory>', 'state folder of the gateway', STATE_DEFAULT)
    .option('--token-file <path>', "file with a token of one's own (admin.users)")
    .option('--force', 'replace files that are there')
    .action(exportCard);
  group
    .command('verify')
    .description('prove the signature of a scorecard; exit code 1 if it does not hold or nothing is certified')
    .argument('<file>', 'JSON or HTML')
    .option('--key <file>', 'public key (PEM) that must have signed it')
    .option('--json', 'as JSON')
    .action(verifyCard);
  group
    .command('rules')
    .description('the version of the rules of engagement: a digest of them and of the suite')
    .action(() => console.log(rulesVersion()));
  group
    .command('serve')
    .description('the suite alone, for a continuous integration: plays every case as the OMS connects, then ends')
    .argument('[name]', 'session file with `certification`; default: one made of the options')
    .option('--sessions <directory>', 'folder of the configuration', SESSIONS_DEFAULT)
    .option('--host <address>', 'where the OMS connects', '127.0.0.1')
    .option('--port <number>', '0: any free one', '9876')
    .option('--oms <CompID>', 'SenderCompID(49) of the OMS', 'OMS')
    .option('--gateway <CompID>', 'TargetCompID(56) that it sends', 'CROSSGATE')
    .option('--fix <version>', 'FIX.4.2, FIX.4.4 or FIXT.1.1', 'FIX.4.4')
    .option('--dialect <dialect>', 'standard or venue', 'standard')
    .option('--kind <kind>', 'order or dropCopy', 'order')
    .option('--password-file <path>', 'Password(554) that it sends; default: `certify`')
    .option('--profile <file>', 'profile of the OMS; default: all abilities')
    .option('--folder <directory>', 'keeps journal and progress; default: a temporary one')
    .option('--case <id...>', 'these cases only')
    .option('--connect-within <seconds>', 'longest wait for the first Logon', '120')
    .option('--junit <file>', 'results as JUnit')
    .option('--html <file>', 'signed scorecard as a page')
    .option('--certificate <file>', 'signed scorecard as JSON')
    .option('--json', 'results as JSON')
    .action(serve);
}
