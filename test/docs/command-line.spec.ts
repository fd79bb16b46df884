import type { Argument, Command, Option } from 'commander';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { expect, it } from 'vitest';
import { commands } from '../../apps/cli/src/commands/index.js';
import { blocksOf } from '../support/doc-blocks.js';
import { isCalled, parsed } from '../support/parsed-command.js';

const path = join(import.meta.dirname, '../../docs/command-line.md');
const begin = '<!-- As `--help` says it: a test compares them. -->';

/** All commands that do something, sub-commands with the name of theirs before them. */
const called = (command: Command, before = ''): readonly { readonly name: string; readonly command: Command }[] => {
  const name = `${before}${command.name()}`;
  const below = command.commands.flatMap((each) => called(each, `${name} `));
  return isCalled(command) ? [{ name, command }, ...below] : below;
};

const escaped = (text: string): string => text.replaceAll('<', '\\<');

const withDefault = (description: string, value: unknown): string =>
  typeof value === 'string' || typeof value === 'number'
    ? `${escaped(description)} (default: \`${value}\`)`
    : escaped(description);

const optionText = ({ flags, description, defaultValue }: Option): string =>
  `- \`${flags}\` ${withDefault(description, defaultValue)}`;

const argumentText = (argument: Argument): string =>
  `- \`${bracketed(argument)}\` ${withDefault(argument.description, argument.defaultValue)}`;

const all = commands().flatMap((command) => called(command));

const usageOf = (command: Command): string[] => [
  ...command.registeredArguments.map(argumentText),
  ...command.options.map(optionText),
];

/** `rookery instances` takes what `rookery apps` takes; the page says so once. */
function isTwin({ name, command }: (typeof all)[number]): boolean {
  const twin = all.find((each) => each.name === name.replace(/^instances /, 'apps ') && each.command !== command);
  return twin !== undefined && usageOf(twin.command).join('\n') === usageOf(command).join('\n');
}

const shown = all.filter((each) => !isTwin(each));

const texts = shown.flatMap(({ command }) => command.options.map(optionText));

const flag = (text: string): string => text.split('`')[1]!;

/** Options that several commands have, in the same words: they are described once. */
const shared = new Set(
  texts.filter((text) => {
    const others = texts.filter((each) => flag(each) === flag(text));
    const same = others.filter((each) => each === text).length;
    // Two may differ from a third one of the same name.
    return same > 2 || (same > 1 && same === others.length);
  }),
);

/** The examples at the end of the command's help. */
function examplesOf(command: Command): readonly string[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help.split(/^Examples:$/m)[1]?.match(/(?<=^ {2}\$ ).+$/gm) ?? [];
}

/** Its examples, without the comment of an only one, which its description makes unnecessary. */
function shownExamples(command: Command): string {
  const examples = examplesOf(command).map((line) => line.replaceAll(/(?<!")\brookery(?= )/g, 'npx rookery'));
  return examples.length > 1 ? examples.join('\n') : examples.join('').replace(/ +# .*$/, '');
}

const optionsIn = ({ options }: Command): string[] => options.map(optionText);
const sharedIn = (command: Command): string[] => optionsIn(command).filter((text) => shared.has(text));
const listed = (texts: readonly string[]): string[] => {
  const names = texts.map((text) => `\`${/--[\w-]+/.exec(flag(text))![0]}\``);
  return names.length > 0 ? [`- ${names.join(', ')}`] : [];
};

/** What its description leaves open. */
const details = (command: Command): string[] => [
  // One without a description is what the command is about.
  ...command.registeredArguments.filter(({ description }) => description !== '').map(argumentText),
  ...optionsIn(command).filter((text) => !shared.has(text)),
];

/** Commands that begin with the same word stand together. */
function section(word: string): string {
  const group = shown.filter(({ name }) => name.split(' ')[0] === word);
  const ofAll = sharedIn(group[0]!.command).filter((text) =>
    group.every(({ command }) => sharedIn(command).includes(text)),
  );
  const examples = ['```sh', ...group.map(({ command }) => shownExamples(command)), '```'].join('\n');
  const lines = group.flatMap(({ name, command }) => {
    if (group.length === 1) return details(command);
    const others = listed(sharedIn(command).filter((text) => !ofAll.includes(text)));
    return [`- \`${name}\`: ${command.description()}`, ...[...details(command), ...others].map((text) => `  ${text}`)];
  });
  return [
    `### rookery ${word}`,
    group.length === 1 ? group[0]!.command.description() : '',
    examples,
    [...lines, ...listed(ofAll)].join('\n'),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const words = [...new Set(shown.map(({ name }) => name.split(' ')[0]!))];
const sections = [...words.map(section), '## Options of several commands', [...shared].join('\n')].join('\n\n');

function bracketed(argument: Argument): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

it('has every command with its options and examples, as --help has them', async () => {
  const page = readFileSync(path, 'utf8');
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  const written = await format(`${before}\n\n${sections}\n`, { parser: 'markdown' });
  // To write it anew: WRITE_DOCS=1 npx vitest run test/docs/command-line.spec.ts
  if (process.env['WRITE_DOCS']) writeFileSync(path, written);
  else expect(page).toBe(written);
});

const callsIn = (examples: string): string[] =>
  Array.from(examples.matchAll(/\brookery\b ?(.*?)(?:\)' >.*| +#.*|)$/gm), ([, call = '']) => call);

it.each(shown)('has an example of $name that the command line takes', ({ name }) => {
  const [, section = ''] = readFileSync(path, 'utf8').split(`\n### rookery ${name.split(' ')[0]}\n`);
  const [block] = blocksOf('', section.split(/^##/m)[0]!);
  const calls = callsIn(block!.code);
  expect(calls.filter((call) => call === name || call.startsWith(`${name} `))).not.toEqual([]);
  for (const call of calls) parsed(call);
});

it('leaves out only the commands of instances, whose examples the command line takes, too', () => {
  const others = all.filter(isTwin);
  expect(others.map(({ name }) => name.split(' ')[0])).toEqual(Array(8).fill('instances'));
  for (const { name, command } of others) {
    const calls = callsIn(examplesOf(command).join('\n'));
    expect(calls.filter((call) => call.startsWith(`${name} `) || call === name)).not.toEqual([]);
    for (const call of calls) parsed(call);
  }
});
