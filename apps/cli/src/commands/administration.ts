import { Command, InvalidArgumentError } from 'commander';
import { confirm, withoutQuestion } from '../confirm.js';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson, printList } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { ConsoleApi, type ConsoleOptions, withConsoleOptions } from '../server/console-api.js';
import { setting, settingsIn, unset } from '../server/given-settings.js';

type Settings = Readonly<Record<string, unknown>>;

interface Administered extends Settings {
  readonly id: string;
  readonly name?: string | null;
  readonly key: string;
  readonly keys: readonly string[];
  readonly enabled: boolean;
  readonly origin: string;
}

interface SettingsOptions extends ConsoleOptions {
  readonly set?: Settings;
  readonly unset?: Settings;
  readonly settings?: Settings;
}

interface Confirmed {
  readonly yes?: boolean;
}

/** What is administered, and its names in texts. */
export interface Kind {
  readonly command: 'apps' | 'instances';
  readonly one: string;
  /** The credentials that creation prints. */
  readonly credentials: readonly string[];
  readonly example: { readonly id: string; readonly setting: string; readonly says: string; readonly key: string };
}

/** The commands that administer the apps or push instances of a running server. */
export const administration = (kind: Kind): Command => {
  const { command, one } = kind;
  return new Command(command)
    .summary(`administer the ${one}s of a running server`)
    .description(
      `Lists, creates and changes the ${one}s in a running server's database, through its console. ` +
        'A change takes effect in every process within a second.',
    )
    .addCommand(list(kind))
    .addCommand(create(kind))
    .addCommand(edit(kind))
    .addCommand(able(kind, 'disable', false, 'refuses its requests and closes its clients, until it is enabled'))
    .addCommand(able(kind, 'enable', true, 'serves it again'))
    .addCommand(rotate(kind))
    .addCommand(removeKey(kind))
    .addCommand(remove(kind))
    .helpCommand(false);
};

const list = ({ command, one }: Kind): Command =>
  withJson(
    withConsoleOptions(new Command('list').summary(`list the ${one}s`)).description(
      `Lists the ${one}s of the configuration and of the database, without their secrets.`,
    ),
    'print them as JSON, with all settings',
  )
    .addHelpText('after', examples([`rookery ${command} list`, `every ${one}, and where it is defined`]))
    .action(async ({ json, query, ...options }: ConsoleOptions & JsonOptions) => {
      const api = await ConsoleApi.of(options);
      const all = (await api.ask<Readonly<Record<string, readonly Administered[]>>>('GET', `admin/${command}`))[
        command
      ]!;
      const columns = {
        [one]: ({ id }: Administered) => id,
        name: ({ name }: Administered) => name ?? '',
        keys: ({ key, keys }: Administered) => [key, ...keys].join(', '),
        enabled: ({ enabled }: Administered) => (enabled ? 'yes' : { text: 'no', style: 'red' as const }),
        from: ({ origin }: Administered) => origin,
      };
      printList(all, columns, { json, query, empty: `No ${one} found` });
    });

const withSettings = (command: Command): Command =>
  withConsoleOptions(command)
    .option('--set <name=value>', 'a setting, as JSON or text; repeatable', setting)
    .option('--settings <file>', 'JSON object with settings; - reads stdin', settingsIn);

const create = ({ command, one, credentials, example }: Kind): Command =>
  withSettings(
    new Command('create').summary(`create one, and print its credentials`).argument('[id]', 'generated if omitted'),
  )
    .description(`Creates ${article(one)} ${one} and prints its credentials, which are shown only once.`)
    .addHelpText('after', examples([`rookery ${command} create --set ${example.setting}`, example.says]))
    .action(async (id: string | undefined, { set, settings, ...options }: SettingsOptions) => {
      const api = await ConsoleApi.of(options);
      const made = await api.ask<Settings>('POST', `admin/${command}`, {
        ...settings,
        ...set,
        ...(id !== undefined && { id }),
      });
      printJson(Object.fromEntries(credentials.map((name) => [name, made[name]])));
    });

