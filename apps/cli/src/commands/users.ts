import { Command } from 'commander';
import { channelsClient } from '@rookery/client/server';
import { examples } from '../examples.js';
import { print, printJson } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { answered } from '../server/answers.js';
import { type AppOptions, appOf, withAppOptions } from '../server/app-options.js';

export const users = (): Command =>
  new Command('users')
    .summary('list the users on a channel, send to a user, end connections')
    .description('The users of an app: members of presence channels, and signed-in users.')
    .addCommand(on())
    .addCommand(send())
    .addCommand(terminate())
    .helpCommand(false);

const on = (): Command =>
  withJson(
    withAppOptions(
      new Command('on')
        .summary('list the users on a presence channel')
        .description('Lists the user ids on a presence channel, one per line.')
        .argument('<channel>'),
    ),
  )
    .addHelpText('after', examples(['rookery users on presence-room', 'the users in the room']))
    .action(async (channel: string, { json, query, ...options }: AppOptions & JsonOptions) => {
      const app = await appOf(options);
      const answer = await answered(app.url, channelsClient(app).get(`channels/${encodeURIComponent(channel)}/users`));
      if (json) printJson(answer, query);
      else for (const { id } of answer.users) print(id);
    });

const send = (): Command =>
  withAppOptions(
    new Command('send')
      .summary('send an event to a user')
      .description('Sends an event to all connections of a signed-in user.')
      .argument('<user id>')
      .argument('<event>')
      .argument('[data]', 'JSON or any text', '{}'),
  )
    .addHelpText('after', examples([`rookery users send alice invited '{"to":"tea"}'`, 'reaches all her connections']))
    .action(async (userId: string, event: string, data: string, options: AppOptions) => {
      const app = await appOf(options);
      await answered(app.url, channelsClient(app).sendToUser(userId, event, data));
      print(`Sent ${event} to ${userId}`);
    });

const terminate = (): Command =>
  withAppOptions(
    new Command('terminate')
      .summary('end the connections of a user')
      .description('Ends all connections of a signed-in user. The SDKs do not reconnect.')
      .argument('<user id>'),
  )
    .addHelpText('after', examples(['rookery users terminate alice', 'disconnects her']))
    .action(async (userId: string, options: AppOptions) => {
      const app = await appOf(options);
      const client = channelsClient(app);
      const { online } = await answered(
        app.url,
        client.terminateUserConnections(userId, undefined, { info: 'online' }),
      );
      print(online === false ? `No connection was signed in as ${userId}` : `Ended the connections of ${userId}`);
    });
