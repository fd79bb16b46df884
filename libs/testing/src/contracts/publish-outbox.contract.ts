import assert from 'node:assert/strict';
import type { ClaimedJob, JobClaim } from 'rookery/jobs';
import {
  begun,
  type DeviceReport,
  type Partition,
  partitionName,
  newPartition,
  type NewOutcomes,
  type OnceKey,
  type OutcomePage,
  type Publish,
  publishJob,
  type PublishOutbox,
  publishOf,
  rangeJob,
  type Retry,
} from 'rookery/publish';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

const start = 1_700_000_000_000;
const leaseMs = 60_000;
const instance = '00000000-0000-4000-8000-000000000001';
const otherInstance = '00000000-0000-4000-8000-000000000002';

/** The contract of every PublishOutbox. Times are epoch milliseconds near {@link start}, not the clock's. */
export const describePublishOutbox = contract<PublishOutbox>('PublishOutbox', [
  {
    promise: 'adds a job for a publish, due at once',
    async test(outbox) {
      const publish = publishOf(instance, body({ webhookUrl: 'https://example.com/hook' }), start);
      await outbox.add(publish);
      same(await claim(outbox, 'me'), { ...publishJob(publish), claimId: 'me' });
      same(await outbox.find(instance, publish.id), { publish, partitions: [] });
    },
  },
  {
    promise: 'keeps every text unchanged',
    async test(outbox) {
      const odd = { notification: { title: 'ünï 💬 \u0000 "quoted" \\ \ud800' }, data: JSON.parse('{"__proto__":1}') };
      const publish = publishOf(instance, { users: ["o'neill", 'ünï 💬', '%_'], fcm: odd, web: {} }, start);
      await outbox.add(publish);
      same((await outbox.find(instance, publish.id))?.publish, publish);
    },
  },
  {
    promise: 'keeps how interests are combined, for every process that works on the publish',
    async test(outbox) {
      const publish = publishOf(instance, body({ allOf: ['premium', 'beta'], noneOf: ['muted'] }), start);
      await outbox.add(publish);
      const job = await claim(outbox, 'me');
      await outbox.save(job, newPartition('fcm', 0), { again: [retry('fcm-1', 0)], settled: [] });
      const target = { interests: ['news', 'sport'], allOf: ['premium', 'beta'], noneOf: ['muted'] };
      same((await outbox.find(instance, publish.id))?.publish.target, target);
      same((await outbox.latest(instance, 1))[0]?.target, target);
      const { outcome, publishId } = await outbox.add(publishOf(instance, body({ allOf: [], noneOf: [] }), start + 1));
      assert.equal(outcome, 'added');
      matches((await outbox.find(instance, publishId))?.publish.target, { interests: ['news', 'sport'] });
    },
  },
  {
    promise: 'keeps each partition as last saved',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const fcm = {
        ...newPartition('fcm', 3),
        cursor: 'fcm-7',
        audience: 7,
        sent: 4,
        failed: { 'o"dd': 2, gone: 1 },
        users: '-fd',
      };
      const apns = { ...newPartition('apns', 3), paged: true, fault: 'Bad key' };
      assert.equal(await outbox.save(job, newPartition('fcm', 3)), 'wanted');
      assert.equal(await outbox.save(job, apns), 'wanted');
      assert.equal(await outbox.save(job, fcm), 'wanted');
      same(byPlatform((await outbox.find(instance, publish.id))?.partitions), [apns, fcm]);
    },
  },
  {
    promise: 'keeps partitions that are saved concurrently',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const partitions = (['apns', 'fcm', 'web'] as const).map((platform) => ({
        ...newPartition(platform, 0),
        sent: 9,
      }));
      await Promise.all(
        partitions.map((partition) => outbox.save(job, partition, { again: [retry('x', 1)], settled: [] })),
      );
      same(byPlatform((await outbox.find(instance, publish.id))?.partitions), partitions);
      assert.equal((await outbox.waiting(publish.id)).length, 3);
    },
  },
  {
    promise: 'refuses writes of a stale claim',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      await outbox.save(job, newPartition('fcm', 0));
      const other = await claim(outbox, 'you', start + leaseMs);
      const stale = { ...newPartition('fcm', 0), sent: 1000 };
      assert.equal(await outbox.save(job, stale, { again: [retry('fcm-1', 1)], settled: [] }), 'lost');
      assert.equal(await outbox.leave(job), undefined);
      assert.equal(await outbox.finish(job, start), false);
      same(await outbox.find(instance, publish.id), { publish, partitions: [newPartition('fcm', 0)] });
      same(await outbox.waiting(publish.id), []);
      await outbox.jobs.retry(other, start + leaseMs);
      assert.equal(await outbox.save(other, newPartition('fcm', 0)), 'lost');
      assert.equal(await outbox.finish(other, start), false);
    },
  },
  {
    promise: 'removes the jobs of a finished publish',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      await outbox.save(job, newPartition('fcm', 0), { again: [retry('fcm-1', 1)], settled: [] });
      assert.equal(await outbox.finish(job, start + 7), true);
      assert.equal(await claim(outbox, 'you', start + 99 * leaseMs), undefined);
      matches(await outbox.find(instance, publish.id), { finishedAt: start + 7 });
      same(await outbox.waiting(publish.id), []);
      assert.equal(await outbox.save(job, newPartition('fcm', 0)), 'lost');
    },
  },
  {
    promise: 'answers the due retries of a partition, the earliest first',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const [first, second, third, later] = [
        retry('fcm-c', 1),
        retry('fcm-a', 2),
        retry('fcm-b', 3),
        retry('fcm-d', 9),
      ];
      await outbox.save(job, newPartition('fcm', 0), { again: [third, later, first, second], settled: [] });
      await outbox.save(job, newPartition('web', 0), { again: [retry('web-a', 1)], settled: [] });
      same(await outbox.retries(publish.id, 'fcm', start + 3, 10), [first, second, third]);
      same(await outbox.retries(publish.id, 'fcm', start + 3, 2), [first, second]);
      same(await outbox.retries(publish.id, 'fcm', start, 10), []);
      assert.equal((await outbox.retries(publish.id, 'fcm', Number.MAX_SAFE_INTEGER, 10)).length, 4);
    },
  },
  {
    promise: 'replaces and settles retries',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const partition = newPartition('fcm', 0);
      await outbox.save(job, partition, { again: [retry('fcm-a', 1), retry('fcm-b', 1)], settled: [] });
      const second = { ...retry('fcm-a', 5), attempts: 2 };
      await outbox.save(job, partition, { again: [second], settled: ['fcm-b', 'fcm-unknown'] });
      same(await outbox.retries(publish.id, 'fcm', start + 9, 10), [second]);
      same(await outbox.waiting(publish.id), [{ partition: 'fcm', count: 1, dueAt: start + 5 }]);
    },
  },
  {
    promise: 'stores a whole page of retries at once',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const again = Array.from({ length: 3000 }, (_, index) => retry(`fcm-${index}`, index));
      const partition = newPartition('fcm', 0);
      await outbox.save(job, partition, { again, settled: [] });
      same(await outbox.waiting(publish.id), [{ partition: 'fcm', count: 3000, dueAt: start }]);
      await outbox.save(job, partition, { again: [], settled: again.map(({ deviceId }) => deviceId) });
      same(await outbox.waiting(publish.id), []);
    },
  },
  {
    promise: 'answers the first publish for a repeated key',
    async test(outbox) {
      const [first, second] = [publishOf(instance, body(), start), publishOf(instance, body(), start + 1)];
      same(await outbox.add(first, once()), { outcome: 'added', publishId: first.id });
      same(await outbox.add(second, once()), { outcome: 'repeated', publishId: first.id });
      assert.equal(await outbox.knows(instance, second.id), false);
      same(await claims(outbox, 2, start + 1), [first.id, undefined]);
    },
  },
  {
    promise: 'remembers a key after its publish has finished',
    async test(outbox) {
      const first = publishOf(instance, body(), start);
      await outbox.add(first, once());
      await outbox.finish(await claim(outbox, 'me'), start);
      const repeat = await outbox.add(publishOf(instance, body(), start + 1), once());
      same(repeat, { outcome: 'repeated', publishId: first.id });
    },
  },
  {
    promise: 'refuses a key that was used for another body',
    async test(outbox) {
      const [first, second] = [publishOf(instance, body(), start), publishOf(instance, body(), start)];
      await outbox.add(first, once());
      const refused = await outbox.add(second, { ...once(), fingerprint: 'other' });
      same(refused, { outcome: 'conflict', publishId: first.id });
      assert.equal(await outbox.knows(instance, second.id), false);
    },
  },
  {
    promise: 'adds exactly one of several concurrent requests with a key',
    async test(outbox) {
      const publishes = Array.from({ length: 20 }, () => publishOf(instance, body(), start));
      const answers = await Promise.all(publishes.map((publish) => outbox.add(publish, once())));
      assert.equal(answers.filter(({ outcome }) => outcome === 'added').length, 1);
      assert.equal(new Set(answers.map(({ publishId }) => publishId)).size, 1);
      same(await claims(outbox, 2), [answers[0]?.publishId, undefined]);
    },
  },
  {
    promise: 'isolates the keys of instances',
    async test(outbox) {
      const [mine, theirs] = [publishOf(instance, body(), start), publishOf(otherInstance, body(), start)];
      await outbox.add(mine, once());
      same(await outbox.add(theirs, once()), { outcome: 'added', publishId: theirs.id });
    },
  },
  {
    promise: 'forgets a key when it expires',
    async test(outbox) {
      await outbox.add(publishOf(instance, body(), start), once());
      const later = publishOf(instance, body(), start + 1000);
      matches(await outbox.add(later, { ...once(), expiresAt: start + 2000 }), { outcome: 'added' });
      const repeat = publishOf(instance, body(), start + 1999);
      same(await outbox.add(repeat, once()), { outcome: 'repeated', publishId: later.id });
      await outbox.forgetKeys(start + 1999);
      matches(await outbox.add(repeat, once()), { outcome: 'repeated' });
      await outbox.forgetKeys(start + 2000);
      matches(await outbox.add(repeat, once()), { outcome: 'added' });
    },
  },
  {
    promise: 'keeps a scheduled publish until its time',
    async test(outbox) {
      const publish = publishOf(instance, body(), start, start + 1000);
      await outbox.add(publish);
      assert.equal(await claim(outbox, 'me', start + 999), undefined);
      same(await claim(outbox, 'me', start + 1000), { ...publishJob(publish), claimId: 'me' });
      same(await outbox.find(instance, publish.id), { publish, partitions: [] });
    },
  },
  {
    promise: 'reports a cancellation to the run when it saves',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      assert.equal(await outbox.save(job, newPartition('fcm', 0)), 'wanted');
      assert.equal(await outbox.cancel(instance, publish.id, start + 1), 'cancelled');
      assert.equal(await outbox.jobs.renew(job, start + leaseMs), true);
      const partition = { ...newPartition('fcm', 0), sent: 5 };
      assert.equal(await outbox.save(job, partition), 'cancelled');
      same(await outbox.find(instance, publish.id), {
        publish,
        partitions: [partition],
        cancelledAt: start + 1,
      });
      assert.equal(await outbox.finish(job, start + 2), true);
      matches(await outbox.find(instance, publish.id), { cancelledAt: start + 1, finishedAt: start + 2 });
      assert.equal(await claim(outbox, 'you', start + 9 * leaseMs), undefined);
    },
  },
  {
    promise: 'makes a cancelled publish due at once',
    async test(outbox) {
      const scheduled = publishOf(instance, body(), start, start + 1000);
      await outbox.add(scheduled);
      assert.equal(await outbox.cancel(instance, scheduled.id, start + 1), 'cancelled');
      assert.equal(await outbox.cancel(instance, scheduled.id, start + 2), 'cancelled');
      matches(await claim(outbox, 'me', start + 2), { id: scheduled.id });
      matches(await outbox.find(instance, scheduled.id), { cancelledAt: start + 1 });
    },
  },
  {
    promise: 'makes a cancelled publish due at once when it is released',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      await outbox.cancel(instance, publish.id, start + 1);
      assert.equal(await claim(outbox, 'you', start + 1), undefined);
      await outbox.jobs.retry(job, start + 1000);
      matches(await claim(outbox, 'you', start + 1), { id: publish.id });
    },
  },
  {
    promise: 'cancels neither finished publishes nor those of another instance',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const other = await added(outbox);
      await outbox.finish(job, start);
      assert.equal(await outbox.cancel(instance, publish.id, start + 1), 'finished');
      assert.ok(!Object.hasOwn((await outbox.find(instance, publish.id)) ?? {}, 'cancelledAt'));
      assert.equal(await outbox.cancel(otherInstance, other.id, start + 1), 'unknown');
      assert.ok(!Object.hasOwn((await outbox.find(instance, other.id)) ?? {}, 'cancelledAt'));
      assert.equal(await outbox.cancel(instance, 'pubid-unknown', start), 'unknown');
    },
  },
  {
    promise: 'keeps the outcome of each device with its page, and later ones',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const page = [
        { deviceId: 'fcm-1', outcome: 'sent' },
        { deviceId: 'fcm-3', outcome: 'failed', reason: 'o"dd \u0000 💬' },
        { deviceId: 'fcm-2', outcome: 'retrying', reason: 'UNAVAILABLE' },
      ] as const;
      await saveOutcomes(outbox, job, 'fcm-3', 'page', page);
      await saveOutcomes(outbox, job, 'fcm-4', 'page', [{ deviceId: 'fcm-4', outcome: 'failed', reason: 'x' }]);
      const all = { after: '', limit: 10 };
      const last = { deviceId: 'fcm-4', outcome: 'failed', reason: 'x' } as const;
      same(await outbox.outcomes(publish.id, all), { devices: [page[0], page[2], page[1], last] });
      await saveOutcomes(outbox, job, 'fcm-4', 'retries', [{ deviceId: 'fcm-2', outcome: 'sent' }]);
      const sent = { deviceId: 'fcm-2', outcome: 'sent' } as const;
      same(await outbox.outcomes(publish.id, all), { devices: [page[0], sent, page[1], last] });
      same(await outbox.outcomes(publish.id, { ...all, outcome: 'sent' }), { devices: [page[0], sent] });
      same(await outbox.outcomes(publish.id, { ...all, outcome: 'retrying' }), { devices: [] });
      same(await outbox.outcomes('pubid-unknown', all), { devices: [] });
    },
  },
  {
    promise: 'answers outcomes in pages',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const ids = Array.from({ length: 60 }, (_, index) => `fcm-${String(index).padStart(2, '0')}`);
      for (let start = 0; start < 60; start += 2) {
        const [one = '', other = ''] = ids.slice(start, start + 2);
        const devices = [
          { deviceId: one, outcome: 'sent' },
          { deviceId: other, outcome: 'failed', reason: 'x' },
        ] as const;
        await saveOutcomes(outbox, job, other, 'page', devices);
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
          assert.ok(devices.length <= limit);
          found.push(...devices.map(({ deviceId }) => deviceId));
          after = next;
        }
        same([after, found], [undefined, expected]);
      }
    },
  },
  {
    promise: 'keeps no outcomes of a stale owner',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      await claim(outbox, 'you', start + leaseMs);
      await saveOutcomes(outbox, job, 'fcm-1', 'page', [{ deviceId: 'fcm-1', outcome: 'sent' }]);
      same(await outbox.outcomes(publish.id, { after: '', limit: 10 }), { devices: [] });
    },
  },
  {
    promise: 'forgets only old outcomes',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      const waits = { deviceId: 'fcm-1', outcome: 'retrying', reason: 'x' } as const;
      await saveOutcomes(outbox, job, 'fcm-1', 'page', [waits], start);
      await saveOutcomes(outbox, job, 'fcm-1', 'retries', [{ deviceId: 'fcm-1', outcome: 'sent' }], start);
      const fresh = { deviceId: 'fcm-2', outcome: 'sent' } as const;
      await saveOutcomes(outbox, job, 'fcm-2', 'page', [fresh], start + 1);
      assert.equal(await outbox.forgetOutcomes(start), 0);
      assert.ok((await outbox.forgetOutcomes(start + 1)) > 0);
      assert.equal(await outbox.forgetOutcomes(start + 1), 0);
      same(await outbox.outcomes(publish.id, { after: '', limit: 10 }), { devices: [fresh] });
      await outbox.finish(job, start);
      await outbox.forget([publish.id]);
      same(await outbox.outcomes(publish.id, { after: '', limit: 10 }), { devices: [] });
    },
  },
  {
    promise: 'adds a job for a range that is handed over, and asks for no other range until it is claimed',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      assert.equal(await outbox.save(job, newPartition('web', 0)), 'wanted');
      assert.equal(await handOver(outbox, job), 'saved');
      assert.equal(await outbox.save(job, near), 'saved');
      assert.equal(await claim(outbox, 'you', start + 4), undefined);
      const range = await claim(outbox, 'you', start + 5);
      same(range, { ...rangeJob(job, far, start + 5), claimId: 'you' });
      same(byName((await outbox.find(instance, publish.id))?.partitions), [near, far, newPartition('web', 0)]);
      assert.equal(await outbox.save(job, near), 'wanted');
      assert.equal(await outbox.save(range, far), 'wanted');
      // The range waits for its retries, not for a worker.
      await outbox.jobs.retry(range, start + 9, begun);
      assert.equal(await outbox.save(job, near), 'wanted');
    },
  },
  {
    promise: 'fences a range by its own job',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      await handOver(outbox, job);
      assert.equal(await outbox.save(job, far), 'lost');
      const range = await claim(outbox, 'you', start + 5);
      const sent = { ...far, sent: 3 };
      assert.equal(await outbox.save(range, near), 'lost');
      assert.equal(await outbox.finish(range, start), false);
      assert.equal(await outbox.finish(job, start), false);
      assert.equal(await outbox.save(range, sent, { again: [retry('fcm-9', 1)], settled: [] }), 'wanted');
      const later = await outbox.jobs.claim({ ...one, id: 'they', now: start + 2 * leaseMs, limit: 9, perKey: 9 });
      assert.equal(later.length, 2);
      assert.equal(await outbox.save(range, { ...far, sent: 1000 }), 'lost');
      assert.equal(await outbox.leave(range), undefined);
      same(byName((await outbox.find(instance, publish.id))?.partitions), [near, sent]);
      same(await outbox.waiting(publish.id), [{ partition: far.from, count: 1, dueAt: start + 1 }]);
      same(await outbox.retries(publish.id, far.from ?? '', start + 1, 9), [retry('fcm-9', 1)]);
    },
  },
  {
    promise: 'gives all partitions to the last job that leaves, to finish the publish',
    async test(outbox) {
      for (const isRangeLast of [true, false]) {
        const [publish, job] = await claimed(outbox);
        await handOver(outbox, job);
        const range = await claim(outbox, 'you', start + 5);
        const [first, last] = isRangeLast ? [job, range] : [range, job];
        assert.equal(await outbox.leave(first), undefined);
        assert.equal(await outbox.save(first, isRangeLast ? near : far), 'lost');
        assert.equal(await outbox.leave(first), undefined);
        same(byName(await outbox.leave(last)), [near, far]);
        // If its worker is killed now, another one finishes the publish.
        const next = await claim(outbox, 'they', start + 2 * leaseMs);
        assert.equal(next.id, last.id);
        assert.equal(await outbox.finish(last, start), false);
        same(byName(await outbox.leave(next)), [near, far]);
        assert.equal(await outbox.finish(next, start + 7), true);
        matches(await outbox.find(instance, publish.id), { finishedAt: start + 7 });
        assert.equal(await claim(outbox, 'they', start + 99 * leaseMs), undefined);
      }
    },
  },
  {
    promise: 'treats exactly one of several jobs that leave concurrently as the last',
    async test(outbox) {
      const [, job] = await claimed(outbox);
      const jobs = [job];
      for (const digit of '8421') {
        await handOver(outbox, job, `fcm-${digit}`);
        jobs.push(await claim(outbox, digit, start + 5));
      }
      const left = await Promise.all(jobs.map((each) => outbox.leave(each)));
      assert.equal(left.filter((partitions) => partitions !== undefined).length, 1);
      assert.equal(left.find((partitions) => partitions !== undefined)?.length, 5);
    },
  },
  {
    promise: 'reports a cancellation to all runs of a publish',
    async test(outbox) {
      const [publish, job] = await claimed(outbox);
      for (const digit of ['c', '8', '4']) await handOver(outbox, job, `fcm-${digit}`);
      const [holds, givenBack] = [await claim(outbox, 'holds', start + 5), await claim(outbox, 'gives', start + 5)];
      await outbox.jobs.retry(givenBack, start + 9 * leaseMs);
      await outbox.leave(job);
      await outbox.cancel(instance, publish.id, start + 1);
      const partitions = (await outbox.find(instance, publish.id))?.partitions ?? [];
      const saves: string[] = [];
      for (const partition of partitions) saves.push(await outbox.save(holds, partition));
      assert.equal(saves.filter((saved) => saved === 'cancelled').length, 1);
      const all = { ...one, id: 'all', now: start + 2, limit: 9, perKey: 9 };
      assert.equal((await outbox.jobs.claim(all)).length, 2);
      await outbox.jobs.retry(holds, start + 9 * leaseMs);
      matches(await claim(outbox, 'four', start + 2), { id: holds.id });
    },
  },
  {
    promise: 'counts a publish and its waiting ranges once',
    async test(outbox) {
      const [, job] = await claimed(outbox);
      for (const digit of ['8', '4']) await handOver(outbox, job, `fcm-${digit}`);
      matches(await outbox.jobs.backlog(start + 5), { dueKeys: 1, oldestDueAt: start + 5 });
      matches(await outbox.jobs.backlog(start + 4), { dueKeys: 0 });
    },
  },
  {
    promise: 'finds a publish of its own instance only',
    async test(outbox) {
      const publish = await added(outbox);
      same(await outbox.find(instance, publish.id), { publish, partitions: [] });
      assert.equal((await outbox.find(otherInstance, publish.id)) ?? undefined, undefined);
      assert.equal(await outbox.knows(instance, publish.id), true);
      assert.equal(await outbox.knows(otherInstance, publish.id), false);
      assert.equal(await outbox.knows(instance, 'pubid-unknown'), false);
    },
  },
  {
    promise: 'forgets only old, finished publishes',
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
        const job = await claim(outbox, publish.id);
        await outbox.save(job, newPartition('fcm', 0));
        await outbox.finish(job, at);
      }
      same(await outbox.finishedBefore(start, 10), []);
      const ids = await outbox.finishedBefore(start + 10, 10);
      same(ids, [old.id]);
      assert.equal((await outbox.finishedBefore(start + 11, 1)).length, 1);
      await outbox.forget([...ids, 'pubid-unknown']);
      assert.equal(await outbox.knows(instance, old.id), false);
      assert.equal(await outbox.knows(instance, fresh.id), true);
      assert.equal(await outbox.knows(instance, open.id), true);
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
        assert.ok(page.length <= 2);
      }
      same(
        listed.map(({ id }) => id),
        newest.map(({ id }) => id),
      );
      same(listed[0], newest[0]);
    },
  },
  {
    promise: 'counts devices by platform and event',
    async test(outbox) {
      await outbox.report(report('fcm-1'));
      await outbox.report(report('fcm-2'));
      await outbox.report(report('fcm-1', { event: 'open' }));
      await outbox.report(report('web-1', { platform: 'web' }));
      same(await sortedReports(outbox), [
        { platform: 'fcm', event: 'delivery', count: 2 },
        { platform: 'fcm', event: 'open', count: 1 },
        { platform: 'web', event: 'delivery', count: 1 },
      ]);
    },
  },
  {
    promise: 'counts a report once, even if it is repeated or concurrent',
    async test(outbox) {
      await outbox.report(report('fcm-1'));
      await Promise.all(Array.from({ length: 20 }, () => outbox.report(report('fcm-1'))));
      same(await outbox.reports('pubid-1'), [{ platform: 'fcm', event: 'delivery', count: 1 }]);
    },
  },
  {
    promise: 'answers whether a device has reported',
    async test(outbox) {
      await outbox.report(report('fcm-1'));
      assert.equal(await outbox.isReported(report('fcm-1')), true);
      assert.equal(await outbox.isReported(report('fcm-2')), false);
      assert.equal(await outbox.isReported(report('fcm-1', { event: 'open' })), false);
      assert.equal(await outbox.isReported(report('fcm-1', { publishId: 'pubid-2' })), false);
    },
  },
  {
    promise: 'answers what some devices have reported on a publish',
    async test(outbox) {
      const all = [
        report('fcm-1'),
        report('fcm-1', { event: 'open' }),
        report('web-1', { platform: 'web' }),
        report('fcm-2'),
        report('fcm-1', { publishId: 'pubid-2' }),
      ];
      for (const each of all) await outbox.report(each);
      const found = await outbox.reportsOf('pubid-1', ['web-1', 'fcm-1', 'fcm-3']);
      const texts = (reports: readonly DeviceReport[]) =>
        reports.map(({ publishId, platform, event, deviceId }) => `${publishId} ${platform} ${event} ${deviceId}`);
      same(texts(found).toSorted(), texts(all.slice(0, 3)).toSorted());
      same(await outbox.reportsOf('pubid-1', []), []);
    },
  },
  {
    promise: 'isolates the reports of publishes, and forgets those of the given ones',
    async test(outbox) {
      await outbox.report(report('fcm-1'));
      await outbox.report(report('fcm-1', { publishId: 'pubid-2' }));
      await outbox.forget(['pubid-1', 'pubid-unknown']);
      same(await outbox.reports('pubid-1'), []);
      assert.equal((await outbox.reports('pubid-2')).length, 1);
    },
  },
  {
    promise: 'forgets a publish with many reports, and counts later ones from zero',
    async test(outbox) {
      await Promise.all(Array.from({ length: 1200 }, (_, n) => outbox.report(report(`fcm-${n}`))));
      same(await outbox.reports('pubid-1'), [{ platform: 'fcm', event: 'delivery', count: 1200 }]);
      await outbox.forget(['pubid-1']);
      same(await outbox.reports('pubid-1'), []);
      for (const n of [0, 600, 1199]) assert.equal(await outbox.isReported(report(`fcm-${n}`)), false);
      await outbox.report(report('fcm-600'));
      same(await outbox.reports('pubid-1'), [{ platform: 'fcm', event: 'delivery', count: 1 }]);
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
  job: ClaimedJob,
  cursor: string,
  of: NewOutcomes['of'],
  devices: NewOutcomes['devices'],
  at = start,
): Promise<void> {
  const partition = { ...newPartition('fcm', 0), cursor };
  await outbox.save(job, partition, { again: [], settled: [], outcomes: { of, at, devices } });
}

async function claimed(outbox: PublishOutbox): Promise<readonly [Publish, ClaimedJob]> {
  const publish = await added(outbox);
  return [publish, await claim(outbox, 'me')];
}

const one: JobClaim = { id: 'me', now: start, limit: 1, perKey: 1, busy: new Set(), leaseMs };

/** The job that is due first; undefined if none is. */
async function claim(outbox: PublishOutbox, id: string, now = start): Promise<ClaimedJob> {
  const [job] = await outbox.jobs.claim({ ...one, id, now });
  // Tests that expect none compare it with undefined.
  return job as ClaimedJob;
}

async function claims(outbox: PublishOutbox, times: number, now = start): Promise<(string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  for (let turn = 0; turn < times; turn += 1)
    ids.push(((await claim(outbox, `claim ${turn}`, now)) as ClaimedJob | undefined)?.key);
  return ids;
}

/** A partition whose second half is handed over, and that half. */
const near: Partition = { ...newPartition('fcm', 0), to: 'fcm-8' };
const far: Partition = { ...newPartition('fcm', 0), from: 'fcm-8', cursor: 'fcm-8' };

async function handOver(outbox: PublishOutbox, job: ClaimedJob, from = 'fcm-8'): Promise<string> {
  const handedOver = { partition: { ...far, from, cursor: from }, dueAt: start + 5 };
  return outbox.save(job, { ...near, to: from }, { again: [], settled: [], handedOver });
}

const byName = (partitions: readonly Partition[] = []): readonly Partition[] =>
  [...partitions].sort((one, other) => (partitionName(one) < partitionName(other) ? -1 : 1));

const byPlatform = (partitions: readonly Partition[] = []): readonly Partition[] =>
  [...partitions].sort((one, other) => (one.platform < other.platform ? -1 : 1));

const report = (deviceId: string, more: Partial<DeviceReport> = {}): DeviceReport => ({
  publishId: 'pubid-1',
  deviceId,
  platform: 'fcm',
  event: 'delivery',
  ...more,
});

async function sortedReports(outbox: PublishOutbox) {
  const key = ({ platform, event }: { platform: string; event: string }) => `${platform} ${event}`;
  return [...(await outbox.reports('pubid-1'))].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}
