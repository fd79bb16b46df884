import type { INestApplication } from '@nestjs/common';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AuthorizationModule, ChannelAuthorizer } from 'rookery/authorization';
import { ChannelsModule, EventsService, SubscriptionsService } from 'rookery/channels';
import { socketAuthorization } from '@rookery/client';
import { PresenceModule } from 'rookery/presence';
import { Channels, Orders, type User, Users } from '../support/authorizing-host.js';
import { testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

/** The owner of an order changes, and the answer may take its time. */
class ChangingOrders extends Orders {
  readonly taken = new Set<number>();
  readonly asked: number[] = [];
  gate: Promise<void> | undefined;

  override async isOf(user: User, orderId: number): Promise<boolean> {
    const answer = !this.taken.has(orderId) && (await super.isOf(user, orderId));
    this.asked.push(orderId);
    await this.gate;
    return answer;
  }
}

interface Process {
  readonly app: INestApplication;
  readonly port: number;
}

const orders = new ChangingOrders();
const processes: Process[] = [];
const clients: { disconnect(): void }[] = [];
const createWebSocket: unknown = (PusherJs as any).Runtime.createWebSocket;

beforeAll(async () => {
  const link = new Link();
  for (let n = 0; n < 2; n++) {
    const { app } = await createHost({
      platform: n === 0 ? 'Fastify' : 'Express',
      imports: [
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [testApp], broker: new LinkedBroker(link) }),
        AuthorizationModule.forRoot({ authorizeOnSubscribe: true, concurrency: 2 }),
      ],
      providers: [{ provide: Orders, useValue: orders }, Channels, Users],
    });
    processes.push({ app, ...(await listen(app)) });
  }
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
  (PusherJs as any).Runtime.createWebSocket = createWebSocket;
  orders.taken.clear();
  orders.asked.length = 0;
});
afterAll(() => Promise.all(processes.map(({ app }) => app.close())));

/** Stock pusher-js of a browser that has the user's cookie. It knows no auth endpoint. */
function connect(user: string, { port } = processes[0]!): PusherJs {
  (PusherJs as any).Runtime.createWebSocket = (url: string) =>
    new WebSocket(url, { headers: { cookie: `session=${user}` } });
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: socketAuthorization,
    userAuthentication: socketAuthorization,
  });
  clients.push(client);
  return client;
}

it('admits pusher-js to channels by the cookie of its socket, without an endpoint', async () => {
  const alice = connect('alice');
  await joined(alice, 'private-orders.7');
  await expect(joined(alice, 'private-orders.1001')).rejects.toMatchObject({ type: 'AuthError', status: 403 });
  await expect(joined(alice, 'private-nothing')).rejects.toMatchObject({ status: 403 });
  await expect(joined(alice, 'private-orders.x')).rejects.toMatchObject({ status: 400 });
});

it('signs pusher-js in, and admits it to presence channels as the user', async () => {
  const alice = connect('alice');
  alice.signin();
  const room = await joined(alice, 'presence-room.kitchen');
  expect(room.members.me).toEqual({ id: 'alice', info: { name: 'Alice' } });
  expect(alice.user.user_data).toMatchObject({ id: 'alice' });
});

it('refuses channels to sockets without a user, and ignores members that a client names', async () => {
  await expect(joined(connect('nobody'), 'private-orders.7')).rejects.toMatchObject({ status: 401 });
  expect(orders.asked).toEqual([]);
  const bob = connect('bob');
  const room = await new Promise<any>((resolve) => {
    bob.connection.bind('connected', () => {
      const data = { channel: 'presence-room.kitchen', auth: '', channel_data: '{"user_id":"alice"}' };
      bob.send_event('pusher:subscribe', data);
    });
    bob.connection.bind('message', ({ event, data }: any) => event.includes('succeeded') && resolve(data));
  });
  expect(room.presence.ids).toEqual(['bob']);
});

