import { existsSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { examples } from '../examples.js';
import { Fault, lineOf } from '../fault.js';
import { print } from '../output.js';
import { type DatabaseOption, sqliteFileOf, withDatabaseOption } from '../server/database-option.js';
import { sizeText } from '../size-text.js';

export const restore = (): Command =>
  withDatabaseOption(
    new Command('restore')
      .summary('replace the embedded database by a backup')
      .description(
        'Replaces the SQLite database by a copy of a backup, once the server is stopped. Checks the backup first, and ' +
          'keeps the database before, under a new name beside it.',
      )
      .argument('<file>', 'as made by `rookery backup`'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery restore /backups/rookery.db', "into this server's database"],
        ['rookery restore copy.db --database sqlite:trial.db', 'into another one'],
      ),
    )
    .action(async (file: string, option: DatabaseOption) => {
      const path = sqliteFileOf(option, 'restores only SQLite; restore PostgreSQL with pg_restore');
      if (!existsSync(file)) throw new Fault(`${file} does not exist`);
      const { restore } = await import('rookery/internal/typeorm');
      const replaced = await restore(path, file).catch((error: unknown) => {
        throw new Fault(lineOf(error));
      });
      print(`restored ${path} from ${file} (${sizeText(statSync(path).size)})`);
      if (replaced !== undefined) print(`the database before is ${replaced}`);
    });
