import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventsService } from 'rookery/channels';
import { withoutDoubles } from '@rookery/client';
import { WebSocketServer } from 'ws';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

const clients: PusherJs[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

/** Stock pusher-js with a session. */
function connect(port: number): PusherJs {
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: port,
    wsPath: `/session/${randomUUID()}`,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  clients.push(client);
  return client;
}

/** What a client hears of everything but pusher-js itself. */
function heardBy(client: PusherJs): string[] {
  const heard: string[] = [];
  client.bind_global((event: string, data: unknown) => {
    if (!event.startsWith('pusher:')) heard.push(event === 'e' ? String(data) : event);
  });
  return heard;
}

describe('with a server that never asks for acknowledgements', () => {
  let server: ChannelsServer;
  beforeAll(async () => {
    const history = [{ channels: 'orders' }, { channels: 'short', events: 2 }];
    server = await startChannels({ apps: [{ ...testApp, history }], sessions: { pingMs: 600_000 } });
  });
  afterAll(() => server.close());

  const trigger = (channel: string, data: number) =>
    server.app.get(EventsService).trigger(testApp.id, { name: 'e', channel, data: String(data) });

  /** What a client hears that comes back to a channel twice. */
  async function heardOn(channel: string, client: PusherJs): Promise<string[]> {
    const heard = heardBy(client);
    await joined(client, channel);
    for (let data = 1; data <= 2; data++) await trigger(channel, data);
    await until(() => heard.includes('2'), 'both have come');
    for (let data = 3; data <= 4; data++) {
      client.disconnect();
      await trigger(channel, data);
      client.connect();
      await until(() => heard.includes(String(data)), 'what it missed has come');
    }
    await trigger(channel, 5);
    await until(() => heard.includes('5'), 'what is new has come');
    return heard;
  }

  it('a stock client gets everything again with each connection', async () => {
    expect((await heardOn('orders', connect(server.port))).join(' ')).toBe('1 2 1 2 3 1 2 3 4 5');
  });

  it('a client without duplicates gets each event once', async () => {
    expect((await heardOn('orders', withoutDoubles(connect(server.port)))).join(' ')).toBe('1 2 3 4 5');
  });

  it('a connected client can become one without duplicates', async () => {
    const client = connect(server.port);
    await joined(client, 'elsewhere');
    expect((await heardOn('orders', withoutDoubles(client))).join(' ')).toBe('1 2 3 4 5');
  });

  it('a client without duplicates is told of a gap, and gets the rest of the history once', async () => {
    const heard = await heardOn('short', withoutDoubles(connect(server.port)));
    expect(heard.join(' ')).toBe('1 2 rookery:gap 3 rookery:gap 4 5');
  });
});

describe('with frames written by hand', () => {
  let server: WebSocketServer;
  beforeAll(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  /** A client without doubles, and what it hears of frames. */
  async function hearing(...frames: readonly object[]): Promise<string> {
    server.once('connection', (socket) => {
      const send = (frame: object) => socket.send(JSON.stringify(frame));
      send({ event: 'pusher:connection_established', data: '{"socket_id":"1.1","activity_timeout":120}' });
      for (const frame of frames) send(frame);
      send({ event: 'end' });
    });
    const heard = heardBy(withoutDoubles(connect((server.address() as AddressInfo).port)));
    await until(() => heard.at(-1) === 'end', 'all has been read');
    return heard.slice(0, -1).join(' ');
  }

  const ping = { event: 'pusher:ping', data: '{}' };
  const pings = (count: number) => Array.from({ length: count }, () => ping);
  const live = (data: number, channel = 'a', position = `p${data}`) => ({ event: 'e', channel, data, position });
  const replayed = (data: number, channel = 'a', position?: string) => ({
    ...live(data, channel, position),
    replayed: true,
  });

  it.each([
    ['an event that was missed between two that came', [live(1), live(3), replayed(2), replayed(3)], '1 3 2'],
    ['an event that was replayed, and is replayed again', [replayed(1), replayed(1)], '1'],
    ['events of one position on two channels', [live(1), replayed(1, 'b')], '1 1'],
    ['an event that is sent anew, as a cache channel does', [live(1), live(1)], '1 1'],
    [
      'events without a position',
      [
        { event: 'e', data: 7 },
        { event: 'e', data: 7, replayed: true },
      ],
      '7 7',
    ],
    [
      'an event whose data speaks of positions',
      [{ event: 'e', data: '{"position":"p1"}' }, live(1)],
      '[object Object] 1',
    ],
    ['an event that nineteen pings followed', [live(1), ...pings(19), live(2), replayed(1)], '1 2'],
    ['an event too old to be replayed', [live(1), ...pings(20), live(2), replayed(1)], '1 2 1'],
    [
      'an event that a session had to be told again after many pings',
      [live(1), ...pings(30), replayed(1), live(2), replayed(1)],
      '1 2',
    ],
  ])('gets %s', async (_, frames, heard) => {
    expect(await hearing(...frames)).toBe(heard);
  });
});
