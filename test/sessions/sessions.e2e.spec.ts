import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  Broker,
  type BrokerReceiver,
  EventsService,
  InProcessBroker,
  MemorySessionRepository,
  type SessionName,
} from 'rookery/channels';
import { Hub } from '../../libs/channels/src/hub/hub.js';
import { sessions as slot } from '../../libs/channels/src/connections/session.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { type Frame, SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const history = [
  { channels: 'private-short', events: 2 },
  { channels: '*', clientEvents: true },
];
const otherKey = { key: 'another-key', secret: 'another-secret' };
const app = { ...testApp, clientEvents: true, keys: [otherKey], history };
const otherApp = { ...testApp, id: '4', key: 'other-app', history };
const plainApp = { ...testApp, id: '5', key: 'plain' };

/** Tells when an answer of a client has been saved. */
class Sessions extends MemorySessionRepository {
  readonly saved: string[] = [];
  saves = 0;
  override save(name: SessionName, ...rest: [string, Parameters<MemorySessionRepository['save']>[2], number]) {
    const outcome = super.save(name, ...rest);
    this.saves++;
    for (const [channel, position] of rest[1].positions) this.saved.push(`${name.id} ${channel} ${position}`);
    return outcome;
  }
}
const sessions = new Sessions();

let server: ChannelsServer;
const clients: SocketClient[] = [];
beforeAll(async () => {
  server = await startChannels({
    apps: [app, otherApp, plainApp],
    sessionRepository: { useValue: sessions },
    sessions: { pingMs: 10 },
    limits: { queuedBytes: 200_000 },
  });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.socket.terminate();
});
afterAll(() => server.close());

async function connect(session: string, of: { key: string; secret: string } = testApp): Promise<SocketClient> {
  const client = await SocketClient.connect(server.port, of, session);
  clients.push(client);
  return client;
}

/** As when the network is gone: without a close. */
async function lose(client: SocketClient): Promise<void> {
  client.socket.terminate();
  await client.closing();
}

const trigger = (channel: string, data: string, extra: object = {}, of = testApp.id) =>
  server.app.get(EventsService).trigger(of, { name: 'e', channel, data, ...extra });

/** Answers a ping that came after the event, and waits until that is known. */
async function answer(client: SocketClient, session: string, event: Frame): Promise<void> {
  await until(async () => {
    const known = sessions.saved.findLast((each) => each.startsWith(`${session} ${event.channel} `)) ?? '';
    if (client.frames.some((frame) => frame.event === 'pusher:ping')) {
      await client.next('pusher:ping');
      client.send({ event: 'pusher:pong', data: {} });
    }
    return known.endsWith(` ${event.position}`);
  }, 'the answer is saved');
}

/** What came on a channel since it was subscribed, in order: data, with a star where it was replayed. */
async function came(client: SocketClient, channel: string): Promise<string[]> {
  await client.settled('e');
  return client.frames
    .filter((frame) => frame.channel === channel && !frame.event.startsWith('pusher'))
    .map((frame) => (frame.event === 'rookery:gap' ? 'gap' : `${String(frame.data)}${frame.replayed ? '*' : ''}`));
}

