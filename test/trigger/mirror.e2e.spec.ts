import Pusher from 'pusher';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppConfig, Apps, ChannelsDeadLetters, EventsService, type Mirror, UsersService } from 'rookery/channels';
import { deadLetterOf } from '#webhooks';
import { type Job, MemoryJobStore } from 'rookery/jobs';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { type Frame, SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.js';

/** Keeps nothing until it is told to. */
class BusyOutbox extends MemoryJobStore {
  free?: Promise<void>;

  override async add(jobs: readonly Job[]) {
    await this.free;
    return super.add(jobs);
  }
}

/** Where the clients are today, and the server that they move to. */
let there: ChannelsServer;
let here: ChannelsServer;
const outbox = new BusyOutbox();
const clients: SocketClient[] = [];

const serve = (mirror: Mirror, webhookOutbox: MemoryJobStore, app: Partial<AppConfig> = {}): Promise<ChannelsServer> =>
  startChannels({
    apps: [{ ...testApp, ...app, mirror }],
    webhookOutbox,
    webhooks: { retryMs: 3000, timeoutMs: 2000 },
  });

beforeAll(async () => {
  there = await startChannels({ apps: [testApp] });
  here = await serve({ url: `http://127.0.0.1:${there.port}` }, outbox);
});
afterEach(() => clients.splice(0).forEach((client) => client.close()));
afterAll(() => Promise.all([here.close(), there.close()]));

async function connect(server: ChannelsServer): Promise<SocketClient> {
  const client = await SocketClient.connect(server.port);
  clients.push(client);
  return client;
}

const officialLibrary = ({ port }: ChannelsServer): Pusher => {
  const { id: appId, key, secret } = testApp;
  return new Pusher({ appId, key, secret, host: '127.0.0.1', port: String(port), useTLS: false });
};

const eventsOf = ({ frames }: SocketClient): Frame[] => frames.filter(({ event }) => !event.startsWith('pusher'));
const untilEvents = (client: SocketClient, count: number) =>
  until(() => eventsOf(client).length >= count, `${count} events come`);

describe('with a mirror', () => {
  it('sends triggered events to the clients of both services', async () => {
    const [moved, staying] = [await connect(here), await connect(there)];
    for (const client of [moved, staying]) await client.subscribe('private-news');
    await officialLibrary(here).trigger('private-news', 'late', { text: 'é "quoted" 12345678901234567890' });
    const { data } = await staying.next('late');
    expect(data).toBe((await moved.next('late')).data);
    expect(data).toBe('{"text":"é \\"quoted\\" 12345678901234567890"}');
  });

  it("keeps the order of a channel's events", async () => {
    const [news, sports] = [await connect(there), await connect(there)];
    await news.subscribe('news');
    await sports.subscribe('sports');
    const events = here.app.get(EventsService);
    const all = Array.from({ length: 300 }, (_, n) => ({ name: String(n), data: 'x', channels: ['news', 'sports'] }));
    await Promise.all(all.map((event) => events.trigger(testApp.id, event)));
    for (const client of [news, sports]) {
      await untilEvents(client, 300);
      expect(eventsOf(client).map(({ event }) => event)).toEqual(all.map(({ name }) => name));
    }
  });

  it('sends a whole batch, and excludes the named connection', async () => {
    const [sender, other] = [await connect(there), await connect(there)];
    for (const client of [sender, other]) await client.subscribe('room');
    await officialLibrary(here).triggerBatch([
      { channel: 'room', name: 'typing', data: '1', socket_id: sender.socketId },
      { channel: 'room', name: 'said', data: '2' },
    ]);
    await untilEvents(other, 2);
    await untilEvents(sender, 1);
    expect(eventsOf(other).map(({ event }) => event)).toEqual(['typing', 'said']);
    expect(eventsOf(sender).map(({ event }) => event)).toEqual(['said']);
  });

  it('sends events to a user and disconnects the user on both services', async () => {
    const [moved, staying] = [await connect(here), await connect(there)];
    for (const client of [moved, staying]) {
      await client.signin({ id: 'alice/1' });
      await client.subscribe('#server-to-user-alice/1');
    }
    await officialLibrary(here).sendToUser('alice/1', 'hello', '1');
    await moved.next('hello');
    await staying.next('hello');
    await here.app.get(UsersService).terminate((await here.app.get(Apps).findById(testApp.id))!, 'alice/1');
    for (const client of [moved, staying]) {
      await client.closing();
      expect(client.closed?.code).toBe(4009);
    }
  });

  it('answers a trigger only once its event is stored for the other service', async () => {
    let release = (): void => {};
    outbox.free = new Promise((resolve) => (release = resolve));
    const client = await connect(here);
    await client.subscribe('kept');
    const body = { name: 'e', channel: 'kept', data: '1' };
    let isAnswered = false;
    const answer = overSocket(here, signed('POST', '/events', body)).finally(() => (isAnswered = true));
    await client.settled('e');
    expect(isAnswered).toBe(false);
    release();
    delete outbox.free;
    expect((await answer).status).toBe(200);
    await client.next('e');
  });

  it('disconnects a user here even if the outbox refuses the request to the other service', async () => {
    outbox.free = Promise.reject(new Error('the disk is full'));
    outbox.free.catch(() => {});
    const client = await connect(here);
    await client.signin({ id: 'bob' });
    const app = (await here.app.get(Apps).findById(testApp.id))!;
    await expect(here.app.get(UsersService).terminate(app, 'bob')).rejects.toThrow('the disk is full');
    expect((await client.closing()).code).toBe(4009);
    delete outbox.free;
  });

  it('refuses a trigger that the outbox does not accept, and sends no part of it', async () => {
    outbox.free = Promise.reject(new Error('the disk is full'));
    outbox.free.catch(() => {});
    const client = await connect(here);
    await client.subscribe('full');
    const { status } = await overSocket(here, signed('POST', '/events', { name: 'e', channel: 'full', data: '1' }));
    expect(status).toBe(500);
    expect(await client.settled('e')).toEqual([]);
    delete outbox.free;
  });
});

describe('the requests to a mirror', () => {
  let receiver: WebhookReceiver;
  let server: ChannelsServer;
  const outbox = new MemoryJobStore();
  const path = '/base/apps/77/batch_events';
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    server = await serve({ url: receiver.url('/base/'), id: '77', key: 'their-key', secret: 'their-secret' }, outbox, {
      id: '9',
      key: 'nine',
    });
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });
  afterEach(() => receiver.received.splice(0));

  const requests = (): readonly ReceivedWebhook[] =>
    receiver.received.filter((request) => request.path.startsWith(`${path}?`));
  const trigger = (name: string) => server.app.get(EventsService).trigger('9', { name, channel: 'c', data: '1' });
  const names = () =>
    requests().flatMap(({ rawBody }) => JSON.parse(rawBody).batch.map(({ name }: { name: string }) => name));

  it("carry the app's credentials at the other service, and never those here", async () => {
    await trigger('one');
    await until(() => requests().length === 1, 'it comes');
    const [{ path: url, headers }] = requests() as [ReceivedWebhook];
    const query = new URL(url, 'http://there').searchParams;
    expect(query.get('auth_key')).toBe('their-key');
    expect(query.get('auth_signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([url, headers])).not.toContain(testApp.secret);
    expect(headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('are repeated while the other service is down, newly signed and with the same Idempotency-Key', async () => {
    let tries = 0;
    receiver.otherwise = (response) => void response.writeHead((tries += 1) === 1 ? 503 : 200).end('{}');
    await trigger('again');
    await until(() => requests().length === 2, 'it is tried again');
    const [first, second] = requests() as [ReceivedWebhook, ReceivedWebhook];
    expect(second.headers['idempotency-key']).toBe(first.headers['idempotency-key']);
    expect(second.path).not.toBe(first.path);
    expect(names()).toEqual(['again', 'again']);
  });

  it('are abandoned at once if the other service refuses them, and can be resent', async () => {
    receiver.otherwise = (response) => void response.writeHead(401).end();
    await trigger('refused');
    const dead = async () => (await outbox.dead('9', '', 10)).map(deadLetterOf);
    await until(async () => (await dead()).length === 1, 'it is given up');
    expect(requests()).toHaveLength(1);
    const [letter] = await dead();
    expect(letter).toMatchObject({ reason: 'it answered 401', delivery: { url: 'mirror:batch_events' } });
    expect(JSON.stringify(letter)).not.toContain('their-secret');

    delete receiver.otherwise;
    expect(await server.app.get(ChannelsDeadLetters).resend('9', letter!.delivery.id)).toBe(true);
    await until(() => requests().length === 2, 'it is sent again');
  });
});
