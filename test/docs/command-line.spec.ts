import type { Argument, Command, Option } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { commands } from '../../apps/cli/src/commands/index.js';

const path = join(import.meta.dirname, '../../docs/command-line.md');
const begin = '<!-- As `--help` says it: a test compares them. -->';

/** All commands that do something, sub-commands with the name of theirs before them. */
const leaves = (command: Command, before = ''): readonly { readonly name: string; readonly command: Command }[] => {
  const name = `${before}${command.name()}`;
  return command.commands.length === 0
    ? [{ name, command }]
    : command.commands.flatMap((each) => leaves(each, `${name} `));
};

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

const optionText = ({ flags, description, defaultValue }: Option): string =>
  `\`${flags}\` ${escaped(description)}${typeof defaultValue === 'string' ? ` (default: \`${defaultValue}\`)` : ''}`;

const all = commands().flatMap((command) => leaves(command));

const texts = all.flatMap(({ command }) => command.options.map(optionText));

/** Options that several commands have, in the same words: they are described once. */
const shared = new Set(texts.filter((text) => texts.filter((each) => each === text).length > 2));

const optionsText = (options: readonly Option[]): string =>
  [
    ...options.map(optionText).filter((text) => !shared.has(text)),
    options
      .filter((option) => shared.has(optionText(option)))
      .map(({ long, flags }) => `\`${long ?? flags}\``)
      .join(', '),
  ]
    .filter((text) => text !== '')
    .join('<br>');

const table = [
  '| command | what it does | options |',
  '| --- | --- | --- |',
  ...all.map(({ name, command }) => {
    const called = [name, ...command.registeredArguments.map((each) => bracketed(each))].join(' ');
    return `| \`rookery ${called}\` | ${escaped(command.summary())} | ${optionsText(command.options)} |`;
  }),
  '',
  'Several commands share these options:',
  '',
  ...[...shared].map((text) => `- ${text}`),
].join('\n');

function bracketed(argument: Argument): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

it('has every command with its options, as --help has them', async () => {
  const page = readFileSync(path, 'utf8');
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  const written = await format(`${before}\n\n${table}\n`, { parser: 'markdown' });
  // To write it anew: WRITE_DOCS=1 npx vitest run test/docs/command-line.spec.ts
  if (process.env['WRITE_DOCS']) writeFileSync(path, written);
  else expect(page).toBe(written);
});
