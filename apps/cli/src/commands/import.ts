import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { examples } from '../examples.js';
import { Fault, lineOf, WrongUse } from '../fault.js';
import { print, tell } from '../output.js';
import { configuration } from '../server/configuration.js';
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
      const input = file === undefined ? process.stdin : await opened(file);
      const { importDevices, migrate } = await import('rookery/typeorm');
      const { endpointRefusal } = await import('rookery/internal/publish');
      const { publish, allowPrivateNetwork } = await configuration();
      const check = ({ platform, token }: { readonly platform: string; readonly token: string }) =>
        platform === 'web' ? endpointRefusal(token, { ...publish, allowPrivateNetwork }) : undefined;
      const { imported, refused } = await inDatabase(option, async (database) => {
        await migrate(database.dataSource);
        const refused = (line: number, reason: string): void => tell(`line ${line} was refused: ${reason}`);
        return importDevices(database, instanceId, linesOf(input, file), refused, check);
      });
      print(`imported ${imported}, refused ${refused}`);
      if (refused > 0) process.exitCode = 1;
    });

/** Before the database, which would be created. */
async function opened(file: string): Promise<NodeJS.ReadableStream> {
  const handle = await open(file).catch((error: unknown) => {
    throw new Fault(`${file}: ${lineOf(error)}`);
  });
  return handle.createReadStream();
}

/** @throws Fault if they cannot be read: the database is not at fault */
async function* linesOf(input: NodeJS.ReadableStream, file = 'stdin'): AsyncGenerator<string> {
  try {
    yield* createInterface({ input });
  } catch (error) {
    throw new Fault(`${file}: ${lineOf(error)}`);
  }
}