describe('a returning client', () => {
  it.each([
    'orders',
    'private-orders',
    'private-encrypted-orders',
    'presence-orders',
    'cache-orders',
    'private-cache-orders',
  ])('gets missed events on %s in order, before new ones', async (channel) => {
    const session = randomUUID();
    const member = { user_id: 'alice' };
    const first = await connect(session);
    await first.subscribe(channel, member);
    await trigger(channel, '1');
    await answer(first, session, await first.next('e'));
    await lose(first);
    for (const data of ['2', '3']) await trigger(channel, data);
    const second = await connect(session);
    second.sendSubscribe(channel, member);
    await second.next('pusher_internal:subscription_succeeded');
    await trigger(channel, '4');
    expect(await came(second, channel)).toEqual(['2*', '3*', '4']);
    // Positions say what is the same.
    const { events } = await server.app.get(Broker).history(testApp.id, channel, 100);
    expect(second.frames.filter(({ event }) => event === 'e').map(({ position }) => position)).toEqual(
      events.slice(1).map(({ position }) => position),
    );
  });

  it('gets the events after its last answered ping, and none before', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-a');
    for (const data of ['1', '2']) await trigger('orders-a', data);
    await first.next('e');
    await answer(first, session, await first.next('e'));
    await trigger('orders-a', '3');
    await first.next('e'); // The client has it, but the server does not know.
    await lose(first);
    await trigger('orders-a', '4');
    const second = await connect(session);
    await second.subscribe('orders-a');
    expect(await came(second, 'orders-a')).toEqual(['3*', '4*']);
  });

  it('gets missed events even if it had got no event yet', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-b');
    await lose(first);
    await trigger('orders-b', '1');
    const second = await connect(session);
    await second.subscribe('orders-b');
    expect(await came(second, 'orders-b')).toEqual(['1*']);
  });

  it('gets them again if the connection is lost again before it answers', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-c');
    await lose(first);
    for (const data of ['1', '2', '3']) {
      await trigger('orders-c', data);
      const next = await connect(session);
      await next.subscribe('orders-c');
      expect(await came(next, 'orders-c')).toEqual(['1*', '2*', '3*'].slice(0, Number(data)));
      if (data === '3')
        await answer(
          next,
          session,
          next.frames.findLast(({ event }) => event === 'e')!,
        );
      await lose(next);
    }
    const last = await connect(session);
    await last.subscribe('orders-c');
    expect(await came(last, 'orders-c')).toEqual([]);
  });

  it('gets events again that it was sent while its page was frozen, and is not closed', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-d');
    for (let n = 1; n <= 40; n++) {
      await trigger('orders-d', String(n));
      await first.next('e');
    }
    await until(() => first.frames.some(({ event }) => event === 'pusher:ping'), 'it is pinged');
    expect(first.closed).toBeUndefined();
    await lose(first);
    const second = await connect(session);
    await second.subscribe('orders-d');
    expect(await came(second, 'orders-d')).toEqual(Array.from({ length: 40 }, (_, i) => `${i + 1}*`));
  });

  it('continues from its answers after it was frozen', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-e');
    let latest: Frame | undefined;
    for (let n = 1; n <= 40; n++) {
      await trigger('orders-e', String(n));
      latest = await first.next('e');
      await first.settled('pusher:ping');
    }
    await answer(first, session, latest!);
    await lose(first);
    const second = await connect(session);
    await second.subscribe('orders-e');
    expect(await came(second, 'orders-e')).toEqual([]);
  });

  it('gets a gap in place of the same events for the sixth time, when it acknowledges none of them', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-replayed');
    await trigger('orders-replayed', '1');
    await answer(first, session, await first.next('e'));
    await lose(first);
    await trigger('orders-replayed', '2');
    const returns = async (): Promise<SocketClient> => {
      const client = await connect(session);
      await client.subscribe('orders-replayed');
      return client;
    };
    for (let time = 0; time < 5; time++) {
      const again = await returns();
      expect(await came(again, 'orders-replayed')).toEqual(['2*']);
      await lose(again);
    }
    const sixth = await returns();
    await trigger('orders-replayed', '3');
    expect(await came(sixth, 'orders-replayed')).toEqual(['gap', '3']);
    await answer(sixth, session, await sixth.next('e'));
    await lose(sixth);
    await trigger('orders-replayed', '4');
    expect(await came(await returns(), 'orders-replayed')).toEqual(['4*']);
  });

  it('is not told of a gap when it returns often to a channel without events', async () => {
    const session = randomUUID();
    for (let time = 0; time < 8; time++) {
      const client = await connect(session);
      await client.subscribe('orders-quiet');
      expect(await came(client, 'orders-quiet')).toEqual([]);
      await lose(client);
    }
  });

  it('is told of a gap in the history before the remaining events', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('private-short');
    await lose(first);
    for (const data of ['1', '2', '3']) await trigger('private-short', data);
    const second = await connect(session);
    await second.subscribe('private-short');
    expect(await came(second, 'private-short')).toEqual(['gap', '2*', '3*']);
    const { data, channel } = second.frames.find(({ event }) => event === 'rookery:gap')!;
    expect([channel, data]).toEqual(['private-short', '{"channel":"private-short"}']);
  });

  it('gets kept client events, but neither its own nor those that excluded it', async () => {
    const session = randomUUID();
    const first = await connect(session);
    const friend = await connect(randomUUID());
    for (const client of [first, friend]) await client.subscribe('private-chat');
    first.send({ event: 'client-e', channel: 'private-chat', data: 'own' });
    await friend.next('client-e');
    await lose(first);
    await trigger('private-chat', 'not for it', { socket_id: first.socketId });
    friend.send({ event: 'client-e', channel: 'private-chat', data: 'hello' });
    await friend.settled('client-e');
    const second = await connect(session);
    await second.subscribe('private-chat');
    expect(await came(second, 'private-chat')).toEqual(['hello*']);
  });

  it('gets no events of channels that it left', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-f');
    first.send({ event: 'pusher:unsubscribe', data: { channel: 'orders-f' } });
    await first.settled('e');
    await lose(first);
    await trigger('orders-f', '1');
    const second = await connect(session);
    await second.subscribe('orders-f');
    expect(await came(second, 'orders-f')).toEqual([]);
  });

  it('catches up slowly while new events arrive', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-g');
    await lose(first);
    for (let n = 0; n < 250; n++) await trigger('orders-g', `${n} ${'x'.repeat(9000)}`);
    const second = await connect(session);
    second.socket.pause();
    second.sendSubscribe('orders-g');
    const { connections } = server.app.get(Hub);
    await until(
      () => [...connections].some((each) => slot.of(each)?.sentTo('orders-g') !== undefined),
      'the replay has begun',
    );
    await trigger('orders-g', '250 ');
    second.socket.resume();
    await until(() => second.frames.some(({ data }) => data === '250 '), 'the new one has come');
    const numbers = (await came(second, 'orders-g')).map((each) => Number.parseInt(each, 10));
    expect(numbers).toEqual(Array.from({ length: 251 }, (_, i) => i));
  });
});

