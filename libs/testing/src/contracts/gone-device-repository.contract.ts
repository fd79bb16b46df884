import assert from 'node:assert/strict';
import type { GoneDeviceRepository } from 'rookery/publish';
import { contract } from './contract.js';
import { contains, same } from './assertions.js';

const apns = { instanceId: 'instance', platform: 'apns' } as const;
const web = { ...apns, platform: 'web' } as const;
const elsewhere = { ...apns, instanceId: 'other' };

const page = (devices: readonly string[] = [], more: object = {}) => ({
  publishId: 'pubid-1',
  at: 100,
  since: 0,
  sent: 0,
  gone: devices.map((id) => ({ id, before: 7 })),
  ...more,
});

const named = (count: number) => Array.from({ length: count }, (_, n) => `apns-${String(n).padStart(4, '0')}`);
const idsOf = (devices: readonly { readonly id: string }[]) => devices.map(({ id }) => id).sort();

/** The contract of every GoneDeviceRepository. */
export const describeGoneDeviceRepository = contract<GoneDeviceRepository>('GoneDeviceRepository', [
  {
    promise: 'sums the answers of a gateway, separately for each gateway',
    async test(gone) {
      same(await gone.answers(apns), { sent: 0, gone: 0 });
      await gone.note(apns, page(['apns-1', 'apns-2'], { sent: 3 }));
      await gone.note(apns, page(['apns-3'], { sent: 4 }));
      await gone.note(apns, page([], { at: 200, sent: 5 }));
      await gone.note(web, page(['web-1'], { sent: 1 }));
      await gone.note(elsewhere, page([], { sent: 9 }));
      same(await gone.answers(apns), { sent: 12, gone: 3 });
      same(await gone.answers(web), { sent: 1, gone: 1 });
      await gone.forgetAnswers(apns);
      same(await gone.answers(apns), { sent: 0, gone: 0 });
      same(await gone.answers(elsewhere), { sent: 9, gone: 0 });
    },
  },
  {
    promise: 'forgets old answers, but not while a device is held',
    async test(gone) {
      await gone.note(apns, page([], { sent: 5 }));
      await gone.note(apns, page([], { at: 300, since: 99, sent: 1 }));
      same(await gone.answers(apns), { sent: 6, gone: 0 });
      await gone.note(apns, page(['apns-1'], { at: 300, since: 100 }));
      same(await gone.answers(apns), { sent: 1, gone: 1 });
      await gone.note(apns, page([], { at: 900, since: 800, sent: 1 }));
      same(await gone.answers(apns), { sent: 2, gone: 1 });
      await gone.settle(apns, 'pubid-1', ['apns-1'], 1);
      await gone.note(apns, page([], { at: 900, since: 800, sent: 1 }));
      same(await gone.answers(apns), { sent: 2, gone: 0 });
    },
  },
  {
    promise: 'holds a whole page of devices, each as first found',
    async test(gone) {
      const ids = named(1000);
      await gone.note(apns, page(ids));
      await gone.note(apns, page(['apns-0007', 'apns-new'], { publishId: 'pubid-2' }));
      assert.equal((await gone.held(apns, 3)).length, 3);
      same(idsOf(await gone.held(apns, 2000)), [...ids, 'apns-new']);
      same(idsOf(await gone.heldAmong(apns, ['apns-0999', 'apns-unknown', 'apns-0007'])), ['apns-0007', 'apns-0999']);
      same(await gone.heldAmong(apns, ['apns-0007']), [{ id: 'apns-0007', before: 7, publishId: 'pubid-1' }]);
      same(await gone.heldAmong(web, ['apns-0007']), []);
      same(await gone.held(elsewhere, 10), []);
      same(await gone.counts('pubid-1'), [{ platform: 'apns', held: 1000, removed: 0 }]);
      same(await gone.counts('pubid-2'), [{ platform: 'apns', held: 1, removed: 0 }]);
    },
  },
  {
    promise: 'holds a device once when pages are concurrent, and counts every answer',
    async test(gone) {
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => gone.note(apns, page(['apns-1', `apns-x${n}`], { sent: 1 }))),
      );
      same(await gone.answers(apns), { sent: 20, gone: 40 });
      same(await gone.counts('pubid-1'), [{ platform: 'apns', held: 21, removed: 0 }]);
      assert.equal((await gone.held(apns, 100)).length, 21);
    },
  },
  {
    promise: 'settles devices once, for the publish that found them',
    async test(gone) {
      await gone.note(apns, page(['apns-1', 'apns-2', 'apns-3']));
      await gone.note(web, page(['web-1']));
      await gone.settle(apns, 'pubid-2', ['apns-1'], 0);
      assert.equal((await gone.held(apns, 10)).length, 3);
      await gone.settle(apns, 'pubid-1', ['apns-1', 'apns-2', 'apns-unknown'], 1);
      await gone.settle(apns, 'pubid-1', ['apns-1', 'apns-2'], 0);
      same(idsOf(await gone.held(apns, 10)), ['apns-3']);
      const counts = await gone.counts('pubid-1');
      assert.equal(counts.length, 2);
      contains(counts, { platform: 'apns', held: 1, removed: 1 });
      contains(counts, { platform: 'web', held: 1, removed: 0 });
    },
  },
  {
    promise: 'answers how many are held in all, even after their publish is forgotten',
    async test(gone) {
      await gone.note(apns, page(['apns-1', 'apns-2']));
      await gone.note(apns, page(['apns-3'], { publishId: 'pubid-2' }));
      await gone.note(elsewhere, page(['apns-4'], { publishId: 'pubid-3' }));
      await gone.settle(elsewhere, 'pubid-3', ['apns-4'], 1);
      same(await gone.totals(), [{ ...apns, held: 3 }]);
      await gone.forget(['pubid-1', 'pubid-3', 'pubid-unknown']);
      same(await gone.totals(), [{ ...apns, held: 3 }]);
      same(await gone.counts('pubid-3'), []);
      assert.equal((await gone.held(apns, 10)).length, 3);
      await gone.settle(apns, 'pubid-1', ['apns-1', 'apns-2'], 2);
      same(await gone.totals(), [{ ...apns, held: 1 }]);
    },
  },
]);
