import { Command } from 'commander';
import type { Publish } from '../../../console/src/api/contract.js';
import { awayFrom } from '../../../console/src/parts/time.js';
import { audienceText, stateWord, sumOf, timeOf } from '../../../console/src/push/publish-words.js';
import { examples } from '../examples.js';
import { styleOf } from '../colour.js';
import { printJson, printList } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import type { Cell } from '../table.js';
import { withConsoleOptions } from '../server/console-api.js';
import { instanceInConsole, type OwnerOptions } from '../server/console-owner.js';
import { consoleRows, limitOption } from '../server/console-rows.js';
import { instanceOf, instanceOption, type InstanceOptions, withInstanceOptions } from '../server/instance-options.js';
import { printState, publishState } from '../server/publish-state.js';

export const publishes = (): Command =>
  new Command('publishes')
    .summary('list, show or cancel publishes')
    .description('The publishes of a push instance, by the id that rookery publish prints.')
    .addCommand(list())
    .addCommand(
      asking('show', 'GET', 'show how far a publish is', 'Shows the state of a publish, with counts by platform.'),
    )
    .addCommand(
      asking(
        'cancel',
        'DELETE',
        'cancel a scheduled or running publish',
        'Cancels a publish: remaining devices get nothing.',
      ),
    )
    .helpCommand(false);

const list = (): Command =>
  withJson(
    withConsoleOptions(
      new Command('list')
        .summary('list the publishes, newest first')
        .description('Lists the publishes of a push instance with their outcome, newest first.')
        .option(...instanceOption)
        .option(...limitOption),
    ),
  )
    .addHelpText('after', examples(['rookery publishes list --limit 5', 'the last five, and what became of them']))
    .action(async ({ json, query, limit, ...options }: ListOptions) => {
      const rows = await consoleRows<Publish>(await instanceInConsole(options), 'publishes', 'publishes', limit);
      printList(rows, columns, { json, query, empty: 'No publish found' });
    });

interface ListOptions extends OwnerOptions, JsonOptions {
  readonly limit: number;
}

const columns: Readonly<Record<string, (publish: Publish) => Cell>> = {
  publish: ({ id }) => id,
  state: (publish) => {
    const [text, tone] = stateWord(publish);
    return { text, style: styleOf(tone) };
  },
  title: ({ title }) => title ?? '',
  to: audienceText,
  sent: (publish) => String(sumOf(publish, 'sent')),
  failed: (publish) => String(sumOf(publish, 'failed')),
  later: (publish) => String(sumOf(publish, 'later')),
  when: (publish) => awayFrom(timeOf(publish)),
};

const asking = (name: string, method: 'GET' | 'DELETE', summary: string, description: string): Command =>
  withJson(
    withInstanceOptions(
      new Command(name)
        .summary(summary)
        .description(description)
        .argument('<publish id>', 'as printed by rookery publish'),
    ),
  )
    .addHelpText('after', examples([`rookery publishes ${name} pubid-1d2f…`, summary]))
    .action(async (publishId: string, { json, query, ...options }: InstanceOptions & JsonOptions) => {
      const state = await publishState(await instanceOf(options), publishId, method);
      if (json) printJson(state, query);
      else printState(state);
    });
