import { Command } from 'commander';
import { examples } from '../examples.js';
import { print } from '../output.js';
import { type DatabaseOption, inDatabase, withDatabaseOption } from '../server/database-option.js';

export const migrate = (): Command =>
  withDatabaseOption(
    new Command('migrate')
      .summary("bring the database's tables up to date")
      .description(
        "Brings Rookery's tables up to date, and says which migrations it applied. It may run at any time, any number of " +
          'times, and by several processes at once.',
      ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery migrate', 'the database that the server has here'],
        ['rookery migrate --database postgres://user:password@host/database', 'another one'],
      ),
    )
    .action(async (option: DatabaseOption) => {
      const { migrate } = await import('rookery/typeorm');
      const applied = await inDatabase(option, ({ dataSource }) => migrate(dataSource));
      print(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do');
    });
