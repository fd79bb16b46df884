import { Command } from 'commander';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson, printTable } from '../output.js';
import { askInstance } from '../server/instance-api.js';
import { instanceOf, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';

interface DevicesOptions extends InstanceOptions {
  readonly user?: string;
  readonly interest?: string;
  readonly json?: boolean;
}

interface Device {
  readonly id: string;
  readonly userId: string;
  readonly registeredAt: string;
}

interface Page {
  readonly devices: readonly Device[];
  readonly responseMetadata: { readonly nextCursor?: string };
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
      const path = pathOf(options);
      const instance = await instanceOf(options);
      const all: Device[] = [];
      let cursor: string | undefined;
      do {
        const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
        const page: Page = await askInstance(
          instance,
          `customer_api/v1/instances/${instance.instanceId}/${path}${query}`,
        );
        all.push(...page.devices);
        cursor = page.responseMetadata.nextCursor;
      } while (cursor !== undefined);
      if (json) return printJson(all);
      const rows = all.map(({ id, userId, registeredAt }) => [id, userId, registeredAt]);
      if (rows.length === 0) print('No device found');
      else printTable(['device', 'user', 'registered'], rows);
    });

function pathOf({ user, interest }: DevicesOptions): string {
  if ((user === undefined) === (interest === undefined)) throw new WrongUse('Which devices? Pass --user or --interest');
  return user === undefined
    ? `interests/${encodeURIComponent(interest!)}/devices`
    : `users/${encodeURIComponent(user)}/devices`;
}
