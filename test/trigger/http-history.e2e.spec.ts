import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventsService, HistoryService } from 'rookery/channels';
import { signed, transports } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const app = {
  ...testApp,
  clientEvents: true,
  history: [
    { channels: 'orders-*', events: 3 },
    { channels: 'private-chat', clientEvents: true },
    { channels: 'presence-*' },
  ],
};
const capped = {
  ...testApp,
  id: '4',
  key: 'capped',
  history: [{ channels: '*', events: 5 }],
  limits: { historyEvents: 1 },
};
const heavy = { ...testApp, id: '5', key: 'heavy', history: [{ channels: '*' }] };
let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [app, capped, heavy], limits: { historyBytes: 400 }, bypassRouter: true });
});
afterAll(() => server.close());

const trigger = (channel: string, data: string, of = testApp, name = 'e') =>
  server.app.get(EventsService).trigger(of.id, { name, channel, data });

const get = (channel: string, query: Record<string, string> = {}, of = testApp) =>
  transports[0]![1](server, signed('GET', `/channels/${channel}/events`, undefined, { query, app: of }));

async function past(...asked: Parameters<typeof get>) {
  const { text } = await get(...asked);
  const json = JSON.parse(text) as Awaited<ReturnType<HistoryService['read']>>;
  return { ...json, data: json.events.map(({ data }) => data) };
}

describe('the history of a channel', () => {
  it('returns the latest events, and those after a position', async () => {
    for (const data of ['1', '2']) await trigger('orders-1', data, testApp, `n${data}`);
    const all = await past('orders-1');
    expect(all).toMatchObject({
      complete: true,
      events: [
        { name: 'n1', data: '1' },
        { name: 'n2', data: '2' },
      ],
    });
    expect(all.position).toBe(all.events.at(-1)!.position);
    await trigger('orders-1', '3');
    expect(await past('orders-1', { after: all.position })).toMatchObject({ data: ['3'], complete: true });
    expect(await past('orders-1', { limit: '2' })).toMatchObject({ data: ['1', '2'], complete: true });
    for (const data of ['4', '5', '6']) await trigger('orders-1', data);
    expect(await past('orders-1', { after: all.position })).toMatchObject({ data: ['4', '5', '6'], complete: false });
    const now = (await past('orders-empty')).position;
    await trigger('orders-empty', '1');
    expect(await past('orders-empty', { after: now })).toMatchObject({ data: ['1'], complete: true });
  });

  it.each(transports)('answers over a socket and through the pipeline alike, %s', async (_, transport) => {
    const answer = await transport(server, signed('GET', '/channels/orders-none/events'));
    expect(JSON.parse(answer.text)).toEqual({ events: [], complete: true, position: expect.stringMatching(/^\d+$/) });
  });

  it.each([
    ['orders-1', { limit: '0' }, 'limit must be a whole number from 1 to 1000'],
    ['orders-1', { limit: '1001' }, 'limit must be'],
    ['orders-1', { limit: 'x' }, 'limit must be'],
    ['orders-1', { after: 'a b' }, 'after must be the position of an event'],
    ['orders', {}, "No history is kept of 'orders'"],
    ['private-chat-2', {}, 'No history is kept of'],
    ['or:ders', {}, 'Invalid channel name'],
  ])('GET /channels/%s/events %j is 400: %s', async (channel, query: Record<string, string>, text) => {
    expect(await get(channel, query)).toMatchObject({ status: 400, text: expect.stringContaining(text) });
  });

  it('is isolated by app, within the limits of the app and of the module', async () => {
    for (const data of ['1', '2']) for (const of of [capped, heavy]) await trigger('orders-2', data.repeat(120), of);
    for (const of of [capped, heavy])
      expect(await past('orders-2', {}, of)).toMatchObject({
        data: of === capped ? ['2'.repeat(120)] : ['1'.repeat(120), '2'.repeat(120)],
      });
    await trigger('orders-2', '3'.repeat(120), heavy);
    expect((await past('orders-2', {}, heavy)).data).toHaveLength(2);
    expect(await past('orders-2')).toMatchObject({ data: [], complete: true });
  });

  it('includes client events if enabled, and never rosters', async () => {
    const clients = await Promise.all([0, 1].map(() => SocketClient.connect(server.port)));
    for (const channel of ['private-chat', 'presence-room'])
      for (const client of clients) await client.subscribe(channel, { user_id: 'alice' });
    clients[0]!.send({ event: 'client-typing', channel: 'private-chat', data: 'x' });
    clients[0]!.send({ event: 'client-typing', channel: 'presence-room', data: 'x' });
    for (let n = 0; n < 2; n++) await clients[1]!.next('client-typing');
    await trigger('presence-room', 'told');
    expect(await past('private-chat')).toMatchObject({ events: [{ name: 'client-typing', data: 'x' }] });
    expect((await past('presence-room')).data).toEqual(['told']);
    for (const client of clients) client.close();
  });
});

it.each([
  [{ channels: '' }, 'apps[0].history[0].channels must be a channel name, or a prefix followed by *'],
  [{ channels: 'a*b' }, 'apps[0].history[0].channels must be'],
  [{ channels: 'a', events: 0 }, 'apps[0].history[0].events must be'],
  [
    { channels: 'a', second: 1 },
    'apps[0].history[0].second is not a setting; known are channels, events, seconds, bytes, clientEvents',
  ],
])('the rule %j fails the boot', async (rule, text) => {
  const boot = startChannels({ apps: [{ ...testApp, history: [rule] }] });
  await expect(boot).rejects.toThrow(text);
});

it('adds the position to an event only on channels with a history', async () => {
  const client = await SocketClient.connect(server.port);
  for (const channel of ['orders-3', 'news']) {
    await client.subscribe(channel);
    await trigger(channel, '1');
  }
  const position = (await past('orders-3')).events.at(0)?.position;
  expect(await client.next('e')).toEqual({ event: 'e', channel: 'orders-3', data: '1', position });
  expect(await client.next('e')).toEqual({ event: 'e', channel: 'news', data: '1' });
  client.close();
});
