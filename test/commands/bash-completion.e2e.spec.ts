import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { commands } from '../../apps/cli/src/commands/index.js';
import { scriptFor } from '../../apps/cli/src/completion/scripts.js';
import { describeInstalled } from '../support/programs.js';

/** What bash completes the last word to. */
function completed(...words: readonly string[]): readonly string[] {
  const all = ['rookery', ...words].map((word) => `'${word}'`).join(' ');
  const script = `${scriptFor('bash', commands())}
COMP_WORDS=(${all}); COMP_CWORD=${words.length}; _rookery; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

describeInstalled('bash')('the script of `rookery completion bash`', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['tr'], ['trigger']],
    [['c'], ['channels', 'config', 'conformance', 'completion']],
    [
      ['users', ''],
      ['on', 'send', 'terminate'],
    ],
    [
      ['users', 'on', '--'],
      ['--url', '--app', '--key', '--secret', '--json', '--query', '--help'],
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
});
