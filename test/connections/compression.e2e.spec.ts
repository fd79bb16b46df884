import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { until } from '../support/until.js';

const app = { ...testApp, clientEvents: true };
let server: ChannelsServer;
const clients: { close(): void }[] = [];
beforeAll(async () => {
  server = await startChannels({ apps: [app], compressFromBytes: 500, limits: { clientEventsPerSecond: 10_000 } });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => server.close());

interface Heard {
  readonly event: string;
  readonly data?: unknown;
}

/** A client on the channel `private-news`; `bytes` counts what it has received. */
async function subscriber(perMessageDeflate: boolean, { port } = server) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/app/${app.key}?protocol=7`, {
    perMessageDeflate: perMessageDeflate && { threshold: 0 },
  });
  clients.push(socket);
  const heard: Heard[] = [];
  let response: IncomingMessage | undefined;
  socket.on('upgrade', (answer) => (response = answer));
  socket.on('message', (text: Buffer) => heard.push(JSON.parse(text.toString()) as Heard));
  const all = (event: string) => heard.filter((each) => each.event === event).map(({ data }) => data);
  const client = {
    all,
    extensions: () => socket.extensions,
    bytes: () => response!.socket.bytesRead,
    send: (frame: unknown) => socket.send(JSON.stringify(frame)),
    closed: new Promise<number>((resolve) => socket.on('close', resolve)),
  };
  await until(() => all('pusher:connection_established').length > 0, 'it is connected');
  const { socket_id: socketId } = JSON.parse(all('pusher:connection_established')[0] as string);
  const auth = `${app.key}:${signed(`${socketId}:private-news`)}`;
  client.send({ event: 'pusher:subscribe', data: { channel: 'private-news', auth } });
  await until(() => all('pusher_internal:subscription_succeeded').length > 0, 'it is subscribed');
  return client;
}
const signed = (text: string): string => createHmac('sha256', app.secret).update(text).digest('hex');
const trigger = (data: unknown, { app: host } = server) =>
  host.get(EventsService).trigger(app.id, { channels: ['private-news'], name: 'list', data: JSON.stringify(data) });

const orders = Array.from({ length: 100 }, (_, at) => ({ id: at, state: at % 2 ? 'paid' : 'sent', total: at * 17 }));

describe('a long event', () => {
  it('comes compressed to those who offer it, as it is to others, and the same to all', async () => {
    const [compressing, plain] = [await subscriber(true), await subscriber(false)];
    const [before, plainBefore] = [compressing.bytes(), plain.bytes()];
    await trigger(orders);
    for (const each of [compressing, plain]) await until(() => each.all('list').length > 0, 'it hears the event');
    for (const each of [compressing, plain]) expect(each.all('list')).toEqual([JSON.stringify(orders)]);
    expect([compressing.extensions(), plain.extensions()]).toEqual(['permessage-deflate', '']);
    expect(plain.bytes() - plainBefore).toBeGreaterThan(JSON.stringify(orders).length);
    expect(compressing.bytes() - before).toBeLessThan(JSON.stringify(orders).length / 4);
  });

  it('is not compressed unless the server is told to', async () => {
    const other = await startChannels({ apps: [app] });
    const client = await subscriber(true, other);
    expect(client.extensions()).toBe('');
    await trigger(orders, other);
    await until(() => client.all('list').length > 0, 'it hears the event');
    await other.close();
  });
});

describe('a client that compresses what it says', () => {
  it('is understood', async () => {
    const [sender, other] = [await subscriber(true), await subscriber(false)];
    for (let n = 0; n < 100; n++)
      sender.send({ event: 'client-typing', channel: 'private-news', data: { n, text: 'x'.repeat(50 * n) } });
    await until(() => other.all('client-typing').length === 100, 'the other hears all');
    expect(other.all('client-typing').at(-1)).toBe(JSON.stringify({ n: 99, text: 'x'.repeat(4950) }));
  });

  it('is closed when few bytes stand for more than a client may say', async () => {
    const client = await subscriber(true);
    const padded = { event: 'pusher:ping', data: 'x'.repeat(100_000) };
    for (let n = 0; n < 30; n++) client.send(padded);
    expect(await client.closed).toBe(1009);
    const answered = client.all('pusher:pong').length;
    expect(answered).toBeGreaterThan(10);
    expect(answered).toBeLessThan(25);
  });
});
