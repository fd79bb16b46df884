import assert from 'node:assert/strict';
import {
  type ClaimedJob,
  type DeadJob,
  type DeadJobLimits,
  type FreshJob,
  type Job,
  type JobClaim,
  type JobStore,
  placeOf,
} from 'rookery/jobs';
import { randomUUID } from 'node:crypto';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

const start = 1_700_000_000_000;
const leaseMs = 60_000;
const everything: JobClaim = { id: 'claim', now: start, limit: 100, perKey: 100, busy: new Set(), leaseMs };
const later = { ...everything, now: start + leaseMs };

/** The contract of every JobStore. Times are epoch milliseconds near {@link start}, not the clock's. */
export const describeJobStore = contract<JobStore>('JobStore', [
  {
    promise: 'hands out what was added, as it was added',
    async test(store) {
      const job = jobOf('a', { data: { text: 'ünïcödé 💬 \ud800' }, state: 'it\'s "one" of\n[2]' });
      same(await store.add([job]), { dropped: 0 });
      same(await store.claim(everything), [{ ...job, claimId: 'claim' }]);
    },
  },
  {
    promise: 'leaves a job that it knows as it is',
    async test(store) {
      const job = jobOf('a');
      await store.add([job, job]);
      await store.add([{ ...job, data: 'other' }]);
      same(await jobs(store.claim(everything)), [job]);
      await store.add([job]);
      same(await store.claim(everything), []);
    },
  },
  {
    promise: 'answers nothing when nothing is due',
    async test(store) {
      await store.add([{ ...jobOf('a'), dueAt: start + 1 }]);
      same(await store.claim(everything), []);
      assert.equal((await store.claim({ ...everything, now: start + 1 })).length, 1);
    },
  },
  {
    promise: 'tells when the next job is due or free again, if it can',
    async test(store) {
      if ((await store.nextDueAt()) === undefined) return;
      same(await store.nextDueAt(), Infinity);
      const [first, second] = [jobOf('a'), jobOf('b')];
      await store.add([
        { ...second, dueAt: start + 7 },
        { ...first, dueAt: start },
      ]);
      same(await store.nextDueAt(), start);
      const [claimed] = await store.claim(everything);
      same(await store.nextDueAt(), start + 7);
      const [other] = await store.claim({ ...everything, now: start + 7 });
      same(await store.nextDueAt(), start + leaseMs);
      await store.retry(claimed!, start + 3);
      same(await store.nextDueAt(), start + 3);
      await store.done(other!);
      same(await ids(store.claim({ ...everything, now: start + 3 })), [first.id]);
    },
  },
  {
    promise: 'hands out the earliest due first, and the equally due in the order they were added',
    async test(store) {
      const [late, first, second, third] = [jobOf('a'), jobOf('b'), jobOf('a'), jobOf('b')];
      await store.add([late, ...[first, second, third].map((job) => ({ ...job, dueAt: start - 5 }))]);
      same(await ids(store.claim(everything)), [first.id, second.id, third.id, late.id]);
    },
  },
  {
    promise: 'hands out no more than the limit, and the rest to the next claim',
    async test(store) {
      const [first, second, third] = [jobOf('a'), jobOf('a'), jobOf('b')];
      await store.add([first, second, third]);
      same(await ids(store.claim({ ...everything, limit: 2 })), [first.id, second.id]);
      same(await ids(store.claim({ ...everything, limit: 2 })), [third.id]);
    },
  },
  {
    promise: 'hands out no more than it may of one key, and finds the others behind it',
    async test(store) {
      const long = Array.from({ length: 200 }, () => jobOf('a'));
      const other = jobOf('b');
      await store.add([...long, other]);
      const found = await untilEmpty(store, { ...everything, limit: 10, perKey: 2 }, 'a');
      same(found, [long[0]?.id, long[1]?.id, other.id]);
    },
  },
  {
    promise: 'hands out nothing of a busy key, however much of it waits',
    async test(store) {
      const other = jobOf('b');
      await store.add([...Array.from({ length: 200 }, () => jobOf('a')), other]);
      const claim = { ...everything, limit: 3, busy: new Set(['a']) };
      same(await ids(store.claim(claim)), [other.id]);
      same(await store.claim(claim), []);
    },
  },
  {
    promise: 'hides what is claimed until the lease is over',
    async test(store) {
      const job = jobOf('a');
      await store.add([job]);
      await store.claim(everything);
      same(await store.claim({ ...everything, now: start + leaseMs - 1 }), []);
      same(await jobs(store.claim(later)), [job]);
    },
  },
  {
    promise: 'hands out each job once to claims that race',
    async test(store) {
      const all = Array.from({ length: 60 }, (_, index) => jobOf(String(index % 7)));
      await store.add(all);
      const claims = Array.from({ length: 12 }, async (_, n) =>
        store.claim({ ...everything, id: `claim-${n}`, limit: 5 }),
      );
      const raced = (await Promise.all(claims)).flat().map(({ id }) => id);
      assert.equal(new Set(raced).size, raced.length);
      const rest = await untilEmpty(store, everything);
      same([...raced, ...rest].sort(), all.map(({ id }) => id).sort());
    },
  },
  {
    promise: 'extends a lease, for the claim that holds the job',
    async test(store) {
      const [job] = await claimed(store, [jobOf('a')]);
      assert.equal(await store.renew(job!, start + 2 * leaseMs), true);
      same(await store.claim({ ...later, id: 'early' }), []);
      const after = { ...everything, id: 'other', now: start + 2 * leaseMs };
      same(await ids(store.claim(after)), [job!.id]);
      assert.equal(await store.renew(job!, start + 9 * leaseMs), false);
      assert.equal((await store.claim({ ...after, now: start + 3 * leaseMs })).length, 1);
    },
  },
  {
    promise: 'never hands out again what is done',
    async test(store) {
      const [done, open] = await claimed(store, [jobOf('a'), jobOf('a')]);
      await store.done(done!);
      same(await ids(store.claim(later)), [open!.id]);
      assert.equal(await store.renew(done!, start), false);
    },
  },
  {
    promise: 'makes a job due again, with its new state and nothing else changed',
    async test(store) {
      const [first, second] = [jobOf('a', { state: '1' }), jobOf('a', { state: '1' })];
      const held = await claimed(store, [first, second]);
      await store.retry(held[0]!, start + 1000, '2');
      await store.retry(held[1]!, start + 1000);
      same(await store.claim({ ...everything, now: start + 999 }), []);
      const again = [{ ...first, state: '2' }, second].map((job) => ({ ...job, dueAt: start + 1000 }));
      same(await jobs(store.claim({ ...everything, now: start + 1000 })), again);
    },
  },
  {
    promise: 'takes done and retry of a job that is gone',
    async test(store) {
      const [job] = await claimed(store, [jobOf('a')]);
      await store.done(job!);
      await store.done(job!);
      await store.retry(job!, start);
      same(await store.claim(later), []);
    },
  },
  {
    promise: 'lets no claim end what another one holds by now',
    async test(store) {
      const slow = await claimed(store, [jobOf('a'), jobOf('b')], 'slow');
      const quick = await store.claim({ ...later, id: 'quick' });
      await store.done(slow[0]!);
      await store.retry(slow[1]!, start);
      same(await store.claim({ ...later, id: 'third' }), []);
      await store.retry(quick[0]!, later.now);
      await store.done(quick[1]!);
      same(await ids(store.claim({ ...later, now: start + 3 * leaseMs })), [slow[0]!.id]);
    },
  },
  {
    promise: 'keeps what is buried as a dead job, out of the queue',
    async test(store) {
      const job = jobOf('a', { data: { text: 'ünïcödé 💬 \ud800' }, state: { left: [1, 2] } });
      const [held] = await claimed(store, [job]);
      await store.bury(held!, { diedAt: start + 5, reason: 'answered "500"' }, plenty);
      same(await store.claim(later), []);
      same(await store.dead('app', '', 10), [{ job, diedAt: start + 5, reason: 'answered "500"' }]);
    },
  },
  {
    promise: 'buries for any reason, even one that it can store only in part',
    async test(store) {
      const [held] = await claimed(store, [jobOf('a')]);
      await store.bury(held!, { diedAt: start, reason: 'answered \0 and \ud800' }, plenty);
      same(await store.claim(later), []);
      const [dead] = await store.dead('app', '', 10);
      assert.match(dead?.reason ?? '', /^answered . and .$/su);
    },
  },
  {
    promise: 'lists the dead jobs of an owner alone, the oldest first, page by page',
    async test(store) {
      const [first, second, third] = await buried(store, [3, 1, 2]);
      await buried(store, [2], { owner: 'other' });
      const page = await store.dead('app', '', 2);
      same(idsOf(page), [second, third]);
      const rest = await store.dead('app', placeOf(page[1]!), 2);
      same(idsOf(rest), [first]);
      same(await store.dead('app', placeOf(rest[0]!), 2), []);
    },
  },
  {
    promise: 'lists the dead jobs of an owner backwards, page by page, and counts them',
    async test(store) {
      const [first, second, third] = await buried(store, [3, 1, 2]);
      const [other] = await buried(store, [4], { owner: 'other' });
      const page = await store.latestDead('app', '', 2);
      same(idsOf(page), [first, third]);
      const rest = await store.latestDead('app', placeOf(page[1]!), 2);
      same(rest, await store.dead('app', '', 1));
      same(idsOf(rest), [second]);
      same(await store.latestDead('app', placeOf(rest[0]!), 2), []);
      same(await store.deadCounts('app'), { kept: 3, dropped: 0 });
      await store.resend('other', [other!], fresh);
      same(await store.deadCounts('other'), { kept: 0, dropped: 0 });
    },
  },
  {
    promise: 'buries nothing that another claim holds by now, or that is gone',
    async test(store) {
      const slow = await claimed(store, [jobOf('a'), jobOf('b')], 'slow');
      const [held, done] = await store.claim({ ...later, id: 'quick' });
      await store.done(done!);
      for (const job of slow) await store.bury(job, { diedAt: start, reason: 'x' }, plenty);
      same(await store.dead('app', '', 10), []);
      await store.retry(held!, later.now);
      same(await ids(store.claim({ ...later, id: 'third' })), [held!.id]);
    },
  },
  {
    promise: 'keeps so many dead jobs of an owner, and lets the oldest go',
    async test(store) {
      const limits = { ...plenty, most: 2 };
      const others = await buried(store, [1, 1], { owner: 'other' }, limits);
      const mine = await buried(store, [1, 2, 3, 4], {}, limits);
      same(idsOf(await store.dead('app', '', 10)), mine.slice(2));
      same(await store.deadCounts('app'), { kept: 2, dropped: 2 });
      same(idsOf(await store.dead('other', '', 10)).toSorted(), others.toSorted());
      await buried(store, [5], {}, { ...plenty, most: 0 });
      same(await store.dead('app', '', 10), []);
    },
  },
  {
    promise: 'keeps so many bytes of dead jobs of an owner, and counts those that it lets go',
    async test(store) {
      const limits = { ...plenty, maxBytes: 40_000 };
      const data = { text: 'x'.repeat(4000) };
      const [other] = await buried(store, [1], { owner: 'other', data }, limits);
      const mine: string[] = [];
      for (let time = 1; time <= 24; time++) mine.push(...(await buried(store, [time], { data }, limits)));
      const kept = idsOf(await store.dead('app', '', 30));
      assert.ok(kept.length >= 6 && kept.length <= 10, `${kept.length} are kept`);
      same(kept, mine.slice(-kept.length));
      same(await store.deadCounts('app'), { kept: kept.length, dropped: mine.length - kept.length });
      same(idsOf(await store.dead('other', '', 10)), [other]);
      same(await store.deadCounts('other'), { kept: 1, dropped: 0 });
      await store.resend('app', kept, fresh);
      same(await store.deadCounts('app'), { kept: 0, dropped: 0 });
    },
  },
  {
    promise: 'lets dead jobs go that died too long before',
    async test(store) {
      const limits = { ...plenty, keepMs: 1000 };
      const [, second] = await buried(store, [0, 1], {}, limits);
      const [third] = await buried(store, [1001], {}, limits);
      same(idsOf(await store.dead('app', '', 10)), [second, third]);
    },
  },
  {
    promise: 'sends dead jobs again as they were, but for what is fresh, in the order in which they died',
    async test(store) {
      const [first, second, kept] = await buried(store, [1, 2, 3], { data: { text: '💬' }, state: 'old' });
      assert.equal(await store.resend('app', [second!, first!, 'unknown'], fresh), 2);
      same(await store.claim({ ...everything, now: fresh.dueAt - 1 }), []);
      const again = await jobs(store.claim({ ...everything, now: fresh.dueAt }));
      same(
        again,
        [first, second].map((id) => ({ ...jobOf('dead', { data: { text: '💬' } }), id, ...fresh })),
      );
      same(idsOf(await store.dead('app', '', 10)), [kept]);
    },
  },
  {
    promise: 'sends a dead job again once, however many callers ask, and only for its owner',
    async test(store) {
      const [id] = await buried(store, [1]);
      assert.equal(await store.resend('other', [id!], fresh), 0);
      await buried(store, [1], { owner: 'other' });
      assert.equal(await store.resend('other', [id!], fresh), 0);
      const resent = await Promise.all([1, 2, 3].map(async () => store.resend('app', [id!], fresh)));
      same(
        resent.toSorted((one, other) => one - other),
        [0, 0, 1],
      );
      same(await ids(store.claim({ ...everything, now: fresh.dueAt })), [id]);
    },
  },
  {
    promise: 'buries again what was sent again, in its new place',
    async test(store) {
      const [first, second] = await buried(store, [1, 2]);
      await store.resend('app', [first!], fresh);
      const [again] = await store.claim({ ...everything, now: fresh.dueAt });
      await store.bury(again!, { diedAt: fresh.dueAt, reason: 'again' }, plenty);
      const dead = await store.dead('app', '', 10);
      same(
        dead.map(({ job, reason }) => [job.id, reason]),
        [
          [second, 'x'],
          [first, 'again'],
        ],
      );
    },
  },
  {
    promise: 'tells how much is in the queue, how many keys are due, and since when the first free job has been',
    async test(store) {
      same(await store.backlog(start), { dueKeys: 0 });
      const [first, second, third, last] = [-7, -5, -4, 3].map((ms) => ({ ...jobOf('a'), dueAt: start + ms }));
      await store.add([second!, third!, last!]);
      await store.add([{ ...first!, key: 'b' }]);
      same(await store.backlog(start), { dueKeys: 2, oldestDueAt: start - 7 });
      await store.claim({ ...everything, limit: 1 });
      assert.equal(await store.size(), 4);
      same(await store.backlog(start), { dueKeys: 1, oldestDueAt: start - 5 });
      const [held, done] = await store.claim(everything);
      same(await store.backlog(start), { dueKeys: 0 });
      await store.retry(held!, start + 9);
      await store.done(done!);
      assert.equal(await store.size(), 3);
      same(await store.backlog(start), { dueKeys: 0 });
      for (const ms of [3, 9]) same(await store.backlog(start + ms), { dueKeys: 1, oldestDueAt: start + 3 });
    },
  },
  {
    promise: 'buries what is too much: the earliest of the key that has the most, and no more',
    async test(store) {
      const short = [1, 2].map(() => jobOf('short'));
      const long = [1, 2, 3, 4, 5, 6].map((ms) => ({ ...jobOf('long'), dueAt: start + ms }));
      await store.add([...short, ...long]);
      assert.equal(await buriedBeyond(store, 8), 0);
      assert.equal(await buriedBeyond(store, 4), 4);
      const dead = await store.dead('app', '', 10);
      const earliest = long.slice(0, 4).map(({ id }) => id);
      same(idsOf(dead).toSorted(), earliest.toSorted());
      matches(dead[0], { diedAt: start, reason: 'too many' });
      assert.equal(await store.size(), 4);
      const left = await ids(store.claim({ ...everything, now: start + 10 }));
      same(
        left,
        [...short, ...long.slice(4)].map(({ id }) => id),
      );
    },
  },
  {
    promise: 'buries nothing that a claim holds, and what is put off like all else',
    async test(store) {
      const [held, putOff] = await claimed(store, [jobOf('a'), jobOf('a')]);
      await store.retry(putOff!, start + 5);
      const added = jobOf('a');
      await store.add([added]);
      assert.equal(await buriedBeyond(store, 0), 2);
      same(idsOf(await store.dead('app', '', 10)).toSorted(), [putOff!.id, added.id].toSorted());
      same(await ids(store.claim(later)), [held!.id]);
    },
  },
  {
    promise: 'buries what is too much once, however many callers do',
    async test(store) {
      await store.add(Array.from({ length: 12 }, () => jobOf('a')));
      const counts = await Promise.all([1, 2, 3].map(() => buriedBeyond(store, 4)));
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        8,
      );
      assert.equal(await store.size(), 4);
    },
  },
  {
    promise: 'keeps so many dead jobs of those that are too many, and no other',
    async test(store) {
      await store.add(Array.from({ length: 6 }, () => jobOf('a')));
      assert.equal(await buriedBeyond(store, 1, { ...plenty, most: 2 }), 5);
      assert.equal((await store.dead('app', '', 10)).length, 2);
    },
  },
]);

