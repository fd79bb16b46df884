import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

let server: ChannelsServer;
const clients: SocketClient[] = [];
beforeAll(async () => {
  server = await startChannels({ apps: [testApp], cacheTtlSeconds: 1800 });
});
afterEach(() => clients.splice(0).forEach((client) => client.close()));
afterAll(() => server.close());

const connect = async () => {
  const client = await SocketClient.connect(server.port);
  clients.push(client);
  return client;
};
const trigger = (channel: string, data: string, more = {}) =>
  overSocket(server, signed('POST', '/events', { name: 'e', channels: [channel], data, ...more }));

/** A refused subscribe is said twice: pusher:error with its code, and pusher:subscription_error on the channel. */
async function refusal(client: SocketClient) {
  const error = await client.next('pusher:error');
  const onChannel = await client.next('pusher:subscription_error');
  return { error: error.data, channel: onChannel.channel, onChannel: JSON.parse(onChannel.data as string) };
}

describe('subscribing', () => {
  it('accepts its data as a JSON string too', async () => {
    const client = await connect();
    client.send({ event: 'pusher:subscribe', data: '{"channel":"public","auth":""}' });
    await client.next('pusher_internal:subscription_succeeded');
  });

  it.each([
    ['auth', { auth: 7 }],
    ['auth', { auth: { token: 'x' } }],
    ['channel_data', { auth: '', channel_data: { user_id: '7' } }],
  ])('is refused like any other subscription when %s is no text: %j', async (field, data) => {
    const client = await connect();
    client.send({ event: 'pusher:subscribe', data: { channel: 'presence-a', ...data } });
    const text = `Invalid message: ${field} must be a string`;
    expect(await refusal(client)).toEqual({
      error: { code: null, message: text },
      channel: 'presence-a',
      onChannel: { type: 'Error', error: text, status: 400 },
    });
    client.sendSubscribe('public');
    await client.next('pusher_internal:subscription_succeeded');
  });

  it('verifies the documented token', async () => {
    const { verifyToken, subscriptionText } = await import('../../libs/channels/src/protocol/subscription-token.js');
    const check = (auth: string, channel: string, data?: string) =>
      verifyToken(testApp, subscriptionText('1234.1234', channel, data), `${testApp.key}:${auth}`);
    check('58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4', 'private-foobar');
    check(
      '31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80',
      'presence-foobar',
      '{"user_id":10,"user_info":{"name":"Mr. Channels"}}',
    );
    expect(() => check('58df8b0c', 'private-foobar')).toThrow('Invalid signature');
  });

  it.each([
    [
      'a wrong signature',
      'private-a',
      `${testApp.key}:abc`,
      'Invalid signature: Expected HMAC SHA256 hex digest of',
      401,
    ],
    ['no token', 'private-a', undefined, "Invalid key in subscription auth data: ''", 401],
    ['the key of another app', 'private-a', 'other:abc', "Invalid key in subscription auth data: 'other'", 401],
    [
      'a wrong signature on an encrypted channel',
      'private-encrypted-a',
      `${testApp.key}:abc`,
      'Invalid signature',
      401,
    ],
    ['a wrong signature on a presence channel', 'presence-a', `${testApp.key}:abc`, 'Invalid signature', 401],
    ['a wrong signature on a private cache channel', 'private-cache-a', `${testApp.key}:abc`, 'Invalid signature', 401],
    [
      'the channel of a user who is not signed in',
      '#server-to-user-7',
      '',
      'Not signed in as the user of #server-to-user-7',
      401,
    ],
    ['a name with a space', 'a b', '', 'Invalid channel name', 400],
    ['an empty name', '', '', 'Invalid channel name', 400],
    ['a name that is too long', 'c'.repeat(201), '', 'Invalid channel name', 400],
    ['a reserved name', '#sessions-7', '', 'Invalid channel name', 400],
  ])('with %s is refused and the connection stays', async (_what, channel, auth, text, status) => {
    const client = await connect();
    client.send({ event: 'pusher:subscribe', data: { channel, auth } });
    const { error, onChannel, channel: named } = await refusal(client);
    expect(error).toEqual({ code: null, message: expect.stringContaining(text) });
    expect(named).toBe(channel);
    expect(onChannel).toEqual({ type: status === 401 ? 'AuthError' : 'Error', error: error.message, status });
    await trigger('private-a', '1');
    expect(await client.settled('e')).toEqual([]);
  });

  it('twice is refused, and the first subscription stays', async () => {
    const client = await connect();
    await client.subscribe('public');
    client.sendSubscribe('public');
    expect((await refusal(client)).error).toEqual({ code: null, message: 'Existing subscription to channel public' });
    await trigger('public', '1');
    await client.next('e');
    expect(await client.settled('e')).toEqual([]);
  });

  it('can be undone: nothing more arrives, and undoing it again is an error', async () => {
    const client = await connect();
    await client.subscribe('public');
    client.send({ event: 'pusher:unsubscribe', data: { channel: 'public' } });
    expect(await client.settled('pusher:error')).toEqual([]);
    await trigger('public', '1');
    expect(await client.settled('e')).toEqual([]);
    client.send({ event: 'pusher:unsubscribe', data: { channel: 'public' } });
    expect((await client.next('pusher:error')).data).toEqual({
      code: null,
      message: 'No current subscription to channel public, or subscription in progress',
    });
    await client.subscribe('public');
  });

  it('is isolated by app', async () => {
    const two = await startChannels({ apps: [testApp, { ...testApp, id: '4', key: 'other' }] });
    const ours = await SocketClient.connect(two.port);
    const theirs = await SocketClient.connect(two.port, { ...testApp, key: 'other' });
    await ours.subscribe('same');
    await theirs.subscribe('same');
    await overSocket(two, signed('POST', '/events', { name: 'e', channels: ['same'], data: '1' }));
    await ours.next('e');
    expect(await theirs.settled('e')).toEqual([]);
    [ours, theirs].forEach((client) => client.close());
    await two.close();
  });
});

describe('a cache channel', () => {
  it('forgets after its time, and does not cache client events', async () => {
    const brief = await startChannels({ apps: [{ ...testApp, clientEvents: true }], cacheTtlSeconds: 0.05 });
    const client = await SocketClient.connect(brief.port);
    await overSocket(brief, signed('POST', '/events', { name: 'e', channels: ['private-cache-a'], data: '1' }));
    const cached = () =>
      overSocket(brief, signed('GET', '/channels/private-cache-a', undefined, { query: { info: 'cache' } }));
    await until(async () => (await cached()).text.includes('"cache":null'), 'it is forgotten');
    client.sendSubscribe('private-cache-a');
    await client.next('pusher:cache_miss');
    client.send({ event: 'client-e', channel: 'private-cache-a', data: {} });
    const other = await SocketClient.connect(brief.port);
    other.sendSubscribe('private-cache-a');
    await other.next('pusher:cache_miss');
    [client, other].forEach((each) => each.close());
    await brief.close();
  });
});
