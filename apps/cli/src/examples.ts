/** Lines for the end of a command's help: what to write, and what it does. */
export function examples(...lines: readonly (readonly [command: string, does: string])[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  return `\nExamples:\n${lines.map(([command, does]) => `  $ ${command.padEnd(width)}   # ${does}\n`).join('')}`;
}
