import { createServer } from 'node:http2';
import { promisify } from 'node:util';
import Pusher from 'pusher';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { NodeRpc, nodeSubject } from 'rookery/internal/channels';
import { TypeOrmDeviceRepository, TypeOrmJobStore, TypeOrmPublishOutbox, TypeOrmStorageModule } from 'rookery/typeorm';
import { Http2Pool } from '../../libs/publish/src/delivery/http2/pool.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { useSqlite } from '../support/databases.js';
import { controlTimers, leaveNothing } from '../support/held-objects.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { clientFrame, RawClient } from '../support/raw-client.js';
import { listen } from '../support/stand-ins/listen.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

// A thousand lives of each kind, in a row: what a process holds of an ended one, it would hold of a million.

const [count, atOnce] = [1000, 20];
// A machine that is slow, and busy with other tests, has needed more than the usual minute.
vi.setConfig({ testTimeout: 240_000 });
/** One client leads all lives, and says nothing while time passes. */
const activityTimeoutSeconds = 100_000;
const limits = { subscribesPerSecond: 10_000, newChannelsPerMinute: 1_000_000 };

describe('Channels', () => {
  let server: ChannelsServer;
  beforeAll(async () => {
    controlTimers();
    server = await startChannels({
      apps: [{ ...testApp, clientEvents: true, subscriptionCount: true }],
      limits,
      activityTimeoutSeconds,
      // Less than the time that passes.
      cacheTtlSeconds: 600,
    });
  });
  afterAll(async () => {
    await server.close();
    vi.useRealTimers();
  });

  it('hold nothing of connections that were closed, by whomever', async () => {
    const lead = async (n: number): Promise<void> => {
      const client = await SocketClient.connect(server.port);
      await client.signin({ id: `user ${n}`, watchlist: [`friend ${n}`, 'everybody'] });
      await client.subscribe(`public-${n}`);
      await client.subscribe(`presence-${n}`, { user_id: `user ${n}` });
      await client.subscribe(`private-cache-${n}`);
      client.send({ event: 'client-typing', channel: `presence-${n}`, data: {} });
      if (n % 3 === 0) client.close();
      else if (n % 3 === 1) client.socket.terminate();
      else client.send({ event: 'pusher:unknown', data: 'x'.repeat(200_000) });
      await client.closing();
    };
    await leaveNothing({ count, atOnce, lead });
  });

  it('hold nothing of clients that never answer a close', async () => {
    const silent: RawClient[] = [];
    const lead = async (): Promise<void> => {
      const client = await RawClient.upgrade(server.port);
      client.write(clientFrame(2, 'binary'));
      await until(() => client.closeCode === 1003, 'the server closes');
      silent.push(client);
    };
    const atServer = promisify<number>((done) => server.app.getHttpServer().getConnections(done));
    const end = async (): Promise<void> => {
      await until(async () => (await atServer()) === 0, 'the server ends them by itself');
      for (const { socket } of silent.splice(0)) socket.destroy();
    };
    await leaveNothing({ count, atOnce, lead, end });
  });

  it('hold nothing of channels that were left', async () => {
    const client = await SocketClient.connect(server.port);
    const errors: unknown[] = [];
    const lead = async (n: number): Promise<void> => {
      for (const channel of [`left-${n}`, `private-encrypted-left-${n}`, `presence-cache-left-${n}`]) {
        client.sendSubscribe(channel, channel.startsWith('presence-') ? { user_id: 'ann' } : undefined);
        client.send({ event: 'pusher:unsubscribe', data: { channel } });
      }
      if (n % 20 === 0) errors.push(...(await client.settled('pusher:error')));
    };
    const end = (): void => void client.frames.splice(0);
    await leaveNothing({ count, atOnce: 1, lead, end });
    expect(errors).toEqual([]);
    client.close();
    await client.closing();
  });

  it('hold nothing of requests, nor of calls between processes', async () => {
    const pusher = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(server.port) });
    const calls = server.app.get(NodeRpc);
    const echo = nodeSubject<number, number>('test.echo');
    calls.on(echo, (n) => n);
    calls.open();
    await calls.ready();
    const lead = async (n: number): Promise<void> => {
      await pusher.trigger([`a-${n}`, `cache-${n}`], 'event', { n });
      await pusher.triggerBatch([{ channel: `b-${n}`, name: 'event', data: { n } }]);
      await pusher.get({ path: `/channels/a-${n}`, params: { info: 'subscription_count' } });
      await pusher.terminateUserConnections(`user ${n}`);
      expect((await calls.askAll(echo, n)).answers).toMatchObject([{ answer: n }]);
    };
    await leaveNothing({ count, atOnce, lead });
  });
});

describe('Push', () => {
  const sqlite = useSqlite();
  let receiver: WebhookReceiver;
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    controlTimers();
    receiver = await WebhookReceiver.start();
    app = await startPublishApp({
      instances: [{ ...instance, publishesPerSecond: 10_000 }],
      devices: {
        deviceRepository: TypeOrmDeviceRepository,
        imports: [TypeOrmStorageModule.forRoot({ url: sqlite.url() })],
      },
      publish: {
        allowPrivateNetwork: true,
        pollMs: 1000,
        publishOutbox: TypeOrmPublishOutbox,
        webhookOutbox: TypeOrmJobStore,
      },
    });
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
    vi.useRealTimers();
  });

  it('holds nothing of publishes, their devices and webhooks', async () => {
    const lead = async (n: number): Promise<void> => {
      const device = await app.registered([`interest-${n}`]);
      const publish = { interests: [`interest-${n}`], webhookUrl: receiver.url(`/${n}`), fcm: { data: { n: `${n}` } } };
      expect((await app.publish(publish)).json).toEqual({ publishId: expect.any(String) as string });
      await until(() => receiver.at(`/${n}`).length === 2, 'both webhooks come');
      await app.call('DELETE', `/device_api/v1/instances/${instance.id}/devices/fcm/${device}`);
    };
    const { sent, prepared } = app.gateways.fcm;
    const end = (): void => {
      for (const each of [sent, prepared, receiver.received]) each.splice(0);
    };
    await leaveNothing({ count, atOnce, lead, end });
  });
});

it('a pool holds nothing of HTTP/2 connections that have ended', async () => {
  controlTimers();
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 }, { endStream: true });
    stream.session!.close();
  });
  const { port, close } = await listen(server);
  const times = { timeoutMs: 10_000, pingEveryMs: 60_000, idleAfterMs: 60_000 };
  const pool = new Http2Pool(`http://localhost:${port}`, {
    connections: 1,
    streamsPerConnection: 250,
    provesItself: false,
    ...times,
  });
  const lead = async (): Promise<void> => {
    const { status } = await pool.request({ headers: { ':method': 'POST' }, body: Buffer.alloc(10) });
    expect(status).toBe(200);
  };
  await leaveNothing({ count, atOnce: 1, lead });
  pool.close();
  await close();
  vi.useRealTimers();
});
