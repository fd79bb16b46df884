import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { usedBytes } from '../../../../test/support/memory.js';
import { MemoryRequestRates, type RequestRates, settingsOf } from '#common';
import { type WebhookDelivery, type WebhookSender } from '#webhooks';
import { type App, type AppConfig, appFrom } from '../app/app.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Appearance, HoldableActivity, WebhookEvent } from './channel-events.js';
import type { WebhookSettings } from '../channels.options.js';
import { Throttle } from '../throttle.js';
import { NoAnnouncements } from './announcement.repository.js';
import { Announcements } from './announcements.js';
import { WebhooksService } from './webhooks.service.js';

const url = 'https://example.com/hook';
const app = (config: Partial<AppConfig> = {}) =>
  appFrom({ id: '1', key: 'key-1', secret: 'secret-1', webhooks: [{ url }], ...config });

const occupied = (channel = 'news'): WebhookEvent => ({ name: 'channel_occupied', channel });
const vacated = (channel = 'news'): WebhookEvent => ({ name: 'channel_vacated', channel });
const added = (user: string): WebhookEvent => ({ name: 'member_added', channel: 'presence-room', user_id: user });
const removed = (user: string): WebhookEvent => ({ name: 'member_removed', channel: 'presence-room', user_id: user });
const cacheMiss = (channel = 'cache-news'): WebhookEvent => ({ name: 'cache_miss', channel });
const clientEvent = {
  name: 'client_event',
  channel: 'presence-room',
  event: 'client-typing',
  data: '{"at":"ünïcödé 💬"}',
  socket_id: '1.2',
  user_id: '7',
} as const satisfies WebhookEvent;
const count: WebhookEvent = { name: 'subscription_count', channel: 'news', subscription_count: 3 };

/** Remembers what it is given to send. */
class Sent {
  readonly deliveries: WebhookDelivery[] = [];
  readonly adds: number[] = [];
  private open = Promise.resolve();

  async send(deliveries: readonly WebhookDelivery[]): Promise<{ dropped: number }> {
    await this.open;
    this.adds.push(deliveries.length);
    this.deliveries.push(...deliveries);
    return { dropped: 0 };
  }

  /** The outbox takes nothing until the function is called. */
  stall(): () => void {
    let release = (): void => {};
    this.open = new Promise((resolve) => void (release = resolve));
    return release;
  }

  /** The events that went out, in order, each with the app that it was signed for. */
  get events(): unknown[] {
    return this.deliveries.flatMap(({ body }) => (JSON.parse(body) as { events: unknown[] }).events);
  }
}

let sent: Sent;
beforeEach(() => void (sent = new Sent()));
/** Unconfirmed disappearances, as the repositories keep them. */
let unconfirmed: Map<string, number>;
beforeEach(() => void (unconfirmed = new Map()));

/** Reports a happening like a caller that knows from a repository that a channel or member has returned. */
function happen(webhooks: WebhooksService, of: App, event: WebhookEvent): void {
  const { channel, user_id: userId } = event as { channel: string; user_id?: string };
  const subject = JSON.stringify([of.id, channel, userId]);
  switch (event.name) {
    case 'channel_vacated':
    case 'member_removed': {
      const version = unconfirmed.size + Math.random();
      unconfirmed.set(subject, version);
      const isHeld = () => unconfirmed.get(subject) === version;
      const confirm = () => isHeld() && unconfirmed.delete(subject);
      return webhooks.hold(of, event, { version, isHeld, confirm, isBack: () => !unconfirmed.has(subject) });
    }
    case 'channel_occupied':
    case 'member_added':
      return unconfirmed.delete(subject) ? undefined : webhooks.emit(of, event);
    default:
      return webhooks.emit(of, event);
  }
}

