import { Command } from 'commander';
import type { Activity } from '../../../console/src/api/contract.js';
import { isEvent, kindNames, summaryOf } from '../../../console/src/live/summary-words.js';
import { clock } from '../../../console/src/parts/time.js';
import { styleOf } from '../colour.js';
import { examples } from '../examples.js';
import { print, printMarked } from '../output.js';
import { appOption } from '../server/app-options.js';
import { withConsoleOptions } from '../server/console-api.js';
import { appInConsole, type OwnerOptions } from '../server/console-owner.js';
import { activityFeed } from '../server/activity-feed.js';

interface LogsOptions extends OwnerOptions {
  readonly kinds?: string;
  readonly channel?: string;
  readonly text?: string;
  readonly socket?: string;
  readonly json?: boolean;
}

export const logs = (): Command =>
  withConsoleOptions(
    new Command('logs')
      .summary('follow what happens in an app')
      .description(
        'Prints the activities of an app, from the last minutes until you stop it: connections, subscriptions, ' +
          'events with their ids, requests, errors and webhooks. Reconnects when the connection is lost.',
      )
      .option('--kinds <kinds>', 'only these, such as error,webhook')
      .option('--channel <name>', 'only channels with this in their names; * stands for any text')
      .option('--text <text>', 'only with this in name, data, message, user id or webhook')
      .option('--socket <id>', 'only of this connection')
      .option(...appOption)
      .option('--json', 'print each activity as a line of JSON'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery logs', 'of the only app'],
        ['rookery logs --kinds error,webhook', 'only errors and webhooks'],
        ["rookery logs --json --channel 'orders-*' | jq .name", 'for a script'],
      ),
    )
    .action(async ({ kinds, channel, text, socket, json, ...options }: LogsOptions) => {
      const filter = Object.entries({ kinds, channel, text, socket }).filter(([, value]) => value !== undefined);
      const app = await appInConsole(options);
      const stopped = new AbortController();
      process.once('SIGINT', () => stopped.abort());
      const query = new URLSearchParams(filter as [string, string][]);
      for await (const activity of activityFeed(app, query, stopped.signal))
        if (json) print(JSON.stringify(activity));
        else printActivity(activity);
    });

function printActivity(activity: Activity): void {
  const [name, tone] = kindNames[activity.kind] ?? [activity.kind, ''];
  const { channel, socketId, id } = activity;
  // The id of an event is what `rookery why` takes.
  const rest = [channel, summaryOf(activity), socketId, isEvent(activity) ? id : ''].filter(Boolean).join('  ');
  const mark = `${clock(activity.at)}  ${name.padEnd(14)}`;
  printMarked(styleOf(tone), mark, `  ${rest}`);
}
