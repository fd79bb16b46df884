import { Logger } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsModule, EventsService } from 'rookery/channels';
import { ConsoleModule, ConsoleStore } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { testApp } from '../support/channels-server.js';
import { maxSockets } from '../../libs/console/src/watch/delivery-facts.js';
import { ConsoleClient } from '../support/console-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const password = 'a password for tests';
const other = { id: 'other', key: 'other-key', secret: 'other-secret-of-its-own' };

let app: NestFastifyApplication;
let port: number;
let console_: ConsoleClient;
let receiver: WebhookReceiver;
const clients: SocketClient[] = [];

async function started(more: object = {}): Promise<NestFastifyApplication> {
  const webhooks = [{ url: receiver.url('/hook?token=hook-token'), events: ['channel_occupied' as const] }];
  const history = [{ channels: 'private-history-*' }];
  const module = await Test.createTestingModule({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({
        apps: [{ ...testApp, clientEvents: true, webhooks, history }, other],
        webhooks: { retryMs: 1000, timeoutMs: 500 },
      }),
      ConsoleModule.forRoot({ password, ...more }),
    ],
  }).compile();
  Logger.overrideLogger(false);
  const made = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  await made.listen(0, '127.0.0.1');
  return made;
}

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  app = await started();
  ({ port } = app.getHttpServer().address() as AddressInfo);
  console_ = new ConsoleClient(port, password);
});
afterAll(async () => {
  console_.close();
  for (const client of clients) client.close();
  await app.close();
  await receiver.close();
});

async function connect(of = testApp): Promise<SocketClient> {
  const client = await SocketClient.connect(port, of);
  clients.push(client);
  return client;
}

const path = `apps/${testApp.id}`;
const send = (channel: string, name: string, more: object = {}) =>
  console_.ask('POST', `${path}/events`, { channels: [channel], name, data: '{"n":1}', ...more });
const why = async (event: string, socket: string) => {
  const answer = await console_.get(`${path}/why?event=${encodeURIComponent(event)}&socket=${socket}`);
  return answer.sockets[0];
};