function service(
  webhooks: Partial<WebhookSettings> = {},
  rates: RequestRates = new MemoryRequestRates(),
  latest = (of: App): App | undefined => of,
): WebhooksService {
  const once = new Throttle(rates);
  return new WebhooksService(
    sent as unknown as WebhookSender,
    once,
    { urls: () => [] },
    { latest },
    settingsOf(ChannelsSettings, { webhooks }),
    new Announcements(new NoAnnouncements()),
  );
}

const later = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a webhook', () => {
  it.each([occupied(), added('7'), clientEvent, cacheMiss(), count])('reports $name unchanged', async (event) => {
    happen(service(), app(), event);
    await later(0);
    expect(sent.events).toEqual([event]);
  });

  it.each([vacated(), removed('7')])('reports $name unchanged, after the hold', async (event) => {
    happen(service(), app(), event);
    await later(2.999);
    expect(sent.events).toEqual([]);
    await later(0.001);
    expect(sent.events).toEqual([event]);
  });

  it('is signed over the bytes that are sent, with the key of its app', async () => {
    happen(service(), app(), clientEvent);
    await later(0);
    const [{ headers, body } = { headers: {}, body: '' }] = sent.deliveries;
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'X-Pusher-Key': 'key-1',
      'X-Pusher-Signature': createHmac('sha256', 'secret-1').update(Buffer.from(body)).digest('hex'),
    });
    expect(JSON.parse(body)).toEqual({ time_ms: 1_700_000_000_000, events: [clientEvent] });
  });

  it('is signed with the oldest key of its app that is valid', async () => {
    const validUntil = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    const keys = [
      { key: 'key-b', secret: 'secret-b' },
      { key: 'key-a', secret: 'secret-a', validUntil: validUntil(60) },
      { key: 'key-0', secret: 'secret-0', validUntil: validUntil(-1) },
    ];
    const webhooks = service();
    const signedWith = async (of: App): Promise<string | undefined> => {
      happen(webhooks, of, clientEvent);
      await later(0);
      return sent.deliveries.at(-1)?.headers['X-Pusher-Key'];
    };
    expect(await signedWith(app({ keys }))).toBe('key-a');
    await later(60);
    expect(await signedWith(app({ keys }))).toBe('key-b');
    expect(await signedWith(app({ keys: keys.slice(1) }))).toBe('key-1');
  });

  it('adds its configured headers, but never replaces those of the protocol', async () => {
    const headers = { Authorization: 'Bearer token', 'x-pusher-KEY': 'other', 'content-type': 'text/plain' };
    happen(service(), app({ webhooks: [{ url, headers }] }), occupied());
    await later(0);
    expect(Object.keys(sent.deliveries[0]?.headers ?? {})).toEqual([
      'Authorization',
      'Content-Type',
      'X-Pusher-Key',
      'X-Pusher-Signature',
    ]);
  });

  it('is tried for five minutes, ten seconds each', async () => {
    happen(service(), app(), occupied());
    await later(0);
    const [delivery] = sent.deliveries;
    expect(delivery).toMatchObject({ owner: '1', url, untrusted: false, timeoutMs: 10_000, dueAt: 1_700_000_000_000 });
    expect(delivery?.retryDelaysMs).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 35_000]);
    expect(delivery?.expiresAt).toBe(1_700_000_300_000);
  });

  it('orders the events of a channel in one sequence, and client events in one per sender', async () => {
    const webhooks = service();
    for (const event of [occupied(), added('7'), clientEvent]) happen(webhooks, app(), event);
    await later(0);
    expect(sent.deliveries.map(({ sequence }) => sequence)).toEqual(['news', 'presence-room', 'presence-room 1.2']);
  });
});

