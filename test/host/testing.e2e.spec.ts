import { ConflictException, Controller, forwardRef, Get, Injectable, Module } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsModule, EventsService, InProcessBroker, OnRequest } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { LiveActivityChannels, PublishModule, PublishService } from 'rookery/publish';
import { DevicesService, PushDeviceModule } from 'rookery/push-device';
import { describeBroker, RookeryTesting, rookeryMatchers, testingInstance } from '@rookery/testing';
import '@rookery/testing/vitest';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const shipped = { notification: { title: 'On its way' } };

@Injectable()
class OrdersService {
  constructor(
    private readonly events: EventsService,
    private readonly publishes: PublishService,
  ) {}

  async ship(id: number, buyer: string): Promise<void> {
    await this.events.trigger('app', { name: 'shipped', channel: `private-orders.${id}`, data: { id } });
    await this.publishes.publishToUsers(testingInstance.id, {
      users: [buyer],
      fcm: shipped,
      apns: { aps: { alert: 'On its way' } },
    });
  }
}

@Injectable()
class Shelf {
  @OnRequest('private-orders.{id}', 'take')
  take() {
    throw new ConflictException('Nothing is left');
  }

  @OnRequest('list')
  list() {
    return Array.from({ length: 3000 }, (_, n) => `cake ${n}`);
  }
}

@Module({ providers: [OrdersService, Shelf] })
class OrdersModule {}

expect.extend(rookeryMatchers);

