/** The examples at the end of a command's help: a command line, and what it does. */
export function examples(...lines: readonly (readonly [command: string, does: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, does]) => `  $ ${command.padEnd(width)}   # ${does}\n`).join('')}`;
}
