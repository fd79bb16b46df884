import { Command, Option } from 'commander';
import type { HeldDeletions, InstancePlatform } from 'rookery/publish';
import type { Platform } from 'rookery/push-device';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print } from '../output.js';
import { type DatabaseOption, inDatabase, withDatabaseOption } from '../server/database-option.js';

interface DeletionsOptions extends DatabaseOption {
  readonly instance?: string;
  readonly platform?: Platform;
  readonly list?: boolean;
  readonly release?: boolean;
}

export const deletions = (): Command =>
  withDatabaseOption(
    new Command('deletions')
      .summary('show devices that are held back from deletion, and release them')
      .description(
        'Shows how many devices their gateway reported as unregistered, but are kept because they are suspiciously many.',
      )
      .option('--instance <id>', 'only this instance')
      .addOption(new Option('--platform <platform>', 'only this platform').choices(['apns', 'fcm', 'web']))
      .option('--list', 'list the devices')
      .addOption(
        new Option(
          '--release',
          'delete them, for example after many real uninstalls; needs --instance, and may run while servers run',
        ).conflicts('list'),
      ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery deletions', 'what is held back'],
        ['rookery deletions --instance 8a0c7a8e-… --list', 'which devices'],
        ['rookery deletions --instance 8a0c7a8e-… --platform fcm --release', 'deletes them'],
      ),
    )
    .action(async (options: DeletionsOptions) => {
      if (options.release && options.instance === undefined) throw new WrongUse('--release needs --instance');
      const { HeldDeletions, PublishMetrics } = await import('rookery/publish');
      const { DeviceRemovals, forgetStartTokens } = await import('rookery/push-device');
      const { TypeOrmDeviceRepository, TypeOrmGoneDeviceRepository, TypeOrmLiveActivityRepository } =
        await import('rookery/typeorm');
      await inDatabase(options, async (database) => {
        const gone = new TypeOrmGoneDeviceRepository(database);
        const devices = new TypeOrmDeviceRepository(database);
        // The host's listeners are in other processes.
        const removals = new DeviceRemovals();
        removals.listen(forgetStartTokens(new TypeOrmLiveActivityRepository(database)));
        const held = new HeldDeletions(gone, devices, new PublishMetrics(), removals);
        for await (const line of answered(held, options)) print(line);
      });
    });

async function* answered(
  deletions: HeldDeletions,
  { instance, platform, list, release }: DeletionsOptions,
): AsyncGenerator<string> {
  const all = await deletions.totals();
  const wanted = all.filter(
    (one) => one.instanceId === (instance ?? one.instanceId) && one.platform === (platform ?? one.platform),
  );
  if (wanted.length === 0) yield 'nothing is held';
  for (const of of wanted)
    if (list) yield* listed(deletions, of);
    else if (release) yield `${nameOf(of)}: ${await deletions.release(of)} removed`;
    else yield `${nameOf(of)}: ${of.held} held`;
}

async function* listed(deletions: HeldDeletions, of: InstancePlatform & { held: number }): AsyncGenerator<string> {
  for (const { id, publishId } of await deletions.list(of, of.held)) yield `${of.instanceId} ${id} ${publishId}`;
}

const nameOf = ({ instanceId, platform }: InstancePlatform): string => `${instanceId} ${platform}`;