describe('a session', () => {
  it.each([
    ['another user', testApp, 'bob'],
    ['another key', otherKey, 'alice'],
    ['another app', otherApp, 'alice'],
  ])('gives nothing to %s', async (_, of, user) => {
    const session = randomUUID();
    const first = await connect(session);
    await first.signin({ id: 'alice' });
    for (const channel of ['private-h', 'presence-h']) await first.subscribe(channel, { user_id: 'alice' });
    await lose(first);
    for (const channel of ['private-h', 'presence-h']) await trigger(channel, 'secret');
    const second = await connect(session, of);
    await second.signin({ id: user });
    for (const channel of ['private-h', 'presence-h']) {
      await second.subscribe(channel, { user_id: user });
      expect(await came(second, channel)).toEqual([]);
    }
  });

  it('belongs to another user if another user is the member', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('presence-i', { user_id: 'alice' });
    await lose(first);
    await trigger('presence-i', 'secret');
    const second = await connect(session);
    await second.subscribe('presence-i', { user_id: 'bob' });
    expect(await came(second, 'presence-i')).toEqual([]);
  });

  it("replays the user's own channel", async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.signin({ id: 'alice' });
    await first.subscribe('#server-to-user-alice');
    await lose(first);
    await trigger('#server-to-user-alice', 'mail');
    const second = await connect(session);
    await second.signin({ id: 'alice' });
    await second.subscribe('#server-to-user-alice');
    expect(await came(second, '#server-to-user-alice')).toEqual(['mail*']);
  });

  it("replays the user's own channel with the sign-in, before what comes then, and not once more to a subscription", async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.signin({ id: 'anna' });
    await first.settled('');
    await lose(first);
    for (const data of ['1', '2']) await trigger('#server-to-user-anna', data);
    const second = await connect(session);
    const signedIn = second.signin({ id: 'anna' });
    for (const data of ['3', '4']) await trigger('#server-to-user-anna', data);
    await signedIn;
    const data = async () => (await came(second, '#server-to-user-anna')).map((each) => each.replace('*', ''));
    expect(await data()).toEqual(['1', '2', '3', '4']);
    await second.subscribe('#server-to-user-anna');
    await trigger('#server-to-user-anna', '5');
    expect(await data()).toEqual(['1', '2', '3', '4', '5']);
  });

  it('replays nothing to an unauthorized client', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('private-j');
    await lose(first);
    await trigger('private-j', 'secret');
    const second = await connect(session);
    second.send({ event: 'pusher:subscribe', data: { channel: 'private-j', auth: `${testApp.key}:0` } });
    await second.next('pusher:subscription_error');
    expect(await came(second, 'private-j')).toEqual([]);
    // It is not used up by that.
    await second.subscribe('private-j');
    expect(await came(second, 'private-j')).toEqual(['secret*']);
  });

  it('belongs to the newer of two connections, and both continue', async () => {
    const session = randomUUID();
    const first = await connect(session);
    await first.subscribe('orders-k');
    const second = await connect(session);
    await second.subscribe('orders-k');
    await trigger('orders-k', '1');
    const [old, event] = [await first.next('e'), await second.next('e')];
    expect(old.data).toBe('1');
    // An answer of the older connection says nothing of the newer one.
    await first.next('pusher:ping');
    first.send({ event: 'pusher:pong', data: {} });
    await first.settled('e');
    await lose(second);
    const third = await connect(session);
    await third.subscribe('orders-k');
    expect(await came(third, 'orders-k')).toEqual([`${String(event.data)}*`]);
    expect(first.closed).toBeUndefined();
  });

  it.each(['short', 'x'.repeat(65), 'with.a.dot.in.its.text'])('must have a valid id: %s', async (id) => {
    const client = await SocketClient.open(server.port, testApp, undefined, `/session/${id}`);
    expect(await client.closing()).toEqual({ code: 4005, reason: expect.stringContaining('Invalid session') });
  });

  it('costs nothing without a history', async () => {
    const client = await connect(randomUUID(), plainApp);
    await client.subscribe('orders');
    await trigger('orders', '1', {}, plainApp.id);
    expect(await client.next('e')).toEqual({ event: 'e', channel: 'orders', data: '1' });
    expect(sessions.saved.some((each) => each.includes(' orders null'))).toBe(false);
    expect(await client.settled('pusher:ping')).toEqual([]);
  });
});

