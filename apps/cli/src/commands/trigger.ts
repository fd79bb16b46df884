import { Command } from 'commander';
import { text } from 'node:stream/consumers';
import { channelsClient } from '@rookery/client/server';
import { examples } from '../examples.js';
import { print, printJson } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { answered } from '../server/answers.js';
import { type AppOptions, appOf, withAppOptions } from '../server/app-options.js';

interface TriggerOptions extends AppOptions, JsonOptions {
  readonly except?: string;
  readonly info?: string;
}

export const trigger = (): Command =>
  withJson(
    withAppOptions(
      new Command('trigger')
        .summary('send an event to channels')
        .description('Sends an event to one or more channels.')
        .argument('<channels>', 'a channel, or up to 100 separated by commas')
        .argument('<event>')
        .argument('[data]', 'JSON or any text; - reads stdin', '{}')
        .option('--except <socket id>', 'connection to exclude')
        .option('--info <attributes>', 'to print for each channel: subscription_count, user_count'),
    ),
  )
    .addHelpText(
      'after',
      examples(
        [`rookery trigger my-channel my-event '{"hello":"world"}'`, 'to the development app'],
        [`rookery trigger news,sports headline '"Hello"'`, 'to two channels'],
        ['date | rookery trigger clock tick -', "another command's output"],
      ),
    )
    .action(async (channels: string, event: string, data: string, options: TriggerOptions) => {
      const app = await appOf(options);
      const names = channels.split(',');
      const sent = data === '-' ? (await text(process.stdin)).trimEnd() : data;
      const more = { socket_id: options.except, info: options.info };
      const answer = await answered(app.url, channelsClient(app).trigger(names, event, sent, more));
      if (options.json) return printJson(answer, options.query);
      print(`Sent ${event} to ${names.join(', ')}`);
      for (const [name, counts] of Object.entries(answer.channels ?? {})) print(`${name}: ${countsText(counts)}`);
    });

const countsText = (counts: object): string =>
  Object.entries(counts)
    .map(([attribute, count]) => `${attribute} ${count}`)
    .join(', ');
