import { expect, it } from 'vitest';
import { commands } from '../commands/index.js';
import { scriptFor, shells } from './scripts.js';

it.each(shells)('completes every command and option in %s', (shell) => {
  const script = scriptFor(shell, commands());
  for (const command of commands().flatMap((each) => [each, ...each.commands])) {
    expect(script).toContain(command.name());
    for (const { long } of command.options)
      expect(script).toContain(shell === 'fish' ? `-l ${long!.slice(2)} ` : long!);
  }
});