const edit = ({ command, one, example }: Kind): Command =>
  withSettings(new Command('edit').summary('change settings of one').argument('<id>'))
    .description(`Changes settings of ${article(one)} ${one}; they apply to open connections too.`)
    .option('--unset <name>', 'restore the default of a setting; repeatable', unset)
    .addHelpText('after', examples([`rookery ${command} edit ${example.id} --set ${example.setting}`, example.says]))
    .action(async (id: string, { set, unset: defaults, settings, ...options }: SettingsOptions) => {
      const changes = { ...settings, ...set, ...defaults };
      if (Object.keys(changes).length === 0) throw new WrongUse('Nothing to change: pass --set, --unset or --settings');
      await (await ConsoleApi.of(options)).ask('PATCH', at(command, id), changes);
      print(`Changed ${one} ${id}: ${Object.keys(changes).join(', ')}`);
    });

const able = ({ command, one, example }: Kind, name: string, enabled: boolean, says: string): Command =>
  withConsoleOptions(new Command(name).summary(says).argument('<id>'))
    .description(`${says[0]!.toUpperCase()}${says.slice(1)}.`)
    .addHelpText('after', examples([`rookery ${command} ${name} ${example.id}`, `${name} it in every process`]))
    .action(async (id: string, options: ConsoleOptions) => {
      await (await ConsoleApi.of(options)).ask('PATCH', at(command, id), { enabled });
      print(`${enabled ? 'Enabled' : 'Disabled'} ${one} ${id}`);
    });

const rotate = ({ command, example }: Kind): Command =>
  withConsoleOptions(new Command('rotate').summary('create new credentials beside the old ones').argument('<id>'))
    .description(
      'Creates and prints new credentials. The old ones stay valid until you remove them, or for a chosen time.',
    )
    .option('--old-valid-for <time>', 'such as 90m, 12h or 7d', secondsIn)
    .addHelpText(
      'after',
      examples(
        [`rookery ${command} rotate ${example.id}`, 'prints the new ones, only once'],
        [`rookery ${command} rotate ${example.id} --old-valid-for 7d`, 'and ends the old ones in a week'],
      ),
    )
    .action(async (id: string, { oldValidFor, ...options }: ConsoleOptions & { readonly oldValidFor?: number }) => {
      const rotation = { ...(oldValidFor !== undefined && { oldValidForSeconds: oldValidFor }) };
      printJson(await (await ConsoleApi.of(options)).ask('POST', `${at(command, id)}/rotate`, rotation));
    });

/** The seconds in a duration such as `12h`. */
export function secondsIn(text: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('A time is a number and s, m, h or d, such as 12h.');
  return Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's' | 'm' | 'h' | 'd'];
}

const removeKey = ({ command, one, example }: Kind): Command =>
  withConsoleOptions(
    new Command('remove-key').summary('remove an old key').argument('<id>').argument('<key>', 'as shown by list'),
  )
    .description('Removes a key that rotate has replaced: it is invalid from then on.')
    .option('--yes', withoutQuestion)
    .addHelpText('after', examples([`rookery ${command} remove-key ${example.id} ${example.key}`, 'invalidates it']))
    .action(async (id: string, key: string, options: ConsoleOptions & Confirmed) => {
      await confirm(`Removing key ${key} of ${one} ${id}`, key, options);
      await (await ConsoleApi.of(options)).ask('DELETE', `${at(command, id)}/keys/${encodeURIComponent(key)}`);
      print(`Removed key ${key} of ${one} ${id}`);
    });

const remove = ({ command, one, example }: Kind): Command =>
  withConsoleOptions(new Command('remove').summary('remove one for good').argument('<id>'))
    .description(`Removes ${article(one)} ${one}: its clients are closed and its keys become invalid.`)
    .option('--yes', withoutQuestion)
    .addHelpText('after', examples([`rookery ${command} remove ${example.id}`, 'removes it from every process']))
    .action(async (id: string, options: ConsoleOptions & Confirmed) => {
      await confirm(`Removing ${one} ${id}`, id, options);
      await (await ConsoleApi.of(options)).ask('DELETE', at(command, id));
      print(`Removed ${one} ${id}`);
    });

const at = (command: string, id: string): string => `admin/${command}/${encodeURIComponent(id)}`;

const article = (noun: string): string => (noun.startsWith('a') ? 'an' : 'a');