it('a client without a session is neither pinged nor sent missed events', async () => {
  const first = await SocketClient.connect(server.port);
  clients.push(first);
  await first.subscribe('orders-l');
  const withSession = await connect(randomUUID());
  await withSession.subscribe('orders-l');
  await trigger('orders-l', '1');
  await first.next('e');
  await withSession.next('pusher:ping');
  expect(await first.settled('pusher:ping')).toEqual([]);
});

it('a client that had no event for hours gets the events it then misses', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const repository = new Sessions();
  const patient = await startChannels({
    apps: [app],
    sessionRepository: { useValue: repository },
    sessions: { keepSeconds: 1 },
  });
  try {
    const session = randomUUID();
    const first = await SocketClient.connect(patient.port, testApp, session);
    await first.subscribe('orders');
    for (let n = 0; n < 4; n++) {
      const { saves } = repository;
      vi.setSystemTime(Date.now() + 900);
      await until(() => repository.saves > saves, 'the session is renewed');
    }
    await lose(first);
    await patient.app.get(EventsService).trigger(testApp.id, { name: 'e', channel: 'orders', data: '1' });
    const second = await SocketClient.connect(patient.port, testApp, session);
    await second.subscribe('orders');
    expect(await came(second, 'orders')).toEqual(['1*']);
  } finally {
    vi.useRealTimers();
    await patient.close();
  }
});