describe('RookeryTesting', () => {
  let rookery: RookeryTesting;
  beforeAll(async () => {
    rookery = await RookeryTesting.start([OrdersModule]);
  });
  afterAll(() => rookery.close());
  afterEach(() => rookery.reset());

  it('reaches a client', async () => {
    const client = await rookery.connect();
    await client.subscribe('private-orders.7');
    await rookery.get(OrdersService).ship(7, 'ann');
    expect((await client.next('shipped')).data).toEqual({ id: 7 });
  });

  it('reaches a client and the phone of the buyer', async () => {
    const client = await rookery.connect();
    await client.subscribe('private-orders.7');
    await rookery.register({ user: 'ann' });
    await rookery.get(OrdersService).ship(7, 'ann');
    await expect(client).toHaveReceivedEvent('private-orders.7', 'shipped', { id: 7 });
    await expect(rookery).toHaveBeenPushedTo({ user: 'ann' }, { notification: { title: 'On its way' } });
  });

  it('asks methods of the application, and gets long replies and errors', async () => {
    const client = await rookery.connect();
    await client.subscribe('private-orders.7');
    const taken = client.request('private-orders.7', 'take', { what: 'cake' });
    await expect(taken).rejects.toMatchObject({ status: 409, message: 'Nothing is left' });
    const [list, none] = [client.request(undefined, 'list'), client.request(undefined, 'none')];
    await expect(none).rejects.toMatchObject({ status: 404 });
    const all = (await list) as readonly string[];
    expect([all.length, all[0], all.at(-1)]).toEqual([3000, 'cake 0', 'cake 2999']);
  });

  it('also reports events that were not sent, or reached no client', async () => {
    const client = await rookery.connect();
    await client.subscribe('private-orders.7');
    await rookery.get(OrdersService).ship(8, 'nobody');
    await expect(rookery).toHaveReceivedEvent('private-orders.8', 'shipped', expect.objectContaining({ id: 8 }));
    await expect(client).not.toHaveReceivedEvent('private-orders.8', 'shipped');
    await expect(rookery).not.toHaveBeenPushedTo({ user: 'nobody' });
  });

  it('shows the actual events if the expected one is missing', async () => {
    await rookery.get(OrdersService).ship(9, 'nobody');
    const expectation = expect(rookery).not.toHaveReceivedEvent('private-orders.9', 'shipped', { id: 9 });
    await expect(expectation).rejects.toThrow(/expected not to have received .*channel: 'private-orders.9'.*got \[/s);
  });

  it('removes a device that the gateway reports gone', async () => {
    const phone = await rookery.register({ user: 'bob' });
    const tablet = await rookery.register({ user: 'bob', platform: 'apns' });
    rookery.gateways.fcm.answer('UNREGISTERED');
    await rookery.get(OrdersService).ship(10, 'bob');
    await expect(rookery).toHaveBeenPushedTo({ deviceId: tablet.id });
    await expect(rookery).not.toHaveBeenPushedTo({ token: phone.token });
    expect(rookery.pushes).toMatchObject([{ user: 'bob', answer: expect.anything() }, { user: 'bob' }]);
    const [devices, audience] = [rookery.get(DevicesService), { users: ['bob'] }];
    await until(
      async () => (await devices.inAudience(testingInstance.id, audience, '', 9)).devices.length === 1,
      'it is removed',
    );
  });

  it('knows through which interest a device got a push', async () => {
    await rookery.register({ interests: ['news', 'sports'] });
    const publish = { interests: ['news', 'weather'], fcm: shipped };
    await rookery.get(PublishService).publishToInterests(testingInstance.id, publish);
    await expect(rookery).toHaveBeenPushedTo({ interest: 'news' }, shipped);
    await expect(rookery).not.toHaveBeenPushedTo({ interest: 'sports' });
    await expect(rookery).not.toHaveBeenPushedTo({ interest: 'weather' });
  });

  it('pushes to browsers', async () => {
    await rookery.register({ platform: 'web', interests: ['news'] });
    await rookery.get(PublishService).publishToInterests(testingInstance.id, { interests: ['news'], web: shipped });
    await expect(rookery).toHaveBeenPushedTo({ interest: 'news' }, shipped);
  });

  it('broadcasts to the channel of an interest', async () => {
    const app = { bundleIdentifier: 'com.example.app' };
    const { channelId } = await rookery.get(LiveActivityChannels).ensure(testingInstance.id, 'match-1', app);
    const apns = { aps: { event: 'update', 'content-state': { home: 1 } } };
    const { publishId } = await rookery
      .get(PublishService)
      .publishToInterests(testingInstance.id, { interests: ['match-1'], apns });
    await until(() => rookery.pushes.some((push) => push.publishId === publishId), 'the broadcast was sent');
    expect(rookery.pushes.filter((push) => push.publishId === publishId)).toMatchObject([{ token: channelId }]);
    rookery.gateways.apns.channels.limit = 0;
    await expect(rookery.get(LiveActivityChannels).ensure(testingInstance.id, 'match-2', app)).rejects.toThrow(
      'CannotCreateChannelConfig',
    );
    rookery.gateways.apns.channels.limit = 10_000;
  });

  it('has clients that join presence channels, sign in, and send client events', async () => {
    const ann = await rookery.connect({ user: { id: 'ann', info: { name: 'Ann' } } });
    const bob = await rookery.connect();
    expect(await ann.subscribe('presence-room', { id: 'ann', info: { name: 'Ann' } })).toMatchObject({
      presence: { count: 1 },
    });
    await bob.subscribe('presence-room', { id: 'bob' });
    bob.trigger('presence-room', 'client-typing', { on: true });
    expect(await ann.next('client-typing')).toMatchObject({ channel: 'presence-room', data: { on: true } });
    await rookery.get(EventsService).trigger('app', { channel: '#server-to-user-ann', name: 'hello', data: 'you' });
    expect(await ann.next('hello')).toMatchObject({ data: 'you' });
  });

  it('reports why a client was refused', async () => {
    const stranger = await rookery.connect({ app: { key: 'key', secret: 'wrong' } });
    await expect(stranger.subscribe('private-orders.7')).rejects.toThrow(/refused: .*Invalid signature/);
    await expect(rookery.connect({ app: { key: 'unknown', secret: '' } })).rejects.toThrow('4001');
  });
});

describe('the clock of RookeryTesting', () => {
  const app = { id: 'app', key: 'key', secret: 'secret' };
  let receiver: WebhookReceiver;
  let rookery: RookeryTesting;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    const webhooks = [{ url: receiver.url('/hook'), events: ['channel_vacated', 'member_removed'] }];
    rookery = await RookeryTesting.start([
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [{ ...app, webhooks }] }),
      PushDeviceModule.forRoot({ instances: [testingInstance] }),
      PublishModule.forRoot(),
    ]);
  });
  afterAll(async () => {
    await rookery.close();
    await receiver.close();
  });
  afterEach(() => rookery.reset());

  it('makes timeouts pass at once', async () => {
    const { clock } = rookery;
    const client = await rookery.connect();
    client.pause();
    await clock.advance(151_000);
    client.resume();
    expect(await client.closing()).toMatchObject({ code: 4201 });
  });

  it('leaves a client its time to answer', async () => {
    const client = await rookery.connect();
    client.pause();
    await rookery.clock.advance(145_000);
    client.resume();
    await client.next('pusher:ping');
    await rookery.clock.advance(60_000);
    await client.settled();
    expect(client.closed).toBeUndefined();
  });

  it('keeps answering clients connected', async () => {
    const client = await rookery.connect();
    await rookery.clock.advance(600_000);
    await client.settled();
    expect(client.closed).toBeUndefined();
    expect(client.events.filter(({ event }) => event === 'pusher:ping').length).toBeGreaterThanOrEqual(4);
  });

  it('releases held events', async () => {
    const client = await rookery.connect();
    await client.subscribe('presence-room', { id: 'ann' });
    client.unsubscribe('presence-room');
    await client.settled();
    await rookery.clock.advance(2000);
    expect(receiver.events('/hook')).toEqual([]);
    await rookery.clock.advance(2000);
    const told = await receiver.untilEvents('/hook', 2);
    expect(told.map(({ name }) => name as string).toSorted()).toEqual(['channel_vacated', 'member_removed']);
  });

  it('retries a publish at the time that the gateway asked for', async () => {
    await rookery.register({ interests: ['news'] });
    rookery.gateways.fcm.answer({ answer: 'QUOTA_EXCEEDED', retryAfterSeconds: 600 }, 'delivered');
    await rookery.get(PublishService).publishToInterests(testingInstance.id, { interests: ['news'], fcm: shipped });
    await until(() => rookery.pushes.length === 1, 'the first try is made');
    await rookery.clock.advance(590_000);
    await expect(rookery).not.toHaveBeenPushedTo({ interest: 'news' });
    await rookery.clock.advance(15_000);
    await expect(rookery).toHaveBeenPushedTo({ interest: 'news' }, shipped);
  });
});

