import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type Asking, questions } from '../asking.js';
import { examples } from '../examples.js';
import { Fault, WrongUse } from '../fault.js';
import { print } from '../output.js';
import { newApp, newInstance } from './keys.js';

/** The schema in the package, for editors. */
const schema = './node_modules/@rookery/server/dist/rookery/config.schema.json';

export const init = (): Command =>
  new Command('init')
    .summary('write a configuration file by questions')
    .description(
      'Asks for the settings that most servers need, and writes them to a new configuration file, never over an ' +
        'existing one, with generated keys, secrets and console password.',
    )
    .argument('[file]', 'file to write', 'rookery.json')
    .option('--yes', 'take the suggested answers')
    .addHelpText(
      'after',
      examples(['rookery init', 'asks, and writes rookery.json'], ['rookery init shop.json --yes', 'in a script']),
    )
    .action(async (file: string, { yes }: { readonly yes?: boolean }) => {
      write(file, await configurationBy(questions(yes ?? false)));
      print(`Wrote ${file}. It contains secrets: keep it out of your repository.`);
      print(`Check it with:  npx rookery config check ${file}`);
      print(`Start with:     CONFIG_FILE=${file} npx rookery`);
    });

/** Asks each question once, in an order in which later ones depend on earlier ones. */
export async function configurationBy(asking: Asking): Promise<object> {
  try {
    const app = newApp();
    const id = await asking.text('Id of your app', app.id, isId);
    const origins = await asking.text('Origins of your pages, separated by commas, or * for any', '*', areOrigins);
    const clientEvents = await asking.choice('May clients send events to each other (client events)?', false);
    const cached = await asking.choice('Keep a history, so that clients get missed events when they reconnect?', false);
    const push = await asking.choice('Do you send push notifications?', false);
    const withConsole = await asking.choice('Turn on the web console at /console, with a password?', true);
    return {
      $schema: schema,
      apps: [
        {
          ...app,
          id,
          ...(clientEvents && { clientEvents }),
          ...(origins !== '*' && { allowedOrigins: listOf(origins) }),
          ...(cached && { history: [{ channels: '*' }] }),
        },
      ],
      ...(push && { instances: [newInstance()] }),
      ...(withConsole && { console: { password: randomBytes(12).toString('base64url') } }),
    };
  } finally {
    asking.close();
  }
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

const isId = (text: string): string | undefined =>
  /^[\w-]{1,64}$/.test(text) ? undefined : 'Use 1 to 64 letters, digits, - or _.';

const areOrigins = (text: string): string | undefined =>
  listOf(text).length > 0 ? undefined : 'Enter at least one, such as https://shop.example.';

function write(file: string, configuration: object): void {
  try {
    // For its owner alone, because it contains secrets.
    writeFileSync(file, `${JSON.stringify(configuration, undefined, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new WrongUse(`${file} exists already: name another file, or move it away`);
    throw new Fault(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
