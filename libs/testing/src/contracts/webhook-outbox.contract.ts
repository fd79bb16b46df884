import {
  type DeadLetter,
  type DeadLetterLimits,
  deadLetterPlace,
  type FreshTries,
  type WebhookClaim,
  type WebhookDelivery,
  webhookDelivery,
  type WebhookOutbox,
} from 'rookery/common';
import { contract } from './contract.js';
import { expect } from './expect.js';

const start = 1_700_000_000_000;
const leaseMs = 60_000;
const everything: WebhookClaim = { id: 'claim', now: start, limit: 100, perEndpoint: 100, busy: new Set(), leaseMs };

/** What every WebhookOutbox must keep. Times are epoch milliseconds round {@link start}, not the clock's. */
export const describeWebhookOutbox = contract<WebhookOutbox>('WebhookOutbox', [
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
  {
    promise: 'keeps what is buried as a dead letter, out of the queue',
    async test(outbox) {
      const delivery = deliveryTo('a', { body: '{"text":"ünïcödé 💬 \\ud800"}', sequence: 'news' });
      await outbox.add([delivery]);
      await outbox.claim(everything);
      await outbox.bury(delivery.id, 'claim', { diedAt: start + 5, reason: 'answered "500"' }, plenty);
      expect(await outbox.claim({ ...everything, now: start + leaseMs })).toEqual([]);
      const { id, owner, endpoint, sequence, url, untrusted, headers, body, timeoutMs } = delivery;
      const kept = { id, owner, endpoint, sequence, url, untrusted, headers, body, timeoutMs };
      expect(await outbox.deadLetters('app', '', 10)).toMatchObject([
        { delivery: kept, diedAt: start + 5, reason: 'answered "500"' },
      ]);
    },
  },
  {
    promise: 'lists the dead letters of an owner alone, the oldest first, page by page',
    async test(outbox) {
      const [first, second, third] = await buried(outbox, [3, 1, 2]);
      await buried(outbox, [2], { owner: 'other' });
      const page = await outbox.deadLetters('app', '', 2);
      expect(idsOf(page)).toEqual([second, third]);
      const rest = await outbox.deadLetters('app', deadLetterPlace(page[1]!), 2);
      expect(idsOf(rest)).toEqual([first]);
      expect(await outbox.deadLetters('app', deadLetterPlace(rest[0]!), 2)).toEqual([]);
    },
  },
  {
    promise: 'buries for nobody what another claim has by now, or what is gone',
    async test(outbox) {
      const [held, done] = [deliveryTo('a'), deliveryTo('b')];
      await outbox.add([held, done]);
      await outbox.claim({ ...everything, id: 'slow' });
      const later = { ...everything, now: start + leaseMs };
      await outbox.claim({ ...later, id: 'quick' });
      await outbox.done(done.id, 'quick');
      for (const { id } of [held, done]) await outbox.bury(id, 'slow', { diedAt: start, reason: 'x' }, plenty);
      expect(await outbox.deadLetters('app', '', 10)).toEqual([]);
      await outbox.retry(held.id, 'quick', later.now, []);
      expect(await ids(outbox.claim({ ...later, id: 'third' }))).toEqual([held.id]);
    },
  },
  {
    promise: 'keeps so many dead letters of an owner, and lets the oldest go',
    async test(outbox) {
      const limits = { ...plenty, most: 2 };
      const others = await buried(outbox, [1, 1], { owner: 'other' }, limits);
      const mine = await buried(outbox, [1, 2, 3, 4], {}, limits);
      expect(idsOf(await outbox.deadLetters('app', '', 10))).toEqual(mine.slice(2));
      expect(idsOf(await outbox.deadLetters('other', '', 10)).toSorted()).toEqual(others.toSorted());
      await buried(outbox, [5], {}, { ...plenty, most: 0 });
      expect(await outbox.deadLetters('app', '', 10)).toEqual([]);
    },
  },
  {
    promise: 'lets dead letters go that died too long before',
    async test(outbox) {
      const limits = { ...plenty, keepMs: 1000 };
      const [, second] = await buried(outbox, [0, 1], {}, limits);
      const [third] = await buried(outbox, [1001], {}, limits);
      expect(idsOf(await outbox.deadLetters('app', '', 10))).toEqual([second, third]);
    },
  },
  {
    promise: 'sends dead letters again as they were, with fresh tries, in the order in which they died',
    async test(outbox) {
      const sent = { body: '{"text":"💬"}', sequence: 'news', timeoutMs: 5 };
      const [first, second, kept] = await buried(outbox, [1, 2, 3], sent);
      expect(await outbox.resend('app', [second!, first!, 'unknown'], fresh)).toBe(2);
      expect(await outbox.claim({ ...everything, now: fresh.dueAt - 1 })).toEqual([]);
      const again = await outbox.claim({ ...everything, now: fresh.dueAt });
      expect(again).toEqual([first, second].map((id) => ({ ...deliveryTo('dead', sent), id, ...fresh })));
      expect(idsOf(await outbox.deadLetters('app', '', 10))).toEqual([kept]);
    },
  },
  {
    promise: 'sends a dead letter again once, however many ask, and nobody else has it',
    async test(outbox) {
      const [id] = await buried(outbox, [1]);
      expect(await outbox.resend('other', [id!], fresh)).toBe(0);
      const resent = await Promise.all([1, 2, 3].map(async () => outbox.resend('app', [id!], fresh)));
      expect(resent.toSorted((one, other) => one - other)).toEqual([0, 0, 1]);
      expect(await ids(outbox.claim({ ...everything, now: fresh.dueAt }))).toEqual([id]);
    },
  },
  {
    promise: 'buries again what was sent again, in its new place',
    async test(outbox) {
      const [first, second] = await buried(outbox, [1, 2]);
      await outbox.resend('app', [first!], fresh);
      await outbox.claim({ ...everything, now: fresh.dueAt });
      await outbox.bury(first!, 'claim', { diedAt: fresh.dueAt, reason: 'again' }, plenty);
      const letters = await outbox.deadLetters('app', '', 10);
      expect(letters.map(({ delivery, reason }) => [delivery.id, reason])).toEqual([
        [second, 'x'],
        [first, 'again'],
      ]);
    },
  },
  {
    promise: 'tells how much is in the queue, and since when the first that nobody holds has been due',
    async test(outbox) {
      expect(await outbox.backlog(start)).toEqual({ webhooks: 0 });
      const [first, second, last] = [-7, -5, 3].map((ms) => ({ ...deliveryTo('a'), dueAt: start + ms }));
      await outbox.add([second!, last!]);
      await outbox.add([{ ...first!, endpoint: 'b' }]);
      expect(await outbox.backlog(start)).toEqual({ webhooks: 3, oldestDueAt: start - 7 });
      await outbox.claim({ ...everything, limit: 1 });
      expect(await outbox.backlog(start)).toEqual({ webhooks: 3, oldestDueAt: start - 5 });
      await outbox.claim(everything);
      expect(await outbox.backlog(start)).toEqual({ webhooks: 3 });
      await outbox.done(first!.id, 'claim');
      await outbox.retry(second!.id, 'claim', start + 9, []);
      expect(await outbox.backlog(start)).toEqual({ webhooks: 2 });
      expect(await outbox.backlog(start + 9)).toEqual({ webhooks: 2, oldestDueAt: start + 3 });
    },
  },
  {
    promise: 'buries what is too much: the earliest of the endpoint that has the most, and no more',
    async test(outbox) {
      const short = [1, 2].map(() => deliveryTo('short'));
      const long = [1, 2, 3, 4, 5, 6].map((ms) => ({ ...deliveryTo('long'), dueAt: start + ms }));
      await outbox.add([...short, ...long]);
      expect(await buriedBeyond(outbox, 8)).toBe(0);
      expect(await buriedBeyond(outbox, 4)).toBe(4);
      const letters = await outbox.deadLetters('app', '', 10);
      expect(idsOf(letters).toSorted()).toEqual(
        long
          .slice(0, 4)
          .map(({ id }) => id)
          .toSorted(),
      );
      expect(letters[0]).toMatchObject({ diedAt: start, reason: 'too many' });
      expect(await outbox.backlog(start)).toMatchObject({ webhooks: 4 });
      const left = await ids(outbox.claim({ ...everything, now: start + 10 }));
      expect(left).toEqual([...short, ...long.slice(4)].map(({ id }) => id));
    },
  },
  {
    promise: 'buries nothing that a claim holds, and what is put off like all else',
    async test(outbox) {
      const [held, putOff, fresh] = [1, 2, 3].map(() => deliveryTo('a'));
      await outbox.add([held!, putOff!]);
      await outbox.claim(everything);
      await outbox.retry(putOff!.id, 'claim', start + 5, []);
      await outbox.add([fresh!]);
      expect(await buriedBeyond(outbox, 0)).toBe(2);
      expect(idsOf(await outbox.deadLetters('app', '', 10)).toSorted()).toEqual([putOff!.id, fresh!.id].toSorted());
      expect(await ids(outbox.claim({ ...everything, now: start + leaseMs }))).toEqual([held!.id]);
    },
  },
  {
    promise: 'buries what is too much once, however many do',
    async test(outbox) {
      await outbox.add(Array.from({ length: 12 }, () => deliveryTo('a')));
      const counts = await Promise.all([1, 2, 3].map(() => buriedBeyond(outbox, 4)));
      expect(counts.reduce((one, other) => one + other, 0)).toBe(8);
      expect(await outbox.deadLetters('app', '', 100)).toHaveLength(8);
      expect(await outbox.backlog(start)).toMatchObject({ webhooks: 4 });
    },
  },
  {
    promise: 'keeps so many dead letters of those that are too many, and no other',
    async test(outbox) {
      await outbox.add(Array.from({ length: 9 }, () => deliveryTo('a')));
      expect(await buriedBeyond(outbox, 1, { ...plenty, most: 3 })).toBe(8);
      expect(await outbox.deadLetters('app', '', 100)).toHaveLength(3);
    },
  },
]);

