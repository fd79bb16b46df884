import type { Awaitable } from 'rookery/common';
import {
  maxDevicesPerUser,
  maxInterestsPerDevice,
  type DeviceRepository,
  type Platform,
  type Registration,
  seenOnceMs,
} from 'rookery/push-device';
import { contract } from './contract.js';
import { expect } from './expect.js';

const instanceId = 'instance';
const now = 1_700_000_000_000;
const tokens = (function* () {
  for (let number = 1; ; number++) yield `token-${number}`;
})();

const registration = (changes: Partial<Registration> = {}): Registration => ({
  platform: 'fcm',
  token: tokens.next().value,
  metadata: {},
  ...changes,
});

async function registered(devices: DeviceRepository, changes: Partial<Registration> = {}, at = now): Promise<string> {
  return (await devices.register(instanceId, registration(changes), at)).id;
}

const named = (count: number, prefix = 'interest') =>
  Array.from({ length: count }, (_, number) => `${prefix}-${String(number).padStart(5, '0')}`);

const interestsOf = async (devices: DeviceRepository, id: string, platform: Platform = 'fcm') =>
  devices.interests(instanceId, platform, id, '', maxInterestsPerDevice + 1);

/** The ids of an audience, collected page by page. */
async function idsIn(
  devices: DeviceRepository,
  audience: Parameters<DeviceRepository['inAudience']>[1],
  limit = 100,
  instance = instanceId,
): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await devices.inAudience(instance, audience, ids.at(-1) ?? '', limit);
    ids.push(...page.map(({ id }) => id));
    if (page.length < limit) return ids;
  }
}

/** One pass over all devices, a few in each step. @returns how many it removed */
async function removeUnseen(devices: DeviceRepository, before: number, now: number, limit = 3): Promise<number> {
  let removed = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const step: Awaited<ReturnType<DeviceRepository['removeUnseen']>> = await devices.removeUnseen({
      before,
      now,
      after,
      limit,
    });
    removed += step.removed.length;
    after = step.last;
  }
  return removed;
}

const count = (outcomes: readonly string[], outcome: string) => outcomes.filter((one) => one === outcome).length;

