import { Injectable } from '@nestjs/common';
import type Pusher from 'pusher';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OnSeen, type SeenActivity } from 'rookery/channels';
import { seen, type SeeingChannel } from '@rookery/client';
import { startHost } from '../support/channels-host.js';
import { testApp } from '../support/channels-server.js';
import { PusherJs, joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

// What docs/receipts.md shows.

@Injectable()
class Readers {
  readonly messages = {
    read: [] as string[],
    readBy: async (...by: string[]) => this.messages.read.push(by.join(' ')),
  };

  @OnSeen('presence-*')
  async mark({ userId, receipt, seen }: SeenActivity): Promise<void> {
    if (seen === 'shown') await this.messages.readBy(userId, receipt);
  }
}

type Seeing = Omit<SeeingChannel, 'bind'> & { bind(event: string, callback: (data: any) => void): unknown };

let host: Awaited<ReturnType<typeof startHost>>;
let pusher: Pusher;
let client: PusherJs;
beforeAll(async () => {
  host = await startHost('Fastify', [Readers], () => {});
  pusher = host.pusher;
  client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: host.port,
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: {
      endpoint: '',
      transport: 'ajax',
      customHandler: ({ socketId, channelName }, answer) =>
        answer(null, pusher.authorizeChannel(socketId, channelName, { user_id: 'alice' })),
    },
  });
});
afterAll(async () => {
  client.disconnect();
  await host.close();
});

const trigger = async (): Promise<string> => {
  const answer = await pusher.trigger('presence-room', 'message', { text: 'Lunch?' }, { info: 'receipts' });
  const { receipts } = (await answer.json()).channels['presence-room'];
  // Later:
  const known = await pusher.get({ path: `/receipts/${receipts}` });
  expect(await known.json()).toEqual({ receipts: [] });
  return receipts as string;
};

it('a server learns who has received and shown its message', async () => {
  // In JavaScript, data has any type.
  const channel = (await joined(client, 'presence-room')) as Seeing;
  const shown: string[] = [];
  const show = ({ text }: { readonly text: string }) => shown.push(text);
  channel.bind('message', (message) => {
    show(message);
    seen(channel, message);
  });
  const receipts = await trigger();
  await until(async () => {
    const known = (await (await pusher.get({ path: `/receipts/${receipts}` })).json()) as { receipts: object[] };
    return known.receipts.some((one) => 'shown_at' in one);
  }, 'it is shown');
  expect(shown).toEqual(['Lunch?']);
  const { read } = host.app.get(Readers).messages;
  await until(() => read.length > 0, 'the application has heard');
  expect(read).toEqual([`alice ${receipts}`]);
});

it('a page without @rookery/client says so by pusher-js', async () => {
  const channel = client.channel('presence-room');
  const pusherOfPage = client;
  const messages: any[] = [];
  channel.bind('message', (message: any) => messages.push(message));
  const receipts = await trigger();
  await until(() => messages.length > 0, 'it has come');
  pusherOfPage.send_event('rookery:seen', { receipts: [messages[0].rookery.receipt] }, channel.name);
  const { read } = host.app.get(Readers).messages;
  await until(() => read.includes(`alice ${receipts}`), 'the application has heard');
});