describe('the selection of a webhook', () => {
  const all = 'https://all.example.com/';
  const some = 'https://some.example.com/';
  const none = 'https://none.example.com/';

  it('decides which events it gets', async () => {
    const webhooks = service();
    const selective = app({
      webhooks: [{ url: all }, { url: some, events: ['cache_miss', 'member_added'] }, { url: none, events: ['other'] }],
    });
    for (const event of [occupied(), cacheMiss(), added('7'), count]) happen(webhooks, selective, event);
    await later(0);
    const names = (at: string) =>
      sent.deliveries.filter((each) => each.url === at).map(({ body }) => /"name":"(\w+)"/.exec(body)?.[1]);
    expect(names(all)).toEqual(['channel_occupied', 'cache_miss', 'member_added', 'subscription_count']);
    expect(names(some)).toEqual(['cache_miss', 'member_added']);
    expect(names(none)).toEqual([]);
  });

  it('means all events when it is empty', async () => {
    happen(service(), app({ webhooks: [{ url, events: [] }] }), count);
    await later(0);
    expect(sent.events).toEqual([count]);
  });

  it('still lets an unselected event cancel its opposite', async () => {
    const webhooks = service();
    const onlyOccupied = app({ webhooks: [{ url, events: ['channel_occupied'] }] });
    for (const event of [vacated(), occupied(), occupied('other')]) happen(webhooks, onlyOccupied, event);
    await later(10);
    expect(sent.events).toEqual([occupied('other')]);
  });

  it('leaves nothing waiting for an app without webhooks', async () => {
    const webhooks = service();
    for (const event of [vacated(), removed('7'), cacheMiss(), clientEvent])
      happen(webhooks, app({ webhooks: [] }), event);
    expect(vi.getTimerCount()).toBe(0);
    await later(10);
    expect(sent.deliveries).toEqual([]);
  });
});

