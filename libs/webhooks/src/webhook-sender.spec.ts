import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  DeadLettersService,
  deadLetterOf,
  jobOf,
  type TryOutcome,
  type WebhookDelivery,
  webhookDelivery,
  type WebhookRequest,
  WebhookSender,
} from '#webhooks';
import { deliveryOf } from './webhook-delivery.js';
import type { WebhookSenderOptions } from './webhook-sender.js';
import { MemoryJobStore } from 'rookery/jobs';

type Endpoint = () => Promise<TryOutcome>;

const accepts: Endpoint = async () => ({ outcome: 'accepted' });
const fails: Endpoint = async () => ({ outcome: 'failed', reason: 'it answered 500' });
const refuses: Endpoint = async () => ({ outcome: 'refused', reason: 'it is private' });
const hangs: Endpoint = () => new Promise(() => {});
const acceptsAfter = (ms: number) => () =>
  new Promise<TryOutcome>((resolve) => void setTimeout(() => resolve({ outcome: 'accepted' }), ms));
const failsAfter = (ms: number) => () =>
  new Promise<TryOutcome>((resolve) => void setTimeout(() => resolve({ outcome: 'failed', reason: 'timeout' }), ms));

/** A fake network: answers by host, and records each try in seconds since the test began. */
class Network {
  readonly tries: { id: string; host: string; second: number }[] = [];
  readonly peaks: Record<string, number> = {};
  private readonly inFlight: Record<string, number> = {};
  private readonly startedAt = Date.now();
  private readonly cut: ((outcome: TryOutcome) => void)[] = [];

  constructor(private readonly endpoints: Record<string, Endpoint>) {}

  async post({ id, url }: WebhookDelivery): Promise<TryOutcome> {
    const host = new URL(url).hostname;
    this.tries.push({ id, host, second: (Date.now() - this.startedAt) / 1000 });
    for (const name of [host, 'all']) this.count(name, 1);
    const closed = new Promise<TryOutcome>((resolve) => void this.cut.push(resolve));
    const outcome = await Promise.race([this.endpoints[host]?.() ?? fails(), closed]);
    for (const name of [host, 'all']) this.count(name, -1);
    return outcome;
  }

  async close(): Promise<void> {
    for (const cut of this.cut) cut({ outcome: 'failed', reason: 'closed' });
  }

  seconds(host: string): number[] {
    return this.tries.filter((made) => made.host === host).map(({ second }) => second);
  }

  ids(host: string): string[] {
    return this.tries.filter((made) => made.host === host).map(({ id }) => id);
  }

  private count(name: string, change: number): void {
    this.inFlight[name] = (this.inFlight[name] ?? 0) + change;
    this.peaks[name] = Math.max(this.peaks[name] ?? 0, this.inFlight[name]);
  }
}

const senders: WebhookSender[] = [];

function sending(endpoints: Record<string, Endpoint>, options: WebhookSenderOptions = {}) {
  const network = new Network(endpoints);
  const outbox = new MemoryJobStore();
  const sender = new WebhookSender(outbox, options, network);
  senders.push(sender);
  return { network, outbox, sender };
}

function to(host: string, request: Partial<WebhookRequest> = {}): WebhookDelivery {
  return webhookDelivery(
    { owner: 'app', url: `https://${host}/hook`, headers: {}, body: '{}', ...request },
    Date.now(),
  );
}

const many = (count: number, host: string, request: Partial<WebhookRequest> = {}) =>
  Array.from({ length: count }, () => to(host, request));

const later = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

