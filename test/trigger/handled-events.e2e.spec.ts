import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Apps, HandledEvents } from 'rookery/internal/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const app = { ...testApp, history: [{ channels: 'orders' }] };
const handled: string[] = [];
let server: ChannelsServer;
let events: HandledEvents;
async function start(activityTimeoutSeconds: number): Promise<void> {
  server = await startChannels({ apps: [app], activityTimeoutSeconds, sessions: { pingMs: 10 } });
  events = server.app.get(HandledEvents);
  events.listen(({ appId, id }) => handled.push(`${appId} ${id}`));
}
// Clients are pinged by the keep-alive as well, whose answers prove nothing of what came after.
beforeAll(() => start(0.2));
afterAll(() => server.close());
beforeEach(() => void (handled.length = 0));

let users = 0;
async function online(userId: string, session?: string): Promise<SocketClient> {
  const client = await SocketClient.connect(server.port, testApp, session);
  await client.signin({ id: userId });
  await client.subscribe(`#server-to-user-${userId}`);
  return client;
}
const pong = (client: SocketClient) => client.send({ event: 'pusher:pong', data: {} });

async function tell(userId: string, id?: string): Promise<void> {
  const known = (await server.app.get(Apps, { strict: false }).findById(app.id))!;
  await events.send(known, events.check(known, userId, { name: 'told', data: id ?? 'nobody is asked' }), id);
}
/** Answers pings until something was handled. */
async function untilHandled(client: SocketClient, what: string): Promise<void> {
  await until(async () => {
    for (const ping of client.frames.splice(0).filter(({ event }) => event === 'pusher:ping')) if (ping) pong(client);
    return handled.includes(what);
  }, `${what} is handled`);
}

describe('a client that must confirm an event', () => {
  let user: string;
  let client: SocketClient;
  beforeEach(async () => {
    user = `user-${(users += 1)}`;
    client = await online(user);
  });

  it('is pinged right after it, and confirms it with its answer', async () => {
    await tell(user, 'first');
    const after = () => {
      const at = client.frames.findIndex(({ event }) => event === 'told');
      return at < 0 ? [] : client.frames.slice(at);
    };
    await until(() => after().some(({ event }) => event === 'pusher:ping'), 'it is pinged');
    expect(handled).toEqual([]);
    await untilHandled(client, '3 first');
    expect(handled).toEqual(['3 first']);
    client.close();
  });

  it('does not confirm it by answering an earlier ping', async () => {
    await client.next('pusher:ping');
    await tell(user, 'late');
    await client.next('told');
    await client.next('pusher:ping');
    pong(client);
    await client.settled('told');
    expect(handled).toEqual([]);
    pong(client);
    await untilHandled(client, '3 late');
    client.close();
  });

  it('does not confirm it by an unsolicited answer', async () => {
    for (let n = 0; n < 5; n++) pong(client);
    await client.settled('told');
    await tell(user, 'early');
    await client.next('told');
    await client.settled('told');
    expect(handled).toEqual([]);
    await untilHandled(client, '3 early');
    client.close();
  });

  it('is not pinged without a listener', async () => {
    await tell(user);
    await client.next('told');
    await client.settled('told');
    expect(handled).toEqual([]);
    client.close();
  });

  it('confirms it in each tab, and no other user is pinged', async () => {
    const [second, other] = [await online(user), await online(`${user}-friend`)];
    await tell(user, 'both');
    await untilHandled(second, '3 both');
    expect(handled).toEqual(['3 both']);
    await untilHandled(client, '3 both');
    await until(() => handled.length === 2, 'both have said so');
    pong(other);
    expect(await other.settled('told')).toEqual([]);
    for (const each of [client, second, other]) each.close();
  });

  it('may have a session, whose answers count for both', async () => {
    const tab = await online(user, 'a-tab-of-its-own');
    await tab.subscribe('orders');
    await tell(user, 'with a session');
    await untilHandled(tab, '3 with a session');
    for (const each of [client, tab]) each.close();
  });
});

describe('a client that does not answer', () => {
  beforeAll(async () => {
    await server.close();
    // Without pings of the keep-alive
    await start(60);
  });

  it('owes at most 16 answers, and then gives all', async () => {
    const client = await online('silent');
    for (let n = 1; n <= 40; n++) await tell('silent', String(n));
    await until(() => client.frames.filter(({ event }) => event === 'told').length === 40, 'all arrive');
    await client.settled('told');
    expect(client.frames.filter(({ event }) => event === 'pusher:ping').length).toBeLessThanOrEqual(16);
    await untilHandled(client, '3 40');
    expect(handled).toEqual(Array.from({ length: 40 }, (_, n) => `3 ${n + 1}`));
    client.close();
  });
});

it('checks users and events in the words of the API', async () => {
  const known = (await server.app.get(Apps, { strict: false }).findById(app.id))!;
  const check = (user: unknown, event: object) => () => events.check(known, user, event);
  expect(check('', { name: 'a', data: 1 })).toThrow("Invalid user id: ''");
  expect(check(7, { name: 'a', data: 1 })).toThrow("Invalid user id: '7'");
  expect(check('ann', { name: 'pusher:a', data: 1 })).toThrow('is reserved');
  expect(check('ann', { data: 1 })).toThrow('Missing required parameter: name');
  expect(check('ann', { name: 'a', data: 'x'.repeat(10_241) })).toThrow('exceeds the allowed maximum');
});
