import { createInterface } from 'node:readline/promises';
import { Fault, WrongUse } from './fault.js';

/** What `--yes` does, in the help of commands that {@link confirm}. */
export const withoutQuestion = 'do not ask';

/** Where a question is asked and answered. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks the user to type the name of the thing to delete.
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
  const typed = await answerTo(`${what} cannot be undone. Type ${name} to go on: `, { stdin, stdout });
  if (typed !== name) throw new Fault('Nothing was removed');
}

/**
 * Asks a question that only `y` or `yes` agrees to.
 * @param question asked for only if there is a terminal
 * @param inScript checks what a script does, which has no terminal to ask on
 * @throws Fault if the answer is another
 */
export async function agree(
  question: () => Promise<string>,
  refused: string,
  { yes }: { readonly yes?: boolean },
  inScript: () => Promise<void>,
  { stdin, stdout }: Terminal = process,
): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY || !stdout.isTTY) return inScript();
  const typed = await answerTo(`${await question()} [y/N]: `, { stdin, stdout });
  if (!/^y(es)?$/i.test(typed)) throw new Fault(refused);
}

async function answerTo(question: string, { stdin, stdout }: Terminal): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
