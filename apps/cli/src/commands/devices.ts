import { Command } from 'commander';
import type { Devices } from '../../../console/src/api/contract.js';
import { confirm, withoutQuestion } from '../confirm.js';
import { examples } from '../examples.js';
import { Fault, WrongUse } from '../fault.js';
import { print, printList } from '../output.js';
import { withConsoleOptions } from '../server/console-api.js';
import { instanceInConsole, type OwnerOptions } from '../server/console-owner.js';
import { devicePages, type ListedDevice, type Targets } from '../server/device-pages.js';
import { instanceOf, instanceOption, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';

interface DevicesOptions extends InstanceOptions {
  readonly user?: string;
  readonly interest?: string;
  readonly json?: boolean;
}

export const devices = (): Command =>
  withInstanceOptions(
    new Command('devices')
      .summary('list the devices that a publish would reach, or remove one')
      .description('Lists the devices of a user or an interest.')
      .addCommand(remove())
      .helpCommand(false)
      .option('--user <id>', 'of this user')
      .option('--interest <name>', 'with this interest')
      .option('--json', 'print the answer as JSON'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery devices --interest hello', 'the audience of a publish to it'],
        ['rookery devices --user alice --json', 'for a script'],
      ),
    )
    .action(async ({ json, ...options }: DevicesOptions) => {
      const [targets, name] = targetIn(options);
      const instance = await instanceOf(options);
      const all: ListedDevice[] = [];
      for await (const page of devicePages(instance, targets, name)) all.push(...page);
      printList(all, columns, { json, empty: 'No device found' });
    });

const columns: Readonly<Record<string, (device: ListedDevice) => string>> = {
  device: ({ id }) => id,
  platform: ({ platform }) => platform,
  user: ({ userId }) => userId,
  registered: ({ registeredAt }) => registeredAt,
};

const remove = (): Command =>
  withConsoleOptions(
    new Command('remove')
      .summary('remove a device')
      .description(
        'Removes a device with its interests, through the console. It registers again when its user next starts ' +
          'the app.',
      )
      .argument('<device id>', 'as shown by rookery devices')
      .option(...instanceOption)
      .option('--yes', withoutQuestion),
  )
    .addHelpText('after', examples(['rookery devices remove fcm-1d2f…', 'it gets no more notifications']))
    .action(async (id: string, options: OwnerOptions & { readonly yes?: boolean }) => {
      const { api, path } = await instanceInConsole(options);
      const { devices: found } = await api.ask<Devices>('GET', `${path}/devices?device=${encodeURIComponent(id)}`);
      if (found.length === 0)
        throw new Fault(`There is no device ${id}: rookery devices lists those of a user or an interest`);
      await confirm(`Removing device ${id}`, id, options);
      await api.ask('DELETE', `${path}/devices/${encodeURIComponent(id)}`);
      print(`Removed device ${id}`);
    });

function targetIn({ user, interest }: DevicesOptions): readonly [Targets, string] {
  if (user !== undefined && interest === undefined) return ['users', user];
  if (interest !== undefined && user === undefined) return ['interests', interest];
  throw new WrongUse('Which devices? Pass --user or --interest');
}
