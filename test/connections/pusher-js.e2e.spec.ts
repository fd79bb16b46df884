import PusherServer from 'pusher';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

let server: ChannelsServer;
let pusher: PusherServer;
const clients: PusherJs[] = [];

beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, clientEvents: true, subscriptionCount: true }] });
  pusher = new PusherServer({
    appId: testApp.id,
    ...testApp,
    host: '127.0.0.1',
    port: String(server.port),
    useTLS: false,
  });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
afterAll(() => server.close());

function connect(user?: { id: string; user_info?: unknown }): PusherJs {
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: server.port,
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId, channelName }, callback) => {
        const member = user && { user_id: user.id, ...(user.user_info ? { user_info: user.user_info } : {}) };
        callback(null, pusher.authorizeChannel(socketId, channelName, member));
      },
    },
    userAuthentication: {
      transport: 'ajax',
      endpoint: '',
      customHandler: ({ socketId }, callback) =>
        callback(null, pusher.authenticateUser(socketId, user as { id: string })),
    },
  });
  clients.push(client);
  return client;
}

it('delivers to pusher-js what the pusher library triggers', async () => {
  const channel = await joined(connect(), 'my-channel');
  const heard: unknown[] = [];
  channel.bind('my-event', (data: unknown) => heard.push(data));
  const response = await pusher.trigger('my-channel', 'my-event', { message: 'hello world' });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('{}');
  await until(() => heard.length > 0, 'the event arrives');
  expect(heard).toEqual([{ message: 'hello world' }]);
});

it('admits pusher-js to private and presence channels, and sends it the members', async () => {
  await joined(connect(), 'private-a');
  const alice = await joined(connect({ id: 'alice', user_info: { name: 'Alice' } }), 'presence-room');
  const added: unknown[] = [];
  const removed: unknown[] = [];
  alice.bind('pusher:member_added', (member: unknown) => added.push(member));
  alice.bind('pusher:member_removed', (member: unknown) => removed.push(member));
  const bobsClient = connect({ id: 'bob', user_info: { name: 'Bob' } });
  const bob = await joined(bobsClient, 'presence-room');
  await until(() => added.length > 0, 'Bob is announced');
  expect(added).toEqual([{ id: 'bob', info: { name: 'Bob' } }]);
  expect(bob.members.count).toBe(2);
  expect(bob.members.me).toEqual({ id: 'bob', info: { name: 'Bob' } });
  bobsClient.disconnect();
  await until(() => removed.length > 0, 'Bob is gone');
  expect(removed).toEqual([{ id: 'bob', info: { name: 'Bob' } }]);
});

it('relays a client event to the others only, with the sender on presence channels', async () => {
  const alice = await joined(connect({ id: 'alice' }), 'presence-chat');
  const bob = await joined(connect({ id: 'bob' }), 'presence-chat');
  const heard: unknown[] = [];
  alice.bind('client-typing', () => heard.push('echo'));
  bob.bind('client-typing', (data: unknown, metadata: unknown) => heard.push([data, metadata]));
  alice.trigger('client-typing', { fast: true });
  await until(() => heard.length > 0, 'the client event arrives');
  expect(heard).toEqual([[{ fast: true }, { user_id: 'alice' }]]);
});

it.each(['carol', 'auth0|abc', 'user:1', 'é', 'a b', '"\\/', 'u'.repeat(128)])(
  'signs the user %j in and delivers their events',
  async (id) => {
    const client = connect({ id });
    const heard: unknown[] = [];
    client.user.bind('news', (data: unknown) => heard.push(data));
    client.signin();
    await until(() => client.user.user_data !== null, 'the user is signed in');
    await until(async () => {
      await pusher.sendToUser(id, 'news', { n: 1 });
      return heard.length > 0;
    }, 'the event for the user arrives');
    expect(heard[0]).toEqual({ n: 1 });
  },
);

// The library puts the id into the path as it is: one with a slash or a question mark cannot be sent so.
it.each(['dave', 'auth0|dave', 'user:dave', 'davé', 'da ve'])(
  'terminates the connections of the user %j',
  async (id) => {
    const client = connect({ id });
    const errors: any[] = [];
    client.connection.bind('error', (error: unknown) => errors.push(error));
    client.signin();
    await until(() => client.user.user_data !== null, 'the user is signed in');
    await pusher.terminateUserConnections(id);
    await until(() => client.connection.state === 'disconnected', 'the user is sent away');
    expect(errors[0].data?.code ?? errors[0].error?.data?.code).toBe(4009);
  },
);
