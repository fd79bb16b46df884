import { Command } from 'commander';
import { existsSync, statSync } from 'node:fs';
import { examples } from '../examples.js';
import { Fault, lineOf } from '../fault.js';
import { print } from '../output.js';
import {
  databaseUrlOf,
  type DatabaseOption,
  inDatabase,
  sqliteFileOf,
  withDatabaseOption,
} from '../server/database-option.js';
import { sizeText } from '../size-text.js';

export const backup = (): Command =>
  withDatabaseOption(
    new Command('backup')
      .summary('copy the embedded database, even while the server runs')
      .description(
        'Copies the SQLite database, with all that was acknowledged before, to a new file that only you can read. ' +
          'The server may keep running. `rookery restore` brings the copy back.',
      )
      .argument('<file>', 'a new file'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery backup /backups/rookery.db', "a copy of this server's database"],
        ['rookery backup "rookery $(date +%F).db"', 'one copy per day'],
      ),
    )
    .action(async (file: string, option: DatabaseOption) => {
      const source = sqliteFileOf(option, 'copies only SQLite; back up PostgreSQL with pg_dump');
      // Opening the database would create the file.
      if (!existsSync(source)) throw new Fault(`${databaseUrlOf(option).setting}: ${source} does not exist`);
      const { backUp } = await import('rookery/internal/typeorm');
      await inDatabase(option, async (database) => {
        try {
          await backUp(database, file);
        } catch (error) {
          throw new Fault(lineOf(error));
        }
      });
      print(`copied ${source} to ${file} (${sizeText(statSync(file).size)})`);
    });
