// Examples of every command, by its words: one source for help texts, the man page and the pages of the site.

import type { Command } from 'commander';

export interface Example {
  /** As it is typed, without `crossgate`. */
  readonly words: string;
  /** Continues "to …". */
  readonly does: string;
}

const ex = (words: string, does: string): Example => ({ words, does });

export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  start: [
    ex('start', 'run the gateway of the folder sessions/'),
    ex('start --sessions /etc/crossgate --log json', 'run another configuration, with a log for machines'),
  ],
  demo: [
    ex('demo', 'trade against the gateway that runs beside its simulated exchange'),
    ex('demo --port 19876 --exchange http://127.0.0.1:18480', 'trade against one on other ports'),
  ],
  sim: [ex('sim --port 8480 --keys exchange-keys', 'run the simulated exchange by itself')],
  status: [
    ex('status', 'see sessions, exchange, journal and alarms on one screen'),
    ex('status --watch 5', 'keep them in sight'),
  ],
  check: [ex('check --sessions /etc/crossgate', 'find the faults of a configuration before it is used')],
  schedule: [ex('schedule ACME_OMS --days 7', 'list the openings, closings and resets of a week')],
  'cluster status': [ex('cluster status --watch', 'follow the nodes, and where each partition is served')],
  'cluster drain': [ex('cluster drain node-2 --wait 120', 'empty a node before its upgrade')],
  'cluster undrain': [ex('cluster undrain node-2', 'let it serve partitions again')],
  'cluster move': [ex('cluster move desk-a node-3 --wait', 'move one partition, and wait until the node serves it')],
  'cluster rebalance': [ex('cluster rebalance --wait', 'give each node its share again')],
  'cluster audit': [ex('cluster audit --limit 20', 'see who did the last 20 things to the cluster')],
  'config diff': [ex('config diff', 'see what changed files would change, and when')],
  'config history': [ex('config history', 'list the versions, with who and why')],
  'config rollback': [ex('config rollback 3 --why "limits were wrong"', 'bring an earlier version back')],
  'config schema': [ex('config schema session', 'print the JSON Schema that editors complete session files by')],
  'config apply': [ex('config apply', 'have the running gateway read its changed files now')],
  'sessions list': [ex('sessions list --watch', 'follow the states of all sessions')],
  'sessions show': [ex('sessions show ACME_OMS --messages 20', 'see one session and its last 20 messages')],
  'sessions logout': [ex('sessions logout ACME_OMS --why "new network"', 'log a session out; it may come back')],
  'sessions disable': [ex('sessions disable ACME_OMS --why "weekend work"', 'log a session out and keep it out')],
  'sessions enable': [ex('sessions enable ACME_OMS --why "work is done"', 'let it log on again')],
  'sessions reset': [
    ex('sessions reset ACME_OMS --why "agreed by phone"', 'begin both numbers again at 1'),
    ex('sessions reset ACME_OMS --target 4711 --why "agreed by phone"', 'expect MsgSeqNum(34)=4711 next'),
  ],
  'sessions open': [ex('sessions open --why "orders are cancelled"', 'let sessions log on despite an older journal')],
  'sessions new': [ex('sessions new NORTH_OMS', 'answer its questions, and have a session with a password')],
  'sessions secret': [
    ex('sessions secret ACME_OMS', 'make a password for a session file'),
    ex('sessions secret ACME_OMS --replace --old-valid-hours 48', 'replace it; both are right for two days'),
  ],
  'sessions kit': [
    ex('sessions kit ACME_OMS --host fix.example.com', 'write what its counterparty needs to connect'),
    ex('sessions kit CLIENTS --comp-id NORTH_OMS', 'write the kit of one counterparty of a template'),
  ],
  'sessions import': [ex('sessions import quickfix.cfg --out sessions', 'write session files from QuickFIX settings')],
  'orders find': [
    ex('orders find --open --watch', 'follow the open orders'),
    ex('orders find --cl-ord-id A-4711', 'see all that happened to one order'),
  ],
  'orders cancel': [
    ex('orders cancel --session ACME_OMS --cl-ord-id A-4711 --why "asked by phone"', 'cancel one order for an OMS'),
  ],
  'orders resolve': [
    ex(
      'orders resolve --session ACME_OMS --cl-ord-id A-4711 --why "gone at the exchange"',
      'end an order that the exchange no longer knows',
    ),
  ],
  'orders adopt': [
    ex('orders adopt --session ACME_OMS --symbol BTCUSDC --why "moved here"', 'take over what is open at the exchange'),
  ],
  'orders reconcile': [ex('orders reconcile', 'compare every account with the exchange now')],
  'news send': [
    ex('news send --headline "Matching is slow"', 'inform all sessions that are logged on'),
    ex(
      'news send --headline "Maintenance" --stop-at 2026-12-05T21:00:00Z',
      'announce a stop, which is repeated before it',
    ),
  ],
  'news planned': [ex('news planned', 'see the stop that is announced')],
  'news withdraw': [ex('news withdraw --why "moved to next week"', 'say that the stop does not take place')],
  'kill-switch throw': [ex('kill-switch throw --session ACME_OMS --why "runaway"', 'stop the orders of one session')],
  'kill-switch lift': [ex('kill-switch lift --session ACME_OMS --why "repaired"', 'ask for, or agree to, its end')],
  'kill-switch status': [ex('kill-switch status', 'see the switches that are on')],
  'proposals list': [ex('proposals list --watch', 'wait for what a second operator has to confirm')],
  'proposals confirm': [ex('proposals confirm 1f2e3d4c', 'carry out what another operator proposed')],
  'proposals withdraw': [ex('proposals withdraw 1f2e3d4c', 'take a proposal back')],
  'alarms list': [ex('alarms list --watch', 'follow the open alarms')],
  'alarms history': [ex('alarms history --limit 200', 'see the last 200 alarms')],
  'alarms acknowledge': [ex('alarms acknowledge 7 --why "disk ordered"', 'send no more of an alarm')],
  'alarms silence': [
    ex('alarms silence logon-refused --minutes 60 --why "test of ACME"', 'send none of this name for an hour'),
  ],
  'alarms silences': [ex('alarms silences', 'see which alarms are silenced')],
  'alarms unsilence': [ex('alarms unsilence 3 --why "test is over"', 'end a silence')],
  'cancel-all': [ex('cancel-all --account 111000000000001', 'cancel at the exchange itself while no gateway runs')],
  'exchange check': [ex('exchange check', 'prove that the exchange accepts key and signature')],
  log: [
    ex('log --session ACME_OMS --tag 11=A-4711', 'read the messages of one order'),
    ex('log --follow', 'read on while the gateway runs'),
    ex('log --latency', 'measure the time from D to 8'),
  ],
  decode: [ex('decode messages.log', 'name the fields of a log of another engine')],
  'dictionary show': [ex('dictionary show D --version FIX.4.4', 'see the fields of a message')],
  'dictionary check': [ex('dictionary check FIX44.xml', 'find the faults of a dictionary')],
  'dictionary join': [ex('dictionary join FIX50SP2.xml FIXT11.xml --out JOINED.xml', 'write one file for an OMS')],
  'dictionary import': [ex('dictionary import fix_repository/FIX.4.4 --out house', 'read the FIX Repository')],
  conform: [
    ex('conform --target 127.0.0.1:9876 --sender-comp-id ACME_OMS --suite session', 'play the session cases'),
    ex('conform --list', 'list suites and cases'),
  ],
  replay: [
    ex('replay messages.log --pure', 'compare the answers of a log with those of this version'),
    ex('replay messages.log --target 127.0.0.1:9876 --html result.html', 'send the orders of a log again'),
  ],
  'certification profile': [ex('certification profile ACME_OMS', 'write down what an OMS can do')],
  'certification show': [ex('certification show ACME_OMS', 'see the cases and their results')],
  'certification start': [ex('certification start ACME_OMS', 'begin the certification of a counterparty')],
  'certification stop': [ex('certification stop ACME_OMS', 'end it')],
  'certification run': [ex('certification run ACME_OMS all', 'run every case')],
  'certification export': [ex('certification export ACME_OMS --html card.html', 'write the signed scorecard')],
  'certification verify': [ex('certification verify card.json', 'check the signature of a scorecard')],
  'certification rules': [ex('certification rules', 'see which case proves which rule')],
  'certification serve': [ex('certification serve --oms ACME_OMS --junit result.xml', 'certify in a pipeline')],
  'store verify': [
    ex('store verify', 'read the whole journal and prove its chain, of every partition'),
    ex('store verify --partition desk-a', 'read that of one partition alone'),
  ],
  'store show': [ex('store show', 'see what the journal holds of each session')],
  'store audit': [ex('store audit --from 2026-11-01 --match kill', 'list the actions of operators')],
  'store export': [
    ex('store export --session FIX.4.4:GATE->OMS --to quickfix-store', 'write a session for a QuickFIX engine'),
  ],
  'store import': [
    ex('store import store/FIX.4.4-GATE-OMS --session FIX.4.4:GATE->OMS --why "moved"', 'take over a QuickFIX store'),
  ],
  'store convert': [
    ex('store convert --state postgres:env:CROSSGATE_POSTGRES_URL', 'bring a journal in PostgreSQL up to date'),
  ],
  'store copy': [
    ex(
      'store copy --state postgres:env:CROSSGATE_POSTGRES_URL,crossgate --to crossgate-fund,crossgate-primary',
      'go from one process to partitions',
    ),
  ],
  'store daily': [ex('store daily --date 2026-11-27 --to daily', 'write the order and trade files of a day')],
  completion: [
    ex('completion bash > /etc/bash_completion.d/crossgate', 'complete commands and options in bash'),
    ex('completion fish > ~/.config/fish/completions/crossgate.fish', 'do so in fish'),
  ],
  man: [ex('man > crossgate.1', 'write the man page')],
};

/** The words of a command behind the program's name: `orders find`. */
export function wordsOf(command: Command): string {
  const { parent } = command;
  if (parent === null) return '';
  const before = wordsOf(parent);
  return before === '' ? command.name() : `${before} ${command.name()}`;
}

/** Its examples; of a group the first of each of its commands. */
export function examplesOf(command: Command): readonly Example[] {
  if (command.commands.length > 0) return command.commands.flatMap((each) => examplesOf(each).slice(0, 1));
  return EXAMPLES[wordsOf(command)] ?? [];
}

/** Put the examples into the help texts of these commands and of those below them. */
export function addExamples(program: Command): void {
  for (const command of program.commands) {
    command.addHelpText('after', () => helpTextOf(command));
    addExamples(command);
  }
}

function helpTextOf(command: Command): string {
  const examples = examplesOf(command);
  const lines = examples.map(({ words, does }) => `  crossgate ${words}\n      to ${does}`);
  return lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`;
}