/** The contract of every DeviceRepository. */
export const describeDeviceRepository = contract<DeviceRepository>('DeviceRepository', [
  {
    promise: 'finds a device as it was registered',
    async test(devices) {
      const given = registration({
        platform: 'apns',
        bundleIdentifier: 'com.example',
        metadata: { sdkVersion: '4.0.0', iosVersion: 'ünïcödé 💬' },
      });
      const { id, interests } = await devices.register(instanceId, given, now);
      expect(id).toMatch(/^apns-[0-9a-f-]{36}$/);
      expect(interests).toEqual([]);
      expect(await devices.find(instanceId, 'apns', id)).toMatchObject({ ...given, id, instanceId, registeredAt: now });
    },
  },
  {
    promise: 'keeps one device per token, with its user and interests, and updates the rest',
    async test(devices) {
      const given = registration();
      const id = await registered(devices, given);
      await devices.setUser(instanceId, 'fcm', id, 'alice');
      await devices.setInterests(instanceId, 'fcm', id, new Set(['b', 'a']));
      const again = await devices.register(instanceId, { ...given, metadata: { sdkVersion: '2' } }, now + 1);
      expect(again.id).toBe(id);
      expect([...again.interests].toSorted()).toEqual(['a', 'b']);
      expect(await devices.find(instanceId, 'fcm', id)).toMatchObject({
        userId: 'alice',
        metadata: { sdkVersion: '2' },
        registeredAt: now + 1,
      });
    },
  },
  {
    promise: 'distinguishes tokens by platform, instance, and for apns bundle identifier',
    async test(devices) {
      const given = registration({ bundleIdentifier: 'a' });
      const id = await registered(devices, given);
      expect(await registered(devices, { ...given, bundleIdentifier: 'b' })).toBe(id);
      expect(await registered(devices, { ...given, platform: 'web' })).not.toBe(id);
      expect((await devices.register('other', given, now)).id).not.toBe(id);
      const apple = await registered(devices, { ...given, platform: 'apns' });
      expect(await registered(devices, { ...given, platform: 'apns', bundleIdentifier: 'b' })).not.toBe(apple);
    },
  },
  {
    promise: 'creates one device for a token that registers many times concurrently',
    async test(devices) {
      const given = registration();
      const all = await Promise.all(Array.from({ length: 20 }, () => registered(devices, given)));
      expect(new Set(all).size).toBe(1);
    },
  },
  {
    promise: 'finds a device only in its instance and under its platform',
    async test(devices) {
      const id = await registered(devices);
      for (const [instance, platform] of [['other', 'fcm'] as const, [instanceId, 'apns'] as const]) {
        expect(await devices.find(instance, platform, id)).toBeNothing();
        expect(await devices.setMetadata(instance, platform, id, {})).toBe('unknown');
        expect(await devices.setToken(instance, platform, id, 'token', now)).toBe('unknown');
        expect(await devices.setUser(instance, platform, id, 'alice')).toBe('unknown');
        expect(await devices.interests(instance, platform, id, '', 100)).toBe('unknown');
        expect(await devices.setInterests(instance, platform, id, new Set(['a']))).toBe('unknown');
        expect(await devices.addInterest(instance, platform, id, 'a')).toBe('unknown');
        expect(await devices.removeInterest(instance, platform, id, 'a')).toBe('unknown');
        await devices.remove(instance, platform, id);
      }
      expect(await devices.find(instanceId, 'fcm', id)).toMatchObject({ metadata: {} });
      expect(await interestsOf(devices, id)).toEqual([]);
    },
  },
  {
    promise: 'removes a device with its interests and its user; its token then registers as new',
    async test(devices) {
      const given = registration();
      const id = await registered(devices, given);
      await devices.setUser(instanceId, 'fcm', id, 'alice');
      await devices.setInterests(instanceId, 'fcm', id, new Set(['a']));
      await devices.remove(instanceId, 'fcm', id);
      await devices.remove(instanceId, 'fcm', id);
      expect(await devices.find(instanceId, 'fcm', id)).toBeNothing();
      expect(await interestsOf(devices, id)).toBe('unknown');
      expect(await idsIn(devices, { interests: ['a'] })).toEqual([]);
      expect(await idsIn(devices, { users: ['alice'] })).toEqual([]);
      const again = await devices.register(instanceId, given, now);
      expect(again.id).not.toBe(id);
      expect(again.interests).toEqual([]);
      expect(await devices.find(instanceId, 'fcm', again.id)).not.toHaveProperty('userId', 'alice');
    },
  },
  {
    promise: 'replaces the metadata',
    async test(devices) {
      const id = await registered(devices, { metadata: { sdkVersion: '1', androidVersion: '13' } });
      expect(await devices.setMetadata(instanceId, 'fcm', id, { sdkVersion: '2' })).toBe('ok');
      expect((await devices.find(instanceId, 'fcm', id))?.metadata).toEqual({ sdkVersion: '2' });
    },
  },
  {
    promise: 'gives a device a new token, and removes another device that has it',
    async test(devices) {
      const [kept, other, stranger] = [registration(), registration(), registration()];
      const id = await registered(devices, kept);
      const otherId = await registered(devices, other);
      const strangerId = await registered(devices, { ...stranger, platform: 'web' });
      await devices.setInterests(instanceId, 'fcm', id, new Set(['a']));
      expect(await devices.setToken(instanceId, 'fcm', id, other.token, now + 5)).toEqual({ instanceId, id: otherId });
      expect(await devices.find(instanceId, 'fcm', id)).toMatchObject({ token: other.token, registeredAt: now + 5 });
      expect(await devices.find(instanceId, 'fcm', otherId)).toBeNothing();
      expect(await devices.setToken(instanceId, 'fcm', id, stranger.token, now + 5)).toBe('ok');
      expect(await devices.find(instanceId, 'web', strangerId)).toBeDefined();
      expect(await registered(devices, { token: stranger.token })).toBe(id);
      expect(await registered(devices, kept)).not.toBe(id);
      expect(await devices.setToken(instanceId, 'fcm', id, stranger.token, now + 6)).toBe('ok');
    },
  },
  {
    promise: 'leaves a token with one device when several take it concurrently',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 8 }, () => registered(devices)));
      const outcomes = await Promise.all(
        ids.map(async (id) => devices.setToken(instanceId, 'fcm', id, 'contested', now)),
      );
      const left = await Promise.all(ids.map(async (id) => devices.find(instanceId, 'fcm', id)));
      expect(left.filter((device) => device?.token === 'contested')).toHaveLength(1);
      const kept = left.flatMap((device) => device?.id ?? []);
      expect(kept).toHaveLength(1);
      const removed = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? outcome.id : []));
      expect([...kept, ...removed].toSorted()).toEqual(ids.toSorted());
    },
  },
  {
    promise: 'accepts the same user again, but no other',
    async test(devices) {
      const id = await registered(devices);
      expect(await devices.setUser(instanceId, 'fcm', id, 'alice')).toBe('ok');
      expect(await devices.setUser(instanceId, 'fcm', id, 'alice')).toBe('ok');
      expect(await devices.setUser(instanceId, 'fcm', id, 'Alice')).toBe('other-user');
      expect((await devices.find(instanceId, 'fcm', id))?.userId).toBe('alice');
    },
  },
  {
    promise: `gives a user at most ${maxDevicesPerUser} devices of all platforms, also when they come at once`,
    async test(devices) {
      const device = (number: number) => registered(devices, { platform: number % 2 ? 'web' : 'fcm' });
      const ids = await Promise.all(Array.from({ length: maxDevicesPerUser + 10 }, (_, number) => device(number)));
      const setUser = async (id: string) =>
        devices.setUser(instanceId, id.startsWith('web') ? 'web' : 'fcm', id, 'alice');
      const outcomes = await Promise.all(ids.map(setUser));
      expect(count(outcomes, 'ok')).toBe(maxDevicesPerUser);
      expect(count(outcomes, 'full')).toBe(10);
      expect(await idsIn(devices, { users: ['alice'] })).toHaveLength(maxDevicesPerUser);
      const refused = ids[outcomes.indexOf('full')]!;
      const accepted = ids[outcomes.indexOf('ok')]!;
      expect(await setUser(accepted)).toBe('ok');
      expect(await setUser(refused)).toBe('full');
      expect(await devices.setUser(instanceId, refused.startsWith('web') ? 'web' : 'fcm', refused, 'bob')).toBe('ok');
      await devices.remove(instanceId, accepted.startsWith('web') ? 'web' : 'fcm', accepted);
      expect(await setUser(await device(0))).toBe('ok');
    },
  },
  {
    promise: 'replaces the interests, and clears them',
    async test(devices) {
      const id = await registered(devices);
      expect(await devices.setInterests(instanceId, 'fcm', id, new Set(['a', 'b']))).toBe('ok');
      expect(await devices.setInterests(instanceId, 'fcm', id, new Set(['c', 'b']))).toBe('ok');
      expect(await interestsOf(devices, id)).toEqual(['b', 'c']);
      expect(await idsIn(devices, { interests: ['a'] })).toEqual([]);
      expect(await devices.setInterests(instanceId, 'fcm', id, new Set())).toBe('ok');
      expect(await interestsOf(devices, id)).toEqual([]);
    },
  },
  {
    promise: 'adds and removes an interest once, even if repeated',
    async test(devices) {
      const id = await registered(devices);
      for (const _ of [1, 2]) expect(await devices.addInterest(instanceId, 'fcm', id, 'a')).toBe('ok');
      expect(await interestsOf(devices, id)).toEqual(['a']);
      for (const _ of [1, 2]) expect(await devices.removeInterest(instanceId, 'fcm', id, 'a')).toBe('ok');
      expect(await interestsOf(devices, id)).toEqual([]);
    },
  },
  {
    promise: `lets a device have ${maxInterestsPerDevice} interests and changes nothing for more`,
    async test(devices) {
      const id = await registered(devices);
      const names = named(maxInterestsPerDevice);
      expect(await devices.setInterests(instanceId, 'fcm', id, new Set(names))).toBe('ok');
      expect(await devices.setInterests(instanceId, 'fcm', id, new Set([...names, 'more']))).toBe('full');
      expect(await devices.addInterest(instanceId, 'fcm', id, 'more')).toBe('full');
      expect(await devices.addInterest(instanceId, 'fcm', id, names[0]!)).toBe('ok');
      expect(await interestsOf(devices, id)).toEqual(names);
      await devices.removeInterest(instanceId, 'fcm', id, names[0]!);
      expect(await devices.addInterest(instanceId, 'fcm', id, 'more')).toBe('ok');
    },
  },
  {
    promise: 'enforces the limit when interests are added concurrently',
    async test(devices) {
      const id = await registered(devices);
      await devices.setInterests(instanceId, 'fcm', id, new Set(named(maxInterestsPerDevice - 3)));
      const outcomes = await Promise.all(
        named(12, 'more').map(async (name) => devices.addInterest(instanceId, 'fcm', id, name)),
      );
      expect([count(outcomes, 'ok'), count(outcomes, 'full')]).toEqual([3, 9]);
      expect(await interestsOf(devices, id)).toHaveLength(maxInterestsPerDevice);
    },
  },
  {
    promise: 'keeps one of several sets that are put concurrently',
    async test(devices) {
      const id = await registered(devices);
      const sets = ['a', 'b', 'c', 'd'].map((prefix) => named(50, prefix));
      await Promise.all(sets.map(async (set) => devices.setInterests(instanceId, 'fcm', id, new Set(set))));
      expect(sets).toContainEqual(await interestsOf(devices, id));
    },
  },
  {
    promise: 'loses no concurrent write',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 40 }, () => registered(devices)));
      await Promise.all([
        ...ids.map(async (id) => devices.addInterest(instanceId, 'fcm', id, 'a')),
        ...ids.map(async (id, number) => devices.setUser(instanceId, 'fcm', id, `user-${number}`)),
        ...ids.map(async (id) => devices.setMetadata(instanceId, 'fcm', id, { sdkVersion: id })),
      ]);
      expect(await idsIn(devices, { interests: ['a'] })).toEqual(ids.toSorted());
      for (const [number, id] of ids.entries())
        expect(await devices.find(instanceId, 'fcm', id)).toMatchObject({
          userId: `user-${number}`,
          metadata: { sdkVersion: id },
        });
    },
  },
  {
    promise: 'leaves no interests of a device that is removed while they are added',
    async test(devices) {
      const id = await registered(devices);
      const adding = named(20).map(async (name) => devices.addInterest(instanceId, 'fcm', id, name));
      const removing = Promise.resolve(devices.remove(instanceId, 'fcm', id));
      await Promise.all([...adding, removing]);
      await devices.remove(instanceId, 'fcm', id);
      expect(await idsIn(devices, { interests: named(20) })).toEqual([]);
    },
  },
  {
    promise: 'pages through interests in the order of their bytes',
    async test(devices) {
      const id = await registered(devices);
      const names = ['a', 'B', 'b', 'A', '_', '-', '1', '10', '2', ';', 'a-b', 'a_b', 'aB', 'ab'];
      await devices.setInterests(instanceId, 'fcm', id, new Set(names));
      const sorted = names.toSorted();
      expect(await devices.interests(instanceId, 'fcm', id, '', 5)).toEqual(sorted.slice(0, 5));
      await devices.removeInterest(instanceId, 'fcm', id, sorted[4]!);
      await devices.addInterest(instanceId, 'fcm', id, ',');
      expect(await devices.interests(instanceId, 'fcm', id, sorted[4]!, 5)).toEqual(sorted.slice(5, 10));
      expect(await devices.interests(instanceId, 'fcm', id, sorted.at(-1)!, 5)).toEqual([]);
    },
  },
  {
    promise: 'removes a user with all devices, and no other user',
    async test(devices) {
      const [first, second, other] = [await registered(devices), await registered(devices), await registered(devices)];
      await devices.setUser(instanceId, 'fcm', first, 'alice');
      await devices.setUser(instanceId, 'fcm', second, 'alice');
      await devices.setUser(instanceId, 'fcm', other, 'bob');
      await devices.addInterest(instanceId, 'fcm', first, 'a');
      await devices.removeUser('other', 'alice');
      expect(await idsIn(devices, { users: ['alice'] })).toHaveLength(2);
      await devices.removeUser(instanceId, 'alice');
      await devices.removeUser(instanceId, 'alice');
      expect(await idsIn(devices, { users: ['alice', 'bob'] })).toEqual([other]);
      expect(await devices.find(instanceId, 'fcm', first)).toBeNothing();
      expect(await idsIn(devices, { interests: ['a'] })).toEqual([]);
    },
  },
  {
    promise: 'pages through an audience in the order of ids, each device once however many interests match',
    async test(devices) {
      const platforms = ['web', 'fcm', 'apns'] as const;
      const ids = await Promise.all(
        Array.from({ length: 30 }, (_, number) =>
          registered(devices, { platform: platforms[number % 3]!, bundleIdentifier: 'x' }),
        ),
      );
      for (const [number, id] of ids.entries())
        await devices.setInterests(
          instanceId,
          platforms[number % 3]!,
          id,
          new Set(['all', number % 2 ? 'odd' : 'even', 'every', ...(number === 7 ? ['seven'] : [])]),
        );
      const expected = ids.toSorted();
      for (const limit of [1, 7, 30, 100]) {
        expect(await idsIn(devices, { interests: ['odd', 'all', 'every', 'even', 'nobody'] }, limit)).toEqual(expected);
        expect(await idsIn(devices, { interests: ['seven', 'nobody', 'seven'] }, limit)).toEqual([ids[7]]);
      }
      expect(await idsIn(devices, { interests: ['odd'] }, 4)).toEqual(ids.filter((_, n) => n % 2).toSorted());
      expect(await idsIn(devices, { interests: ['nobody'] })).toEqual([]);
      expect(await idsIn(devices, { interests: ['all'] }, 100, 'other')).toEqual([]);
    },
  },
  {
    promise: 'pages through the devices of users, each once even if a user is listed twice',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 25 }, () => registered(devices)));
      for (const [number, id] of ids.entries()) await devices.setUser(instanceId, 'fcm', id, `user-${number % 3}`);
      for (const limit of [1, 4, 100])
        expect(await idsIn(devices, { users: ['user-2', 'user-0', 'user-0', 'nobody'] }, limit)).toEqual(
          ids.filter((_, number) => number % 3 !== 1).toSorted(),
        );
      expect(await idsIn(devices, { users: ['user-0'] }, 100, 'other')).toEqual([]);
    },
  },
  {
    promise: 'accepts any user id and the largest audiences',
    async test(devices) {
      const names = ['ünïcödé 💬', "o'hara; DROP TABLE devices", '%_"\\', '?', '$1', ' '];
      const ids = await Promise.all(names.map(() => registered(devices)));
      for (const [number, id] of ids.entries()) await devices.setUser(instanceId, 'fcm', id, names[number]!);
      expect(await idsIn(devices, { users: [...named(1000 - names.length, 'user'), ...names] })).toEqual(
        ids.toSorted(),
      );
      await devices.setInterests(instanceId, 'fcm', ids[0]!, new Set(named(100)));
      expect(await idsIn(devices, { interests: named(100) }, 1)).toEqual([ids[0]]);
    },
  },
  {
    promise: 'answers what a fan-out needs to send',
    async test(devices) {
      const given = registration({ platform: 'apns', bundleIdentifier: 'com.example' });
      const id = await registered(devices, given);
      await devices.addInterest(instanceId, 'apns', id, 'a');
      const { platform, token, bundleIdentifier } = given;
      const address = { id, platform, token, bundleIdentifier, registeredAt: now };
      expect(await devices.inAudience(instanceId, { interests: ['a'] }, '', 10)).toEqual([address]);
      await devices.setUser(instanceId, 'apns', id, 'alice');
      expect(await devices.inAudience(instanceId, { users: ['alice'] }, '', 10)).toEqual([
        { ...address, userId: 'alice' },
      ]);
    },
  },
  {
    promise: 'lists the latest registered devices of an instance first, page by page',
    async test(devices) {
      const same = [await registered(devices, {}, now + 5), await registered(devices, {}, now + 5)].toSorted();
      const old = registration();
      const oldest = (await devices.register(instanceId, old, now)).id;
      const web = await registered(devices, { platform: 'web' }, now + 1);
      await devices.register('other', registration(), now + 9);
      await devices.register(instanceId, old, now + 7);
      const order = [oldest, ...same.toReversed(), web];
      const first = await devices.latest(instanceId, 2);
      expect(first.map(({ id }) => id)).toEqual(order.slice(0, 2));
      expect(first[0]).toMatchObject({ platform: 'fcm', token: old.token, registeredAt: now + 7 });
      const rest = await devices.latest(instanceId, 5, first[1]);
      expect(rest.map(({ id }) => id)).toEqual(order.slice(2));
      expect(await devices.latest('unknown', 5)).toEqual([]);
    },
  },
  {
    promise: 'removes unregistered devices, except those that have registered again since',
    async test(devices) {
      const [old, renewed, anyAge, elsewhere] = [
        await registered(devices, {}, now),
        await registered(devices, {}, now + 10),
        await registered(devices, {}, now + 10),
        (await devices.register('other', registration(), now)).id,
      ];
      const removed = await devices.removeUnregistered(instanceId, [
        { id: old, before: now + 5 },
        { id: renewed, before: now + 5 },
        { id: anyAge },
        { id: elsewhere },
        { id: 'fcm-unknown' },
      ]);
      expect(removed.map(({ id }) => id).toSorted()).toEqual([old, anyAge].toSorted());
      expect(await devices.find(instanceId, 'fcm', old)).toBeNothing();
      expect(await devices.find(instanceId, 'fcm', anyAge)).toBeNothing();
      expect(await devices.find(instanceId, 'fcm', renewed)).toBeDefined();
      expect(await devices.find('other', 'fcm', elsewhere)).toBeDefined();
      expect(await devices.removeUnregistered(instanceId, [])).toEqual([]);
    },
  },
  {
    promise: 'answers the removed devices with their users, each to one of several concurrent callers',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 6 }, () => registered(devices)));
      const [deleted, first, second, unregistered, unseen, nobodys] = ids as [string, ...string[]];
      const users = [
        [deleted, 'alice'],
        [first, 'bob'],
        [second, 'bob'],
        [unregistered, 'carol'],
        [unseen, 'dave'],
      ] as const;
      for (const [id, user] of users) await devices.setUser(instanceId, 'fcm', id!, user);
      const atOnce = <T>(remove: () => Awaitable<T>): Promise<T[]> => Promise.all([1, 2].map(async () => remove()));
      const deletions = await atOnce(() => devices.remove(instanceId, 'fcm', deleted));
      expect(deletions.filter((device) => device !== undefined)).toEqual([
        { instanceId, id: deleted, userId: 'alice' },
      ]);
      const ofBob = (await atOnce(() => devices.removeUser(instanceId, 'bob'))).flat();
      expect(ofBob.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(
        ids
          .slice(1, 3)
          .toSorted()
          .map((id) => ({ instanceId, id, userId: 'bob' })),
      );
      const gone = (await atOnce(() => devices.removeUnregistered(instanceId, [{ id: unregistered! }]))).flat();
      expect(gone).toEqual([{ instanceId, id: unregistered, userId: 'carol' }]);
      for (const id of [unseen, nobodys]) await devices.see(instanceId, 'fcm', id!, now);
      const step = { before: now + 1, now: now + 1, after: '', limit: 10 };
      const notSeen = (await atOnce(() => devices.removeUnseen(step))).flatMap(({ removed }) => removed);
      expect(notSeen).toHaveLength(2);
      expect(notSeen).toContainEqual({ instanceId, id: unseen, userId: 'dave' });
      expect(notSeen).toContainEqual({ instanceId, id: nobodys });
    },
  },
  {
    promise: 'removes a whole page of unregistered devices, each by its own time',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 350 }, (_, n) => registered(devices, {}, now + (n % 2))));
      await devices.addInterest(instanceId, 'fcm', ids[0]!, 'a');
      const gone = ids.map((id, n) => ({ id, before: n < 300 ? now : now + 1 }));
      expect(await devices.removeUnregistered(instanceId, [...gone, gone[0]!])).toHaveLength(150 + 50);
      const found = await Promise.all(ids.map(async (id) => Boolean(await devices.find(instanceId, 'fcm', id))));
      expect(found).toEqual(ids.map((_, n) => n < 300 && n % 2 === 1));
      expect(await idsIn(devices, { interests: ['a'] })).toEqual([]);
    },
  },
  {
    promise: 'removes devices of all instances that were neither seen nor registered since, and answers how many',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 20 }, () => registered(devices)));
      const elsewhere = (await devices.register('other', registration(), now)).id;
      const given = registration();
      const renewed = await registered(devices, given);
      for (const id of [...ids, renewed]) await devices.see(instanceId, 'fcm', id, now);
      await devices.see('other', 'fcm', elsewhere, now);
      await devices.addInterest(instanceId, 'fcm', ids[0]!, 'a');
      const seen = ids.slice(-5);
      for (const id of seen) await devices.see(instanceId, 'fcm', id, now + seenOnceMs);
      await registered(devices, given, now + seenOnceMs);
      expect(await removeUnseen(devices, now, now + seenOnceMs)).toBe(0);
      expect(await removeUnseen(devices, now + seenOnceMs, now + seenOnceMs)).toBe(15 + 1);
      expect(await idsIn(devices, { interests: ['a'] })).toEqual([]);
      expect(await devices.find('other', 'fcm', elsewhere)).toBeNothing();
      for (const id of [...seen, renewed]) expect(await devices.find(instanceId, 'fcm', id)).toBeDefined();
    },
  },
  {
    promise: 'removes and counts each unseen device once in concurrent passes',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 30 }, () => registered(devices)));
      await Promise.all(ids.map(async (id) => devices.see(instanceId, 'fcm', id, now)));
      const walks = await Promise.all([1, 2, 3].map(() => removeUnseen(devices, now + 1, now + 1)));
      expect(walks.reduce((sum, removed) => sum + removed, 0)).toBe(30);
      expect((await Promise.all(ids.map(async (id) => devices.find(instanceId, 'fcm', id)))).filter(Boolean)).toEqual(
        [],
      );
    },
  },
  {
    promise: 'counts a device that was never seen from the first pass on',
    async test(devices) {
      const id = await registered(devices);
      expect(await removeUnseen(devices, now + 10, now + 50)).toBe(0);
      expect(await removeUnseen(devices, now + 50, now + 60)).toBe(0);
      expect(await removeUnseen(devices, now + 51, now + 60)).toBe(1);
      expect(await devices.find(instanceId, 'fcm', id)).toBeNothing();
    },
  },
  {
    promise: 'stores once a day that a device was seen, for that device only',
    async test(devices) {
      const [id, other] = [await registered(devices), await registered(devices)];
      for (const one of [id, other]) await devices.see(instanceId, 'fcm', one, now);
      await devices.see(instanceId, 'fcm', id, now + seenOnceMs - 1);
      expect(await removeUnseen(devices, now, now)).toBe(0);
      await devices.see(instanceId, 'fcm', other, now + seenOnceMs);
      await devices.see('other', 'fcm', id, now + seenOnceMs);
      await devices.see(instanceId, 'web', id, now + seenOnceMs);
      await devices.see(instanceId, 'fcm', 'fcm-unknown', now);
      expect(await removeUnseen(devices, now + 1, now + seenOnceMs)).toBe(1);
      expect(await devices.find(instanceId, 'fcm', id)).toBeNothing();
      expect((await devices.find(instanceId, 'fcm', other))?.registeredAt).toBe(now);
    },
  },
]);