describe('the hold', () => {
  it.each([
    [vacated(), occupied()],
    [removed('7'), added('7')],
  ])('tells neither %o nor what takes it back', async (end, again) => {
    const webhooks = service();
    happen(webhooks, app(), end);
    await later(2.9);
    happen(webhooks, app(), again);
    await later(10);
    expect(sent.events).toEqual([]);
  });

  it('sends both if the channel is occupied again afterwards', async () => {
    const webhooks = service();
    happen(webhooks, app(), vacated());
    await later(3);
    happen(webhooks, app(), occupied());
    await later(0);
    expect(sent.events).toEqual([vacated(), occupied()]);
  });

  it('sends to the webhooks that the app has at its end', async () => {
    const moved = app({ webhooks: [{ url: 'https://example.com/moved' }] });
    happen(
      service({}, undefined, () => moved),
      app(),
      vacated(),
    );
    await later(3);
    expect(sent.deliveries.map((delivery) => delivery.url)).toEqual(['https://example.com/moved']);
  });

  it('ends silently if the app was removed meanwhile', async () => {
    happen(
      service({}, undefined, () => undefined),
      app(),
      vacated(),
    );
    await later(3);
    expect(sent.deliveries).toEqual([]);
  });

  it('restarts each time the channel is vacated', async () => {
    const webhooks = service();
    happen(webhooks, app(), vacated());
    await later(2);
    happen(webhooks, app(), occupied());
    happen(webhooks, app(), vacated());
    await later(2.9);
    expect(sent.events).toEqual([]);
    await later(0.1);
    expect(sent.events).toEqual([vacated()]);
  });

  it('distinguishes apps, channels and users with similar names', async () => {
    const webhooks = service();
    const [one, eleven] = [app({ id: '1' }), app({ id: '1 1' })];
    happen(webhooks, one, vacated('1 news'));
    happen(webhooks, eleven, occupied('news'));
    happen(webhooks, one, removed('a b'));
    happen(webhooks, one, added('b'));
    await later(3);
    expect(sent.events).toEqual([occupied('news'), added('b'), vacated('1 news'), removed('a b')]);
  });

  it('keeps the order: occupied, added, removed, vacated', async () => {
    const webhooks = service();
    const room = 'presence-room';
    for (const event of [occupied(room), added('7'), removed('7'), vacated(room)]) happen(webhooks, app(), event);
    await later(3);
    expect(sent.events).toEqual([occupied(room), added('7'), removed('7'), vacated(room)]);
  });

  describe('of a channel that is occupied again by another process', () => {
    const hold = (webhooks: WebhooksService, isBack: () => boolean, of = app()) => {
      const steps: string[] = [];
      const confirm = (): boolean => {
        steps.push(`asked with ${sent.deliveries.length} stored`);
        return !isBack();
      };
      webhooks.hold(
        of,
        { name: 'channel_vacated', channel: 'news' },
        { version: 1, isHeld: () => true, confirm, isBack },
      );
      return steps;
    };

    it('is stored before it is confirmed, so that the other process announces the return after it', async () => {
      const steps = hold(service(), () => false);
      const release = sent.stall();
      await later(4);
      expect(steps).toEqual([]);
      release();
      await later(0);
      expect(steps).toEqual(['asked with 1 stored']);
      expect(sent.events).toEqual([vacated()]);
    });

    it('is followed by the return if that came before the confirmation', async () => {
      hold(service(), () => true);
      await later(3);
      expect(sent.events).toEqual([vacated(), occupied()]);
    });

    it('is confirmed late if the outbox takes nothing, because storage forgets vacancies', async () => {
      const steps = hold(service(), () => false);
      sent.stall();
      await later(24);
      expect(steps).toEqual(['asked with 0 stored']);
    });

    it('is stored with its batch before it is confirmed', async () => {
      const steps = hold(service({ batchMs: 2000 }), () => false, app({ batchWebhooks: true }));
      await later(4);
      expect(steps).toEqual([]);
      await later(1);
      expect(steps).toEqual(['asked with 1 stored']);
    });
  });

  it('is sent once if storage answers the change again', async () => {
    const webhooks = service();
    const isHeld = () => true;
    const departure = (version: number) => ({ version, isHeld, confirm: () => true, isBack: () => false });
    for (const version of [4, 4, 5]) {
      webhooks.hold(app(), { name: 'member_removed', channel: 'presence-room', user_id: '7' }, departure(version));
      await later(1);
    }
    await later(3);
    expect(sent.events).toEqual([removed('7'), removed('7')]);
  });

  describe('that names connections', () => {
    const naming = app({ webhooks: [{ url, memberSocketIds: true }] });
    const left = { ...removed('7'), socket_id: '1.2' } as HoldableActivity;
    const departure = (isBack: boolean) => ({
      version: 4,
      isHeld: () => true,
      confirm: () => !isBack,
      isBack: () => isBack,
    });

    it('is sent once, though storage that answers the change again does not know the connection', async () => {
      const webhooks = service();
      webhooks.hold(naming, left, departure(false));
      webhooks.hold(naming, removed('7') as HoldableActivity, departure(false));
      await later(4);
      expect(sent.events).toEqual([left]);
    });

    it('does not take the connection that left for the one that came back', async () => {
      service().hold(naming, left, departure(true));
      await later(4);
      expect(sent.events).toEqual([left, added('7')]);
    });
  });

  it('ends at shutdown: held events are sent, and later ones are not held', async () => {
    const webhooks = service();
    happen(webhooks, app(), removed('7'));
    happen(webhooks, app(), vacated());
    void webhooks.beforeApplicationShutdown();
    happen(webhooks, app(), vacated('other'));
    await later(0);
    expect(sent.events).toEqual([removed('7'), vacated(), vacated('other')]);
  });
});

