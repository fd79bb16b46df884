import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsMetrics, EventsService, subscriptionText, tokenFor } from 'rookery/internal/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { cpuMs } from '../support/cpu-time.js';
import { HttpClient } from '../support/http-client.js';
import { clientFrame, RawClient, upgradeRequest } from '../support/raw-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

// What one client, who knows only an app's key, may cause. The clients live in the server's process, and their share of
// the processor is included in the bounds.

const limits = {
  subscriptions: 200,
  subscribesPerSecond: 5,
  newChannelsPerMinute: 1200,
  refusalsPerSecond: 20,
};
let server: ChannelsServer;
const clients: { close(): void }[] = [];
beforeAll(async () => void (server = await startChannels({ apps: [testApp], limits })));
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => server.close());

const kept = <T extends { close(): void }>(client: T): T => {
  clients.push(client);
  return client;
};
const connect = async () => kept(await SocketClient.connect(server.port));
const metric = async (limit: string, { app } = server): Promise<number> => {
  const text = await app.get(ChannelsMetrics).registry.metrics();
  return Number(new RegExp(`limits_reached_total\\{limit="${limit}"\\} (\\d+)`).exec(text)?.[1]);
};
const subscribe = (channel: string) => ({ event: 'pusher:subscribe', data: { channel } });

describe('a client that sends a huge number of empty messages', () => {
  const empty = clientFrame(1, '');

  it.each([1, 4])(
    'costs little over a WebSocket, and %d times as much for as many times the messages',
    async (times) => {
      const client = await RawClient.upgrade(server.port);
      const messages = [clientFrame(1, JSON.stringify(subscribe('news'))), ...Array(10_800 * times).fill(empty)];
      const took = await cpuMs(async () => {
        client.write(Buffer.concat(messages));
        await until(() => client.closeCode !== undefined, 'the client is closed');
      });
      expect(client.closeCode).toBe(4100);
      expect(took).toBeLessThan(1500);
      await client.ended();
    },
  );

  it('costs little over HTTP', async () => {
    const client = kept(await HttpClient.connect(server.port, 'xhr_streaming'));
    const took = await cpuMs(async () => {
      for (let body = 0; body < 20; body++) await client.post(Array(1000).fill(''));
      expect(await client.closing()).toMatchObject({ code: 4100 });
    });
    expect(took).toBeLessThan(1500);
  });

  it('is refused when one request has more messages than a client ever sends', async () => {
    const client = kept(await HttpClient.connect(server.port, 'xhr'));
    expect(await client.post(Array(20_000).fill(''))).toBe(400);
    await client.subscribe('news');
  });

  it('delays no other client', async () => {
    const [attacker, bystander] = [kept(await HttpClient.connect(server.port, 'xhr_streaming')), await connect()];
    const done = Promise.all(Array.from({ length: 20 }, () => attacker.post(Array(1000).fill(''))));
    expect(await cpuMs(() => bystander.settled(''))).toBeLessThan(1000);
    await done;
  });
});

it('handles all messages that arrive together in their order, however many they are', async () => {
  const client = await RawClient.upgrade(server.port);
  const channels = Array.from({ length: limits.subscriptions }, (_, i) => `ordered-${i}`);
  client.write(Buffer.concat(channels.map((channel) => clientFrame(1, JSON.stringify(subscribe(channel))))));
  const answered = () =>
    Array.from(client.received.toString().matchAll(/"channel":"(ordered-\d+)"/g), ([, name]) => name);
  await until(() => answered().length === channels.length, 'all are answered');
  expect(answered()).toEqual(channels);
  client.socket.destroy();
});

it('refuses subscribes above the rate with 4301, and accepts them again later', async () => {
  const client = await connect();
  const before = await metric('subscribesPerSecond');
  for (let i = 0; i < 250; i++) {
    client.send(subscribe('comes-and-goes'));
    client.send({ event: 'pusher:unsubscribe', data: { channel: 'comes-and-goes' } });
  }
  expect(await client.next('pusher:error')).toMatchObject({
    data: { code: 4301, message: 'Subscribe rate limit exceeded: at most 5 per second' },
  });
  expect(JSON.parse((await client.next('pusher:subscription_error')).data as string)).toEqual({
    type: 'LimitReached',
    error: 'Subscribe rate limit exceeded: at most 5 per second',
    status: 4301,
  });
  expect(await metric('subscribesPerSecond')).toBeGreaterThan(before);
  await until(async () => {
    client.send(subscribe('later'));
    return (await client.settled('pusher_internal:subscription_succeeded')).some(({ channel }) => channel === 'later');
  }, 'it is accepted again');
  expect(client.closed).toBeUndefined();
});

