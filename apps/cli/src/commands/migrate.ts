import { Command } from 'commander';
import { examples } from '../examples.js';
import { print } from '../output.js';
import { type DatabaseOption, inDatabase, withDatabaseOption } from '../server/database-option.js';

export const migrate = (): Command =>
  withDatabaseOption(
    new Command('migrate')
      .summary("bring the database's tables up to date")
      .description(
        "Brings Rookery's tables up to date, and prints the applied migrations. You may run it at any time, " +
          'repeatedly and concurrently.',
      ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery migrate', "this server's database"],
        ['rookery migrate --database postgres://user:password@host/database', 'another one'],
      ),
    )
    .action(async (option: DatabaseOption) => {
      const { migrate } = await import('rookery/typeorm');
      const applied = await inDatabase(option, ({ dataSource }) => migrate(dataSource));
      print(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do');
    });