describe('of an app with more new channels in a second than are reported at once', () => {
  let webhooks: WebhooksService;
  beforeEach(() => {
    webhooks = service({ promptPerSecond: 2 });
    for (const channel of ['first', 'second']) happen(webhooks, app(), occupied(channel));
  });
  /** What was sent after those. */
  const sentLater = () => sent.events.slice(2);

  it('those of other apps are reported at once, and so are its members', async () => {
    happen(webhooks, app({ id: '2' }), occupied('first'));
    happen(webhooks, app(), added('7'));
    happen(webhooks, app(), occupied('third'));
    await later(0.1);
    expect(sentLater()).toEqual([occupied('first'), added('7')]);
  });

  it('channels that are vacated within the hold are not reported at all', async () => {
    for (let n = 0; n < 1000; n += 1)
      for (const event of [occupied(`${n}`), vacated(`${n}`)]) happen(webhooks, app(), event);
    await later(10);
    expect(sent.events).toEqual([occupied('first'), occupied('second')]);
  });

  it('channels that stay occupied are reported at the end of the hold, and vacated as usual', async () => {
    happen(webhooks, app(), occupied('stays'));
    happen(webhooks, app(), occupied('leaves later'));
    await later(2.9);
    expect(sentLater()).toEqual([]);
    await later(0.1);
    expect(sentLater()).toEqual([occupied('stays'), occupied('leaves later')]);
    happen(webhooks, app(), vacated('leaves later'));
    await later(3);
    expect(sentLater()).toEqual([occupied('stays'), occupied('leaves later'), vacated('leaves later')]);
  });

  it('a channel that is occupied again is reported as occupied', async () => {
    for (const event of [occupied('back'), vacated('back'), occupied('back')]) happen(webhooks, app(), event);
    await later(10);
    expect(sentLater()).toEqual([occupied('back')]);
  });

  it('a channel that was reported at once is reported as vacated, though its change is answered again', async () => {
    webhooks = service({ promptPerSecond: 1 });
    webhooks.emit(app(), occupied('again') as Appearance, 7);
    webhooks.emit(app(), occupied('again') as Appearance, 7);
    happen(webhooks, app(), vacated('again'));
    await later(10);
    expect(sentLater()).toEqual([occupied('again'), vacated('again')]);
  });

  it('a channel that is gone is not reported for an earlier change that is answered again', async () => {
    webhooks.emit(app(), occupied('again') as Appearance, 7);
    happen(webhooks, app(), vacated('again'));
    webhooks.emit(app(), occupied('again') as Appearance, 7);
    await later(10);
    expect(sentLater()).toEqual([]);
    webhooks.emit(app(), occupied('again') as Appearance, 9);
    await later(10);
    expect(sentLater()).toEqual([occupied('again')]);
  });

  it('a channel that another process occupies while its vacancy is dropped is reported as occupied', async () => {
    happen(webhooks, app(), occupied());
    let isBack = false;
    const confirm = (): boolean => {
      isBack = true;
      return false;
    };
    webhooks.hold(
      app(),
      { name: 'channel_vacated', channel: 'news' },
      { version: 1, isHeld: () => true, confirm, isBack: () => isBack },
    );
    await later(10);
    expect(sentLater()).toEqual([occupied()]);
  });

  it.each([
    ['stays away', true, []],
    ['is back by then', false, [occupied()]],
  ])('a vacancy that cannot be dropped is dropped later, and misses no return: it %s', async (_, isAway, reported) => {
    happen(webhooks, app(), occupied());
    const confirm = vi
      .fn(() => isAway)
      .mockImplementationOnce(() => {
        throw new Error('away');
      });
    webhooks.hold(
      app(),
      { name: 'channel_vacated', channel: 'news' },
      { version: 1, isHeld: () => true, confirm, isBack: () => !isAway },
    );
    await later(10);
    expect(sentLater()).toEqual(reported);
    expect(confirm).toHaveBeenCalledTimes(2);
  });

  it('members have a number of their own, and a kind of event of another app too', async () => {
    for (const event of [added('1'), added('2'), added('3'), removed('3')]) happen(webhooks, app(), event);
    happen(webhooks, app({ id: '2' }), occupied());
    await later(10);
    expect(sentLater()).toEqual([added('1'), added('2'), occupied()]);
  });

  it('other events of a channel come after channel_occupied, or not at all', async () => {
    const ofCounts = (channel: string, subscriptions: number): WebhookEvent => {
      return { name: 'subscription_count', channel, subscription_count: subscriptions };
    };
    for (const event of [
      occupied('cache-stays'),
      cacheMiss('cache-stays'),
      ofCounts('cache-stays', 1),
      ofCounts('cache-stays', 2),
    ])
      happen(webhooks, app(), event);
    for (const event of [occupied('gone'), ofCounts('gone', 1), vacated('gone'), ofCounts('gone', 0)])
      happen(webhooks, app(), event);
    for (const event of [occupied('presence-room'), added('7'), clientEvent]) happen(webhooks, app(), event);
    await later(10);
    expect(sentLater()).toEqual([
      occupied('presence-room'),
      added('7'),
      clientEvent,
      occupied('cache-stays'),
      cacheMiss('cache-stays'),
      ofCounts('cache-stays', 2),
    ]);
  });

  it('those that are held are sent at shutdown', async () => {
    happen(webhooks, app(), occupied());
    await webhooks.beforeApplicationShutdown();
    await later(0);
    expect(sentLater()).toEqual([occupied()]);
  });
});