it('a client with a possibly lost session is told of a gap until it acknowledges it, and gets later events', async () => {
  /** A store that is younger than its sessions. */
  class Young extends Sessions {
    override open(name: SessionName, socketId: string, seconds: number) {
      return super.open(name, socketId, seconds) ?? { socketIds: [], positions: [], isLost: true };
    }
  }
  const young = await startChannels({
    apps: [app],
    sessionRepository: { useValue: new Young() },
    sessions: { pingMs: 10 },
  });
  const tell = (data: string) =>
    young.app.get(EventsService).trigger(testApp.id, { name: 'e', channel: 'orders', data });
  const session = randomUUID();
  const connected = async () => {
    const client = await SocketClient.connect(young.port, testApp, session);
    await client.subscribe('orders');
    return client;
  };
  await tell('before');
  const first = await connected();
  expect(await came(first, 'orders')).toEqual(['gap']);
  await lose(first);
  await tell('1');
  const second = await connected();
  expect(await came(second, 'orders')).toEqual(['gap', '1*']);
  await second.next('pusher:ping');
  second.send({ event: 'pusher:pong', data: {} });
  await second.settled('e');
  await lose(second);
  await tell('2');
  const third = await connected();
  expect(await came(third, 'orders')).toEqual(['2*']);
  await lose(third);
  await young.close();
});

