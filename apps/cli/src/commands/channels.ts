import { Command } from 'commander';
import { channelsClient, type Query } from '@rookery/client/server';
import { channelKind } from '@rookery/client';
import { examples } from '../examples.js';
import { print, printJson, printTable } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { answered } from '../server/answers.js';
import { type AppOptions, appOf, withAppOptions } from '../server/app-options.js';

interface ChannelsOptions extends AppOptions, JsonOptions {
  readonly prefix?: string;
  readonly info?: string;
}

export const channels = (): Command =>
  withJson(
    withAppOptions(
      new Command('channels')
        .summary('list the occupied channels, or show one')
        .description('Lists the occupied channels, presence channels with their users; or shows one channel.')
        .argument('[channel]', 'to show')
        .option('--prefix <text>', 'only channels that begin with it')
        .option('--info <attributes>', 'of one channel, also: subscription_count, if the app counts them'),
    ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery channels', 'all occupied channels'],
        ['rookery channels --prefix presence-', 'all presence channels'],
        ['rookery channels cache-prices', 'its state and last event'],
      ),
    )
    .action(async (channel: string | undefined, options: ChannelsOptions) => {
      if (channel === undefined) await list(options);
      else await tellOf(channel, options);
    });

async function list({ prefix, json, query, ...options }: ChannelsOptions): Promise<void> {
  const app = await appOf(options);
  const ask = (asked: Query) => answered(app.url, channelsClient(app).get('channels', asked));
  const { channels: all } = await ask(prefix === undefined ? {} : { filter_by_prefix: prefix });
  // Users are counted only on presence channels, which need a request of their own.
  const asked = prefix !== undefined && channelKind(prefix).isPresence ? prefix : 'presence-';
  const isAnyOfPresence = Object.keys(all).some((name) => name.startsWith(asked));
  const counted = isAnyOfPresence ? await ask({ filter_by_prefix: asked, info: 'user_count' }) : { channels: {} };
  const found = Object.fromEntries(Object.keys(all).map((name) => [name, counted.channels[name] ?? {}]));
  if (json) return printJson({ channels: found }, query);
  const rows = Object.entries(found)
    .toSorted(byName)
    .map(([name, { user_count: users }]) => [name, users === undefined ? '' : String(users)]);
  if (rows.length === 0) print('No channel is occupied');
  else printTable(['channel', 'users'], rows);
}

async function tellOf(channel: string, options: ChannelsOptions): Promise<void> {
  const app = await appOf(options);
  const { isPresence, isCache } = channelKind(channel);
  const kinds = [isPresence && 'user_count', isCache && 'cache', options.info];
  const info = kinds.filter((each) => each);
  const query: Query = info.length > 0 ? { info: info.join(',') } : {};
  const state = await answered(app.url, channelsClient(app).get(`channels/${encodeURIComponent(channel)}`, query));
  if (options.json) return printJson(state, options.query);
  print(`${channel} is ${state.occupied ? 'occupied' : 'not occupied'}`);
  if (state.user_count !== undefined) print(`users: ${state.user_count}`);
  if (state.subscription_count !== undefined) print(`subscriptions: ${state.subscription_count}`);
  if (isCache) print(state.cache ? `remembers for ${state.cache.ttl} s: ${state.cache.data}` : 'remembers nothing');
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