it('sends one cache miss for concurrent subscribers', async () => {
  const webhooks = service();
  for (let subscriber = 0; subscriber < 50; subscriber += 1) happen(webhooks, app(), cacheMiss());
  happen(webhooks, app(), cacheMiss('cache-other'));
  happen(webhooks, app({ id: '2' }), cacheMiss());
  await later(1);
  expect(sent.events).toEqual([cacheMiss(), cacheMiss('cache-other'), cacheMiss()]);
  happen(webhooks, app(), cacheMiss());
  await later(0);
  expect(sent.events).toHaveLength(4);
});

it('sends one cache miss over all processes', async () => {
  const rates = new MemoryRequestRates();
  const far: RequestRates = {
    take: async (limits) => rates.take(limits),
    giveBack: async (limits) => rates.giveBack(limits),
  };
  for (const webhooks of [service({}, far), service({}, far)]) happen(webhooks, app(), cacheMiss());
  await later(0);
  expect(sent.events).toEqual([cacheMiss()]);
});

describe('an app with batchWebhooks', () => {
  const batching = (config: Partial<AppConfig> = {}) => app({ batchWebhooks: true, ...config });
  const bodies = () => sent.deliveries.map(({ body }) => JSON.parse(body) as { time_ms: number; events: unknown[] });

  it('gets several events in one body, signed as a whole', async () => {
    const webhooks = service();
    happen(webhooks, batching(), occupied());
    await later(0.5);
    happen(webhooks, batching(), count);
    await later(0.5);
    expect(bodies()).toEqual([{ time_ms: 1_700_000_001_000, events: [occupied(), count] }]);
    const [{ headers, body } = { headers: {}, body: '' }] = sent.deliveries;
    const signature = createHmac('sha256', 'secret-1').update(body).digest('hex');
    expect(headers).toMatchObject({ 'X-Pusher-Signature': signature });
  });

  it('gets a full batch at once', async () => {
    const webhooks = service({ batchEvents: 3 });
    for (const channel of ['a', 'b', 'c', 'd']) happen(webhooks, batching(), occupied(channel));
    await later(0);
    expect(bodies().map(({ events }) => events.length)).toEqual([3]);
    await later(1);
    expect(bodies().map(({ events }) => events.length)).toEqual([3, 1]);
  });

  it('gets a large batch early', async () => {
    const webhooks = service({ batchEvents: 10_000 });
    for (let sends = 0; sends < 30; sends += 1)
      happen(webhooks, batching(), { ...clientEvent, data: 'x'.repeat(10_240) });
    await later(0);
    expect(bodies().map(({ events }) => events.length)).toEqual([26]);
  });

  it('never gets the events of another app in its body, even if they share a webhook', async () => {
    const webhooks = service();
    const shared = [{ url }];
    const [one, two] = [
      batching({ webhooks: shared }),
      batching({ id: '2', key: 'key-2', secret: 'secret-2', webhooks: shared }),
    ];
    for (const channel of ['a', 'b']) {
      happen(webhooks, one, occupied(channel));
      happen(webhooks, two, occupied(`${channel}-two`));
    }
    await later(1);
    expect(bodies().map(({ events }) => events)).toEqual([
      [occupied('a'), occupied('b')],
      [occupied('a-two'), occupied('b-two')],
    ]);
    expect(sent.deliveries.map(({ owner, headers }) => [owner, headers['X-Pusher-Key']])).toEqual([
      ['1', 'key-1'],
      ['2', 'key-2'],
    ]);
  });

  it('never mixes endpoints with different selections, even with the same URL', async () => {
    const webhooks = service();
    const selective = batching({ webhooks: [{ url, events: ['subscription_count'] }, { url }] });
    for (const event of [occupied(), count]) happen(webhooks, selective, event);
    await later(1);
    expect(bodies().map(({ events }) => events)).toEqual([[occupied(), count], [count]]);
  });

  it('gets one batch however often its app was loaded', async () => {
    const webhooks = service();
    for (const channel of ['a', 'b']) happen(webhooks, batching({ webhooks: [{ url }] }), occupied(channel));
    await later(1);
    expect(bodies()).toHaveLength(1);
  });

  it('gets collected events at the shutdown', async () => {
    const webhooks = service();
    happen(webhooks, batching(), vacated());
    happen(webhooks, batching(), count);
    await webhooks.beforeApplicationShutdown();
    await later(0);
    expect(sent.events).toEqual([count, vacated()]);
  });
});