describe('the console', () => {
  it('shows connections, subscriptions, members, events and errors live', async () => {
    const view = await console_.live(testApp.id);
    expect(view.answer.headers['content-type']).toMatch(/^text\/event-stream/);
    expect(view.answer.headers['x-accel-buffering']).toBe('no');
    const alice = await connect();
    const { socketId } = alice;
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await view.next('connected', { socketId });
    await view.next('subscribed', { socketId, channel: 'presence-room', userId: 'alice' });
    await view.next('member_added', { channel: 'presence-room', userId: 'alice' });
    await view.next('occupied', { channel: 'presence-room' });
    const { json } = await send('presence-room', 'hello');
    await alice.next('hello');
    expect(await view.next('event', { name: 'hello' })).toMatchObject({
      id: json.id,
      channel: 'presence-room',
      data: '{"n":1}',
      reached: 1,
    });
    alice.send({ event: 'client-typing', channel: 'presence-room', data: 'x' });
    await view.next('client_event', { socketId, name: 'client-typing', userId: 'alice' });
    alice.send({ event: 'pusher:subscribe', data: { channel: 'private-a', auth: `${testApp.key}:wrong` } });
    expect(await view.next('error', { socketId })).toMatchObject({ channel: 'private-a' });
    alice.close();
    await view.next('disconnected', { socketId });
    await view.next('vacated', { channel: 'presence-room' });
  });

  it('shows only what matches the filter', async () => {
    const view = await console_.live(testApp.id, '?kinds=event,subscribed&channel=a-*-z');
    const client = await connect();
    await client.subscribe('a-b-z');
    await client.subscribe('b');
    await send('b', 'left-out');
    await send('a-b-z', 'wanted');
    await view.next('event', { name: 'wanted' });
    expect(view.told.map(({ kind, channel }) => [kind, channel])).toEqual([
      ['subscribed', 'a-b-z'],
      ['event', 'a-b-z'],
    ]);
    expect((await console_.ask('GET', `${path}/live?kinds=nonsense`)).status).toBe(400);
  });

  it('finds parts of channels, event names and data, in the past as well as live', async () => {
    const client = await connect();
    await client.subscribe('orders-of-Anna');
    await send('orders-of-Anna', 'order.shipped', { data: '{"parcel":"Needle-7"}' });
    const filters = ['channel=of-anna', 'channel=orders-*', 'text=R.SHIP', 'text=needle', `text=Needle-7&kinds=event`];
    for (const filter of filters) {
      const view = await console_.live(testApp.id, `?${filter}`);
      await view.next('event', { name: 'order.shipped' });
      await send('orders-of-Anna', 'order.shipped', { data: '{"parcel":"Needle-7","live":true}' });
      await view.next('event', { data: '{"parcel":"Needle-7","live":true}' });
      await send('elsewhere', 'other', { data: '{}' });
      const { activities } = await console_.get(`${path}/recent?${filter}`);
      expect(activities[0]).toMatchObject({ name: 'order.shipped', data: '{"parcel":"Needle-7","live":true}' });
      expect(new Set(activities.map(({ channel }: { channel: string }) => channel))).toEqual(
        new Set(['orders-of-Anna']),
      );
    }
    expect((await console_.get(`${path}/recent?text=nothing-has-this`)).activities).toEqual([]);
    expect((await console_.ask('GET', `${path}/recent?kinds=nonsense`)).status).toBe(400);
  });

  it('shows a user: connections now and lately, and their channels; and disconnects all of them', async () => {
    const user = 'zoë/of the 1st';
    const at = `${path}/users/${encodeURIComponent(user)}`;
    const activities = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
      (await console_.get(at)).timeline.activities;
    expect(await console_.get(at)).toMatchObject({
      id: user,
      connections: [],
      timeline: { activities: [] },
      devices: [],
    });
    expect((await console_.ask('DELETE', at)).status).toBe(404);
    const [present, signedIn, other] = [await connect(), await connect(), await connect()];
    await present.subscribe('presence-user-page', { user_id: user });
    await present.subscribe('news-of-the-user');
    await signedIn.signin({ id: user });
    await other.subscribe('presence-user-page', { user_id: 'somebody else' });
    await send('news-of-the-user', 'told');
    await until(async () => (await activities()).some(({ name }) => name === 'told'), 'the event is in the timeline');
    const { connections } = await console_.get(at);
    const lately = await activities();
    expect(connections).toHaveLength(2);
    expect(connections).toContainEqual(
      expect.objectContaining({ socketId: present.socketId, channels: ['news-of-the-user', 'presence-user-page'] }),
    );
    expect(lately).toContainEqual(expect.objectContaining({ kind: 'subscribed', channel: 'news-of-the-user' }));
    expect(lately).toContainEqual(expect.objectContaining({ kind: 'signed_in', socketId: signedIn.socketId }));
    expect(lately).toContainEqual(
      expect.objectContaining({ kind: 'event', channel: 'news-of-the-user', direction: 'received' }),
    );
    expect(lately).not.toContainEqual(expect.objectContaining({ socketId: other.socketId }));

    expect((await console_.ask('DELETE', at)).json).toEqual({ closed: 2 });
    await until(async () => (await console_.get(at)).connections.length === 0, 'the user has left');
    expect(await activities()).toContainEqual(
      expect.objectContaining({ kind: 'disconnected', socketId: present.socketId, code: 4009 }),
    );
    expect(other.closed).toBeUndefined();
  });

  it('shows past activities of one millisecond in their order', async () => {
    const client = await connect();
    await client.subscribe('at-once');
    const names = Array.from({ length: 10 }, (_, n) => `step-${n}`);
    const batch = names.map((name) => ({ channel: 'at-once', name, data: '{}' }));
    await app.get(EventsService).triggerBatch(testApp.id, batch);
    await client.next('step-9');
    const nameOf = ({ name }: Readonly<Record<string, unknown>>) => name;
    const view = await console_.live(testApp.id, '?channel=at-once&kinds=event');
    await view.next('event', { name: 'step-9' });
    expect(view.told.map(nameOf)).toEqual(names);
    const { activities } = await console_.get(`${path}/recent?channel=at-once&kinds=event`);
    expect(activities.map(nameOf)).toEqual(names.toReversed());
  });

  it('shows an activity by its id', async () => {
    const { json } = await send('shared-by-link', 'one');
    const id = encodeURIComponent(json.id);
    expect(await console_.get(`${path}/recent/${id}`)).toMatchObject({ name: 'one', channel: 'shared-by-link' });
    expect((await console_.ask('GET', `apps/${other.id}/recent/${id}`)).status).toBe(404);
    expect((await console_.ask('GET', `${path}/recent/1@nothing`)).status).toBe(404);
  });

  it('shows the connections that were refused, with the key that they brought', async () => {
    const hostile = '<b>' + 'x'.repeat(2000);
    for (const key of ['app-kye', encodeURIComponent(hostile)]) {
      const refused = await SocketClient.open(port, { ...testApp, key });
      expect((await refused.closing()).code).toBe(4001);
    }
    const { refusals } = await console_.get(`${path}/refusals`);
    expect(refusals[1]).toMatchObject({ key: 'app-kye', code: 4001, isOfApp: false, remoteAddress: '127.0.0.1' });
    expect(refusals[0].key).toBe(hostile.slice(0, 300));
    expect((await console_.get(`apps/${other.id}/refusals`)).refusals).toHaveLength(refusals.length);
  });

  it('shows nothing of one app to viewers of another', async () => {
    const view = await console_.live(testApp.id);
    const stranger = await connect(other);
    await stranger.subscribe('shared-name');
    await app.get(EventsService).trigger(other.id, { name: 'secret', channel: 'shared-name', data: '' });
    await stranger.next('secret');
    const last = await connect();
    await view.next('connected', { socketId: last.socketId });
    expect(view.told.some(({ channel, socketId }) => channel === 'shared-name' || socketId === stranger.socketId)).toBe(
      false,
    );
    const { socketId } = stranger;
    expect((await console_.ask('GET', `${path}/connections/${socketId}`)).status).toBe(404);
    expect((await console_.ask('DELETE', `${path}/connections/${socketId}`)).status).toBe(404);
    expect((await console_.get(`${path}/connections?search=${socketId}`)).total).toBe(0);
    expect((await console_.get(`${path}/channels/shared-name`)).subscriptions).toBe(0);
  });

  it('lists connections, shows the details of one, and closes it', async () => {
    const bob = await connect();
    await bob.subscribe('presence-list', { user_id: 'bob', user_info: { name: 'Bob' } });
    const { connections, total, next } = await console_.get(`${path}/connections?search=bob`);
    expect([connections.length, total, next]).toEqual([1, 1, null]);
    expect(connections[0]).toMatchObject({
      socketId: bob.socketId,
      transport: 'websocket',
      remoteAddress: '127.0.0.1',
      userId: 'bob',
      channels: 1,
      waitingBytes: 0,
    });
    expect(Math.abs(connections[0].connectedAt - Date.now())).toBeLessThan(60_000);
    const one = await console_.get(`${path}/connections/${bob.socketId}`);
    expect(one).toMatchObject({ channels: ['presence-list'], userInfo: { name: 'Bob' } });
    expect(one.timeline.activities.map(({ kind }: { kind: string }) => kind)).toContain('subscribed');
    expect((await console_.ask('DELETE', `${path}/connections/${bob.socketId}`)).status).toBe(204);
    expect((await bob.closing()).code).toBe(4009);
    await until(
      async () => (await console_.ask('GET', `${path}/connections/${bob.socketId}`)).status === 404,
      'it is gone',
    );
  });

  it('lists channels page by page, and shows the details of one', async () => {
    const client = await connect();
    const names = Array.from({ length: 130 }, (_, n) => `page-${String(n).padStart(3, '0')}`);
    for (const name of names) await client.subscribe(name);
    const first = await console_.get(`${path}/channels?search=page-`);
    expect(first.channels).toHaveLength(100);
    const second = await console_.get(`${path}/channels?search=page-&cursor=${first.next}`);
    expect([...first.channels, ...second.channels].map(({ name }: { name: string }) => name)).toEqual(names);
    expect(second.next).toBeNull();
    await client.subscribe('presence-cache-one', { user_id: 'carol', user_info: { is: 'here' } });
    await send('presence-cache-one', 'kept');
    expect(await console_.get(`${path}/channels/presence-cache-one`)).toEqual({
      name: 'presence-cache-one',
      kind: 'presence-cache',
      occupied: true,
      subscriptions: 1,
      eventsPerSecond: expect.any(Number) as number,
      users: 1,
      members: [{ id: 'carol', info: { is: 'here' } }],
      cached: { name: 'kept', data: '{"n":1}' },
      history: null,
    });
  });

  it('lists the channels with the most subscriptions or events first, and says how many there are', async () => {
    const clients = [await connect(), await connect(), await connect()];
    for (const [n, client] of clients.entries())
      for (const name of ['cost-c', 'cost-b', 'cost-a'].slice(n)) await client.subscribe(name);
    for (let n = 0; n < 5; n++) await send('cost-c', 'often');
    await send('cost-b', 'seldom');
    const names = async (sort: string) => {
      const { channels, total, compared, next } = await console_.get(`${path}/channels?search=cost-&sort=${sort}`);
      expect([total, compared, next]).toEqual([3, 3, null]);
      return channels.map(({ name }: { name: string }) => name);
    };
    expect(await names('name')).toEqual(['cost-a', 'cost-b', 'cost-c']);
    expect(await names('subscriptions')).toEqual(['cost-a', 'cost-b', 'cost-c']);
    expect(await names('events')).toEqual(['cost-c', 'cost-b']);
    const [often, seldom] = (await console_.get(`${path}/channels?search=cost-&sort=events`)).channels;
    expect(often.eventsPerSecond).toBeGreaterThan(seldom.eventsPerSecond);
    expect((await console_.ask('GET', `${path}/channels?sort=nonsense`)).status).toBe(400);
  });

  it('lists the connections with the most channels first, and the latest first', async () => {
    const [few, many] = [await connect(), await connect()];
    for (const name of ['sorted-1', 'sorted-2', 'sorted-3']) await many.subscribe(name);
    await few.subscribe('sorted-1');
    const sockets = async (sort: string) => {
      const { connections } = await console_.get(`${path}/connections?search=sorted-1&sort=${sort}`);
      return connections.map(({ socketId }: { socketId: string }) => socketId);
    };
    expect(await sockets('channels')).toEqual([many.socketId, few.socketId]);
    expect(await sockets('connectedAt')).toEqual([many.socketId, few.socketId]);
    expect((await sockets('waitingBytes')).toSorted()).toEqual([few.socketId, many.socketId].toSorted());
    expect((await console_.ask('GET', `${path}/connections?sort=nonsense`)).status).toBe(400);
  });

  it('describes apps and processes, and charts the last hour', async () => {
    await connect();
    const { apps, store, nodes, missingNodes, instances, editable, unlisted } = await console_.get('overview');
    expect(apps.map(({ id }: { id: string }) => id)).toEqual([testApp.id, other.id]);
    expect(apps[0].connections).toBeGreaterThan(0);
    expect(JSON.stringify(apps)).not.toContain(other.secret);
    expect([store, nodes.length, missingNodes, instances, editable, unlisted]).toEqual([null, 1, 0, [], false, []]);
    expect(nodes[0]).toMatchObject({ here: true, pid: process.pid });
    for (const figure of ['cpu', 'heapBytes', 'rssBytes', 'connections', 'subscriptions'])
      expect([figure, nodes[0][figure]]).toEqual([figure, expect.any(Number)]);
    const { series, stepSeconds } = await console_.get(`charts?app=${testApp.id}`);
    expect(stepSeconds).toBe(10);
    expect(Object.values(series).map((line) => (line as unknown[]).length)).toEqual([360, 360, 360, 360, 360, 360]);
    expect(series.connections.some((count: number | null) => count !== null)).toBe(true);
    expect((await console_.ask('GET', 'instances/x/devices?user=a')).status).toBe(404);
  });

  it('charts processes that have ended, in the last hour and the last day', async () => {
    const minute = Math.floor(Date.now() / 60_000) - 5;
    const figures = { connections: 7000, triggers: 1, messages: 1, webhooksFailed: 0, closedAsSlow: 0, errors: 0 };
    await app.get(ConsoleStore).keepMinute({ minute, node: 'an-ended-process', figures: JSON.stringify(figures) });
    const seven = (line: readonly (number | null)[]): number => line.filter((each) => each! >= 7000).length;
    const hour = await console_.get('charts');
    expect([hour.stepSeconds, hour.series.connections.length, seven(hour.series.connections)]).toEqual([10, 360, 6]);
    const day = await console_.get('charts/day');
    expect([day.stepSeconds, day.series.connections.length, seven(day.series.connections)]).toEqual([60, 1440, 1]);
    // It belonged to all apps together.
    expect(seven((await console_.get(`charts?app=${testApp.id}`)).series.connections)).toBe(0);
  });

  it('shows webhook attempts and dead webhooks, and resends them', async () => {
    receiver.otherwise = (response) => void response.writeHead(500).end('no room');
    const client = await connect();
    await client.subscribe('hooked');
    await until(async () => (await console_.get(`${path}/webhooks`)).dead > 0, 'it is given up');
    const { attempts } = await console_.get(`${path}/webhooks`);
    const { webhooks: dead } = await console_.get(`${path}/webhooks/dead`);
    expect(dead[0]).toMatchObject({ lastError: 'it answered 500: no room', events: ['channel_occupied'] });
    expect(JSON.parse(dead[0].body).events).toEqual([{ name: 'channel_occupied', channel: 'hooked' }]);
    const tries = attempts.map(({ webhook }: { webhook: object }) => webhook);
    const first = { events: ['channel_occupied'], attempt: 1, status: 500, answer: 'no room' };
    expect(tries).toContainEqual(expect.objectContaining(first));
    expect(attempts).toContainEqual(expect.objectContaining({ kind: 'webhook', channel: 'hooked' }));
    expect(JSON.stringify([attempts, dead])).not.toContain('hook-token');
    receiver.otherwise = (response) => void response.writeHead(200).end();
    expect((await console_.ask('POST', `apps/${other.id}/webhooks/dead/${dead[0].id}/resend`)).status).toBe(404);
    for (const { id } of dead)
      expect((await console_.ask('POST', `${path}/webhooks/dead/${id}/resend`)).status).toBe(202);
    await until(async () => (await console_.get(`${path}/webhooks`)).dead === 0, 'it is delivered');
  });

  it('lists given-up webhooks newest first, page by page, and resends all of them', async () => {
    receiver.otherwise = (response) => void response.writeHead(503).end();
    const client = await connect();
    const names = Array.from({ length: 101 }, (_, index) => `many-${index}`);
    for (const name of names) await client.subscribe(name);
    await until(async () => (await console_.get(`${path}/webhooks`)).dead >= 101, 'they are given up');
    const { webhooks: page, next } = await console_.get(`${path}/webhooks/dead`);
    const { webhooks: rest } = await console_.get(`${path}/webhooks/dead?cursor=${encodeURIComponent(next)}`);
    const all = [...page, ...rest];
    expect([page.length, new Set(all.map(({ id }) => id)).size]).toEqual([100, all.length]);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((one, other) => other - one));
    expect((await console_.ask('GET', `${path}/webhooks/dead?cursor=x`)).status).toBe(400);
    receiver.otherwise = (response) => void response.end();
    const resend = async () => (await console_.ask('POST', `${path}/webhooks/dead/resend`, {})).json;
    // More may have been given up since the pages were read.
    expect((await resend()).resent).toBeGreaterThanOrEqual(all.length);
    // They have a second each: on a busy machine, some are given up again.
    await until(
      async () => (await resend()).resent === 0 && (await console_.get(`${path}/webhooks`)).waiting === 0,
      'they are delivered',
      30_000,
    );
  });

  it('sends a signed test to an endpoint, once, and answers how that went', async () => {
    const { endpoints } = await console_.get(`${path}/webhooks`);
    expect(JSON.stringify(endpoints)).not.toContain('hook-token');
    const [{ url }] = endpoints;
    receiver.received.splice(0);
    receiver.otherwise = (response) => void response.writeHead(418).end('a teapot');
    const { json } = await console_.ask('POST', `${path}/webhooks/0/test`, { url });
    expect(json).toMatchObject({ isAccepted: false, status: 418, error: 'it answered 418', answer: 'a teapot' });
    // On a slow machine, webhooks of the stories before it arrive beside it.
    const tests = receiver.received.filter(({ rawBody }) => rawBody === json.body);
    expect(tests).toHaveLength(1);
    expect(tests[0]!.headers['x-pusher-signature']).toMatch(/^[0-9a-f]{64}$/);
    const { attempts } = await console_.get(`${path}/webhooks`);
    const triesOfTest = attempts.filter(({ data }: { data: string }) => data === json.body);
    expect(triesOfTest).toMatchObject([{ webhook: { attempt: 1, status: 418, nextAt: null } }]);
    const { webhooks: dead } = await console_.get(`${path}/webhooks/dead`);
    expect(dead.map(({ body }: { body: string }) => body)).not.toContain(json.body);
    receiver.otherwise = (response) => void response.end();
    expect((await console_.ask('POST', `${path}/webhooks/0/test`, { url })).json.isAccepted).toBe(true);
    expect((await console_.ask('POST', `${path}/webhooks/0/test`, { url: 'https://other' })).status).toBe(409);
    expect((await console_.ask('POST', `${path}/webhooks/7/test`, { url })).status).toBe(404);
  });
});