it('refuses to open new channels above the rate, but lets the client join those of others', async () => {
  const patient = await startChannels({
    apps: [testApp],
    limits: { ...limits, subscriptions: 5, subscribesPerSecond: 50, newChannelsPerMinute: 5 },
  });
  const [owner, client] = [await SocketClient.connect(patient.port), await SocketClient.connect(patient.port)];
  await owner.subscribe('of-others');
  for (let i = 0; i < 5; i++) {
    await client.subscribe(`new-${i}`);
    client.send({ event: 'pusher:unsubscribe', data: { channel: `new-${i}` } });
  }
  client.send(subscribe('one-more'));
  expect(await client.next('pusher:error')).toMatchObject({
    data: { code: 4301, message: 'New channel rate limit exceeded: at most 5 per minute' },
  });
  await client.subscribe('of-others');
  owner.close();
  client.close();
  await patient.close();
});

it('warns a client whose messages are refused again and again, then closes it', async () => {
  const client = await connect();
  for (let i = 0; i < 400; i++) client.send('nonsense');
  expect(await client.closing()).toEqual({ code: 4100, reason: 'Over capacity: too many refused messages' });
  const errors = client.frames.filter(({ event }) => event === 'pusher:error').map(({ data }) => data as unknown);
  expect(errors.filter((data) => JSON.stringify(data).includes('not JSON')).length).toBeGreaterThanOrEqual(200);
  expect(errors.at(-1)).toEqual({ code: 4301, message: 'Too many refused messages: at most 20 per second' });
});

it('closes a client that sends, but reads nothing of what waits for it', async () => {
  const patient = await startChannels({ apps: [testApp], limits: { queuedBytes: 1e9, queuedMs: 1000 } });
  const [reader, client] = [await SocketClient.connect(patient.port), await RawClient.upgrade(patient.port)];
  await reader.subscribe('flood');
  client.write(clientFrame(1, JSON.stringify(subscribe('flood'))));
  await until(() => client.received.includes('subscription_succeeded'), 'it is on the channel');
  client.socket.pause();
  await until(async () => {
    client.write(clientFrame(10, ''));
    // So much at a time that the buffers of the kernel are soon full.
    const event = { name: 'e', channel: 'flood', data: 'x'.repeat(10_000) };
    for (let n = 0; n < 20; n++) await patient.app.get(EventsService).trigger(testApp.id, event);
    return (await metric('queuedMs', patient)) === 1;
  }, 'the client is closed');
  expect(reader.closed).toBeUndefined();
  client.socket.destroy();
  reader.close();
  await patient.close();
});

