import { Command } from 'commander';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson, printTable } from '../output.js';
import { devicePages, type ListedDevice, type Targets } from '../server/device-pages.js';
import { instanceOf, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';

interface DevicesOptions extends InstanceOptions {
  readonly user?: string;
  readonly interest?: string;
  readonly json?: boolean;
}

export const devices = (): Command =>
  withInstanceOptions(
    new Command('devices')
      .summary('list the devices that a publish would reach')
      .description('Lists the devices of a user, or the devices subscribed to an interest.')
      .option('--user <id>', 'devices of this user')
      .option('--interest <name>', 'devices with this interest')
      .option('--json', 'print them as JSON'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery devices --interest hello', 'the devices that a publish to it would reach'],
        ['rookery devices --user alice --json', 'her devices, for a script'],
      ),
    )
    .action(async ({ json, ...options }: DevicesOptions) => {
      const [targets, name] = targetIn(options);
      const instance = await instanceOf(options);
      const all: ListedDevice[] = [];
      for await (const page of devicePages(instance, targets, name)) all.push(...page);
      if (json) return printJson(all);
      const rows = all.map(({ id, userId, registeredAt }) => [id, userId, registeredAt]);
      if (rows.length === 0) print('No device found');
      else printTable(['device', 'user', 'registered'], rows);
    });

function targetIn({ user, interest }: DevicesOptions): readonly [Targets, string] {
  if (user !== undefined && interest === undefined) return ['users', user];
  if (interest !== undefined && user === undefined) return ['interests', interest];
  throw new WrongUse('Which devices? Pass --user or --interest');
}