describe('RookeryTesting with modules of the host', () => {
  abstract class Mailer {
    abstract send(): string;
  }

  @Controller()
  class HelloController {
    constructor(private readonly mailer: Mailer) {}

    @Get('hello')
    hello(): string {
      return this.mailer.send();
    }
  }

  @Module({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRootAsync({
        useFactory: () => ({ apps: [{ id: '1', key: 'own', secret: 's' }], path: '/sockets' }),
      }),
    ],
    controllers: [HelloController],
    providers: [{ provide: Mailer, useValue: { send: () => 'a real mail' } }],
  })
  class HostModule {}

  it('adds no modules, and applies the platform, overridden providers and the preparation', async () => {
    const rookery = await RookeryTesting.start([HostModule], {
      adapter: new FastifyAdapter(),
      override: (builder) => builder.overrideProvider(Mailer).useValue({ send: () => 'no mail' }),
      prepare: (app) => app.setGlobalPrefix('v1'),
    });
    try {
      expect(await (await fetch(`${rookery.url}/v1/hello`)).text()).toBe('no mail');
      const client = await rookery.connect();
      await client.subscribe('news');
      await rookery.get(EventsService).trigger('1', { name: 'headline', channel: 'news', data: 'hi' });
      await expect(client).toHaveReceivedEvent('news', 'headline', 'hi');
      expect(() => rookery.get(PublishService)).toThrow();
    } finally {
      await rookery.close();
    }
  });

  it('removes the clock when it is closed or fails to start', async () => {
    const globals = [Date, setTimeout, clearTimeout, performance.now, Date.now];
    @Module({ providers: [{ provide: Mailer, useFactory: () => Promise.reject(new Error('no mail server')) }] })
    class BrokenModule {}
    await expect(RookeryTesting.start([BrokenModule])).rejects.toThrow('no mail server');
    const rookery = await RookeryTesting.start([forwardRef(() => HostModule)]);
    expect(Date).not.toBe(globals[0]);
    await rookery.close();
    await rookery.close();
    expect([Date, setTimeout, clearTimeout, performance.now, Date.now]).toEqual(globals);
  });
});

class MyBroker extends InProcessBroker {}

describeBroker(() => new MyBroker());
