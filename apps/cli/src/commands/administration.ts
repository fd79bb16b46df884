import { Command } from 'commander';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printJson, printTable } from '../output.js';
import { ConsoleApi, type ConsoleOptions, withConsoleOptions } from '../server/console-api.js';
import { setting, settingsIn, unset } from '../server/given-settings.js';

type Settings = Readonly<Record<string, unknown>>;

interface Administered extends Settings {
  readonly id: string;
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

/** What is administered, and how it is called. */
export interface Kind {
  readonly command: 'apps' | 'instances';
  readonly one: string;
  /** What a new one is told with. */
  readonly credentials: readonly string[];
  readonly example: { readonly id: string; readonly setting: string; readonly says: string; readonly key: string };
}

/** The commands that administer apps, or push instances, of a server that runs. */
export const administration = (kind: Kind): Command => {
  const { command, one } = kind;
  return new Command(command)
    .summary(`administer the ${one}s of a running server`)
    .description(
      `Lists, makes and changes the ${one}s that a server keeps in its database, through its console, while it runs. ` +
        'A change takes effect in every process within a second.',
    )
    .addCommand(list(kind))
    .addCommand(create(kind))
    .addCommand(edit(kind))
    .addCommand(able(kind, 'disable', false, 'refuse its requests and close its clients, until it is enabled'))
    .addCommand(able(kind, 'enable', true, 'serve it again'))
    .addCommand(rotate(kind))
    .addCommand(removeKey(kind))
    .addCommand(remove(kind))
    .helpCommand(false);
};

const list = ({ command, one }: Kind): Command =>
  withConsoleOptions(new Command('list').summary(`list the ${one}s`))
    .description(`Lists the ${one}s of the configuration and of the database, without their secrets.`)
    .option('--json', 'print them as JSON, with all settings')
    .addHelpText('after', examples([`rookery ${command} list`, `every ${one}, and where it stands`]))
    .action(async ({ json, ...options }: ConsoleOptions & { readonly json?: boolean }) => {
      const api = await ConsoleApi.of(options);
      const all = (await api.ask<Readonly<Record<string, readonly Administered[]>>>('GET', `admin/${command}`))[
        command
      ]!;
      if (json) return printJson(all);
      const rows = all.map(({ id, key, keys, enabled, origin }) => [
        id,
        [key, ...keys].join(', '),
        enabled ? 'yes' : 'no',
        origin,
      ]);
      if (rows.length === 0) print(`There is no ${one}`);
      else printTable([one, 'keys', 'enabled', 'from'], rows);
    });

const withSettings = (command: Command): Command =>
  withConsoleOptions(command)
    .option('--set <name=value>', 'a setting, as JSON or as a text; may be said several times', setting)
    .option('--settings <file>', 'several settings: a JSON object; - reads it from stdin', settingsIn);

const create = ({ command, one, credentials, example }: Kind): Command =>
  withSettings(
    new Command('create').summary(`make one, and print its credentials`).argument('[id]', 'made where it is not given'),
  )
    .description(`Makes ${article(one)} ${one} and prints its credentials: they are told this once.`)
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
    .description(`Changes settings of ${article(one)} ${one}; open connections take them up.`)
    .option('--unset <name>', 'give a setting its default; may be said several times', unset)
    .addHelpText('after', examples([`rookery ${command} edit ${example.id} --set ${example.setting}`, example.says]))
    .action(async (id: string, { set, unset: defaults, settings, ...options }: SettingsOptions) => {
      const changes = { ...settings, ...set, ...defaults };
      if (Object.keys(changes).length === 0) throw new WrongUse('What changes? Say --set, --unset or --settings');
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
  withConsoleOptions(new Command('rotate').summary('make other credentials, beside the old ones').argument('<id>'))
    .description('Makes other credentials and prints them. The old ones stay good until they are removed.')
    .addHelpText('after', examples([`rookery ${command} rotate ${example.id}`, 'the new ones, told this once']))
    .action(async (id: string, options: ConsoleOptions) => {
      printJson(await (await ConsoleApi.of(options)).ask('POST', `${at(command, id)}/rotate`, {}));
    });

const removeKey = ({ command, one, example }: Kind): Command =>
  withConsoleOptions(
    new Command('remove-key').summary('take an old key away').argument('<id>').argument('<key>', 'as list shows it'),
  )
    .description('Takes a key away that rotate has left: what is signed with it is refused from then on.')
    .addHelpText(
      'after',
      examples([`rookery ${command} remove-key ${example.id} ${example.key}`, 'it is good no more']),
    )
    .action(async (id: string, key: string, options: ConsoleOptions) => {
      await (await ConsoleApi.of(options)).ask('DELETE', `${at(command, id)}/keys/${encodeURIComponent(key)}`);
      print(`Removed key ${key} of ${one} ${id}`);
    });

const remove = ({ command, one, example }: Kind): Command =>
  withConsoleOptions(new Command('remove').summary('remove one for good').argument('<id>'))
    .description(`Removes ${article(one)} ${one}: its clients are closed and its keys are good no more.`)
    .addHelpText('after', examples([`rookery ${command} remove ${example.id}`, 'nobody knows it any more']))
    .action(async (id: string, options: ConsoleOptions) => {
      await (await ConsoleApi.of(options)).ask('DELETE', at(command, id));
      print(`Removed ${one} ${id}`);
    });

const at = (command: string, id: string): string => `admin/${command}/${encodeURIComponent(id)}`;

const article = (noun: string): string => (noun.startsWith('a') ? 'an' : 'a');
