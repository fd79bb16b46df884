import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryWebhookOutbox, type WebhookDelivery, webhookDelivery } from 'rookery/common';

const kilobyte = 1024;
const everything = { id: 'claim', limit: 1000, perEndpoint: 1000, busy: new Set<string>(), leaseMs: 1000 };

/** With the kilobyte that each counts on top, a delivery here takes two. */
function deliveryTo(host: string, query = ''): WebhookDelivery {
  const url = `https://user:password@${host}/hook${query}`;
  return webhookDelivery({ owner: 'app-1', url, headers: {}, body: 'x'.repeat(kilobyte) }, Date.now());
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it('drops the earliest of the longest queue when it is full, and nothing of the others', () => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const outbox = new MemoryWebhookOutbox({ maxBytes: 8 * kilobyte });
  const failing = [1, 2, 3].map(() => deliveryTo('failing.example.com'));
  const fine = [1, 2].map(() => deliveryTo('fine.example.com'));
  expect(outbox.add([...failing, ...fine])).toEqual({ dropped: 1 });
  expect(outbox.claim({ ...everything, now: Date.now() })).toEqual([...failing.slice(1), ...fine]);
});

it('takes new deliveries again when there is room', () => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const outbox = new MemoryWebhookOutbox({ maxBytes: 2 * kilobyte });
  const [first, second] = [deliveryTo('a.example.com'), deliveryTo('a.example.com')];
  outbox.add([first]);
  outbox.claim({ ...everything, now: Date.now() });
  expect(outbox.add([second])).toEqual({ dropped: 0 });
});

it('counts those that it drops when a claimed one comes back, too', () => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const outbox = new MemoryWebhookOutbox({ maxBytes: 2 * kilobyte });
  const [first, second, third] = [1, 2, 3].map(() => deliveryTo('a.example.com'));
  outbox.add([first!]);
  outbox.claim({ ...everything, now: Date.now() });
  outbox.add([second!]);
  outbox.retry(first!.id, 'claim', Date.now(), []);
  expect(outbox.add([third!])).toEqual({ dropped: 2 });
  expect(outbox.add([])).toEqual({ dropped: 0 });
});

it('gives up the oldest dead letters, and no delivery, when they fill it', () => {
  const outbox = new MemoryWebhookOutbox({ maxBytes: 6 * kilobyte });
  const dead = [1, 2].map(() => deliveryTo('failing.example.com'));
  outbox.add(dead);
  outbox.claim({ ...everything, now: Date.now() });
  for (const { id } of dead) outbox.bury(id, 'claim', { diedAt: Date.now(), reason: 'x' }, { most: 10, keepMs: 1000 });
  expect(outbox.add([1, 2].map(() => deliveryTo('fine.example.com')))).toEqual({ dropped: 0 });
  expect(outbox.deadLetters('app-1', '', 10).map(({ delivery }) => delivery.id)).toEqual([dead[1]?.id]);
});

it('says what it drops at once, then one line in ten seconds, without credentials and query', () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const outbox = new MemoryWebhookOutbox({ maxBytes: 2 * kilobyte });
  for (let count = 0; count < 51; count += 1) outbox.add([deliveryTo('a.example.com', '?token=secret')]);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.lastCall?.[0]).toContain('1 dropped, last');
  vi.advanceTimersByTime(10_000);
  outbox.claim({ ...everything, now: Date.now() });
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.lastCall?.[0]).toMatch(
    /49 dropped, last [-0-9a-f]{36} of app-1 to https:\/\/a\.example\.com\/hook$/,
  );
});

it('refuses a bound that leaves no room', () => {
  expect(() => new MemoryWebhookOutbox({ maxBytes: 0 })).toThrow('maxBytes must be above 0, got 0');
});
