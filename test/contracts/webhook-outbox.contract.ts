import { expect } from 'vitest';
import { type WebhookClaim, type WebhookDelivery, webhookDelivery, type WebhookOutbox } from 'rookery/common';
import type { Promised } from './contract.js';

const start = 1_700_000_000_000;
const leaseMs = 60_000;
const everything: WebhookClaim = { id: 'claim', now: start, limit: 100, perEndpoint: 100, busy: new Set(), leaseMs };

/** What every WebhookOutbox must keep. Times are epoch milliseconds round {@link start}, not the clock's. */
export const webhookOutboxContract: readonly Promised<WebhookOutbox>[] = [
  {
    promise: 'hands out what was added, as it was added',
    async test(outbox) {
      const delivery = deliveryTo('a', { body: '{"text":"ünïcödé 💬"}', sequence: 'news', retryDelaysMs: [10, 20] });
      expect(await outbox.add([delivery])).toEqual({ dropped: 0 });
      expect(await outbox.claim(everything)).toEqual([delivery]);
    },
  },
  {
    promise: 'leaves a delivery that it knows as it is',
    async test(outbox) {
      const delivery = deliveryTo('a');
      await outbox.add([delivery, delivery]);
      await outbox.add([{ ...delivery, body: 'other' }]);
      expect(await outbox.claim(everything)).toEqual([delivery]);
      await outbox.add([delivery]);
      expect(await outbox.claim(everything)).toEqual([]);
    },
  },
  {
    promise: 'answers nothing when nothing is due',
    async test(outbox) {
      await outbox.add([{ ...deliveryTo('a'), dueAt: start + 1 }]);
      expect(await outbox.claim(everything)).toEqual([]);
      expect(await outbox.claim({ ...everything, now: start + 1 })).toHaveLength(1);
    },
  },
  {
    promise: 'hands out the earliest due first, and the equally due in the order they were added',
    async test(outbox) {
      const [late, first, second, third] = [deliveryTo('a'), deliveryTo('b'), deliveryTo('a'), deliveryTo('b')];
      const earlier = [first, second, third].map((delivery) => ({ ...delivery, dueAt: start - 5 }));
      await outbox.add([late, ...earlier]);
      expect(await ids(outbox.claim(everything))).toEqual([first.id, second.id, third.id, late.id]);
    },
  },
  {
    promise: 'hands out no more than the limit, and the rest to the next claim',
    async test(outbox) {
      const [first, second, third] = [deliveryTo('a'), deliveryTo('a'), deliveryTo('b')];
      await outbox.add([first, second, third]);
      expect(await ids(outbox.claim({ ...everything, limit: 2 }))).toEqual([first.id, second.id]);
      expect(await ids(outbox.claim({ ...everything, limit: 2 }))).toEqual([third.id]);
    },
  },
  {
    promise: 'hands out no more than it may of one endpoint, and finds the others behind it',
    async test(outbox) {
      const long = Array.from({ length: 200 }, () => deliveryTo('a'));
      const other = deliveryTo('b');
      await outbox.add([...long, other]);
      const found = await untilEmpty(outbox, { ...everything, limit: 10, perEndpoint: 2 }, 'a');
      expect(found).toEqual([long[0]?.id, long[1]?.id, other.id]);
    },
  },
  {
    promise: 'hands out nothing of a busy endpoint, however much of it waits',
    async test(outbox) {
      const long = Array.from({ length: 200 }, () => deliveryTo('a'));
      const other = deliveryTo('b');
      await outbox.add([...long, other]);
      const claim = { ...everything, limit: 3, busy: new Set([long[0]?.endpoint ?? '']) };
      expect(await ids(outbox.claim(claim))).toEqual([other.id]);
      expect(await outbox.claim(claim)).toEqual([]);
    },
  },
  {
    promise: 'tells the endpoints of two owners apart, though their URL is the same',
    async test(outbox) {
      const [mine, theirs] = [deliveryTo('same', { owner: 'mine' }), deliveryTo('same', { owner: 'theirs' })];
      await outbox.add([mine, theirs]);
      expect(await outbox.claim({ ...everything, busy: new Set([mine.endpoint]) })).toEqual([theirs]);
    },
  },
  {
    promise: 'hides what is claimed until the lease is over',
    async test(outbox) {
      const delivery = deliveryTo('a');
      await outbox.add([delivery]);
      await outbox.claim(everything);
      expect(await outbox.claim({ ...everything, now: start + leaseMs - 1 })).toEqual([]);
      expect(await outbox.claim({ ...everything, now: start + leaseMs })).toEqual([delivery]);
    },
  },
  {
    promise: 'hands out each delivery once to claims that race',
    async test(outbox) {
      const deliveries = Array.from({ length: 60 }, (_, index) => deliveryTo(String(index % 7)));
      await outbox.add(deliveries);
      const claims = Array.from({ length: 12 }, async () => outbox.claim({ ...everything, limit: 5 }));
      const raced = (await Promise.all(claims)).flat().map(({ id }) => id);
      expect(new Set(raced).size).toBe(raced.length);
      const rest = await untilEmpty(outbox, everything);
      expect([...raced, ...rest].sort()).toEqual(deliveries.map(({ id }) => id).sort());
    },
  },
  {
    promise: 'never hands out again what is done',
    async test(outbox) {
      const [done, open] = [deliveryTo('a'), deliveryTo('a')];
      await outbox.add([done, open]);
      await outbox.claim(everything);
      await outbox.done(done.id, 'claim');
      expect(await ids(outbox.claim({ ...everything, now: start + leaseMs }))).toEqual([open.id]);
    },
  },
  {
    promise: 'makes a delivery due again, with the delays that are left and nothing else changed',
    async test(outbox) {
      const delivery = deliveryTo('a', { retryDelaysMs: [1000, 2000] });
      await outbox.add([delivery]);
      await outbox.claim(everything);
      await outbox.retry(delivery.id, 'claim', start + 1000, [2000]);
      expect(await outbox.claim({ ...everything, now: start + 999 })).toEqual([]);
      const again = { ...delivery, dueAt: start + 1000, retryDelaysMs: [2000] };
      expect(await outbox.claim({ ...everything, now: start + 1000 })).toEqual([again]);
    },
  },
  {
    promise: 'takes done and retry of an id that is gone',
    async test(outbox) {
      const delivery = deliveryTo('a');
      await outbox.add([delivery]);
      await outbox.claim(everything);
      await outbox.done(delivery.id, 'claim');
      await outbox.done(delivery.id, 'claim');
      await outbox.retry(delivery.id, 'claim', start, []);
      expect(await outbox.claim({ ...everything, now: start + leaseMs })).toEqual([]);
    },
  },
  {
    promise: 'lets nobody end what another claim has by now',
    async test(outbox) {
      const [first, second] = [deliveryTo('a'), deliveryTo('b')];
      await outbox.add([first, second]);
      await outbox.claim({ ...everything, id: 'slow' });
      const later = { ...everything, now: start + leaseMs };
      await outbox.claim({ ...later, id: 'quick' });
      await outbox.done(first.id, 'slow');
      await outbox.retry(second.id, 'slow', start, []);
      expect(await outbox.claim({ ...later, id: 'third' })).toEqual([]);
      await outbox.retry(first.id, 'quick', later.now, []);
      await outbox.done(second.id, 'quick');
      expect(await ids(outbox.claim({ ...later, now: start + 3 * leaseMs }))).toEqual([first.id]);
    },
  },
];

function deliveryTo(endpoint: string, request: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const url = `https://${endpoint}.example.com/hook`;
  const headers = { 'content-type': 'application/json', 'x-signature': 'f00d' };
  return webhookDelivery({ owner: 'app', url, headers, body: '{}', ...request }, start);
}

async function ids(claim: ReturnType<WebhookOutbox['claim']>): Promise<readonly string[]> {
  return (await claim).map(({ id }) => id);
}

/** Claims until the answer is empty; `busyAfter` counts as busy from the second claim on. */
async function untilEmpty(outbox: WebhookOutbox, claim: WebhookClaim, busyAfter?: string): Promise<readonly string[]> {
  const busy = new Set(busyAfter === undefined ? [] : [deliveryTo(busyAfter).endpoint]);
  const found = [...(await ids(outbox.claim(claim)))];
  for (let claims = 0; claims < 1000; claims += 1) {
    const more = await ids(outbox.claim({ ...claim, busy }));
    if (more.length === 0) return found;
    found.push(...more);
  }
  throw new Error('it goes on handing out deliveries');
}