describe('the page that explains a delivery', () => {
  it('tells whether a connection got an event, or why not', async () => {
    const [on, off, late, left] = [await connect(), await connect(), await connect(), await connect()];
    await on.subscribe('why');
    await left.subscribe('why');
    left.send({ event: 'pusher:unsubscribe', data: { channel: 'why' } });
    await until(async () => (await console_.get(`${path}/channels/why`)).subscriptions === 1, 'one has left');
    const gone = await connect();
    await gone.subscribe('why-gone');
    gone.close();
    await until(
      async () => (await console_.ask('GET', `${path}/connections/${gone.socketId}`)).status === 404,
      'it is gone',
    );
    const { json } = await send('why', 'asked', { socketId: off.socketId });
    await on.next('asked');
    await late.subscribe('why');
    const newcomer = await connect();
    const reasonOf = async ({ socketId }: SocketClient) => (await why(json.id, socketId)).reason;
    expect(await reasonOf(on)).toBe('delivered');
    expect(await reasonOf(off)).toBe('excluded');
    expect(await reasonOf(late)).toBe('subscribed_later');
    expect(await reasonOf(left)).toBe('unsubscribed_before');
    expect(await reasonOf(gone)).toBe('closed_before');
    expect(await reasonOf(newcomer)).toBe('not_connected');
    const nobody = await why(json.id, '1.2');
    expect([nobody.verdict, nobody.reason]).toEqual(['not_delivered', 'not_connected']);
    const { verdict, text, timeline } = await why(json.id, on.socketId);
    expect([verdict, text]).toEqual(['delivered', expect.stringContaining('subscribed')]);
    expect(timeline.map((each: { text: string }) => each.text)).toEqual(
      expect.arrayContaining(['Connected', 'Subscribed to why', 'asked was sent to why']),
    );
  });

  it('finds the connections of a user, and names the limit that was reached', async () => {
    const dave = await connect();
    await dave.subscribe('presence-why', { user_id: 'dave' });
    const { json } = await send('presence-why', 'for-dave');
    await dave.next('for-dave');
    const { sockets, event } = await console_.get(`${path}/why?event=${encodeURIComponent(json.id)}&user=dave`);
    expect(event).toMatchObject({ id: json.id, name: 'for-dave' });
    expect(sockets).toMatchObject([{ socketId: dave.socketId, userId: 'dave', verdict: 'delivered' }]);
    expect((await console_.ask('GET', `${path}/why?event=x`)).status).toBe(400);
    expect((await console_.ask('GET', `${path}/why?event=1@b`)).status).toBe(400);
  });

  it('knows the open connection of a user who has reconnected often', async () => {
    for (let visit = 0; visit <= maxSockets; visit++) {
      const before = await connect();
      await before.subscribe('presence-often', { user_id: 'olga' });
      before.close();
    }
    const olga = await connect();
    await olga.subscribe('presence-often', { user_id: 'olga' });
    const { json } = await send('presence-often', 'for-olga');
    await olga.next('for-olga');
    const { sockets } = await console_.get(`${path}/why?event=${encodeURIComponent(json.id)}&user=olga`);
    expect(sockets[0]).toMatchObject({ socketId: olga.socketId, verdict: 'delivered' });
  });

  it('knows what happened before anybody looked', async () => {
    const asker = await started();
    const { port: freshPort } = asker.getHttpServer().address() as AddressInfo;
    const client = await SocketClient.connect(freshPort);
    await client.subscribe('unseen');
    await asker.get(EventsService).trigger(testApp.id, { name: 'early', channel: 'unseen', data: '' });
    await client.next('early');
    const fresh = new ConsoleClient(freshPort, password);
    const { activities } = await fresh.get(`${path}/recent?kinds=event`);
    const asked = `${path}/why?event=${encodeURIComponent(activities[0].id)}&socket=${client.socketId}`;
    expect((await fresh.get(asked)).sockets).toMatchObject([{ verdict: 'delivered' }]);
    client.close();
    await asker.close();
  });

  it('tells of a user who is offline when they were last here, and whether they had subscribed', async () => {
    const [on, off] = [await connect(), await connect()];
    await on.subscribe('presence-mail', { user_id: 'frank' });
    await off.subscribe('presence-other', { user_id: 'grace' });
    for (const each of [on, off]) {
      each.close();
      await until(
        async () => (await console_.ask('GET', `${path}/connections/${each.socketId}`)).status === 404,
        'it is gone',
      );
    }
    const { json } = await send('presence-mail', 'late');
    const ofUser = async (user: string) =>
      (await console_.get(`${path}/why?event=${encodeURIComponent(json.id)}&user=${user}`)).sockets;
    const [frank, hisSocket] = await ofUser('frank');
    expect(frank).toMatchObject({ socketId: null, userId: 'frank', verdict: 'not_delivered', reason: 'offline' });
    expect(frank.text).toMatch(/^frank was last here at \{at\}, and subscribed to presence-mail until then/);
    expect(Math.abs(frank.at - Date.now())).toBeLessThan(60_000);
    expect(hisSocket).toMatchObject({ socketId: on.socketId, reason: 'closed_before' });
    const [grace] = await ofUser('grace');
    expect(grace.text).toMatch(/^grace was last here at \{at\}, and had not subscribed to presence-mail/);
    const [heidi, ...more] = await ofUser('heidi');
    expect([heidi.reason, more]).toEqual(['offline', []]);
    expect(heidi.text).toBe('No user heidi has been connected since {at}.');
    const late = await connect();
    await late.subscribe('presence-other', { user_id: 'heidi' });
    const [came] = await ofUser('heidi');
    expect(came.text).toBe('heidi was offline: the first connection that is known began at {at}.');
    expect(came.at).toBeGreaterThan(heidi.at);
  });

  it('tells that a socket or a user is, or was, connected to another app', async () => {
    const stranger = await connect(other);
    await stranger.subscribe('presence-elsewhere', { user_id: 'ivan' });
    const { json } = await send('of-this-app', 'asked');
    const text = `is connected to app ${other.id}, not to ${testApp.id}.`;
    expect(await why(json.id, stranger.socketId)).toMatchObject({ reason: 'other_app', text: `This socket ${text}` });
    const { sockets } = await console_.get(`${path}/why?event=${encodeURIComponent(json.id)}&user=ivan`);
    expect(sockets).toMatchObject([{ reason: 'other_app', text: `ivan ${text}` }]);
    stranger.close();
    await until(
      async () => (await why(json.id, stranger.socketId)).text.startsWith('This socket was connected to app other'),
      'it is gone',
    );
  });

  it('tells that a later subscriber got the event from the cache', async () => {
    const { json } = await send('cache-why', 'cached');
    const client = await connect();
    await client.subscribe('cache-why');
    await client.next('cached');
    expect(await why(json.id, client.socketId)).toMatchObject({ verdict: 'delivered', reason: 'replayed' });
  });
});