/** Calls `buryBeyond` until it buries nothing more. */
async function buriedBeyond(store: JobStore, most: number, limits = plenty): Promise<number> {
  let buried = 0;
  for (let count = 1; count > 0; buried += count)
    count = await store.buryBeyond(most, { diedAt: start, reason: 'too many' }, limits);
  return buried;
}

const plenty: DeadJobLimits = { most: 100, maxBytes: 1_000_000, keepMs: 86_400_000 };
const fresh: FreshJob = { dueAt: start + 500_000, state: { left: [7, 8] } };

/** Buries one job for each time, in milliseconds after {@link start}, and returns their ids. */
async function buried(
  store: JobStore,
  times: readonly number[],
  more: Partial<Job> = {},
  limits = plenty,
): Promise<readonly string[]> {
  const held = await claimed(
    store,
    times.map(() => jobOf('dead', more)),
  );
  for (const [index, job] of held.entries())
    await store.bury(job, { diedAt: start + times[index]!, reason: 'x' }, limits);
  return held.map(({ id }) => id);
}

/** Adds jobs and claims them, in the same order. */
async function claimed(store: JobStore, added: readonly Job[], claim = 'claim'): Promise<readonly ClaimedJob[]> {
  await store.add(added);
  return store.claim({ ...everything, id: claim });
}

const idsOf = (dead: readonly DeadJob[]): readonly string[] => dead.map(({ job }) => job.id);

const jobOf = (key: string, more: Partial<Job> = {}): Job => ({
  id: randomUUID(),
  owner: 'app',
  key,
  dueAt: start,
  data: {},
  state: '',
  ...more,
});

const ids = async (claim: Promise<readonly ClaimedJob[]>): Promise<readonly string[]> =>
  (await claim).map(({ id }) => id);

const jobs = async (claim: Promise<readonly ClaimedJob[]>): Promise<readonly Job[]> =>
  (await claim).map(({ id, owner, key, dueAt, data, state }) => ({ id, owner, key, dueAt, data, state }));

/** Claims until the result is empty; `busyAfter` counts as busy from the second claim on. */
async function untilEmpty(store: JobStore, claim: JobClaim, busyAfter?: string): Promise<readonly string[]> {
  const busy = new Set(busyAfter === undefined ? [] : [busyAfter]);
  const found = [...(await ids(store.claim(claim)))];
  for (let claims = 0; claims < 1000; claims += 1) {
    const more = await ids(store.claim({ ...claim, busy }));
    if (more.length === 0) return found;
    found.push(...more);
  }
  throw new Error('it goes on handing out jobs');
}
