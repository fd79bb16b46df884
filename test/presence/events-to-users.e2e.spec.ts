import { Injectable } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventsService, OnUserOnline, type UserActivity } from 'rookery/channels';
import { startHost } from '../support/channels-host.js';
import { testApp } from '../support/channels-server.js';
import { PusherJs } from '../support/pusher-js.js';
import { type Frame, SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const channelOf = (userId: string): string => `#server-to-user-${userId}`;

/** Greets everyone who comes online. */
@Injectable()
class Greeter {
  constructor(private readonly events: EventsService) {}

  @OnUserOnline()
  async online({ appId, userId }: UserActivity): Promise<void> {
    for (const data of ['1', '2', '3'])
      await this.events.trigger(appId, { name: 'e', channel: channelOf(userId), data });
  }
}

let host: Awaited<ReturnType<typeof startHost>>;
let users = 0;
let user: string;
const closing: (() => void)[] = [];
beforeAll(async () => {
  host = await startHost('Fastify', [Greeter], () => {}, { webhookSender: { pollMs: 10 } });
});
beforeEach(() => void (user = `user-${(users += 1)}`));
afterEach(() => closing.splice(0).forEach((close) => close()));
afterAll(() => host.close());

const toUser = (data: string, name = 'e') => host.pusher.sendToUser(user, name, data);

async function connect(): Promise<SocketClient> {
  const client = await SocketClient.connect(host.port);
  closing.push(() => client.close());
  return client;
}
/** What a client was sent from its sign-in on: data of the user's events, names of others. */
const sent = ({ frames }: SocketClient): string[] =>
  frames.map(({ event, data }: Frame) => (event === 'e' ? (data as string) : event));
const isSent = (client: SocketClient, text: string) => until(() => sent(client).includes(text), `${text} is sent`);
const signIn = (client: SocketClient, more: object = {}): void => {
  const userData = JSON.stringify({ id: user, ...more });
  const auth = client.sign(`${client.socketId}::user::${userData}`);
  client.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
};
const subscribe = (client: SocketClient): void =>
  client.send({ event: 'pusher:subscribe', data: { auth: '', channel: channelOf(user) } });

/** The official client, with what its user heard. */
function page(watchlist: readonly string[] = []) {
  const id = user;
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: host.port,
    forceTLS: false,
    enabledTransports: ['ws'],
    userAuthentication: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId }, callback) =>
        callback(null, host.pusher.authenticateUser(socketId, { id, watchlist: [...watchlist] })),
    },
  });
  closing.push(() => client.disconnect());
  const heard: string[] = [];
  client.user.bind('e', (data: unknown) => heard.push(String(data)));
  client.signin();
  return { heard, user: client.user };
}

describe('events for a user', () => {
  it('that @OnUserOnline sends reach the page that has just signed in, in order and once', async () => {
    const { heard } = page();
    await until(() => heard.includes('3'), 'the page hears the last');
    await toUser('4');
    await until(() => heard.includes('4'), 'the page hears one more');
    expect(heard).toEqual(['1', '2', '3', '4']);
  });

  it('that are sent once a watchlist says that the user is online are received', async () => {
    const id = user;
    user = `watcher of ${id}`;
    const { user: watcher } = page([id]);
    const online: string[] = [];
    watcher.watchlist.bind('online', ({ user_ids: ids }: { user_ids: string[] }) => {
      online.push(...ids);
      void toUser('watched');
    });
    await until(() => watcher.user_data !== null, 'the watcher is signed in');
    user = id;
    const client = await connect();
    signIn(client);
    await isSent(client, 'watched');
    expect(online).toEqual([id]);
  });

  it('follow signin_success, and are sent once to a client that subscribes itself', async () => {
    const client = await connect();
    signIn(client);
    await isSent(client, '3');
    subscribe(client);
    await isSent(client, 'pusher_internal:subscription_succeeded');
    await toUser('4');
    await isSent(client, '4');
    expect(sent(client)).toEqual([
      'pusher:signin_success',
      '1',
      '2',
      '3',
      'pusher_internal:subscription_succeeded',
      '4',
    ]);
  });

  it('sent between the sign-in and the own subscription come once and in order', async () => {
    const client = await connect();
    signIn(client);
    subscribe(client);
    for (const data of ['4', '5']) await toUser(data);
    for (const data of ['3', '5']) await isSent(client, data);
    const data = sent(client).filter((each) => !each.startsWith('pusher'));
    expect(data.toSorted()).toEqual(['1', '2', '3', '4', '5']);
    expect(data.filter((each) => each < '4')).toEqual(['1', '2', '3']);
    expect(data.filter((each) => each > '3')).toEqual(['4', '5']);
    expect(sent(client)[0]).toBe('pusher:signin_success');
  });

  it('are confirmed by one subscription: a second is refused', async () => {
    const client = await connect();
    signIn(client);
    subscribe(client);
    await client.next('pusher_internal:subscription_succeeded');
    subscribe(client);
    const { data } = await client.next('pusher:error');
    expect((data as { message: string }).message).toContain('Existing subscription');
  });

  it('end with unsubscribing, and go on with subscribing again', async () => {
    const client = await connect();
    signIn(client);
    await isSent(client, '3');
    client.send({ event: 'pusher:unsubscribe', data: { channel: channelOf(user) } });
    await client.settled('');
    await toUser('4');
    subscribe(client);
    await client.next('pusher_internal:subscription_succeeded');
    await toUser('5');
    await isSent(client, '5');
    expect(sent(client)).not.toContain('4');
  });

  it('reach nobody whose sign-in is refused', async () => {
    const client = await connect();
    client.send({ event: 'pusher:signin', data: { auth: `${testApp.key}:0`, user_data: `{"id":"${user}"}` } });
    await client.next('pusher:error');
    await toUser('1');
    expect(await client.settled('e')).toEqual([]);
  });
});
