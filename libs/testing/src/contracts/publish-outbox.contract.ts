import {
  type Lane,
  laneName,
  newLane,
  type NewOutcomes,
  type OnceKey,
  type OutcomePage,
  type Publish,
  type PublishOutbox,
  publishOf,
  type Retry,
} from 'rookery/publish';
import { contract } from './contract.js';
import { expect } from './expect.js';

const start = 1_700_000_000_000;
const leaseMs = 60_000;
const instance = '00000000-0000-4000-8000-000000000001';
const otherInstance = '00000000-0000-4000-8000-000000000002';

/** What every PublishOutbox must keep. Times are epoch milliseconds round {@link start}, not the clock's. */
export const describePublishOutbox = contract<PublishOutbox>('PublishOutbox', [
  {
    promise: 'hands out a publish as it was added',
    async test(outbox) {
      const interests = publishOf(instance, body({ webhookUrl: 'https://example.com/hook' }), start);
      await outbox.add(interests);
      expect(await outbox.claim('me', start, leaseMs)).toEqual({ publish: interests, lanes: [] });
    },
  },
  {
    promise: 'keeps every text as it came',
    async test(outbox) {
      const odd = { notification: { title: 'ünï 💬 \u0000 "quoted" \\ \ud800' }, data: JSON.parse('{"__proto__":1}') };
      const publish = publishOf(instance, { users: ["o'neill", 'ünï 💬', '%_'], fcm: odd, web: {} }, start);
      await outbox.add(publish);
      expect((await outbox.claim('me', start, leaseMs))?.publish).toEqual(publish);
    },
  },
  {
    promise: 'answers nothing when nothing is due',
    async test(outbox) {
      expect(await outbox.claim('me', start, leaseMs)).toBeUndefined();
      await added(outbox, start + 1);
      expect(await outbox.claim('me', start, leaseMs)).toBeUndefined();
      expect(await outbox.claim('me', start + 1, leaseMs)).toBeDefined();
    },
  },
  {
    promise: 'hands out the one that has been due the longest',
    async test(outbox) {
      const [late, early, middle] = [
        await added(outbox, start - 1),
        await added(outbox, start - 3),
        await added(outbox, start - 2),
      ];
      expect(await claims(outbox, 4)).toEqual([early.id, middle.id, late.id, undefined]);
    },
  },
  {
    promise: 'hides what is claimed until the lease is over',
    async test(outbox) {
      const { id } = await added(outbox);
      await outbox.claim('me', start, leaseMs);
      expect(await outbox.claim('you', start + leaseMs - 1, leaseMs)).toBeUndefined();
      expect((await outbox.claim('you', start + leaseMs, leaseMs))?.publish.id).toBe(id);
    },
  },
  {
    promise: 'hands out each publish once to claims that race',
    async test(outbox) {
      const publishes = await Promise.all(Array.from({ length: 30 }, () => added(outbox)));
      const owners = Array.from({ length: 40 }, (_, index) => `owner ${index}`);
      const raced = await Promise.all(owners.map((owner) => outbox.claim(owner, start, leaseMs)));
      const ids = raced.flatMap((claimed) => (claimed ? [claimed.publish.id] : []));
      expect(new Set(ids).size).toBe(ids.length);
      // Those that raced for the same row may have gone away empty-handed; nothing is lost for it.
      const rest = (await claims(outbox, 31 - ids.length)).filter((id) => id !== undefined);
      expect([...ids, ...rest].sort()).toEqual(publishes.map(({ id }) => id).sort());
    },
  },
  {
    promise: 'extends a lease',
    async test(outbox) {
      const { id } = await claimed(outbox, 'me');
      expect(await outbox.renew('me', id, start + 2 * leaseMs)).toBe(true);
      expect(await outbox.claim('you', start + leaseMs, leaseMs)).toBeUndefined();
      expect(await outbox.claim('you', start + 2 * leaseMs, leaseMs)).toBeDefined();
    },
  },
  {
    promise: 'keeps each lane as it was saved last',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const fcm = {
        ...newLane('fcm', 3),
        cursor: 'fcm-7',
        audience: 7,
        sent: 4,
        failed: { 'o"dd': 2, gone: 1 },
        users: '-fd',
      };
      const apns = { ...newLane('apns', 3), paged: true, fault: 'Bad key' };
      expect(await outbox.save('me', publish.id, newLane('fcm', 3))).toBe('saved');
      expect(await outbox.save('me', publish.id, apns)).toBe('saved');
      expect(await outbox.save('me', publish.id, fcm)).toBe('saved');
      expect(byPlatform((await outbox.find(instance, publish.id))?.lanes)).toEqual([apns, fcm]);
      const again = await outbox.claim('you', start + leaseMs, leaseMs);
      expect(byPlatform(again?.lanes)).toEqual([apns, fcm]);
    },
  },
  {
    promise: 'keeps lanes that are saved side by side',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const lanes = (['apns', 'fcm', 'web'] as const).map((platform) => ({ ...newLane(platform, 0), sent: 9 }));
      await Promise.all(
        lanes.map((lane) => outbox.save('me', publish.id, lane, { again: [retry('x', 1)], settled: [] })),
      );
      expect(byPlatform((await outbox.find(instance, publish.id))?.lanes)).toEqual(lanes);
      expect(await outbox.waiting(publish.id)).toHaveLength(3);
    },
  },
  {
    promise: 'refuses what a stale owner writes',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.save('me', publish.id, newLane('fcm', 0));
      await outbox.claim('you', start + leaseMs, leaseMs);
      const stale = { ...newLane('fcm', 0), sent: 1000 };
      expect(await outbox.save('me', publish.id, stale, { again: [retry('fcm-1', 1)], settled: [] })).toBe('lost');
      expect(await outbox.renew('me', publish.id, start + 9 * leaseMs)).toBe(false);
      expect(await outbox.finish('me', publish.id, start)).toBe(false);
      await outbox.release('me', publish.id, start);
      expect(await outbox.find(instance, publish.id)).toEqual({ publish, lanes: [newLane('fcm', 0)] });
      expect(await outbox.waiting(publish.id)).toEqual([]);
      expect(await outbox.claim('they', start + 2 * leaseMs - 1, leaseMs)).toBeUndefined();
    },
  },
  {
    promise: 'refuses an owner after its release',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.release('me', publish.id, start + 5);
      expect(await outbox.save('me', publish.id, newLane('fcm', 0))).toBe('lost');
      expect(await outbox.finish('me', publish.id, start)).toBe(false);
    },
  },
  {
    promise: 'makes a released publish due when it says',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.release('me', publish.id, start + 5);
      expect(await outbox.claim('you', start + 4, leaseMs)).toBeUndefined();
      expect((await outbox.claim('you', start + 5, leaseMs))?.publish).toEqual(publish);
    },
  },
  {
    promise: 'puts a released publish behind those that have been due longer',
    async test(outbox) {
      const big = await claimed(outbox, 'me');
      const small = await added(outbox, start + 1);
      await outbox.release('me', big.id, start + 2);
      expect(await claims(outbox, 2, start + 2)).toEqual([small.id, big.id]);
    },
  },
  {
    promise: 'never hands out again what is finished',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.save('me', publish.id, newLane('fcm', 0), { again: [retry('fcm-1', 1)], settled: [] });
      expect(await outbox.finish('me', publish.id, start + 7)).toBe(true);
      expect(await outbox.claim('you', start + 99 * leaseMs, leaseMs)).toBeUndefined();
      expect(await outbox.find(instance, publish.id)).toMatchObject({ finishedAt: start + 7 });
      expect(await outbox.waiting(publish.id)).toEqual([]);
      expect(await outbox.save('me', publish.id, newLane('fcm', 0))).toBe('lost');
    },
  },
  {
    promise: 'hands out the retries of a lane that are due, the earliest first',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const [first, second, third, later] = [
        retry('fcm-c', 1),
        retry('fcm-a', 2),
        retry('fcm-b', 3),
        retry('fcm-d', 9),
      ];
      await outbox.save('me', publish.id, newLane('fcm', 0), { again: [third, later, first, second], settled: [] });
      await outbox.save('me', publish.id, newLane('web', 0), { again: [retry('web-a', 1)], settled: [] });
      expect(await outbox.retries(publish.id, 'fcm', start + 3, 10)).toEqual([first, second, third]);
      expect(await outbox.retries(publish.id, 'fcm', start + 3, 2)).toEqual([first, second]);
      expect(await outbox.retries(publish.id, 'fcm', start, 10)).toEqual([]);
      expect(await outbox.retries(publish.id, 'fcm', Number.MAX_SAFE_INTEGER, 10)).toHaveLength(4);
    },
  },
  {
    promise: 'replaces and settles retries',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const lane = newLane('fcm', 0);
      await outbox.save('me', publish.id, lane, { again: [retry('fcm-a', 1), retry('fcm-b', 1)], settled: [] });
      const second = { ...retry('fcm-a', 5), attempts: 2 };
      await outbox.save('me', publish.id, lane, { again: [second], settled: ['fcm-b', 'fcm-unknown'] });
      expect(await outbox.retries(publish.id, 'fcm', start + 9, 10)).toEqual([second]);
      expect(await outbox.waiting(publish.id)).toEqual([{ lane: 'fcm', count: 1, dueAt: start + 5 }]);
    },
  },
  {
    promise: 'takes a whole page of retries at once',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const again = Array.from({ length: 3000 }, (_, index) => retry(`fcm-${index}`, index));
      const lane = newLane('fcm', 0);
      await outbox.save('me', publish.id, lane, { again, settled: [] });
      expect(await outbox.waiting(publish.id)).toEqual([{ lane: 'fcm', count: 3000, dueAt: start }]);
      await outbox.save('me', publish.id, lane, { again: [], settled: again.map(({ deviceId }) => deviceId) });
      expect(await outbox.waiting(publish.id)).toEqual([]);
    },
  },
  {
    promise: 'answers the first publish for a key that is used again',
    async test(outbox) {
      const [first, second] = [publishOf(instance, body(), start), publishOf(instance, body(), start + 1)];
      expect(await outbox.add(first, once())).toEqual({ outcome: 'added', publishId: first.id });
      expect(await outbox.add(second, once())).toEqual({ outcome: 'repeated', publishId: first.id });
      expect(await outbox.knows(instance, second.id)).toBe(false);
      expect(await claims(outbox, 2, start + 1)).toEqual([first.id, undefined]);
    },
  },
  {
    promise: 'knows a key after its publish has finished',
    async test(outbox) {
      const first = publishOf(instance, body(), start);
      await outbox.add(first, once());
      await outbox.claim('me', start, leaseMs);
      await outbox.finish('me', first.id, start);
      const repeat = await outbox.add(publishOf(instance, body(), start + 1), once());
      expect(repeat).toEqual({ outcome: 'repeated', publishId: first.id });
    },
  },
  {
    promise: 'refuses a key that was used for something else',
    async test(outbox) {
      const [first, second] = [publishOf(instance, body(), start), publishOf(instance, body(), start)];
      await outbox.add(first, once());
      const refused = await outbox.add(second, { ...once(), fingerprint: 'other' });
      expect(refused).toEqual({ outcome: 'conflict', publishId: first.id });
      expect(await outbox.knows(instance, second.id)).toBe(false);
    },
  },
  {
    promise: 'adds exactly one of the requests that race with a key',
    async test(outbox) {
      const publishes = Array.from({ length: 20 }, () => publishOf(instance, body(), start));
      const answers = await Promise.all(publishes.map((publish) => outbox.add(publish, once())));
      expect(answers.filter(({ outcome }) => outcome === 'added')).toHaveLength(1);
      expect(new Set(answers.map(({ publishId }) => publishId)).size).toBe(1);
      expect(await claims(outbox, 2)).toEqual([answers[0]?.publishId, undefined]);
    },
  },
  {
    promise: 'keeps the keys of instances apart',
    async test(outbox) {
      const [mine, theirs] = [publishOf(instance, body(), start), publishOf(otherInstance, body(), start)];
      await outbox.add(mine, once());
      expect(await outbox.add(theirs, once())).toEqual({ outcome: 'added', publishId: theirs.id });
    },
  },
  {
    promise: 'forgets a key when its time is over',
    async test(outbox) {
      await outbox.add(publishOf(instance, body(), start), once());
      const later = publishOf(instance, body(), start + 1000);
      expect(await outbox.add(later, { ...once(), expiresAt: start + 2000 })).toMatchObject({ outcome: 'added' });
      const repeat = publishOf(instance, body(), start + 1999);
      expect(await outbox.add(repeat, once())).toEqual({ outcome: 'repeated', publishId: later.id });
      await outbox.forgetKeys(start + 1999);
      expect(await outbox.add(repeat, once())).toMatchObject({ outcome: 'repeated' });
      await outbox.forgetKeys(start + 2000);
      expect(await outbox.add(repeat, once())).toMatchObject({ outcome: 'added' });
    },
  },
  {
    promise: 'keeps a scheduled publish until its time',
    async test(outbox) {
      const publish = publishOf(instance, body(), start, start + 1000);
      await outbox.add(publish);
      expect(await outbox.claim('me', start + 999, leaseMs)).toBeUndefined();
      expect(await outbox.claim('me', start + 1000, leaseMs)).toEqual({ publish, lanes: [] });
      expect(await outbox.find(instance, publish.id)).toEqual({ publish, lanes: [] });
    },
  },
  {
    promise: 'tells whoever holds a cancelled publish when it saves',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      expect(await outbox.save('me', publish.id, newLane('fcm', 0))).toBe('saved');
      expect(await outbox.cancel(instance, publish.id, start + 1)).toBe('cancelled');
      expect(await outbox.renew('me', publish.id, start + leaseMs)).toBe(true);
      const lane = { ...newLane('fcm', 0), sent: 5 };
      expect(await outbox.save('me', publish.id, lane)).toBe('cancelled');
      expect(await outbox.find(instance, publish.id)).toEqual({ publish, lanes: [lane], cancelledAt: start + 1 });
      expect(await outbox.finish('me', publish.id, start + 2)).toBe(true);
      expect(await outbox.find(instance, publish.id)).toMatchObject({ cancelledAt: start + 1, finishedAt: start + 2 });
      expect(await outbox.claim('you', start + 9 * leaseMs, leaseMs)).toBeUndefined();
    },
  },
  {
    promise: 'hands out a cancelled publish at once, whatever it waited for',
    async test(outbox) {
      const scheduled = publishOf(instance, body(), start, start + 1000);
      await outbox.add(scheduled);
      expect(await outbox.cancel(instance, scheduled.id, start + 1)).toBe('cancelled');
      expect(await outbox.cancel(instance, scheduled.id, start + 2)).toBe('cancelled');
      const expected = { publish: scheduled, lanes: [], cancelledAt: start + 1 };
      expect(await outbox.claim('me', start + 2, leaseMs)).toEqual(expected);
    },
  },
  {
    promise: 'hands out a cancelled publish at once when it is released',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.cancel(instance, publish.id, start + 1);
      expect(await outbox.claim('you', start + 1, leaseMs)).toBeUndefined();
      await outbox.release('me', publish.id, start + 1000);
      expect(await outbox.claim('you', start + 1, leaseMs)).toMatchObject({ cancelledAt: start + 1 });
    },
  },
  {
    promise: 'cancels nothing that has finished, nor another instance’s',
    async test(outbox) {
      const [publish, other] = [await claimed(outbox, 'me'), await added(outbox)];
      await outbox.finish('me', publish.id, start);
      expect(await outbox.cancel(instance, publish.id, start + 1)).toBe('finished');
      expect(await outbox.find(instance, publish.id)).not.toHaveProperty('cancelledAt');
      expect(await outbox.cancel(otherInstance, other.id, start + 1)).toBe('unknown');
      expect(await outbox.find(instance, other.id)).not.toHaveProperty('cancelledAt');
      expect(await outbox.cancel(instance, 'pubid-unknown', start)).toBe('unknown');
    },
  },
  {
    promise: 'keeps what became of each device with its page, and what was heard of it later',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const page = [
        { deviceId: 'fcm-1', outcome: 'sent' },
        { deviceId: 'fcm-3', outcome: 'failed', reason: 'o"dd \u0000 💬' },
        { deviceId: 'fcm-2', outcome: 'retrying', reason: 'UNAVAILABLE' },
      ] as const;
      await saveOutcomes(outbox, publish.id, 'fcm-3', 'page', page);
      await saveOutcomes(outbox, publish.id, 'fcm-4', 'page', [{ deviceId: 'fcm-4', outcome: 'failed', reason: 'x' }]);
      const all = { after: '', limit: 10 };
      const last = { deviceId: 'fcm-4', outcome: 'failed', reason: 'x' } as const;
      expect(await outbox.outcomes(publish.id, all)).toEqual({ devices: [page[0], page[2], page[1], last] });
      await saveOutcomes(outbox, publish.id, 'fcm-4', 'retries', [{ deviceId: 'fcm-2', outcome: 'sent' }]);
      const sent = { deviceId: 'fcm-2', outcome: 'sent' } as const;
      expect(await outbox.outcomes(publish.id, all)).toEqual({ devices: [page[0], sent, page[1], last] });
      expect(await outbox.outcomes(publish.id, { ...all, outcome: 'sent' })).toEqual({ devices: [page[0], sent] });
      expect(await outbox.outcomes(publish.id, { ...all, outcome: 'retrying' })).toEqual({ devices: [] });
      expect(await outbox.outcomes('pubid-unknown', all)).toEqual({ devices: [] });
    },
  },
  {
    promise: 'answers outcomes in pages',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const ids = Array.from({ length: 60 }, (_, index) => `fcm-${String(index).padStart(2, '0')}`);
      for (let start = 0; start < 60; start += 2) {
        const [one = '', other = ''] = ids.slice(start, start + 2);
        const devices = [
          { deviceId: one, outcome: 'sent' },
          { deviceId: other, outcome: 'failed', reason: 'x' },
        ] as const;
        await saveOutcomes(outbox, publish.id, other, 'page', devices);
      }
      for (const [outcome, limit, expected] of [
        [undefined, 7, ids],
        ['failed', 7, ids.filter((_, index) => index % 2 === 1)],
        ['retrying', 7, []],
      ] as const) {
        const found: string[] = [];
        let after: string | undefined = '';
        for (let pages = 0; after !== undefined && pages < 20; pages += 1) {
          const { devices, next }: OutcomePage = await outbox.outcomes(publish.id, { after, limit, outcome });
          expect(devices.length).toBeLessThanOrEqual(limit);
          found.push(...devices.map(({ deviceId }) => deviceId));
          after = next;
        }
        expect([after, found]).toEqual([undefined, expected]);
      }
    },
  },
  {
    promise: 'keeps no outcomes of a stale owner',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.claim('you', start + leaseMs, leaseMs);
      await saveOutcomes(outbox, publish.id, 'fcm-1', 'page', [{ deviceId: 'fcm-1', outcome: 'sent' }]);
      expect(await outbox.outcomes(publish.id, { after: '', limit: 10 })).toEqual({ devices: [] });
    },
  },
  {
    promise: 'forgets old outcomes, and only those',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const waits = { deviceId: 'fcm-1', outcome: 'retrying', reason: 'x' } as const;
      await saveOutcomes(outbox, publish.id, 'fcm-1', 'page', [waits], start);
      await saveOutcomes(outbox, publish.id, 'fcm-1', 'retries', [{ deviceId: 'fcm-1', outcome: 'sent' }], start);
      const fresh = { deviceId: 'fcm-2', outcome: 'sent' } as const;
      await saveOutcomes(outbox, publish.id, 'fcm-2', 'page', [fresh], start + 1);
      expect(await outbox.forgetOutcomes(start)).toBe(0);
      expect(await outbox.forgetOutcomes(start + 1)).toBeGreaterThan(0);
      expect(await outbox.forgetOutcomes(start + 1)).toBe(0);
      expect(await outbox.outcomes(publish.id, { after: '', limit: 10 })).toEqual({ devices: [fresh] });
      await outbox.finish('me', publish.id, start);
      await outbox.forget([publish.id]);
      expect(await outbox.outcomes(publish.id, { after: '', limit: 10 })).toEqual({ devices: [] });
    },
  },
  {
    promise: 'asks whoever holds a publish for a range, until one is handed over',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const lane = newLane('fcm', 0);
      expect(await outbox.save('me', publish.id, lane)).toBe('saved');
      await outbox.ask(start + leaseMs, leaseMs);
      expect(await outbox.save('me', publish.id, lane)).toBe('saved');
      await outbox.ask(start + 1, leaseMs);
      await outbox.ask(start + 2, leaseMs);
      expect(await outbox.save('me', publish.id, lane)).toBe('wanted');
      expect(await outbox.save('me', publish.id, lane)).toBe('wanted');
      expect(await handOver(outbox, 'me', publish.id)).toBe('saved');
      expect(await outbox.save('me', publish.id, near)).toBe('saved');
      await outbox.claim('you', start + 5, leaseMs);
      await outbox.leave('me', publish.id, start + leaseMs);
      await outbox.ask(start + 6, leaseMs);
      expect(await outbox.save('you', publish.id, far)).toBe('wanted');
    },
  },
  {
    promise: 'hands out a range for itself, and keeps it from those who have the publish already',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await outbox.save('me', publish.id, newLane('web', 0));
      await handOver(outbox, 'me', publish.id);
      expect(await outbox.claim('me again', start + 4, leaseMs)).toBeUndefined();
      expect(await outbox.claim('me again', start + 5, leaseMs, ['pubid-other', publish.id])).toBeUndefined();
      expect(await outbox.claim('you', start + 5, leaseMs, ['pubid-other'])).toEqual({ publish, lanes: [far] });
      expect(await outbox.claim('they', start + 5, leaseMs)).toBeUndefined();
      expect(byName((await outbox.find(instance, publish.id))?.lanes)).toEqual([near, far, newLane('web', 0)]);
      // The publish itself has its own lanes only.
      const again = await outbox.claim('they', start + leaseMs, leaseMs);
      expect(byName(again?.lanes)).toEqual([near, newLane('web', 0)]);
    },
  },
  {
    promise: 'hands out the range or the publish that has been due the longest',
    async test(outbox) {
      const shared = await claimed(outbox, 'me');
      await handOver(outbox, 'me', shared.id);
      const [earlier, later] = [await added(outbox, start + 4), await added(outbox, start + 6)];
      expect(await claims(outbox, 4, start + 6)).toEqual([earlier.id, shared.id, later.id, undefined]);
    },
  },
  {
    promise: 'fences a range by its own owner',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await handOver(outbox, 'me', publish.id);
      expect(await outbox.save('me', publish.id, far)).toBe('lost');
      await outbox.claim('you', start + 5, leaseMs);
      const sent = { ...far, sent: 3 };
      expect(await outbox.save('you', publish.id, near)).toBe('lost');
      expect(await outbox.finish('you', publish.id, start)).toBe(false);
      expect(await outbox.renew('you', publish.id, start + 2 * leaseMs)).toBe(true);
      expect(await outbox.renew('me', publish.id, start + 2 * leaseMs)).toBe(true);
      expect(await outbox.claim('they', start + 2 * leaseMs - 1, leaseMs)).toBeUndefined();
      expect(await outbox.save('you', publish.id, sent, { again: [retry('fcm-9', 1)], settled: [] })).toBe('saved');
      expect(await outbox.claim('they', start + 2 * leaseMs, leaseMs)).toBeDefined();
      expect(await outbox.claim('them', start + 2 * leaseMs, leaseMs)).toBeDefined();
      expect(await outbox.save('you', publish.id, { ...far, sent: 1000 })).toBe('lost');
      expect(await outbox.renew('you', publish.id, start + 9 * leaseMs)).toBe(false);
      expect(await outbox.leave('you', publish.id, start + 9 * leaseMs)).toBeUndefined();
      await outbox.release('you', publish.id, start);
      expect(await outbox.claim('others', start + 3 * leaseMs - 1, leaseMs)).toBeUndefined();
      expect(byName((await outbox.find(instance, publish.id))?.lanes)).toEqual([near, sent]);
      expect(await outbox.waiting(publish.id)).toEqual([{ lane: far.from, count: 1, dueAt: start + 1 }]);
      expect(await outbox.retries(publish.id, far.from ?? '', start + 1, 9)).toEqual([retry('fcm-9', 1)]);
    },
  },
  {
    promise: 'makes a released range due when it says',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      await handOver(outbox, 'me', publish.id);
      await outbox.claim('you', start + 5, leaseMs);
      await outbox.release('you', publish.id, start + 9);
      expect(await outbox.claim('they', start + 8, leaseMs)).toBeUndefined();
      expect(await outbox.claim('they', start + 9, leaseMs)).toEqual({ publish, lanes: [far] });
    },
  },
  {
    promise: 'gives the whole publish to the last who leaves, to finish it',
    async test(outbox) {
      for (const [first, last] of [
        ['me', 'you'],
        ['you', 'me'],
      ] as const) {
        const publish = await claimed(outbox, 'me');
        await handOver(outbox, 'me', publish.id);
        await outbox.claim('you', start + 5, leaseMs);
        expect(await outbox.leave(first, publish.id, start + leaseMs)).toBeUndefined();
        expect(await outbox.save(first, publish.id, first === 'me' ? near : far)).toBe('lost');
        expect(await outbox.leave(first, publish.id, start + leaseMs)).toBeUndefined();
        expect(byName(await outbox.leave(last, publish.id, start + 2 * leaseMs))).toEqual([near, far]);
        expect(await outbox.claim('they', start + 2 * leaseMs - 1, leaseMs)).toBeUndefined();
        // A worker killed at this moment leaves the end to the others.
        expect(await outbox.claim(`they ${last}`, start + 2 * leaseMs, leaseMs)).toEqual({ publish, lanes: [near] });
        expect(await outbox.finish(last, publish.id, start)).toBe(false);
        expect(byName(await outbox.leave(`they ${last}`, publish.id, start + 9 * leaseMs))).toEqual([near, far]);
        expect(await outbox.finish(`they ${last}`, publish.id, start + 7)).toBe(true);
        expect(await outbox.find(instance, publish.id)).toMatchObject({ finishedAt: start + 7 });
        expect(await outbox.claim('they', start + 99 * leaseMs, leaseMs)).toBeUndefined();
      }
    },
  },
  {
    promise: 'lets exactly one of those who leave together be the last',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      const owners = ['me'];
      for (const digit of '8421') {
        await handOver(outbox, 'me', publish.id, `fcm-${digit}`);
        owners.push(digit);
        await outbox.claim(digit, start + 5, leaseMs);
      }
      const left = await Promise.all(owners.map((owner) => outbox.leave(owner, publish.id, start + leaseMs)));
      expect(left.filter((lanes) => lanes !== undefined)).toHaveLength(1);
      expect(left.find((lanes) => lanes !== undefined)).toHaveLength(5);
    },
  },
  {
    promise: 'tells all who share a publish that it is cancelled',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      for (const digit of ['c', '8', '4']) await handOver(outbox, 'me', publish.id, `fcm-${digit}`);
      for (const owner of ['holds', 'released']) await outbox.claim(owner, start + 5, leaseMs);
      await outbox.release('released', publish.id, start + 9 * leaseMs);
      await outbox.leave('me', publish.id, start + leaseMs);
      await outbox.cancel(instance, publish.id, start + 1);
      const lanes = (await outbox.find(instance, publish.id))?.lanes ?? [];
      const saves: string[] = [];
      for (const lane of lanes) saves.push(await outbox.save('holds', publish.id, lane));
      expect(saves.filter((saved) => saved === 'cancelled')).toHaveLength(1);
      // Unclaimed ranges are handed out at once; abandoned ones are not.
      const handedOut = [
        await outbox.claim('one', start + 2, leaseMs),
        await outbox.claim('two', start + 2, leaseMs),
        await outbox.claim('three', start + 2, leaseMs),
      ];
      expect(handedOut.map((claim) => claim?.cancelledAt)).toEqual([start + 1, start + 1, undefined]);
      await outbox.release('holds', publish.id, start + 9 * leaseMs);
      expect(await outbox.claim('four', start + 2, leaseMs)).toMatchObject({ cancelledAt: start + 1 });
    },
  },
  {
    promise: 'counts a publish with the ranges of it that wait',
    async test(outbox) {
      const publish = await claimed(outbox, 'me');
      for (const digit of ['8', '4']) await handOver(outbox, 'me', publish.id, `fcm-${digit}`);
      expect(await outbox.backlog(start + 5)).toEqual({ publishes: 1, oldestDueAt: start + 5 });
      expect(await outbox.backlog(start + 4)).toEqual({ publishes: 0 });
      await outbox.leave('me', publish.id, start);
      expect(await outbox.backlog(start + 9)).toEqual({ publishes: 1, oldestDueAt: start + 5 });
    },
  },
  {
    promise: 'tells what is due and not held',
    async test(outbox) {
      expect(await outbox.backlog(start)).toEqual({ publishes: 0 });
      await added(outbox, start - 3);
      await added(outbox, start - 2);
      await added(outbox, start + 1);
      expect(await outbox.backlog(start)).toEqual({ publishes: 2, oldestDueAt: start - 3 });
      const first = await outbox.claim('me', start, leaseMs);
      expect(await outbox.backlog(start)).toEqual({ publishes: 1, oldestDueAt: start - 2 });
      await outbox.claim('you', start, leaseMs);
      expect(await outbox.backlog(start)).toEqual({ publishes: 0 });
      await outbox.finish('me', first?.publish.id ?? '', start);
      // What a dead owner left waits again.
      expect(await outbox.backlog(start + leaseMs)).toEqual({ publishes: 2, oldestDueAt: start + 1 });
    },
  },
  {
    promise: 'finds a publish of its own instance only',
    async test(outbox) {
      const publish = await added(outbox);
      expect(await outbox.find(instance, publish.id)).toEqual({ publish, lanes: [] });
      expect(await outbox.find(otherInstance, publish.id)).toBeNothing();
      expect(await outbox.knows(instance, publish.id)).toBe(true);
      expect(await outbox.knows(otherInstance, publish.id)).toBe(false);
      expect(await outbox.knows(instance, 'pubid-unknown')).toBe(false);
    },
  },
  {
    promise: 'forgets finished publishes that are old, and only those',
    async test(outbox) {
      const [old, fresh, open] = [
        await added(outbox, start - 3),
        await added(outbox, start - 2),
        await added(outbox, start - 1),
      ];
      for (const [publish, at] of [
        [old, start],
        [fresh, start + 10],
      ] as const) {
        await outbox.claim(publish.id, start, leaseMs);
        await outbox.save(publish.id, publish.id, newLane('fcm', 0));
        await outbox.finish(publish.id, publish.id, at);
      }
      expect(await outbox.finishedBefore(start, 10)).toEqual([]);
      const ids = await outbox.finishedBefore(start + 10, 10);
      expect(ids).toEqual([old.id]);
      expect(await outbox.finishedBefore(start + 11, 1)).toHaveLength(1);
      await outbox.forget([...ids, 'pubid-unknown']);
      expect(await outbox.knows(instance, old.id)).toBe(false);
      expect(await outbox.knows(instance, fresh.id)).toBe(true);
      expect(await outbox.knows(instance, open.id)).toBe(true);
    },
  },
  {
    promise: 'lists the publishes of an instance, the newest first, page by page, each once',
    async test(outbox) {
      const all: Publish[] = [];
      for (const at of [start, start + 5, start + 5, start + 9]) all.push(await added(outbox, at));
      await outbox.add(publishOf('other', body(), start + 7));
      const newest = all.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      const listed: Publish[] = [];
      for (let after: Publish | undefined; ;) {
        const page = await outbox.latest(instance, 2, after);
        listed.push(...page);
        after = page.at(-1);
        if (!after) break;
        expect(page.length).toBeLessThanOrEqual(2);
      }
      expect(listed.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
      expect(listed[0]).toEqual(newest[0]);
    },
  },
]);

