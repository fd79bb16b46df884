import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const quiet = { ...testApp, id: '4', key: 'quiet' };
let server: ChannelsServer;
const clients: SocketClient[] = [];
beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, clientEvents: true }, quiet] });
});
afterEach(() => clients.splice(0).forEach((client) => client.close()));
afterAll(() => server.close());

const connect = async (app = testApp) => {
  const client = await SocketClient.connect(server.port, app);
  clients.push(client);
  return client;
};
const message = async (client: SocketClient) => (await client.next('pusher:error')).data as unknown;

describe('a client event', () => {
  it.each([
    [{ a: 1 }, '{"a":1}'],
    [[1, 2], '[1,2]'],
    [null, 'null'],
    [7, '7'],
    ['{"a":1}', '{"a":1}'],
    ['1234567890123456789', '1234567890123456789'],
  ])('carries %j as the text %s', async (data, text) => {
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('private-a');
    alice.send({ event: 'client-e', channel: 'private-a', data });
    expect((await bob.next('client-e')).data).toBe(text);
  });

  it("keeps the digits of numbers beyond a double's precision", async () => {
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('private-a');
    alice.send('{"event":"client-e","data":{ "id": 1234567890123456789, "s": "}" },"channel":"private-a"}');
    expect((await bob.next('client-e')).data).toBe('{"id":1234567890123456789,"s":"}"}');
    alice.send('{"event":"client-e","data":12345678901234567890,"channel":"private-a"}');
    expect((await bob.next('client-e')).data).toBe('12345678901234567890');
    alice.send('{"event":"client-e","data":{ "a": 1.0, "b": 1e400, "c": -0 },"channel":"private-a"}');
    expect((await bob.next('client-e')).data).toBe('{"a":1.0,"b":1e400,"c":-0}');
  });

  it.each([
    [
      'a channel it is not on',
      'private-other',
      {},
      'Cannot broadcast client event (connection not subscribed to channel private-other)',
    ],
    ['a public channel', 'public', {}, 'Client event rejected - only supported on private and presence channels'],
    ['no data', 'private-a', undefined, 'Invalid client event (must contain channel and data)'],
    ['no channel', undefined, {}, 'Invalid client event (must contain channel and data)'],
    [
      'data over 10 KB',
      'private-a',
      'x'.repeat(10_241),
      'Client event rejected - data exceeds the allowed maximum (10240 bytes)',
    ],
  ])('with %s is refused and the connection stays', async (_what, channel, data, text) => {
    const alice = await connect();
    for (const name of ['public', 'private-a']) await alice.subscribe(name);
    alice.send({ event: 'client-e', channel, data });
    expect(await message(alice)).toEqual({ code: null, message: text });
    await alice.settled('nothing');
  });

  it('is refused if the app has client events switched off', async () => {
    const alice = await connect(quiet);
    await alice.subscribe('private-a');
    alice.send({ event: 'client-e', channel: 'private-a', data: {} });
    expect(await message(alice)).toEqual({
      code: null,
      message: 'To send client events, you must enable this feature in the Settings page of your dashboard.',
    });
  });

  it('is dropped with 4301 after ten in a second, and the connection stays', async () => {
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('private-a');
    for (let n = 0; n < 11; n++) alice.send({ event: 'client-n', channel: 'private-a', data: n });
    expect(await message(alice)).toMatchObject({ code: 4301 });
    expect((await bob.settled('client-n')).map(({ data }) => data)).toEqual(
      Array.from({ length: 10 }, (_, i) => `${i}`),
    );
    expect(alice.closed).toBeUndefined();
  });

  it('is not accepted with a reserved name', async () => {
    const alice = await connect();
    await alice.subscribe('private-a');
    alice.send({ event: 'my-event', channel: 'private-a', data: {} });
    expect(await message(alice)).toEqual({ code: null, message: "Unknown event 'my-event'" });
  });
});