it('adds the events that collect while the outbox is slow in one call, in order', async () => {
  const webhooks = service();
  const release = sent.stall();
  for (const channel of ['a', 'b', 'c']) {
    happen(webhooks, app(), occupied(channel));
    await later(0.1);
  }
  release();
  await later(0);
  expect(sent.adds).toEqual([1, 2]);
  expect(sent.events).toEqual(['a', 'b', 'c'].map((channel) => occupied(channel)));
});

it('hands over a burst of a shutdown without loss', async () => {
  const webhooks = service();
  for (let index = 0; index < 20_000; index += 1) happen(webhooks, app(), vacated(`news-${index}`));
  void webhooks.beforeApplicationShutdown();
  await later(0);
  expect(sent.deliveries).toHaveLength(20_000);
});

it('remembers nothing of channels that were reported as vacated', async () => {
  const webhooks = service();
  let version = 0;
  const vacate = async (count: number): Promise<void> => {
    for (const end = version + count; version < end;)
      webhooks.hold(
        app(),
        { name: 'channel_vacated', channel: `news-${version}` },
        { version: version++, isHeld: () => true, confirm: () => true, isBack: () => false },
      );
    await later(4);
    expect(sent.deliveries).toHaveLength(count);
    sent.deliveries.length = 0;
  };
  await vacate(1000);
  const before = usedBytes();
  await vacate(5000);
  expect((usedBytes() - before) / 5000).toBeLessThan(50);
  await webhooks.settled();
});

it.each([
  [{ timeoutMs: 0 }, 'ChannelsModule: webhooks.timeoutMs must be a whole number from 1 to 30000, got 0'],
  [{ timeoutMs: 60_000 }, 'ChannelsModule: webhooks.timeoutMs must be a whole number from 1 to 30000, got 60000'],
  [{ holdMs: -1 }, 'ChannelsModule: webhooks.holdMs must be a whole number from 0 to 60000, got -1'],
  [{ batchEvents: 1 }, 'ChannelsModule: webhooks.batchEvents must be a whole number of at least 2, got 1'],
  [{ retryMs: Number.NaN }, 'ChannelsModule: webhooks.retryMs must be a whole number, got NaN'],
])('refuses the setting %j', (webhooks, message) => {
  expect(() => settingsOf(ChannelsSettings, { webhooks }, { module: 'ChannelsModule' })).toThrow(message);
});
