import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const other = { ...testApp, id: '4', key: 'other-key', limits: { triggersPerSecond: 0 } };
const apps = [{ ...testApp, subscriptionCount: true }, other];
const servers: ChannelsServer[] = [];
beforeAll(async () => {
  for (const bypassRouter of [false, true]) servers.push(await startChannels({ apps, bypassRouter }));
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

const event = { name: 'e', channels: ['a'], data: 'd', info: 'subscription_count' };
const json = { 'content-type': 'application/json' };

describe.each([
  ['by the controllers', 0],
  ['past the router', 1],
])('a trigger with an Idempotency-Key, answered %s', (_, at) => {
  const post = (path: string, body: object, key: string, app = testApp) =>
    overSocket(servers[at]!, signed('POST', path, body, { app, headers: { ...json, 'idempotency-key': key } }));
  let keys = 0;
  const key = () => `key ${at} ${keys++}`;

  it('is performed once, and repeats get the first answer, byte for byte', async () => {
    const client = await SocketClient.connect(servers[at]!.port);
    await client.subscribe('a');
    const mine = key();
    const first = await post('/events', event, mine);
    expect(first).toEqual({
      status: 200,
      contentType: 'application/json; charset=utf-8',
      text: '{"channels":{"a":{"subscription_count":1}}}',
    });
    const second = await SocketClient.connect(servers[at]!.port);
    await second.subscribe('a');
    expect(await post('/events', event, mine)).toEqual(first);
    expect(await client.settled('e')).toHaveLength(1);
    expect((await post('/events', event, key())).text).toBe('{"channels":{"a":{"subscription_count":2}}}');
    for (const each of [client, second]) each.close();
  });

  it('is performed once for concurrent requests', async () => {
    const client = await SocketClient.connect(servers[at]!.port);
    await client.subscribe('b');
    const mine = key();
    const batch = { batch: Array.from({ length: 3 }, () => ({ name: 'e', channel: 'b', data: 'd' })) };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post('/batch_events', batch, mine)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 200, text: '{}' });
    expect(await client.settled('e')).toHaveLength(3);
    client.close();
  });

  it('is answered 422 with the key of another request', async () => {
    const mine = key();
    await post('/events', event, mine);
    const refused = { status: 422, text: 'Idempotency-Key was used for a different request in the last 24 hours\n' };
    expect(await post('/events', { ...event, data: 'other' }, mine)).toMatchObject(refused);
    expect(await post('/batch_events', { batch: [] }, mine)).toMatchObject(refused);
  });

  it('is not remembered if it failed, and keys of two apps are isolated', async () => {
    const mine = key();
    expect(await post('/events', { ...event, name: '' }, mine)).toMatchObject({ status: 400 });
    expect(await post('/events', event, mine)).toMatchObject({ status: 200 });
    expect(await post('/events', event, mine, other)).toMatchObject({ status: 429 });
  });

  it.each(['', 'x'.repeat(256), 'é'])('is 400 with the key %j', async (wrong) => {
    expect(await post('/events', event, wrong)).toMatchObject({
      status: 400,
      text: 'Idempotency-Key must have 1 to 255 printable ASCII characters\n',
    });
  });
});