it('still accepts tokens, and refuses a wrong one', async () => {
  const client = await SocketClient.connect(processes[0]!.port);
  clients.push({ disconnect: () => client.close() });
  await client.subscribe('private-orders.7');
  client.send({ event: 'pusher:subscribe', data: { channel: 'private-orders.8', auth: 'x:y' } });
  expect(JSON.parse((await client.next('pusher:subscription_error')).data)).toMatchObject({ status: 401 });
  expect(orders.asked).toEqual([]);
});

it('revokes access on all processes at once, and authorizes anew', async () => {
  const [here, there] = processes as [Process, Process];
  const [first, second] = [connect('alice', here), connect('alice', there)];
  const channels = [await joined(first, 'private-orders.7'), await joined(second, 'private-orders.7')];
  const other = await joined(first, 'private-orders.8');
  const ended: unknown[] = [];
  const heard: string[] = [];
  for (const channel of channels) {
    channel.bind('pusher:subscription_error', (error: unknown) => ended.push(error));
    channel.bind('note', () => heard.push('7'));
  }
  other.bind('note', () => heard.push('8'));

  orders.taken.add(7);
  await here.app.get(SubscriptionsService).revoke('alice', 'private-orders.7');
  await until(() => ended.length === 2, 'both are told');
  const error = 'Access to channel private-orders.7 was taken back';
  expect(ended).toEqual([0, 1].map(() => ({ type: 'AuthError', error, status: 403 })));
  const event = { name: 'note', channels: ['private-orders.7', 'private-orders.8'], data: '' };
  await there.app.get(EventsService).trigger(testApp.id, event);
  await until(() => heard.length > 0, 'the other channel hears');
  expect(heard).toEqual(['8']);

  first.unsubscribe('private-orders.7');
  await expect(joined(first, 'private-orders.7')).rejects.toMatchObject({ status: 403 });
  orders.taken.clear();
  second.unsubscribe('private-orders.7');
  await joined(second, 'private-orders.7');
});

it('revokes access of a client that is subscribing', async () => {
  let open = (): void => {};
  orders.gate = new Promise((resolve) => (open = resolve));
  const alice = connect('alice');
  const told: unknown[] = [];
  const channel = alice.subscribe('private-orders.9');
  channel.bind_global((event: string, data: unknown) => told.push([event, data]));
  await until(() => orders.asked.includes(9), 'the host has said yes');
  await processes[1]!.app.get(SubscriptionsService).revoke('alice', 'private-orders.9');
  open();
  orders.gate = undefined;
  await until(() => told.length === 2, 'the client is told');
  expect(told).toMatchObject([
    ['pusher:subscription_succeeded', {}],
    ['pusher:subscription_error', { status: 403 }],
  ]);
});

it('removes a member with a signed token, and no longer accepts the token', async () => {
  const client = await SocketClient.connect(processes[0]!.port);
  clients.push({ disconnect: () => client.close() });
  await client.subscribe('presence-room.roof', { user_id: 'carol' });
  await processes[1]!.app.get(SubscriptionsService).revoke('carol', 'presence-room.roof', testApp.id);
  expect(await client.next('pusher:subscription_error')).toMatchObject({ channel: 'presence-room.roof' });
  client.sendSubscribe('presence-room.roof', { user_id: 'carol' });
  expect(JSON.parse((await client.next('pusher:subscription_error')).data)).toMatchObject({
    error: 'Access to channel presence-room.roof was taken back',
  });
});

it('queues clients beyond the concurrency, and loses none', async () => {
  const channels = Array.from({ length: 4 }, () => joined(connect('alice'), 'private-orders.5'));
  await Promise.all(channels);
  expect(orders.asked).toEqual([5, 5, 5, 5]);
});

it("needs a method that identifies a socket's user", async () => {
  class Everything {
    @ChannelAuthorizer('private-{name}')
    yes(): boolean {
      return true;
    }
  }
  const imports = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp] }),
    AuthorizationModule.forRoot({ authorizeOnSubscribe: true }),
  ];
  const { app } = await createHost({ imports, providers: [Everything] });
  await expect(app.init()).rejects.toThrow('authorizeOnSubscribe needs a method with @UserAuthenticator()');
  await app.close();
});
