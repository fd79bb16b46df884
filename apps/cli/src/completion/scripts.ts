import type { Command } from 'commander';

/** What may follow the words of a command line: `''`, `users`, `users on`. */
interface NextWords {
  readonly words: string;
  readonly next: readonly { readonly word: string; readonly summary: string }[];
}

/** The generators of the scripts, by shell. */
const scripts = { bash, zsh, fish } as const;
export const shells = Object.keys(scripts) as readonly (keyof typeof scripts)[];

export const scriptFor = (shell: string, commands: readonly Command[]): string =>
  scripts[shell as keyof typeof scripts](placesOf(commands)); // The argument allows no other.

function placesOf(commands: readonly Command[], words: readonly string[] = []): readonly NextWords[] {
  const next = commands.map((command) => ({ word: command.name(), summary: command.summary() }));
  return [{ words: words.join(' '), next }, ...commands.flatMap((command) => inside(command, words))];
}

function inside(command: Command, before: readonly string[]): readonly NextWords[] {
  const words = [...before, command.name()];
  // A mere group of commands has no options.
  if (command.commands.length > 0 && command.options.length === 0) return placesOf(command.commands, words);
  const options = command.options.map(({ long, description }) => ({ word: long!, summary: description })); // All are long.
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const [below = { next: [] }, ...deeper] = command.commands.length > 0 ? placesOf(command.commands, words) : [];
  const next = [
    ...below.next,
    ...choices.map((word) => ({ word, summary: '' })),
    ...options,
    { word: '--help', summary: 'show help' },
  ];
  return [{ words: words.join(' '), next }, ...deeper];
}

const plain = (text: string): string => text.replaceAll(/['`"\\$]/g, '');

function bash(places: readonly NextWords[]): string {
  const cases = places.map(({ words, next }) => `    '${words}') next='${next.map(({ word }) => word).join(' ')}' ;;`);
  return `# Completion of rookery for bash
_rookery() {
  local word place='' next='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case " ${wordsOf(places)} " in *" \${place:+$place }$word|"*) place=\${place:+$place }$word ;; esac
  done
  case $place in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rookery rookery`;
}

/** All commands, each with a mark at its end: \`users| users on| …\`. */
const wordsOf = (places: readonly NextWords[]): string =>
  places
    .filter(({ words }) => words !== '')
    .map(({ words }) => `${words}|`)
    .join(' ');

function zsh(places: readonly NextWords[]): string {
  const cases = places.map(
    ({ words, next }) =>
      `    '${words}') next=(${next.map(({ word, summary }) => `'${word}:${plain(summary).replaceAll(':', ' ')}'`).join(' ')}) ;;`,
  );
  return `#compdef rookery
# Completion of rookery for zsh
_rookery() {
  local word place='' i
  local -a next
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case " ${wordsOf(places)} " in *" \${place:+$place }$word|"*) place="\${place:+$place }$word" ;; esac
  done
  case $place in
${cases.join('\n')}
  esac
  _describe 'rookery' next || _files
}
compdef _rookery rookery`;
}

function fish(places: readonly NextWords[]): string {
  const names = places.find(({ words }) => words === '')!.next.map(({ word }) => word);
  const lines = places.flatMap(({ words, next }) =>
    next.map(({ word, summary }) => {
      const seen = words.split(' ').filter(Boolean);
      const within = seen.map((each) => `__fish_seen_subcommand_from ${each}`).join('; and ');
      const others = next.filter((each) => !each.word.startsWith('--')).map((each) => each.word);
      const isOption = word.startsWith('--');
      const before = seen.length === 0 ? names : others;
      const condition = [within, isOption ? '' : `not __fish_seen_subcommand_from ${before.join(' ')}`];
      const what = isOption ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c rookery -n '${condition.filter(Boolean).join('; and ')}' ${what} -d '${plain(summary)}'`;
    }),
  );
  return `# Completion of rookery for fish\n${lines.join('\n')}`;
}
