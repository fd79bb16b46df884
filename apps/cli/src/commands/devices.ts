import { Command } from 'commander';
import type { Devices } from '../../../console/src/api/contract.js';
import { confirm, withoutQuestion } from '../confirm.js';
import { examples } from '../examples.js';
import { Fault, WrongUse } from '../fault.js';
import { print, printList } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { withConsoleOptions } from '../server/console-api.js';
import { instanceInConsole, type OwnerOptions } from '../server/console-owner.js';
import { devicePages, interestsOf, type ListedDevice, type Targets } from '../server/device-pages.js';
import { instanceOf, instanceOption, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';

interface DevicesOptions extends InstanceOptions, JsonOptions {
  readonly user?: string;
  readonly interest?: string;
}

export const devices = (): Command =>
  withJson(
    withInstanceOptions(
      new Command('devices')
        .summary('list the devices that a publish would reach, or remove one')
        .description('Lists the devices of a user, with their interests, those of an interest, or those of both.')
        .addCommand(remove())
        .helpCommand(false)
        .option('--user <id>', 'of this user, with their interests')
        .option('--interest <name>', 'with this interest'),
    ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery devices --interest hello', 'the audience of a publish to it'],
        ['rookery devices --user alice --interest hello', 'those of hers that it reaches'],
        ['rookery devices --user alice --json', 'for a script'],
      ),
    )
    .action(async ({ json, query, ...options }: DevicesOptions) => {
      const [targets, name] = targetIn(options);
      const { interest } = options;
      const instance = await instanceOf(options);
      const all: ListedDevice[] = [];
      for await (const page of devicePages(instance, targets, name)) all.push(...page);
      if (targets === 'interests') return printList(all, columns, { json, query, empty: 'No device found' });
      // A user has few devices; an interest may have all.
      const withInterests: DeviceWithInterests[] = [];
      for (const device of all) withInterests.push({ ...device, interests: await interestsOf(instance, device) });
      const listed = withInterests.filter(({ interests }) => interest === undefined || interests.includes(interest));
      printList(listed, ofUser, { json, query, empty: 'No device found' });
    });

const columns = {
  device: ({ id }: ListedDevice) => id,
  platform: ({ platform }: ListedDevice) => platform,
  user: ({ userId }: ListedDevice) => userId,
  registered: ({ registeredAt }: ListedDevice) => registeredAt,
};

interface DeviceWithInterests extends ListedDevice {
  readonly interests: readonly string[];
}

const ofUser = {
  device: columns.device,
  platform: columns.platform,
  interests: ({ interests }: DeviceWithInterests) => interests.join(', '),
  registered: columns.registered,
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

/** Of both, the user: no API has the interests of a user's devices, so they are asked of each. */
function targetIn({ user, interest }: DevicesOptions): readonly [Targets, string] {
  if (user !== undefined) return ['users', user];
  if (interest !== undefined) return ['interests', interest];
  throw new WrongUse('Which devices? Pass --user, --interest or both');
}
