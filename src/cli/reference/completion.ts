// `crossgate completion SHELL`: prints a completion script. It holds every command and option, so that a key press starts no process;
// only names of sessions and accounts are asked for, by `crossgate completion sessions` (live-names.ts).

import type { Command } from 'commander';
import { Argument } from 'commander';
import { type CommandEntry, flattened, type LiveNames, type OptionEntry, tableOf } from './command-table.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const LIVE: readonly LiveNames[] = ['sessions', 'accounts'];
/** The command of a script that asks for names; without a gateway it says nothing. */
const asked = (names: LiveNames): string => `crossgate completion ${names} 2>/dev/null`;

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and names in a shell, or the names that it asks for')
    .addArgument(new Argument('<shell>', 'which shell, or which names').choices([...SHELLS, ...LIVE]))
    .action(async (wanted: Shell | LiveNames) => {
      if (wanted !== 'sessions' && wanted !== 'accounts') {
        console.log(completionScript(tableOf(program), wanted));
        return;
      }
      const { liveNames } = await import('./live-names.ts');
      for (const name of await liveNames(wanted)) console.log(name);
    });
}

/** The script for a shell. The program's own entry has all commands below it. */
export function completionScript(program: CommandEntry, shell: Shell): string {
  const entries = flattened(program);
  const write = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
  return `# Made by \`crossgate completion ${shell}\` of the version in use: make it again after an upgrade.\n${write(entries)}`;
}

/** In single quotes for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const names = (option: OptionEntry): string[] => [option.long, ...(option.short === null ? [] : [option.short])];
const lastWord = ({ words }: CommandEntry): string => words.split(' ').at(-1) ?? '';

/** Patterns of `case`: command and option, for options that take a value of the wanted kind. */
function patterns(entries: readonly CommandEntry[], isWanted: (option: OptionEntry) => boolean): string[] {
  return entries.flatMap(({ words, options }) =>
    options
      .filter((option) => option.value.startsWith('<') && isWanted(option))
      .flatMap((option) => names(option).map((name) => quoted(`${words} ${name}`))),
  );
}

interface CaseWriter {
  readonly files: string;
  readonly words: (choices: readonly string[]) => string;
  readonly names: (names: LiveNames) => string;
}

