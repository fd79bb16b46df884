import { Command } from 'commander';
import { examples } from '../examples.js';
import { print, printJson } from '../output.js';
import { configuration } from '../server/configuration.js';

export const config = (): Command =>
  new Command('config')
    .summary('check the configuration, or print the schema of its file')
    .description("The server's configuration: its environment variables, and the file that CONFIG_FILE names.")
    .addCommand(check())
    .addCommand(schema())
    .helpCommand(false);

const check = (): Command =>
  new Command('check')
    .summary('check whether the server would start')
    .description('Reads the configuration as the server does, without the database, and reports a fault in one line.')
    .argument('[file]', 'file to check, instead of CONFIG_FILE')
    .addHelpText(
      'after',
      examples(
        ['rookery config check rookery.json', 'before a deploy'],
        ['NODE_ENV=production rookery config check', 'the environment variables set here'],
      ),
    )
    .action(async (file: string | undefined) => {
      const { checkFiles, served } = await import('../../../server/src/config/checked-configuration.js');
      const read = await configuration({ ...process.env, ...(file && { CONFIG_FILE: file, CONFIG: undefined }) });
      const counts = served(read);
      checkFiles(read);
      const named = (what: string, count: number, all: readonly { readonly id: string }[]) =>
        `${count} ${what}${count === 1 ? '' : 's'}${count > 0 ? `: ${all.map(({ id }) => id).join(', ')}` : ''}`;
      print(
        read.isDevelopment
          ? 'No app is configured: the development app is served'
          : named('app', counts.apps, read.apps),
      );
      print(named('push instance', counts.instances, read.instances));
    });

const schema = (): Command =>
  new Command('schema')
    .summary('print the JSON Schema of the configuration file')
    .description(
      'Prints the JSON Schema of the configuration file. For editors, the package contains it: ' +
        '"$schema": "./node_modules/@rookery/server/dist/rookery/config.schema.json".',
    )
    .addHelpText('after', examples(['rookery config schema > rookery.schema.json', 'a copy of your own']))
    .action(async () => {
      const { ConfigFile } = await import('../../../server/src/config/config-file.js');
      const { jsonSchemaOf } = await import('rookery/internal/common');
      printJson({ title: 'Configuration of Rookery', ...jsonSchemaOf(ConfigFile) });
    });
