import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, tell } from '../output.js';
import { type DatabaseOption, inDatabase, withDatabaseOption } from '../server/database-option.js';

export const importDevices = (): Command =>
  withDatabaseOption(
    new Command('import')
      .summary('import devices with their users and interests')
      .description(
        'Imports devices into a push instance, one JSON object per line, even while the server runs. Refuses ' +
          'invalid lines only; importing a line again changes nothing.',
      )
      .argument('<instance id>', 'a UUID')
      .argument('[file]', 'with the lines (default: stdin)'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery import 8a0c7a8e-… devices.jsonl', "into this server's database"],
        ['zcat devices.gz | rookery import 8a0c7a8e-… --database postgres://…', "another command's output"],
      ),
    )
    .action(async (instanceId: string, file: string | undefined, option: DatabaseOption) => {
      const { isInstanceId } = await import('rookery/push-device');
      if (!isInstanceId(instanceId)) throw new WrongUse('The instance id must be a UUID');
      const { importDevices, migrate } = await import('rookery/typeorm');
      const { imported, refused } = await inDatabase(option, async (database) => {
        await migrate(database.dataSource);
        const lines = createInterface({ input: file === undefined ? process.stdin : createReadStream(file) });
        return importDevices(database, instanceId, lines, (line, reason) =>
          tell(`line ${line} was refused: ${reason}`),
        );
      });
      print(`imported ${imported}, refused ${refused}`);
      if (refused > 0) process.exitCode = 1;
    });
