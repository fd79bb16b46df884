import { Injectable } from '@nestjs/common';
import { OnSeen, type SeenActivity } from 'rookery/channels';
import { startHost } from '../support/channels-host.js';
import { PusherJs } from '../support/pusher-js.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** Hears who has seen events. */
@Injectable()
export class Readers {
  readonly heard: SeenActivity[] = [];

  @OnSeen('presence-*')
  seen(activity: SeenActivity): void {
    this.heard.push(activity);
  }
}

interface Page {
  readonly client: PusherJs;
  readonly messages: any[];
}

/** A host whose servers want to know who has received their events. */
export async function startReceipts(
  options: NonNullable<Parameters<typeof startHost>[3]> = { apps: [{ ...testApp, clientEvents: true }] },
) {
  const host = await startHost('Fastify', [Readers], () => {}, { sessions: { pingMs: 10 }, ...options });
  const clients: PusherJs[] = [];

  /** Stock pusher-js of a user, on a channel. */
  async function page(userId: string, channel: string, wsPath?: string): Promise<Page> {
    const client = new PusherJs(testApp.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: host.port,
      ...(wsPath && { wsPath }),
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: {
        endpoint: '',
        transport: 'ajax',
        customHandler: ({ socketId, channelName }, answer) =>
          answer(null, host.pusher.authorizeChannel(socketId, channelName, { user_id: userId })),
      },
      userAuthentication: {
        endpoint: '',
        transport: 'ajax',
        customHandler: ({ socketId }, answer) => answer(null, host.pusher.authenticateUser(socketId, { id: userId })),
      },
    });
    clients.push(client);
    const messages: any[] = [];
    const joined = client.subscribe(channel);
    joined.bind('message', (message: unknown) => messages.push(message));
    await until(() => joined.subscribed, `${userId} is on ${channel}`);
    return { client, messages };
  }

  /** Triggers with Pusher's own library. @returns the receipt */
  async function send(channel: string, data: object, more: object = {}): Promise<string> {
    const answer = await host.pusher.trigger(channel, 'message', data, { info: 'receipts', ...more });
    const { channels } = (await answer.json()) as { channels: Record<string, { receipts: string }> };
    return channels[channel]!.receipts;
  }

  /** The users of an event, as the API answers them. */
  async function receipts(receipt: string, query: Record<string, string> = {}): Promise<any[]> {
    const answer = await host.pusher.get({ path: `/receipts/${receipt}`, params: query });
    return ((await answer.json()) as { receipts: any[] }).receipts;
  }

  const users = async (receipt: string) => (await receipts(receipt)).map(({ user_id }) => user_id as string);
  const have = (receipt: string, ...ids: string[]) =>
    until(async () => (await users(receipt)).join() === ids.join(), `${ids.join(' and ')} have received it`);

  return {
    ...host,
    readers: host.app.get(Readers),
    page,
    send,
    receipts,
    have,
    disconnect: () => clients.splice(0).forEach((client) => client.disconnect()),
  };
}