describe('if the store is replaced by one that knows less', () => {
  /** Younger than its sessions. */
  class Empty extends Sessions {
    override open(...opened: Parameters<Sessions['open']>) {
      return super.open(...opened) ?? { socketIds: [], positions: [], isLost: true };
    }
  }

  const startOn = async (first: Sessions, ...replicas: Sessions[]) => {
    let stores = [first, ...replicas];
    let onTheWay = Promise.resolve();
    let asked = 0;
    const sessionRepository = {
      open: async (...opened: Parameters<Sessions['open']>) => {
        asked += 1;
        await onTheWay;
        return stores.map((each) => each.open(...opened))[0];
      },
      save: (...saved: Parameters<Sessions['save']>) => stores.map((each) => each.save(...saved))[0]!,
    };
    const started = await startChannels({ apps: [app], sessionRepository: { useValue: sessionRepository } });
    return {
      ...started,
      asked: () => asked,
      to: (...next: Sessions[]) => void (stores = next),
      /** What is asked meanwhile arrives after what is asked later. */
      delayed: async (asked: () => Promise<void>) => {
        let arrive = (): void => {};
        onTheWay = new Promise((resolve) => (arrive = resolve));
        await asked();
        onTheWay = Promise.resolve();
        return arrive;
      },
      connect: (session: string) => SocketClient.connect(started.port, testApp, session),
      tell: (data: string) =>
        started.app.get(EventsService).trigger(testApp.id, { name: 'e', channel: 'orders', data }),
    };
  };

  it('a connection that its client has left does not take the session from the next one', async () => {
    const next = new Empty();
    const stored = await startOn(new Sessions());
    const session = randomUUID();
    const left = await stored.connect(session);
    for (const channel of ['orders', 'news', 'old']) await left.subscribe(channel);
    stored.to(next);
    const arrive = await stored.delayed(async () => {
      left.send({ event: 'pusher:unsubscribe', data: { channel: 'old' } });
      await until(() => next.saves > 0, 'its process hears that the session is forgotten');
    });
    const current = await stored.connect(session);
    arrive();
    await until(() => next.saved.some((each) => each.startsWith(`${session} orders `)), 'it is saved');
    for (const channel of ['orders', 'news']) {
      await current.subscribe(channel);
      expect(await came(current, channel)).toEqual(['gap']);
    }
    for (const client of [left, current]) client.close();
    await stored.close();
  });

  it('a connection that its client left before the greeting does not take it by its pongs', async () => {
    const store = new Sessions();
    const stored = await startOn(store);
    const session = randomUUID();
    const first = await stored.connect(session);
    await first.subscribe('orders');
    await lose(first);
    let left = first;
    const arrive = await stored.delayed(async () => {
      const before = stored.asked();
      left = await SocketClient.open(stored.port, testApp, undefined, `/session/${session}`);
      await until(() => stored.asked() > before, 'its session is being opened');
    });
    const current = await stored.connect(session);
    await current.subscribe('orders');
    left.send({ event: 'pusher:pong', data: {} });
    arrive();
    await left.next('pusher:connection_established');
    left.send({ event: 'pusher:pong', data: {} });
    await left.settled('pusher:error');
    const { saves } = store;
    await stored.tell('1');
    await current.next('e');
    await current.next('pusher:ping');
    current.send({ event: 'pusher:pong', data: {} });
    await until(() => store.saves > saves, 'what it got is saved');
    await lose(current);
    await stored.tell('2');
    const next = await stored.connect(session);
    await next.subscribe('orders');
    expect(await came(next, 'orders')).toEqual(['2*']);
    for (const client of [left, next]) client.close();
    await stored.close();
  });

  it('a client is told of gaps on channels that an earlier connection, which saves late, was not on', async () => {
    const next = new Empty();
    const stored = await startOn(new Sessions());
    const session = randomUUID();
    const left = await stored.connect(session);
    for (const channel of ['orders', 'old']) await left.subscribe(channel);
    stored.to(next);
    left.send({ event: 'pusher:unsubscribe', data: { channel: 'old' } });
    await until(() => next.saved.some((each) => each.startsWith(`${session} orders `)), 'it is saved');
    await lose(left);
    const gaps = async () => {
      const client = await stored.connect(session);
      const told = [];
      for (const channel of ['orders', 'news']) {
        await client.subscribe(channel);
        told.push(await came(client, channel));
      }
      await client.next('pusher:ping');
      client.send({ event: 'pusher:pong', data: {} });
      await client.settled('e');
      await lose(client);
      return told;
    };
    expect(await gaps()).toEqual([[], ['gap']]);
    expect(await gaps()).toEqual([[], []]);
    await stored.close();
  });

  it('a connection that was opened on the other saves what its client gets', async () => {
    const [master, replica] = [new Sessions(), new Sessions()];
    const stored = await startOn(master, replica);
    const session = randomUUID();
    const first = await stored.connect(session);
    await first.subscribe('orders');
    await lose(first);
    stored.to(master);
    const second = await stored.connect(session);
    stored.to(replica);
    await second.subscribe('orders');
    await stored.tell('1');
    await second.next('pusher:ping');
    second.send({ event: 'pusher:pong', data: {} });
    await second.next('e');
    await until(() => replica.saved.length > 1, 'it is saved');
    await lose(second);
    await stored.tell('2');
    const third = await stored.connect(session);
    await third.subscribe('orders');
    expect((await came(third, 'orders')).at(-1)).toBe('2*');
    expect(replica.saved.at(-1)).not.toBe(replica.saved[0]);
    third.close();
    await stored.close();
  });
});

it('only clients with a session reconnect for events lost on the way to their process', async () => {
  let receiver: BrokerReceiver | undefined;
  class Lossy extends InProcessBroker {
    override receive(of: BrokerReceiver): void {
      super.receive((receiver = of));
    }
  }
  const lossy = await startChannels({
    apps: [{ ...testApp, history: [{ channels: 'orders' }] }],
    broker: { useValue: new Lossy() },
  });
  const [withSession, without, elsewhere] = [
    await SocketClient.connect(lossy.port, testApp, randomUUID()),
    await SocketClient.connect(lossy.port),
    await SocketClient.connect(lossy.port, testApp, randomUUID()),
  ];
  for (const client of [withSession, without]) await client.subscribe('orders');
  await elsewhere.subscribe('news');
  receiver?.lost(['orders', 'news'].map((channel) => ({ appId: testApp.id, channel })));
  expect((await withSession.closing()).code).toBe(4200);
  for (const client of [without, elsewhere]) {
    await client.settled('e');
    expect(client.closed).toBeUndefined();
  }
  await lossy.close();
});
