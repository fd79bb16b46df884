import type { Command } from 'commander';
import { program } from '../../apps/cli/src/program.js';

/** Whether it does something itself; a mere group of commands has no options. */
export const isCalled = ({ commands, options }: Command): boolean => commands.length === 0 || options.length > 0;

/** Has the command line read what is called, and do nothing. @throws CommanderError if it is invalid */
export function parsed(text: string): void {
  const words =
    text
      .replace(/ [>|<] .*$/, '')
      .replaceAll(/<[\w -]+>/g, 'x')
      .match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  const line = program();
  const silence = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
    if (isCalled(command)) command.action(() => undefined);
    for (const each of command.commands) silence(each);
  };
  for (const each of line.commands) silence(each);
  if (words.length > 0)
    line.configureOutput({ writeErr: () => undefined }).parse(
      words.map((word) => word.replaceAll(/^['"]|['"]$/g, '')),
      { from: 'user' },
    );
}