/** Buries until nothing is left to bury, and answers how many those were. */
async function buriedBeyond(outbox: WebhookOutbox, most: number, limits = plenty): Promise<number> {
  let buried = 0;
  for (let count = 1; count > 0; buried += count)
    count = await outbox.buryBeyond(most, { diedAt: start, reason: 'too many' }, limits);
  return buried;
}

const plenty: DeadLetterLimits = { most: 100, keepMs: 86_400_000 };
const fresh: FreshTries = { dueAt: start + 500_000, retryDelaysMs: [7, 8], expiresAt: start + 900_000 };

/** Buries one for each of the times, in milliseconds after {@link start}, and answers their ids. */
async function buried(
  outbox: WebhookOutbox,
  times: readonly number[],
  request: Partial<WebhookDelivery> = {},
  limits = plenty,
): Promise<readonly string[]> {
  const deliveries = times.map(() => deliveryTo('dead', request));
  await outbox.add(deliveries);
  await outbox.claim(everything);
  for (const [index, { id }] of deliveries.entries())
    await outbox.bury(id, 'claim', { diedAt: start + times[index]!, reason: 'x' }, limits);
  return deliveries.map(({ id }) => id);
}

const idsOf = (letters: readonly DeadLetter[]): readonly string[] => letters.map(({ delivery }) => delivery.id);

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
