import type { Command } from 'commander';
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

const all = commands().flatMap((command) => called(command));

const usageOf = ({ registeredArguments, options }: Command): string =>
  [
    ...registeredArguments.map(({ required, description }) => `${required} ${description}`),
    ...options.map(({ flags, description }) => `${flags} ${description}`),
  ].join('\n');

/** `rookery instances` takes what `rookery apps` takes; the page says so once. */
function isTwin({ name, command }: (typeof all)[number]): boolean {
  const twin = all.find((each) => each.name === name.replace(/^instances /, 'apps ') && each.command !== command);
  return twin !== undefined && usageOf(twin.command) === usageOf(command);
}

const shown = all.filter((each) => !isTwin(each));

/** The examples at the end of the command's help. */
function examplesOf(command: Command): readonly string[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help.split(/^Examples:$/m)[1]?.match(/(?<=^ {2}\$ ).+$/gm) ?? [];
}

/** The first of its examples, without the comment of an only one, which its description makes unnecessary. */
function shownExamples(command: Command, count: number): string {
  const examples = examplesOf(command).slice(0, count);
  const lines = examples.map((line) => line.replaceAll(/(?<!")\brookery(?= )/g, 'npx rookery').split(/ +(?=# )/));
  const width = Math.max(...lines.map(([call]) => call!.length));
  return lines
    .map(([call = '', comment]) => (lines.length > 1 && comment ? `${call.padEnd(width)}   ${comment}` : call))
    .join('\n');
}

/** Which server, and how to sign: the page says it once. */
const ofServer = new Set(['--url', '--app', '--key', '--secret', '--instance', '--secret-key']);
/** The other options by their names; `--help` describes them. */
const namesOf = ({ options }: Command): readonly string[] =>
  options.filter(({ long }) => !ofServer.has(long!)).map(({ long }) => `\`${long}\``);
const listed = (names: readonly string[]): string => names.join(', ');

/** Commands that begin with the same word stand together. */
function section(word: string): string {
  const group = shown.filter(({ name }) => name.split(' ')[0] === word);
  const ofAll = namesOf(group[0]!.command).filter((each) =>
    group.every(({ command }) => namesOf(command).includes(each)),
  );
  const lines = group.map(({ name, command }) => {
    const others = namesOf(command).filter((each) => !ofAll.includes(each));
    return `- \`${name}\`: ${command.description()} ${listed(others)}`.trimEnd();
  });
  return [
    `### rookery ${word}`,
    group.length === 1 ? group[0]!.command.description() : '',
    ['```sh', ...group.map(({ command }) => shownExamples(command, group.length === 1 ? 2 : 1)), '```'].join('\n'),
    group.length === 1 ? '' : lines.join('\n'),
    listed(ofAll),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const words = [...new Set(shown.map(({ name }) => name.split(' ')[0]!))];
const sections = words.map(section).join('\n\n');

it('has every command with its options and examples, as --help has them', async () => {
  const page = readFileSync(path, 'utf8');
  const before = page.slice(0, page.indexOf(begin) + begin.length);
  const written = await format(`${before}\n\n${sections}\n`, { parser: 'markdown' });
  // To write it anew: WRITE_DOCS=1 npx vitest run test/docs/command-line.spec.ts
  if (process.env['WRITE_DOCS']) writeFileSync(path, written);
  expect(readFileSync(path, 'utf8')).toBe(written);
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
