import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signed, type Transport, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const small = {
  ...testApp,
  clientEvents: true,
  limits: { eventDataBytes: 10, clientEventsPerSecond: 2, presenceMembers: 1 },
};
const plain = { ...testApp, id: '4', key: 'plain', clientEvents: true };
const slow = { ...testApp, id: '5', key: 'slow', limits: { triggersPerSecond: 3 } };
let server: ChannelsServer;
let direct: ChannelsServer;
beforeAll(async () => {
  const options = { apps: [small, plain, slow], limits: { eventDataBytes: 20, presenceMembers: 3 } };
  server = await startChannels(options);
  direct = await startChannels({ ...options, bypassRouter: true });
});
afterAll(() => Promise.all([server.close(), direct.close()]));

const ways: readonly (readonly [string, () => ChannelsServer, Transport])[] = [
  ...transports.map(([name, transport]) => [name, () => server, transport] as const),
  ['past the router', () => direct, transports[0]![1]],
];

const event = (bytes: number) => ({ name: 'e', channels: ['a'], data: 'x'.repeat(bytes) });

describe.each(ways)('an app with limits of its own, %s', (_, of, transport) => {
  it.each([
    ['its own size', small, 10, 11],
    ["the module's size", plain, 20, 21],
  ])('has %s of events', async (__, app, fits, exceeds) => {
    expect((await transport(of(), signed('POST', '/events', event(fits), { app }))).status).toBe(200);
    const refused = await transport(of(), signed('POST', '/events', event(exceeds), { app }));
    expect([refused.status, refused.text]).toEqual([413, expect.stringContaining(`(${fits} bytes)`)]);
    const batch = { batch: [{ name: 'e', channel: 'a', data: 'x'.repeat(exceeds) }] };
    expect((await transport(of(), signed('POST', '/batch_events', batch, { app }))).status).toBe(413);
  });
});

describe('an app with limits of its own', () => {
  it('has its own rate and size of client events', async () => {
    const [alice, bob] = [await SocketClient.connect(server.port), await SocketClient.connect(server.port)];
    for (const client of [alice, bob]) await client.subscribe('private-a');
    alice.send({ event: 'client-e', channel: 'private-a', data: 'x'.repeat(11) });
    expect((await alice.next('pusher:error')).data).toMatchObject({
      message: 'Client event rejected - data exceeds the allowed maximum (10 bytes)',
    });
    for (let i = 0; i < 3; i++) alice.send({ event: 'client-e', channel: 'private-a', data: String(i) });
    expect((await alice.next('pusher:error')).data).toMatchObject({ code: 4301 });
    expect(await bob.settled('client-e')).toHaveLength(2);
    for (const client of [alice, bob]) client.close();
  });

  it('has its own size of presence channels', async () => {
    const [a, b, c] = await Promise.all([testApp, testApp, plain].map((app) => SocketClient.connect(server.port, app)));
    await a!.subscribe('presence-a', { user_id: 'a' });
    b!.sendSubscribe('presence-a', { user_id: 'b' });
    expect((await b!.next('pusher:error')).data).toMatchObject({ message: expect.stringContaining('(1 members)') });
    await c!.subscribe('presence-a', { user_id: 'c' });
    for (const client of [a!, b!, c!]) client.close();
  });
});

describe.each([
  ['over a socket', () => server],
  ['past the router', () => direct],
])('triggers beyond the rate of an app, %s', (_, of) => {
  it('are answered 429 with Retry-After, and the others are served', async () => {
    const post = async (path: string, body: unknown) => {
      const { url, body: text } = signed('POST', path, body, { app: slow });
      const answer = await fetch(`http://127.0.0.1:${of().port}${url}`, { method: 'POST', body: String(text) });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
    };
    const one = { name: 'e', channel: 'a', data: 'd' };
    // Retried, so that what was triggered before is over, however fast this machine is.
    let first = await post('/batch_events', { batch: [one, one, one] });
    while (first.status === 429) first = await post('/batch_events', { batch: [one, one, one] });
    expect(first).toEqual({ status: 200, retryAfter: null, text: '{}' });
    expect(await post('/events', one)).toEqual({
      status: 429,
      retryAfter: '1',
      text: 'Too many events: at most 3 may be triggered in a second\n',
    });
    const { url, body } = signed('POST', '/events', one, { app: plain });
    expect((await fetch(`http://127.0.0.1:${of().port}${url}`, { method: 'POST', body: String(body) })).status).toBe(
      200,
    );
  });
});