const body = (more: object = {}) => ({ interests: ['news', 'sport'], fcm: { notification: { title: 'hi' } }, ...more });

const once = (): OnceKey => ({ key: 'order 17', fingerprint: 'print', expiresAt: start + 1000 });

const retry = (deviceId: string, dueIn: number): Retry => ({ deviceId, attempts: 1, dueAt: start + dueIn });

async function added(outbox: PublishOutbox, dueAt = start): Promise<Publish> {
  const publish = publishOf(instance, body(), dueAt);
  await outbox.add(publish);
  return publish;
}

async function saveOutcomes(
  outbox: PublishOutbox,
  publishId: string,
  cursor: string,
  of: NewOutcomes['of'],
  devices: NewOutcomes['devices'],
  at = start,
): Promise<void> {
  const lane = { ...newLane('fcm', 0), cursor };
  await outbox.save('me', publishId, lane, { again: [], settled: [], outcomes: { of, at, devices } });
}

async function claimed(outbox: PublishOutbox, owner: string): Promise<Publish> {
  const publish = await added(outbox);
  await outbox.claim(owner, start, leaseMs);
  return publish;
}

async function claims(outbox: PublishOutbox, times: number, now = start): Promise<(string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for (let claim = 0; claim < times; claim += 1)
    ids.push((await outbox.claim(`claim ${claim}`, now, leaseMs))?.publish.id);
  return ids;
}

/** A lane of which the far half is handed over, and that half. */
const near: Lane = { ...newLane('fcm', 0), to: 'fcm-8' };
const far: Lane = { ...newLane('fcm', 0), from: 'fcm-8', cursor: 'fcm-8' };

async function handOver(outbox: PublishOutbox, owner: string, publishId: string, from = 'fcm-8'): Promise<string> {
  const handedOver = { lane: { ...far, from, cursor: from }, dueAt: start + 5 };
  return outbox.save(owner, publishId, { ...near, to: from }, { again: [], settled: [], handedOver });
}

const byName = (lanes: readonly Lane[] = []): readonly Lane[] =>
  [...lanes].sort((one, other) => (laneName(one) < laneName(other) ? -1 : 1));

const byPlatform = (lanes: readonly Lane[] = []): readonly Lane[] =>
  [...lanes].sort((one, other) => (one.platform < other.platform ? -1 : 1));