const claimed = { id: 'claim', limit: 1000, perKey: 1000, busy: new Set<string>(), leaseMs: 1 };

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  for (const level of ['warn', 'log'] as const) vi.spyOn(Logger.prototype, level).mockReturnValue();
});
afterEach(async () => {
  const stopped = Promise.all(senders.splice(0).map((sender) => sender.onApplicationShutdown()));
  await later(60);
  await stopped;
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a delivery', () => {
  it('is tried as soon as it is sent', async () => {
    const { network, sender } = sending({ fine: accepts });
    await sender.send([to('fine')]);
    await later(0);
    expect(network.seconds('fine')).toEqual([0]);
  });

  it('is done once it is accepted', async () => {
    const { network, sender } = sending({ fine: accepts });
    await sender.send([to('fine', { retryDelaysMs: [1000] })]);
    await later(600);
    expect(network.seconds('fine')).toEqual([0]);
  });

  it('is tried again after each of its delays', async () => {
    const { network, sender } = sending({ down: fails });
    await sender.send([to('down', { retryDelaysMs: [1000, 2000, 250, 4000] })]);
    await later(600);
    expect(network.seconds('down')).toEqual([0, 1, 3, 3.25, 7.25]);
  });

  it('is tried until it is accepted', async () => {
    let tries = 0;
    const { network, sender } = sending({ shaky: () => (++tries < 3 ? fails() : accepts()) });
    await sender.send([to('shaky', { retryDelaysMs: [1000, 1000, 1000] })]);
    await later(600);
    expect(network.seconds('shaky')).toEqual([0, 1, 2]);
  });

  it('is abandoned after its last delay, with one log line without secrets', async () => {
    const warn = vi.mocked(Logger.prototype.warn);
    const { sender } = sending({ down: fails });
    const url = 'https://user:password@down/hook?token=secret';
    const delivery = to('down', { url, headers: { 'x-signature': 'signature' }, retryDelaysMs: [1000] });
    await sender.send([delivery]);
    await later(600);
    expect(warn.mock.calls.map(([line]) => String(line))).toEqual([
      'Webhooks of app to https://down/hook fail and are tried again: it answered 500',
      `Gave up webhook ${delivery.id} of app to https://down/hook: it answered 500`,
    ]);
  });

  it('is logged together with others that its endpoint gave up within a minute', async () => {
    const warn = vi.mocked(Logger.prototype.warn);
    const { sender } = sending({ down: fails });
    const deliveries = many(215, 'down').map((delivery) => ({ ...delivery, retryDelaysMs: [] }));
    await sender.send(deliveries);
    await later(70);
    await sender.send(many(2, 'down').map((delivery) => ({ ...delivery, retryDelaysMs: [] })));
    await later(130);
    await sender.send([to('down', { retryDelaysMs: [] })]);
    await later(1);
    expect(warn.mock.calls.map(([line]) => String(line).replace(/webhook [\w-]{36}/, 'webhook <id>'))).toEqual([
      'Gave up webhook <id> of app to https://down/hook: it answered 500',
      'Gave up 214 other webhooks of app to https://down/hook within a minute; the last: it answered 500',
      'Gave up 2 other webhooks of app to https://down/hook within a minute; the last: it answered 500',
      'Gave up webhook <id> of app to https://down/hook: it answered 500',
    ]);
  });

  it('is logged when it is the first to fail at its endpoint, at once and once', async () => {
    const warn = vi.mocked(Logger.prototype.warn);
    const log = vi.mocked(Logger.prototype.log);
    let endpoint = fails;
    const { sender } = sending({ down: () => endpoint(), fine: accepts });
    await sender.send([...many(5, 'down', { retryDelaysMs: Array.from({ length: 10 }, () => 1000) }), to('fine')]);
    await later(0);
    const failure = 'Webhooks of app to https://down/hook fail and are tried again: it answered 500';
    expect(warn.mock.calls).toEqual([[failure]]);
    await later(5);
    expect(warn).toHaveBeenCalledTimes(1);
    endpoint = accepts;
    await later(5);
    expect(log.mock.calls).toEqual([['Webhooks of app to https://down/hook are accepted again']]);

    endpoint = fails;
    await later(600);
    await sender.send([to('down', { retryDelaysMs: [1000, 1000] })]);
    await later(1.5);
    expect(warn.mock.calls).toEqual([[failure], [failure]]);
  });

  it('is not logged as the first to fail again and again at an endpoint that fails now and then', async () => {
    const warn = vi.mocked(Logger.prototype.warn);
    let tries = 0;
    const { sender } = sending({ shaky: () => (++tries % 2 === 1 ? fails() : accepts()) });
    for (let n = 0; n < 50; n++) {
      await sender.send([to('shaky', { retryDelaysMs: [1000] })]);
      await later(2);
    }
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('is a dead letter from then on, until it is sent again', async () => {
    let endpoint = fails;
    const onGivenUp = vi.fn();
    const { network, outbox, sender } = sending({ down: () => endpoint() }, { onGivenUp });
    const tries = (now: number) => ({ dueAt: now, retryDelaysMs: [1000], expiresAt: now + 60_000 });
    const letters = new DeadLettersService(outbox, sender, tries);
    const deliveries = many(250, 'down');
    await sender.send(deliveries);
    await later(600);
    expect(onGivenUp.mock.calls).toEqual(Array.from({ length: 250 }, () => [1]));
    expect(await letters.list('app', '', 1)).toMatchObject([{ reason: 'it answered 500', diedAt: expect.any(Number) }]);

    // Letters that die again do so only after their second try.
    expect(await letters.resendAll('app')).toBe(250);
    await later(1);
    expect(network.tries).toHaveLength(750);
    expect(await letters.list('app', '', 1000)).toHaveLength(250);

    endpoint = accepts;
    const [first] = await letters.list('app', '', 1);
    expect(await letters.resend('app', first!.delivery.id)).toBe(true);
    expect(await letters.resend('app', first!.delivery.id)).toBe(false);
    expect(await letters.resendAll('app')).toBe(249);
    await later(600);
    expect(network.tries).toHaveLength(1000);
    expect(await letters.list('app', '', 1000)).toEqual([]);
  });

  it('is abandoned early if too many wait, from the longest queue, with one log line and a count', async () => {
    const warn = vi.mocked(Logger.prototype.warn);
    const onGivenUp = vi.fn();
    const deadLetters = { most: 1000, maxBytes: 1e9, keepMs: 86_400_000 };
    const { network, outbox, sender } = sending(
      { down: hangs, slow: hangs },
      { onGivenUp, maxWaiting: 20, deadLetters },
    );
    const [down, slow] = [many(1200, 'down'), many(3, 'slow')];
    await sender.send([...slow, ...down]);
    await later(6);
    expect(await outbox.size()).toBe(20);
    expect(network.tries).toHaveLength(2);
    const givenUp = onGivenUp.mock.calls.reduce((sum, [count]) => sum + count, 0);
    expect(givenUp).toBe(1183);
    const letters = (await outbox.dead('app', '', 2000)).map(deadLetterOf);
    expect(letters).toHaveLength(1000);
    expect(letters[0]).toMatchObject({ delivery: { url: 'https://down/hook' }, reason: 'the queue was full' });
    // New letters displace old ones, but none of the short queue.
    expect(letters.some(({ delivery }) => delivery.url.includes('slow'))).toBe(false);
    await later(20);
    const told = warn.mock.calls.map(([line]) => Number(/full: (\d+) given up, the earliest/.exec(String(line))?.[1]));
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(1183);
    expect(told.length).toBeLessThan(3);
  });

  it('waits for none of another lane, and is not given up for them', async () => {
    const { network, outbox, sender } = sending({ slow: acceptsAfter(1000) }, { maxWaiting: 100 });
    await sender.send(many(2000, 'slow', { lane: 'public' }));
    await later(60);
    const quiet = many(3, 'slow', { lane: 'presence' });
    await sender.send([...many(2000, 'slow', { lane: 'public' }), ...quiet]);
    await later(6);
    expect(network.ids('slow')).toEqual(expect.arrayContaining(quiet.map(({ id }) => id)));
    const letters = (await outbox.dead('app', '', 2000)).map(deadLetterOf);
    expect(new Set(letters.map(({ delivery }) => delivery.lane))).toEqual(new Set(['public']));
    expect(network.peaks['slow']).toBe(8);
  });

  it('is not tried again if no retry can succeed', async () => {
    const { network, sender } = sending({ private: refuses });
    await sender.send([to('private', { retryDelaysMs: [1000] })]);
    await later(600);
    expect(network.seconds('private')).toEqual([0]);
  });

  it('is not tried after it has expired', async () => {
    const { network, sender } = sending({ down: failsAfter(10_000) });
    await sender.send([to('down', { retryDelaysMs: [10_000, 10_000, 10_000], expiresAt: Date.now() + 25_000 })]);
    await later(600);
    expect(network.seconds('down')).toEqual([0, 20]);
  });

  it('is tried once if it expired before its first try, while no process could send it', async () => {
    const { network, outbox, sender } = sending({ fine: accepts, down: fails });
    const expired = { retryDelaysMs: [1000], expiresAt: Date.now() + 300_000 };
    await outbox.add([jobOf(to('fine', expired)), jobOf(to('down', expired))]);
    await later(3600);
    sender.onApplicationBootstrap();
    await later(600);
    expect([network.seconds('fine'), network.seconds('down')]).toEqual([[3600], [3600]]);
    expect(await outbox.dead('app', '', 10)).toMatchObject([{ reason: 'it answered 500' }]);
  });

  it('is found when another process added it', async () => {
    const { network, outbox, sender } = sending({ fine: accepts }, { pollMs: 500 });
    sender.onApplicationBootstrap();
    await later(0.1);
    await outbox.add([jobOf(to('fine'))]);
    await later(0.5);
    expect(network.ids('fine')).toHaveLength(1);
  });

  it('is sent once however long it waits for a slow endpoint', async () => {
    const { network, sender } = sending({ slow: acceptsAfter(20_000) });
    await sender.send(many(12, 'slow', { expiresAt: Infinity }));
    await later(600);
    expect(network.ids('slow')).toHaveLength(12);
    expect(new Set(network.ids('slow')).size).toBe(12);
  });
});

describe('an endpoint that fails', () => {
  it('delays no other endpoint', async () => {
    const { network, sender } = sending({ dead: failsAfter(10_000), fine: acceptsAfter(10) });
    await sender.send([...many(1000, 'dead', { retryDelaysMs: [1000] }), ...many(40, 'fine')]);
    await later(0.1);
    expect(network.ids('fine')).toHaveLength(40);
  });

  it('delays no other endpoint even if many fail', async () => {
    const dead = Array.from({ length: 30 }, (_, index) => `dead${index}`);
    const endpoints = Object.fromEntries(dead.map((host) => [host, failsAfter(10_000)]));
    const { network, sender } = sending({ ...endpoints, fine: acceptsAfter(10) }, { concurrency: 16 });
    await sender.send(dead.flatMap((host) => many(20, host, { retryDelaysMs: [1000, 1000] })));
    await later(45); // By then, each has failed once.
    await sender.send(many(40, 'fine'));
    await later(0.1);
    expect(network.ids('fine')).toHaveLength(40);
  });

  it('gets one try at a time until it recovers', async () => {
    let answer = failsAfter(1000);
    const { network, sender } = sending({ ill: () => answer() });
    await sender.send(many(20, 'ill', { retryDelaysMs: [60_000] }));
    await later(10);
    expect(network.ids('ill').length).toBeLessThanOrEqual(12);
    answer = acceptsAfter(100);
    await later(5);
    expect(network.ids('ill').length).toBeGreaterThanOrEqual(20);
  });

  it('does not slow down another owner with the same URL', async () => {
    const { network, sender } = sending({ shared: acceptsAfter(60_000) });
    await sender.send(many(50, 'shared', { owner: 'mine' }));
    await later(1);
    const theirs = to('shared', { owner: 'theirs' });
    await sender.send([theirs]);
    await later(0.1);
    expect(network.ids('shared')).toContain(theirs.id);
  });
});

describe('the sender', () => {
  it('limits concurrent tries, in total and per endpoint', async () => {
    const hosts = ['a', 'b', 'c', 'd'];
    const endpoints = Object.fromEntries(hosts.map((host) => [host, acceptsAfter(50)]));
    const { network, sender } = sending(endpoints, { concurrency: 10, concurrencyPerEndpoint: 4 });
    await sender.send(hosts.flatMap((host) => many(100, host)));
    await later(60);
    expect(network.tries).toHaveLength(400);
    expect(network.peaks).toEqual({ all: 10, a: 4, b: 4, c: 4, d: 4 });
  });

  it('keeps the order of a sequence without delaying others', async () => {
    const { network, sender } = sending({ fine: acceptsAfter(100) });
    await sender.send(many(4, 'fine'));
    await later(1); // Now several may run in parallel.
    const news = many(5, 'fine', { sequence: 'news' });
    const other = to('fine', { sequence: 'other' });
    await sender.send([...news, other]);
    await later(0);
    expect(network.ids('fine').slice(4)).toEqual([news[0]?.id, other.id]);
    await later(10);
    expect(network.tries.slice(4).filter(({ id }) => id !== other.id)).toEqual(
      news.map(({ id }, index) => ({ id, host: 'fine', second: 1 + index / 10 })),
    );
  });

  it('continues after the outbox failed for a while', async () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const { network, outbox, sender } = sending({ fine: accepts });
    vi.spyOn(outbox, 'claim').mockImplementationOnce(() => {
      throw new Error('the database is away');
    });
    await sender.send([to('fine')]);
    await later(0);
    expect(network.tries).toEqual([]);
    await later(1);
    expect(network.seconds('fine')).toEqual([1]);
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('sends again a delivery that it could not mark as done', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const { network, outbox, sender } = sending({ fine: accepts });
    vi.spyOn(outbox, 'done').mockRejectedValueOnce(new Error('the database is away'));
    await sender.send([to('fine', { expiresAt: Infinity })]);
    await later(70);
    expect(network.ids('fine')).toHaveLength(2);
  });
});

describe('a shutdown', () => {
  it('waits for tries in progress and sends due deliveries', async () => {
    const { network, outbox, sender } = sending({ slow: acceptsAfter(1000) });
    await sender.send(many(3, 'slow'));
    const stopped = sender.onApplicationShutdown();
    await later(2);
    await stopped;
    expect(network.ids('slow')).toHaveLength(3);
    expect(await outbox.claim({ ...claimed, now: Date.now() + 100_000 })).toEqual([]);
  });

  it('sends deliveries that are still being added to a slow outbox', async () => {
    const { network, outbox, sender } = sending({ fine: accepts });
    const add = outbox.add.bind(outbox);
    vi.spyOn(outbox, 'add').mockImplementation(async (jobs) => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return add(jobs);
    });
    void sender.send(many(1, 'fine')).then(() => sender.send(many(1, 'fine')));
    const stopped = sender.beforeApplicationShutdown().then(() => sender.onApplicationShutdown());
    await later(1);
    await stopped;
    expect(network.ids('fine')).toHaveLength(2);
  });

  it('waits no longer than its timeout, and leaves the rest in the outbox', async () => {
    const { outbox, sender } = sending({ dead: hangs }, { shutdownMs: 3000 });
    const [first, second] = many(2, 'dead', { retryDelaysMs: [1000, 2000], expiresAt: Infinity });
    await sender.send([first as WebhookDelivery, second as WebhookDelivery]);
    let stopped = false;
    void sender.onApplicationShutdown().then(() => (stopped = true));
    await later(2.9);
    expect(stopped).toBe(false);
    await later(0.1);
    expect(stopped).toBe(true);
    expect((await outbox.claim({ ...claimed, now: Date.now() })).map(deliveryOf)).toMatchObject([
      { id: first?.id, retryDelaysMs: [1000, 2000] },
      { id: second?.id, retryDelaysMs: [1000, 2000] },
    ]);
  });

  it('logs how many deliveries a queue in memory loses', async () => {
    const warn = vi.mocked(Logger.prototype.warn);
    const { sender } = sending({ down: fails });
    await sender.send(many(3, 'down', { retryDelaysMs: [60_000] }));
    await later(5);
    await sender.onApplicationShutdown();
    expect(warn.mock.calls).toEqual([
      ['Webhooks of app to https://down/hook fail and are tried again: it answered 500'],
      ['3 jobs were not done and are lost'],
    ]);
  });

  it('logs nothing if none is lost', async () => {
    const { sender } = sending({ fine: accepts });
    await sender.send(many(3, 'fine'));
    await later(5);
    await sender.onApplicationShutdown();
    expect(vi.mocked(Logger.prototype.warn)).not.toHaveBeenCalled();
  });

  it('starts nothing afterwards', async () => {
    const { network, sender } = sending({ fine: accepts });
    await sender.onApplicationShutdown();
    await sender.send([to('fine')]);
    await later(60);
    expect(network.tries).toEqual([]);
  });
});

it.each([
  [{ concurrency: 1 }, 'WebhookSender: concurrency must be at least 2, got 1'],
  [{ concurrencyPerEndpoint: 0 }, 'WebhookSender: concurrencyPerEndpoint must be at least 1, got 0'],
])('refuses %j', (options, message) => {
  expect(() => new WebhookSender(new MemoryJobStore(), options)).toThrow(message);
});
