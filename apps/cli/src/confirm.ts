import { createInterface } from 'node:readline/promises';
import { Fault, WrongUse } from './fault.js';

/** Where a question is asked and answered. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks on a terminal that the name of what goes for good is typed.
 * @throws Fault if another text is typed; WrongUse where there is no terminal, unless `--yes` was passed
 */
export async function confirm(
  what: string,
  name: string,
  { yes }: { readonly yes?: boolean },
  { stdin, stdout }: Terminal = process,
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY || !stdout.isTTY)
    throw new WrongUse(`${what} cannot be undone: pass --yes to do it without being asked`);
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    const typed = await terminal.question(`${what} cannot be undone. Type ${name} to go on: `);
    if (typed.trim() !== name) throw new Fault('Nothing was removed');
  } finally {
    terminal.close();
  }
}