/** Branches for the word behind an option that takes a value. */
function valueBranches(entries: readonly CommandEntry[], { files, words, names: live }: CaseWriter): string {
  const ofChoices = entries.flatMap(({ words: at, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map((option) => `    ${quoted(`${at} ${option.long}`)}) ${words(option.choices)}; return ;;`),
  );
  const ofFiles = patterns(entries, ({ isFile, choices }) => isFile && choices.length === 0);
  const ofNames = LIVE.flatMap((kind) => {
    const found = patterns(entries, (option) => option.live === kind);
    return found.length === 0 ? [] : [`    ${found.join('|')}) ${live(kind)}; return ;;`];
  });
  const isOther = ({ isFile, choices, live: kind }: OptionEntry): boolean =>
    !isFile && kind === null && choices.length === 0;
  const ofOthers = patterns(entries, isOther);
  return [
    ...ofChoices,
    ...ofNames,
    ...(ofFiles.length === 0 ? [] : [`    ${ofFiles.join('|')}) ${files}; return ;;`]),
    ...(ofOthers.length === 0 ? [] : [`    ${ofOthers.join('|')}) return ;;`]),
  ].join('\n');
}

function bashScript(entries: readonly CommandEntry[]): string {
  const known = entries.filter(({ words }) => words !== '').map(({ words }) => quoted(words));
  const names = (kind: LiveNames): string => `$(compgen -W "$(${asked(kind)})" -- "$cur")`;
  const branches = entries.map(({ words, children, options, argumentChoices, takesFiles, takesSessions }) => {
    const all = [...children.map(lastWord), ...argumentChoices, ...options.map(({ long }) => long), '--help'].join(' ');
    const files = takesFiles ? '; COMPREPLY+=($(compgen -f -- "$cur"))' : '';
    const sessions = takesSessions ? `; [[ $cur == -* ]] || COMPREPLY+=(${names('sessions')})` : '';
    return `    ${quoted(words)}) COMPREPLY=($(compgen -W ${quoted(all)} -- "$cur"))${files}${sessions} ;;`;
  });
  const values = valueBranches(entries, {
    files: 'COMPREPLY=($(compgen -f -- "$cur"))',
    words: (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur"))`,
    names: (kind) => `COMPREPLY=(${names(kind)})`,
  });
  return `_crossgate() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${known.join('|')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${values}
  esac
  case "$at" in
${branches.join('\n')}
  esac
}
complete -o filenames -F _crossgate crossgate`;
}

function zshScript(entries: readonly CommandEntry[]): string {
  const known = entries.filter(({ words }) => words !== '').map(({ words }) => quoted(words));
  const added = (kind: LiveNames): string => `compadd -- \${(f)"$(${asked(kind)})"}`;
  const described = (name: string, text: string): string => quoted(`${name}:${text.replaceAll(':', '\\:')}`);
  const branches = entries.map(({ words, children, options, argumentChoices, takesFiles, takesSessions }) => {
    const commands = [
      ...children.map((child) => described(lastWord(child), child.description)),
      ...argumentChoices.map(quoted),
    ];
    const flags = options.map(({ long, description }) => described(long, description));
    const files = takesFiles ? '; _files' : '';
    const sessions = takesSessions ? `; [[ $words[CURRENT] == -* ]] || ${added('sessions')}` : '';
    return `    ${quoted(words)}) commands=(${commands.join(' ')}); flags=(${flags.join(' ')} '--help:show help')${files}${sessions} ;;`;
  });
  const values = valueBranches(entries, {
    files: '_files',
    words: (choices) => `compadd -- ${choices.map(quoted).join(' ')}`,
    names: added,
  });
  return `#compdef crossgate
_crossgate() {
  local at="" i
  local -a commands flags
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
      ${known.join('|')}) at="\${at:+$at }\${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values}
  esac
  case "$at" in
${branches.join('\n')}
  esac
  (( $#commands )) && _describe command commands
  _describe -o option flags
}
compdef _crossgate crossgate`;
}

function fishScript(entries: readonly CommandEntry[]): string {
  const known = entries.filter(({ words }) => words !== '').map(({ words }) => fishQuoted(words));
  const lines = entries.flatMap((entry) => {
    const where = `complete -c crossgate -n ${fishQuoted(`__crossgate_at "${entry.words}"`)}`;
    return [
      ...entry.children.map((child) => `${where} -a ${lastWord(child)} -d ${fishQuoted(child.description)}`),
      ...entry.argumentChoices.map((choice) => `${where} -a ${choice}`),
      ...entry.options.map((option) => `${where} ${fishOption(option)} -d ${fishQuoted(option.description)}`),
      ...(entry.takesFiles ? [`${where} -F`] : []),
      ...(entry.takesSessions ? [`${where} -a ${fishQuoted(`(${asked('sessions')})`)}`] : []),
    ];
  });
  return `function __crossgate_at
    set -l known ${known.join(' ')}
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- "$next" $known; and set at "$next"
    end
    test "$at" = "$argv[1]"
end
complete -c crossgate -f
${lines.join('\n')}`;
}

function fishOption({ long, short, value, choices, isFile, live }: OptionEntry): string {
  const name = `-l ${long.replace(/^--/, '')}${short === null ? '' : ` -s ${short.slice(1)}`}`;
  if (!value.startsWith('<')) return name;
  if (choices.length > 0) return `${name} -x -a ${fishQuoted(choices.join(' '))}`;
  if (live !== null) return `${name} -x -a ${fishQuoted(`(${asked(live)})`)}`;
  return `${name} ${isFile ? '-r -F' : '-x'}`;
}
