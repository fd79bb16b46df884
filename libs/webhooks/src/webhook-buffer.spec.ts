import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type WebhookDelivery, webhookDelivery, WebhookBuffer, type WebhookRequest } from '#webhooks';

/** Stores deliveries unless `refuses` says otherwise. */
class Outbox {
  readonly kept: string[] = [];
  readonly tries: number[] = [];
  counted = 0;
  refuses: (deliveries: readonly WebhookDelivery[]) => boolean = () => false;

  async send(deliveries: readonly WebhookDelivery[]): Promise<{ dropped: number }> {
    this.tries.push(deliveries.length);
    if (this.refuses(deliveries)) throw new Error('cannot execute INSERT in a read-only transaction');
    this.kept.push(...deliveries.map(({ body }) => body));
    return { dropped: 0 };
  }

  lost(deliveries: number): void {
    this.counted += deliveries;
  }
}

let outbox: Outbox;
let error: ReturnType<typeof vi.spyOn>;
let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  outbox = new Outbox();
  vi.spyOn(Logger.prototype, 'log').mockImplementation(() => {});
  error = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
  warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const newBuffer = () => new WebhookBuffer(outbox, new Logger('Webhooks'));
const later = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

function webhook(body: string, request: Partial<WebhookRequest> = {}): WebhookDelivery {
  return webhookDelivery({ owner: 'app', url: 'https://a/', headers: {}, body, ...request }, Date.now());
}

it('keeps deliveries that the outbox refuses, and hands them over in order once it accepts them', async () => {
  outbox.refuses = () => true;
  const webhooks = newBuffer();
  for (let n = 0; n < 11; n++) {
    webhooks.add([webhook(String(n))]);
    await later(0.6);
  }
  expect(outbox.kept).toEqual([]);
  outbox.refuses = () => false;
  await later(5);
  expect(outbox.kept).toEqual(Array.from({ length: 11 }, (_, n) => String(n)));
  // One log line per outage, however long.
  expect(error).toHaveBeenCalledOnce();
});

it('abandons expired deliveries, logs how many and whose, and keeps the rest', async () => {
  outbox.refuses = () => true;
  const webhooks = newBuffer();
  webhooks.add([webhook('old', { expiresAt: Date.now() + 30_000 }), webhook('young')]);
  await later(60);
  expect(error).toHaveBeenLastCalledWith(expect.stringMatching(/^1 webhooks of app are lost/), expect.any(Error));
  outbox.refuses = () => false;
  await later(5);
  expect(outbox.kept).toEqual(['young']);
  expect(outbox.counted).toBe(1);
});

it('lets others pass a delivery that is refused for its content, and keeps the order of each endpoint', async () => {
  outbox.refuses = (deliveries) => deliveries.some(({ body }) => body === 'poison');
  const webhooks = newBuffer();
  webhooks.add([webhook('poison'), webhook('behind it')]);
  webhooks.add(Array.from({ length: 50 }, (_, n) => webhook(`sound ${n}`, { url: 'https://b/' })));
  await later(10);
  expect(outbox.kept).toEqual(Array.from({ length: 50 }, (_, n) => `sound ${n}`));
});

it('offers few deliveries at once after a refusal, and more with each success', async () => {
  let left = 4;
  outbox.refuses = () => left-- > 0;
  newBuffer().add(Array.from({ length: 64 }, (_, n) => webhook(String(n))));
  await later(10);
  expect(outbox.tries).toEqual([64, 32, 16, 8, 4, 8, 16, 32, 4]);
});

it('is bounded: it drops further deliveries and logs it', async () => {
  outbox.refuses = () => true;
  const webhooks = newBuffer();
  const large = 'x'.repeat(1024 * 1024);
  webhooks.add(Array.from({ length: 100 }, () => webhook(large)));
  expect(warn).toHaveBeenCalledWith(expect.stringMatching(/dropped, last one of app/));
  outbox.refuses = () => false;
  await later(5);
  expect(outbox.kept).toHaveLength(64);
  expect(outbox.counted).toBe(36);
  // There is space again.
  webhooks.add([webhook('later')]);
  await later(0);
  expect(outbox.kept.at(-1)).toBe('later');
});

it('drops the latest of the lane that fills it, and none of other lanes', async () => {
  outbox.refuses = () => true;
  const webhooks = newBuffer();
  const large = 'x'.repeat(1024 * 1024);
  const [busy, quiet] = ['public', 'presence'].map((lane) => (body: string) => webhooks.add([webhook(body, { lane })]));
  quiet!('first');
  for (let n = 0; n < 80; n += 1) busy!(`${n} ${large}`);
  for (const body of ['second', 'third']) quiet!(body);
  for (let n = 80; n < 100; n += 1) busy!(`${n} ${large}`);
  quiet!('last');
  outbox.refuses = () => false;
  await later(10);
  const kept = (of: RegExp) => outbox.kept.filter((body) => of.test(body)).map((body) => body.split(' ')[0]);
  expect(kept(/^[a-z]+$/)).toEqual(['first', 'second', 'third', 'last']);
  expect(kept(/x$/).slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
  expect(kept(/x$/).length + outbox.counted).toBe(100);
});

it('tries once more at shutdown, and then logs the losses', async () => {
  outbox.refuses = () => true;
  const webhooks = newBuffer();
  webhooks.add([webhook('a')]);
  await later(3);
  const tries = outbox.tries.length;
  // Other specs of the process may have timers, too.
  const timers = vi.getTimerCount();
  webhooks.close();
  await later(0);
  expect(outbox.tries).toHaveLength(tries + 1);
  expect(error).toHaveBeenLastCalledWith(expect.stringMatching(/^1 webhooks of app are lost/), expect.any(Error));
  expect(outbox.counted).toBe(1);
  // The pause has ended, and the report of losses is due.
  expect(vi.getTimerCount()).toBe(timers);
});
