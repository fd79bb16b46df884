import { Command } from 'commander';
import { existsSync, statSync } from 'node:fs';
import { examples } from '../examples.js';
import { Fault, lineOf } from '../fault.js';
import { print } from '../output.js';
import { databaseUrlOf, type DatabaseOption, inDatabase, withDatabaseOption } from '../server/database-option.js';
import { megabytes } from '../server/megabytes.js';

export const backup = (): Command =>
  withDatabaseOption(
    new Command('backup')
      .summary('copy the embedded database, also while the server runs')
      .description(
        'Copies the SQLite database to a new file that only you can read. The server may go on: the copy has all that it ' +
          'had acknowledged when the copy began. To restore, stop the server and put the copy in the place of the file.',
      )
      .argument('<file>', 'where the copy goes; there must be no file of this name'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery backup /backups/rookery.db', 'the database that the server has here'],
        ['rookery backup "rookery $(date +%F).db"', 'a copy for each day'],
      ),
    )
    .action(async (file: string, option: DatabaseOption) => {
      const { url, setting } = databaseUrlOf(option);
      const [, source] = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url) ?? [];
      if (source === undefined)
        throw new Fault(`${setting}: only SQLite is copied; PostgreSQL has its own backups, with pg_dump`);
      // Opening it would make it.
      if (!existsSync(source)) throw new Fault(`${setting}: there is no ${source}`);
      const { backUp } = await import('rookery/typeorm');
      await inDatabase(option, async (database) => {
        try {
          await backUp(database, file);
        } catch (error) {
          throw new Fault(lineOf(error));
        }
      });
      print(`copied ${source} to ${file} (${megabytes(statSync(file).size)})`);
    });
