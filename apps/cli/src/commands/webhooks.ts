import { Command, Option } from 'commander';
import type { DeadWebhook, Webhooks } from '../../../console/src/api/contract.js';
import { counted } from '../../../console/src/parts/amounts.js';
import { ago } from '../../../console/src/parts/time.js';
import { examples } from '../examples.js';
import { WrongUse } from '../fault.js';
import { print, printList } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { appOption } from '../server/app-options.js';
import { withConsoleOptions } from '../server/console-api.js';
import { appInConsole, type ConsoleOwner, instanceInConsole, type OwnerOptions } from '../server/console-owner.js';
import { consoleRows, limitOption } from '../server/console-rows.js';

export const webhooks = (): Command =>
  new Command('webhooks')
    .summary('list given-up webhooks, and send them again')
    .description('The webhooks of an app or a push instance that were given up, because their last attempt failed.')
    .addCommand(list())
    .addCommand(resend())
    .helpCommand(false);

const list = (): Command =>
  withJson(
    withOwnerOptions(
      new Command('list')
        .summary('list the given-up webhooks, newest first')
        .description('Lists the given-up webhooks of an app or push instance, newest first.'),
    ).option(...limitOption),
    'print them as JSON, with their bodies',
  )
    .addHelpText(
      'after',
      examples(
        ['rookery webhooks list', 'of the only app, with last errors'],
        ['rookery webhooks list --instance 8a0c…', 'of a push instance'],
      ),
    )
    .action(async ({ json, query, limit, ...options }: OwnerOptions & JsonOptions & { readonly limit: number }) => {
      const owner = await ownerOf(options);
      const rows = await consoleRows<DeadWebhook>(owner, 'webhooks/dead', 'webhooks', limit);
      printList(rows, columns, { json, query, empty: 'No webhook was given up' });
      if (json) return;
      const { dead, dropped } = await owner.api.ask<Webhooks>('GET', `${owner.path}/webhooks`);
      if (dropped === 0) return;
      const older = `${counted(dropped, 'older one')} ${dropped === 1 ? 'was' : 'were'}`;
      print(`The latest ${dead} are kept; ${older} dropped and cannot be sent again.`);
    });

const columns: Readonly<Record<string, (webhook: DeadWebhook) => string>> = {
  webhook: ({ id }) => id,
  events: ({ events }) => events.join(', '),
  'last error': ({ lastError }) => lastError,
  to: ({ url }) => url,
  'given up': ({ at }) => ago(at),
};

const resend = (): Command =>
  withOwnerOptions(
    new Command('resend')
      .summary('send given-up webhooks again')
      .description('Sends given-up webhooks again, with as many attempts as new ones.')
      .argument('[ids...]', 'as shown by list')
      .option('--all', 'all of the app or push instance'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery webhooks resend --all', 'once the endpoint is repaired'],
        ['rookery webhooks resend 1f3a…', 'one'],
      ),
    )
    .action(async (ids: readonly string[], { all, ...options }: OwnerOptions & { readonly all?: boolean }) => {
      if ((all === true) === ids.length > 0)
        throw new WrongUse('Which webhooks? Pass their ids as shown by list, or --all');
      const { api, path } = await ownerOf(options);
      if (all) {
        const { resent } = await api.ask<{ readonly resent: number }>('POST', `${path}/webhooks/dead/resend`, {});
        return print(`Sending again: ${resent}`);
      }
      for (const id of ids) {
        await api.ask('POST', `${path}/webhooks/dead/${encodeURIComponent(id)}/resend`, {});
        print(`Sending ${id} again`);
      }
    });

const withOwnerOptions = (command: Command): Command =>
  withConsoleOptions(
    command
      .option(...appOption)
      .addOption(new Option('--instance <id>', 'a push instance, instead of an app').conflicts('app')),
  );

const ownerOf = (options: OwnerOptions): Promise<ConsoleOwner> =>
  options.instance === undefined ? appInConsole(options) : instanceInConsole(options);