describe('clients of one network, behind a trusted proxy', () => {
  const history = [{ channels: '*', events: 10 }];
  let shared: ChannelsServer;
  beforeAll(async () => {
    shared = await startChannels({
      apps: [{ ...testApp, history }],
      trustProxy: '127.0.0.1',
      limits: { connectionsPerAddress: 3, newSessionsPerAddress: 1 },
    });
  });
  afterAll(() => shared.close());

  const open = async (address: string, session = '', { port } = shared): Promise<RawClient> => {
    const client = await RawClient.open(port);
    const request = upgradeRequest(`${session && `/session/${session}`}/app/${testApp.key}?protocol=7`);
    client.write(request.replace('\r\n', `\r\nX-Forwarded-For: 8.8.8.8, ${address}\r\n`));
    await until(() => /connection_established|Over capacity/.test(client.received.toString()), 'it is answered');
    kept({ close: () => client.socket.destroy() });
    return client;
  };
  const isRefused = ({ received }: RawClient): boolean => received.includes('Over capacity');

  it.each([
    ['1.0.0.1', '1.0.0.1:4711', '1.0.0.2'],
    ['2a00:1450::1', '2a00:1450::2', '2a00:1451::1'],
  ])('have a limited number of connections: %s', async (one, same, other) => {
    const first = await open(one);
    for (let i = 0; i < 2; i++) expect(isRefused(await open(one))).toBe(false);
    const refused = await open(same);
    expect(refused.received.toString()).toContain('Over capacity: too many connections from this address');
    expect(isRefused(await open(other))).toBe(false);
    first.socket.destroy();
    await until(async () => !isRefused(await open(same)), 'one that left makes room');
    expect(await metric('connectionsPerAddress', shared)).toBeGreaterThan(0);
  });

  it('have none where their addresses are private, because these may be those of proxies', async () => {
    for (let i = 0; i < 8; i++) expect(isRefused(await open('192.168.0.7'))).toBe(false);
  });

  it('open a limited number of connections in a minute, one after the other', async () => {
    const patient = await startChannels({
      apps: [testApp],
      trustProxy: '127.0.0.1',
      limits: { newConnectionsPerAddress: 1 },
    });
    const visit = async (address: string): Promise<boolean> => {
      const client = await open(address, '', patient);
      client.socket.destroy();
      return !isRefused(client);
    };
    for (let i = 0; i < 10; i++) expect(await visit('1.0.0.4')).toBe(true);
    const refused = await open('1.0.0.4', '', patient);
    expect(refused.received.toString()).toContain('Over capacity: too many new connections from this address');
    expect(await visit('1.0.0.5')).toBe(true);
    expect(await metric('newConnectionsPerAddress', patient)).toBe(1);
    await patient.close();
  });

  it('share a budget: a fresh connection does not bring a fresh one', async () => {
    const patient = await startChannels({
      apps: [testApp],
      trustProxy: '127.0.0.1',
      limits: { subscriptions: 10, newChannelsPerMinute: 1, budgetsPerAddress: 3 },
    });
    const scan = async (address: string): Promise<number> => {
      const client = await open(address, '', patient);
      const answered = (): number => client.received.toString().split(/subscription_(?:succeeded|error)/).length - 1;
      const channels = Array.from({ length: 10 }, (_, n) =>
        clientFrame(1, JSON.stringify(subscribe(`${address}-${n}`))),
      );
      client.write(Buffer.concat(channels));
      await until(() => answered() === 10, 'all are answered');
      const { length } = client.received.toString().split('subscription_succeeded');
      await client.ended();
      return length - 1;
    };
    const opened: number[] = [];
    for (let i = 0; i < 20; i++) opened.push(await scan('1.0.0.6'));
    expect(opened.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(60);
    expect(await scan('1.0.0.7')).toBe(10);
    expect(await metric('budgetsPerAddress', patient)).toBeGreaterThan(0);
    await patient.close();
  });

  it('have a limited number of subscriptions together, and may subscribe again once one ends', async () => {
    const patient = await startChannels({
      apps: [testApp],
      trustProxy: '127.0.0.1',
      limits: { subscriptionsPerAddress: 3 },
    });
    const [one, same, other] = [
      await open('1.0.0.8', '', patient),
      await open('1.0.0.8', '', patient),
      await open('1.0.0.9', '', patient),
    ];
    const asks = async (client: RawClient, message: object, answer: string): Promise<void> => {
      client.received = Buffer.alloc(0);
      client.write(clientFrame(1, JSON.stringify(message)));
      await until(() => client.received.includes(answer), answer);
    };
    for (const channel of ['a', 'b', 'c']) await asks(one, subscribe(channel), 'subscription_succeeded');
    await asks(same, subscribe('a'), 'The connections of an address may have at most 3 subscriptions');
    await asks(other, subscribe('a'), 'subscription_succeeded');
    one.socket.destroy();
    await until(async () => {
      await asks(same, subscribe('a'), '"channel":"a"');
      return same.received.includes('subscription_succeeded');
    }, 'there is room again');
    await patient.close();
  });

  it.each([
    [
      'of one user, on connections of any networks',
      { clientEventBytesPerUser: 1000 },
      ['1.0.1.1', '1.0.1.2'],
      'mallory',
    ],
    ['of one network, for all their receivers', { clientEventFanOutPerAddress: 2000 }, ['1.0.1.3', '1.0.1.3'], ''],
  ])('send a limited number of bytes as client events: those %s', async (_, bounds, addresses, user) => {
    const app = { ...testApp, clientEvents: true };
    const patient = await startChannels({ apps: [app], trustProxy: '127.0.0.1', limits: bounds });
    const channel = 'presence-room';
    const join = async (address: string, userId: string): Promise<RawClient> => {
      const client = await open(address, '', patient);
      const socketId = /"socket_id\\":\\"([\d.]+)/.exec(client.received.toString())![1]!;
      const channelData = JSON.stringify({ user_id: userId });
      const auth = tokenFor(app, subscriptionText(socketId, channel, channelData));
      const data = { channel, auth, channel_data: channelData };
      client.write(clientFrame(1, JSON.stringify({ event: 'pusher:subscribe', data })));
      await until(() => client.received.includes('subscription_succeeded'), 'it has joined');
      return client;
    };
    const say = (client: RawClient): void => {
      const said = { event: 'client-said', channel, data: 'x'.repeat(500) };
      client.write(clientFrame(1, JSON.stringify(said)));
    };
    const others = [await join('1.0.2.1', 'other'), await join('1.0.2.2', 'another')];
    const attackers = await Promise.all(addresses.map((address, n) => join(address, user || `mallory ${n}`)));
    for (const attacker of attackers) for (let n = 0; n < 8; n++) say(attacker);
    for (const attacker of attackers)
      await until(() => attacker.received.includes('bytes per second'), 'it is refused');
    say(others[0]!);
    await until(() => others[1]!.received.includes('"user_id":"other"'), 'others go on');
    // Sixteen without a limit.
    expect(others[1]!.received.toString().split('"user_id":"mallory').length - 1).toBeLessThan(8);
    expect(await metric(Object.keys(bounds)[0]!, patient)).toBeGreaterThan(0);
    await patient.close();
  });

  it('begin a limited number of sessions, and continue as many as they like', async () => {
    const begun = Array.from({ length: 10 }, (_, i) => `session-of-network-${i}`);
    const visit = async (session: string): Promise<boolean> => {
      const client = await open('1.0.0.3', session);
      if (isRefused(client)) return false;
      client.write(clientFrame(1, JSON.stringify(subscribe('news'))));
      await until(() => client.received.includes('subscription_succeeded'), 'it is on a channel');
      const left = client.ended();
      await left;
      return true;
    };
    for (const session of begun) expect(await visit(session)).toBe(true);
    expect(await visit('session-of-network-11')).toBe(false);
    expect(isRefused(await open('1.0.0.3'))).toBe(false);
    expect(await metric('newSessionsPerAddress', shared)).toBeGreaterThan(0);
  });
});
