import { afterEach, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

let server: ChannelsServer;
const clients: SocketClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server.close();
});

async function connect(subscriptions?: number): Promise<SocketClient> {
  server = await startChannels({ apps: [testApp], ...(subscriptions !== undefined && { limits: { subscriptions } }) });
  const client = await SocketClient.connect(server.port);
  clients.push(client);
  return client;
}

it('a connection is limited in its channels, and stays open', async () => {
  const client = await connect(2);
  await client.subscribe('a');
  await client.subscribe('private-b');
  client.sendSubscribe('c');
  const message = 'A connection may be on at most 2 channels';
  expect((await client.next('pusher:error')).data).toEqual({ code: null, message });
  const refused = await client.next('pusher:subscription_error');
  expect(refused.channel).toBe('c');
  expect(JSON.parse(refused.data as string)).toEqual({ type: 'LimitReached', error: message, status: 4100 });
  client.send({ event: 'pusher:unsubscribe', data: { channel: 'a' } });
  await client.subscribe('c');
});

it('a connection may be on 1000 channels by default', async () => {
  const client = await connect();
  for (let i = 0; i < 1000; i++) client.sendSubscribe(`channel-${i}`);
  client.sendSubscribe('one-more');
  expect((await client.next('pusher:subscription_error')).channel).toBe('one-more');
});
