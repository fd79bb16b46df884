import { createInterface } from 'node:readline/promises';
import type { Terminal } from './confirm.js';
import { WrongUse } from './fault.js';

/** Asks questions, each with a suggested answer that Enter takes. */
export interface Asking {
  /** @param fault what is wrong with an answer, which is then asked for again */
  text(question: string, suggested: string, fault?: (answer: string) => string | undefined): Promise<string>;
  choice(question: string, suggested: boolean): Promise<boolean>;
  close(): void;
}

/**
 * Questions on a terminal, or none where the suggested answers are to be taken.
 * @throws WrongUse where there is no terminal
 */
export function questions(takesSuggested: boolean, { stdin, stdout }: Terminal = process): Asking {
  if (takesSuggested)
    return {
      text: (_, suggested) => Promise.resolve(suggested),
      choice: (_, suggested) => Promise.resolve(suggested),
      close: () => {},
    };
  if (!stdin.isTTY || !stdout.isTTY)
    throw new WrongUse('there is no terminal to ask on: pass --yes to take the suggested answers');
  const terminal = createInterface({ input: stdin, output: stdout });
  const text: Asking['text'] = async (question, suggested, fault) => {
    const answer = (await terminal.question(`${question} [${suggested}]: `)).trim() || suggested;
    const wrong = fault?.(answer);
    if (wrong === undefined) return answer;
    stdout.write(`${wrong}\n`);
    return text(question, suggested, fault);
  };
  return {
    text,
    choice: async (question, suggested) => {
      const fault = (answer: string): string | undefined =>
        /^(y|yes|n|no)$/i.test(answer) ? undefined : 'Answer y or n.';
      return /^y/i.test(await text(question, suggested ? 'y' : 'n', fault));
    },
    close: () => terminal.close(),
  };
}
