import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { type AddOptions, addRookery, databases, hasNest, ProjectError } from 'rookery/internal/schematics';
import { type Asking, questions } from '../asking.js';
import { DiskFiles } from '../disk-files.js';
import { examples } from '../examples.js';
import { Fault, WrongUse } from '../fault.js';
import { print } from '../output.js';
import { newApp, newInstance } from './keys.js';

/** The schema in the package, for editors. */
const schema = './node_modules/@rookery/server/dist/rookery/config.schema.json';

export const init = (): Command =>
  new Command('init')
    .summary('set up a Nest application, or write a configuration file, by questions')
    .description(
      "In the folder of a Nest application, adds Rookery's modules to its `app.module.ts`, with `.env`, a first " +
        'authorizer and tests, as `nest add rookery` does; a second run changes nothing. Elsewhere, or for a file ' +
        'that you name, asks for the settings that most servers need, and writes them to a new configuration file, ' +
        'never over an existing one, with generated keys, secrets and console password.',
    )
    .argument('[file]', 'configuration file to write (default: rookery.json)')
    .option('--yes', 'take the suggested answers')
    .option('--channels', 'Nest: realtime events (default: true)')
    .option('--no-channels', 'Nest: without them')
    .option('--push', 'Nest: push notifications (default: false)')
    .addOption(new Option('--database <kind>', 'Nest: where durable state is kept').choices(databases))
    .option('--redis', 'Nest: state that several processes share (default: false)')
    .option('--module <file>', 'Nest: the file of the root module (default: the only app.module.ts)')
    .addHelpText(
      'after',
      examples(
        ['rookery init', 'asks, and sets up the application, or writes rookery.json'],
        ['rookery init shop.json --yes', 'writes a configuration file, in a script'],
        ['rookery init --push --database postgres --yes', 'sets up a Nest application, in a script'],
      ),
    )
    .action(async (file: string | undefined, options: AddOptions) => {
      const { yes = false, ...ofNest } = options;
      const files = new DiskFiles(process.cwd());
      const isForNest = Object.keys(ofNest).length > 0;
      if (file !== undefined && isForNest) throw new WrongUse(`${file} is a configuration file: leave it out for Nest`);
      if (file === undefined && (isForNest || (await asWrongUse(() => hasNest(files))))) await setUp(files, options);
      else await writeConfiguration(file ?? 'rookery.json', yes);
    });

async function setUp(files: DiskFiles, options: AddOptions): Promise<void> {
  const { version } = await import('../settings.js');
  const { written, notes, needsInstall } = await asWrongUse(() =>
    addRookery(files, options, { terminal: process, kit: `^${version.split('+')[0]}` }),
  );
  for (const path of written) print(`Wrote ${path}`);
  for (const note of notes) print(note);
  if (needsInstall) print('package.json has new dependencies: run npm install, or that of your package manager.');
}

/** A project that cannot be edited is a wrong use of the command. */
async function asWrongUse<Answer>(work: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ProjectError ? new WrongUse(error.message) : error;
  }
}

async function writeConfiguration(file: string, yes: boolean): Promise<void> {
  write(file, await configurationBy(questions(yes)));
  print(`Wrote ${file}. It contains secrets: keep it out of your repository.`);
  print(`Check it with:  npx rookery config check ${file}`);
  print(`Start with:     CONFIG_FILE=${file} npx rookery`);
}

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
