import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsMetrics, EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { HttpClient } from '../support/http-client.js';
import { clientFrame, RawClient } from '../support/raw-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const ping = (payload: string): Buffer => clientFrame(9, payload);
const text = (event: string): Buffer => clientFrame(1, JSON.stringify({ event, data: {} }));

let server: ChannelsServer;
const clients: { close(): void }[] = [];
beforeAll(
  async () =>
    void (server = await startChannels({ apps: [testApp], limits: { heartbeatsPerSecond: 10, readProofMs: 1000 } })),
);
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => server.close());

async function rawClient(): Promise<RawClient> {
  const client = await RawClient.upgrade(server.port);
  clients.push({ close: () => client.socket.destroy() });
  return client;
}
const limitReached = async (limit: string): Promise<number> => {
  const metrics = await server.app.get(ChannelsMetrics).registry.metrics();
  return Number(new RegExp(`limits_reached_total\\{limit="${limit}"\\} (\\d+)`).exec(metrics)?.[1]);
};

describe('pings', () => {
  it('are answered, of many that arrive together some and the latest', async () => {
    const client = await rawClient();
    client.write(Buffer.concat(Array.from({ length: 50 }, (_, n) => ping(`ping ${n}`))));
    await until(() => client.received.includes('ping 49'), 'the latest is answered');
    expect(client.received.toString('latin1').split('ping ').length - 1).toBeLessThanOrEqual(20);
    client.write(ping('later'));
    await until(() => client.received.includes('later'), 'a later one is answered');
  });

  it.each([
    ['pings', ping('x'.repeat(125))],
    ['pongs', clientFrame(10, '')],
    ['pongs with guessed numbers', clientFrame(10, '1234')],
    ['pings of a client library', text('pusher:ping')],
    ['its pongs', text('pusher:pong')],
  ])('without end have their client closed: %s', async (_, frame) => {
    const client = await rawClient();
    client.write(Buffer.concat(Array<Buffer>(2000).fill(frame)));
    await until(() => client.closeCode !== undefined, 'it is closed');
    expect(client.closeCode).toBe(4100);
    expect(client.received.toString('latin1')).toContain('Over capacity: too many pings');
    // 160 bytes for each ping before.
    expect(client.received.length).toBeLessThan(10_000);
    expect(await limitReached('heartbeatsPerSecond')).toBeGreaterThan(0);
  });

  it('within a message that never ends have their client closed: its empty parts', async () => {
    const client = await rawClient();
    client.write(Buffer.concat([clientFrame(1, 'x', false), ...Array<Buffer>(2000).fill(clientFrame(0, '', false))]));
    await until(() => client.closeCode === 4100, 'it is closed');
  });

  it('over HTTP without end have their client closed', async () => {
    const client = await HttpClient.connect(server.port, 'xhr_streaming');
    clients.push(client);
    for (let n = 0; n < 200; n++) await client.post([]);
    expect(await client.closing()).toMatchObject({ code: 4100 });
  });
});

describe('a client that is sent much', () => {
  const flood = async (isOver: () => boolean | Promise<boolean>): Promise<void> => {
    const events = server.app.get(EventsService);
    const data = 'x'.repeat(10_000);
    for (let n = 0; n < 50; n++) await events.trigger(testApp.id, { name: 'e', channel: 'flood', data });
    await until(isOver, 'it is closed, or has all');
  };

  it('is closed when it reads nothing, though all fits into the buffers of the kernel', async () => {
    const client = await rawClient();
    client.write(clientFrame(1, JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'flood' } })));
    await until(() => client.received.includes('subscription_succeeded'), 'it is on the channel');
    client.socket.pause();
    await flood(async () => (await limitReached('readProofMs')) === 1);
  });

  it('stays when it reads', async () => {
    const reader = await SocketClient.connect(server.port);
    clients.push(reader);
    await reader.subscribe('flood');
    await flood(() => reader.frames.length === 50);
    const before = performance.now();
    await until(() => performance.now() - before > 2500, 'the time to prove it is over', 5000);
    expect(reader.closed).toBeUndefined();
  });
});
