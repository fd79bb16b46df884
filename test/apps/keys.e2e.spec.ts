import Pusher from 'pusher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const fresh = { ...testApp, key: 'new-key', secret: 'new-secret' };
const old = testApp;
const other = { id: '4', key: 'other-key', secret: 'other-secret' };
let receiver: WebhookReceiver;
let server: ChannelsServer;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const webhooks = [{ url: receiver.url('/hook'), events: ['channel_occupied'] }];
  server = await startChannels({ apps: [{ ...fresh, keys: [{ key: old.key, secret: old.secret }], webhooks }, other] });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

const event = { name: 'e', channels: ['private-a'], data: 'd' };

describe.each(transports)('while a secret is replaced, %s', (_, transport: Transport) => {
  it('requests signed with either pair are accepted, and their events reach the clients of both', async () => {
    const clients = [await SocketClient.connect(server.port, fresh), await SocketClient.connect(server.port, old)];
    for (const client of clients) await client.subscribe('private-a');
    for (const app of [fresh, old])
      expect(await transport(server, signed('POST', '/events', event, { app }))).toMatchObject({ status: 200 });
    for (const client of clients) {
      for (const __ of [fresh, old]) expect(await client.next('e')).toMatchObject({ data: 'd' });
      client.close();
    }
  });

  it.each([
    ['the key of one with the secret of the other', { ...fresh, secret: old.secret }, 'Invalid signature'],
    ['the old key with the new secret', { ...old, secret: fresh.secret }, 'Invalid signature'],
    ['a key of another app', { ...other, id: fresh.id }, 'Unknown auth_key for this app'],
  ])('%s is refused', async (__, app, text) => {
    const answer = await transport(server, signed('POST', '/events', event, { app }));
    expect([answer.status, answer.text]).toEqual([401, expect.stringContaining(text)]);
  });
});

describe('while a secret is replaced', () => {
  it('a client may connect with one key and hold a token of the other', async () => {
    const client = await SocketClient.connect(server.port, old);
    const text = `${client.socketId}:private-b`;
    const auth = new Pusher({ appId: fresh.id, key: fresh.key, secret: fresh.secret, host: '' }).authorizeChannel(
      client.socketId,
      'private-b',
    ).auth;
    client.send({ event: 'pusher:subscribe', data: { channel: 'private-b', auth } });
    expect(await client.next('pusher_internal:subscription_succeeded')).toMatchObject({ channel: 'private-b' });
    client.send({
      event: 'pusher:subscribe',
      data: { channel: 'private-c', auth: client.sign(text).replace(old.key, fresh.key) },
    });
    expect((await client.next('pusher:error')).data).toMatchObject({
      message: expect.stringContaining('Invalid signature') as string,
    });
    client.send({ event: 'pusher:subscribe', data: { channel: 'private-d', auth: 'other-key:00' } });
    expect((await client.next('pusher:error')).data).toMatchObject({
      message: "Invalid key in subscription auth data: 'other-key'",
    });
    client.close();
  });

  it('webhooks are signed with the old one, which their receivers know', async () => {
    const client = await SocketClient.connect(server.port, old);
    await client.subscribe('watched');
    await receiver.untilEvents('/hook', 1);
    const [webhook] = receiver.at('/hook').slice(-1);
    const { id: appId, key, secret } = old;
    const verified = new Pusher({ appId, key, secret, host: '' }).webhook({
      headers: webhook!.headers,
      rawBody: webhook!.rawBody,
    });
    expect(verified.isValid()).toBe(true);
    client.close();
  });
});