it('shows no payload if payloads are hidden', async () => {
  const hiding = await started({ hidePayloads: true });
  const { port: otherPort } = hiding.getHttpServer().address() as AddressInfo;
  const closed = new ConsoleClient(otherPort, password);
  const view = await closed.live(testApp.id);
  const client = await SocketClient.connect(otherPort);
  await client.subscribe('presence-cache-hidden', { user_id: 'erin', user_info: { pin: 'hidden-info' } });
  const sent = await closed.ask('POST', `${path}/events`, {
    channels: ['presence-cache-hidden'],
    name: 'hidden',
    data: 'hidden-data',
  });
  const seen = await view.next('event', { name: 'hidden' });
  expect((await closed.get(`${path}/recent?text=hidden-data`)).activities).toEqual([]);
  const probing = await closed.live(testApp.id, '?text=hidden-data');
  const answers = await Promise.all([
    closed.ask('GET', `${path}/channels/presence-cache-hidden`),
    closed.ask('GET', `${path}/connections/${client.socketId}`),
    closed.ask('GET', `${path}/why?event=${encodeURIComponent(sent.json.id)}&socket=${client.socketId}`),
    closed.ask('GET', `${path}/recent`),
    closed.ask('GET', `${path}/recent/${encodeURIComponent(sent.json.id)}`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(probing.told).toEqual([]);
  const said = JSON.stringify([view.told, seen, answers]);
  expect(said).not.toContain('hidden-data');
  expect(said).not.toContain('hidden-info');
  expect(seen).not.toHaveProperty('data');
  closed.close();
  client.close();
  await hiding.close();
});
