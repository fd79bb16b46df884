import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commands } from '../commands/index.js';
import { scriptFor, shells } from './scripts.js';

/** What bash completes the last word to. */
function completed(...words: readonly string[]): readonly string[] {
  const all = ['rookery', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${scriptFor('bash', commands())}
COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _rookery; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

it.each<[readonly string[], readonly string[]]>([
  [['tr'], ['trigger']],
  [['c'], ['channels', 'config', 'conformance', 'completion']],
  [
    ['users', ''],
    ['on', 'send', 'terminate'],
  ],
  [
    ['users', 'on', '--'],
    ['--json', '--url', '--app', '--key', '--secret', '--help'],
  ],
  // A command that has others below it, too.
  [['devices', 're'], ['remove']],
  [
    ['devices', '--in'],
    ['--interest', '--instance'],
  ],
  [['devices', 'remove', '--y'], ['--yes']],
  // What is no command is an argument.
  [['trigger', 'users', 'headline', '--ex'], ['--except']],
  [['completion', 'b'], ['bash']],
])('completes %j in bash', (words, expected) => {
  expect(completed(...words)).toEqual(expected);
});

it.each(shells)('completes every command and option in %s', (shell) => {
  const script = scriptFor(shell, commands());
  for (const command of commands().flatMap((each) => [each, ...each.commands])) {
    expect(script).toContain(command.name());
    for (const { long } of command.options)
      expect(script).toContain(shell === 'fish' ? `-l ${long!.slice(2)} ` : long!);
  }
});
