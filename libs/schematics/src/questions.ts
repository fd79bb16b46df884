import { createInterface, type Interface } from 'node:readline/promises';
import { type AddOptions, checked, type DatabaseKind, databases, defaults, type Features } from './options.js';

/** Where questions are asked and answered. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks for the features that the options leave out. Takes the defaults with `yes`, and where there is no terminal.
 * @throws ProjectError if they contradict each other
 */
export async function askedFeatures(options: AddOptions, { stdin, stdout }: Terminal): Promise<Features> {
  const isAsked = !options.yes && stdin.isTTY === true && stdout.isTTY === true;
  if (!isAsked) return checked({ ...defaults, ...given(options) });
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    const channels = options.channels ?? (await agreed(terminal, 'Realtime events (Channels)?', defaults.channels));
    const push = options.push ?? (await agreed(terminal, 'Push notifications (Beams)?', defaults.push));
    const database = options.database ?? (await databaseBy(terminal));
    const redis =
      options.redis ?? (channels && (await agreed(terminal, 'Redis, for several processes?', defaults.redis)));
    return checked({ channels, push, database, redis });
  } finally {
    terminal.close();
  }
}

/** Without those that are undefined, which would replace defaults. */
const given = ({ channels, push, database, redis }: AddOptions): Partial<Features> =>
  Object.fromEntries(Object.entries({ channels, push, database, redis }).filter(([, value]) => value !== undefined));

async function agreed(terminal: Interface, question: string, suggested: boolean): Promise<boolean> {
  const answer = (await terminal.question(`${question} [${suggested ? 'Y/n' : 'y/N'}] `)).trim();
  if (answer === '') return suggested;
  return /^(y|yes|n|no)$/i.test(answer) ? /^y/i.test(answer) : agreed(terminal, 'Answer y or n.', suggested);
}

async function databaseBy(terminal: Interface): Promise<DatabaseKind> {
  const question = `Database for durable state: ${databases.join(', ')}? [${defaults.database}] `;
  const answer = (await terminal.question(question)).trim().toLowerCase();
  if (answer === '') return defaults.database;
  return databases.find((each) => each === answer) ?? databaseBy(terminal);
}
