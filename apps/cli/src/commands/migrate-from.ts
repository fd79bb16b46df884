import { Argument, Command } from 'commander';
import { examples } from '../examples.js';
import { Fault, lineOf } from '../fault.js';
import type { Moved } from '../migrate-from/moved.js';
import { readOtherSettings } from '../migrate-from/other-settings.js';
import { fromReverb } from '../migrate-from/reverb.js';
import { fromSoketi } from '../migrate-from/soketi.js';
import { printJson, tell } from '../output.js';

const servers = { soketi: fromSoketi, reverb: fromReverb } as const;

export const migrateFrom = (): Command =>
  new Command('migrate-from')
    .summary("make a configuration file of another server's")
    .description(
      "Reads the configuration of soketi or Laravel Reverb and prints Rookery's. What stands in the environment here, and " +
        'what has no counterpart, is told beside it. Nothing is changed.',
    )
    .addArgument(new Argument('<server>', 'the server that there was').choices(Object.keys(servers)))
    .argument('<file>', "soketi's JSON, Reverb's as JSON, or the .env of either")
    .addHelpText(
      'after',
      examples(
        ['rookery migrate-from soketi config.json > rookery.json', 'of the file that soketi was started with'],
        ['rookery migrate-from reverb .env > rookery.json', 'of an application with the usual config/reverb.php'],
        [
          `php artisan tinker --execute="echo json_encode(config('reverb'));" > reverb.json`,
          'what another config/reverb.php comes to',
        ],
      ),
    )
    .action((server: keyof typeof servers, file: string) => {
      const { file: moved, environment, notes } = movedFrom(server, file);
      printJson(moved);
      for (const [name, value] of Object.entries(environment)) tell(`In the environment: ${name}=${value}`);
      for (const note of notes) tell(note);
    });

function movedFrom(server: keyof typeof servers, file: string): Moved {
  try {
    return servers[server](readOtherSettings(file));
  } catch (error) {
    throw new Fault(`${file}: ${lineOf(error)}`, { cause: error });
  }
}
