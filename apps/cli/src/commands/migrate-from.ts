import { Argument, Command } from 'commander';
import { examples } from '../examples.js';
import { Fault, lineOf } from '../fault.js';
import type { ConvertedConfig } from '../migrate-from/converted-config.js';
import { readOtherFile } from '../migrate-from/other-file.js';
import { fromReverb } from '../migrate-from/reverb.js';
import { fromSoketi } from '../migrate-from/soketi.js';
import { printJson, tell } from '../output.js';

const servers = { soketi: fromSoketi, reverb: fromReverb } as const;

export const migrateFrom = (): Command =>
  new Command('migrate-from')
    .summary("convert another server's configuration")
    .description(
      "Prints soketi's or Laravel Reverb's configuration as Rookery's; and to stderr, environment variables to set " +
        'and each setting without a counterpart. Changes no file.',
    )
    .addArgument(new Argument('<server>', 'the server to migrate from').choices(Object.keys(servers)))
    .argument('<file>', "soketi's JSON or the rows of its apps, Reverb's as JSON, or the .env of either")
    .addHelpText(
      'after',
      examples(
        ['rookery migrate-from soketi config.json > rookery.json', "soketi's configuration file"],
        ['rookery migrate-from reverb .env > rookery.json', 'with the default config/reverb.php'],
        [
          `php artisan tinker --execute="echo json_encode(config('reverb'));" > reverb.json`,
          'with another config/reverb.php',
        ],
      ),
    )
    .action((server: keyof typeof servers, file: string) => {
      const { file: converted, environment, notes } = convertedFrom(server, file);
      printJson(converted);
      for (const [name, value] of Object.entries(environment)) tell(`Set in the environment: ${name}=${value}`);
      for (const note of notes) tell(note);
    });

function convertedFrom(server: keyof typeof servers, file: string): ConvertedConfig {
  try {
    return servers[server](readOtherFile(file));
  } catch (error) {
    throw new Fault(`${file}: ${lineOf(error)}`, { cause: error });
  }
}
