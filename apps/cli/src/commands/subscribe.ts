import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { channelsClient } from '@rookery/client/server';
import { decoded, type ServerMessage, Socket } from '../channels/socket.js';
import { channelKind } from '@rookery/client';
import { examples } from '../examples.js';
import { Refused } from '../fault.js';
import { print, tell } from '../output.js';
import { wholeNumber } from '../whole-number.js';
import { type AppOptions, appOf, type ServedApp, withAppOptions } from '../server/app-options.js';

interface SubscribeOptions extends AppOptions {
  readonly as: string;
  readonly count?: number;
  readonly json?: boolean;
}

export const subscribe = (): Command =>
  withAppOptions(
    new Command('subscribe')
      .summary('print events of channels as they arrive')
      .description(
        'Prints the events of channels until you stop it. Signs its subscriptions itself, reconnects when the ' +
          'connection is lost, and leaves encrypted data encrypted.',
      )
      .argument('<channels...>', 'public, private and presence channels')
      .option('--as <user id>', 'user id on presence channels', 'rookery-cli')
      .option('-n, --count <events>', 'exit after so many', wholeNumber)
      .option('--json', 'print each event as a line of JSON'),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery subscribe my-channel', 'its events'],
        ['rookery subscribe news presence-room', 'with joins and leaves'],
        ['rookery subscribe -n 1 --json news | jq .data', 'one event, in a script'],
      ),
    )
    .action(async (channels: string[], options: SubscribeOptions) => {
      const app = await appOf(options);
      let left = await listen(app, channels, options, options.count ?? Infinity);
      while (left > 0) {
        await sleep(1000);
        left = await listen(app, channels, options, left).catch((error: unknown) => unlessRefused(error, left));
      }
    });

function unlessRefused<T>(error: unknown, left: T): T {
  if (error instanceof Refused) throw error;
  return left;
}

/** @returns how many events were still missing when the connection was lost */
async function listen(
  app: ServedApp,
  channels: readonly string[],
  options: SubscribeOptions,
  left: number,
): Promise<number> {
  let end: (left: number) => void;
  let fail: (error: Error) => void;
  const ended = new Promise<number>((resolve, reject) => ([end, fail] = [resolve, reject]));
  const socket: Socket = await Socket.connect(app, {
    received(message) {
      const line = lineOf(message, options);
      if (isRefusal(message))
        fail(new Refused(`${message.channel ?? app.url} refuses: ${JSON.stringify(decoded(message.data))}`));
      else if (line === undefined) tell(`Subscribed to ${message.channel}`);
      else {
        print(line);
        // The server's own events about members and counts do not count.
        if (!message.event.startsWith('pusher') && --left <= 0) end(left);
      }
    },
    lost(code, reason) {
      // Errors of the application do not go away by retrying (channels-wire §1.5).
      if (code >= 4000 && code < 4100) fail(new Refused(`${app.url} closed the connection: ${code} ${reason}`));
      else end(left);
      tell(`The connection was lost (${code} ${reason})`);
    },
  });
  const client = channelsClient(app);
  for (const channel of channels) socket.subscribe(channel, await tokenFor(client, socket.id, channel, options.as));
  return ended.finally(() => socket.close());
}

/** Public channels need no token. */
async function tokenFor(client: ReturnType<typeof channelsClient>, socketId: string, channel: string, userId: string) {
  const { isPresence, isPrivate } = channelKind(channel);
  if (isPresence) return client.authorizeChannel(socketId, channel, { user_id: userId });
  return isPrivate ? client.authorizeChannel(socketId, channel) : undefined;
}

const isRefusal = ({ event }: ServerMessage): boolean =>
  event === 'pusher:error' || event === 'pusher:subscription_error';

/** A line for an event; undefined for the confirmation of a subscription. */
function lineOf({ event, channel, data, user_id }: ServerMessage, { json }: SubscribeOptions): string | undefined {
  if (event === 'pusher_internal:subscription_succeeded') return undefined;
  const name = event.replace('pusher_internal:', 'pusher:');
  const time = new Date();
  if (json) return JSON.stringify({ time: time.toISOString(), channel, event: name, data: decoded(data), user_id });
  const content = typeof data === 'string' ? data : JSON.stringify(data ?? {});
  return `${time.toTimeString().slice(0, 8)}  ${channel}  ${name}  ${content}${user_id ? `  from ${user_id}` : ''}`;
}
