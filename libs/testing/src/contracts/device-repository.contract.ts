import assert from 'node:assert/strict';
import type { Awaitable } from 'rookery/internal/common';
import {
  maxDevicesPerUser,
  maxInterestsPerDevice,
  type DeviceRepository,
  type Platform,
  type Registration,
  seenOnceMs,
  type TargetInterests,
} from 'rookery/push-device';
import { contract } from './contract.js';
import { contains, matches, same } from './assertions.js';

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

/** Audiences of the interests that the promise about combined interests subscribes to. */
const combinations: readonly TargetInterests[] = [
  { interests: ['all'], allOf: ['third'] },
  { interests: ['third'], allOf: ['all'] },
  { interests: ['all'], allOf: ['rare'] },
  { interests: ['rare', 'third'], allOf: ['odd', 'all'] },
  { interests: ['odd', 'even', 'all'], allOf: ['all', 'third'] },
  { interests: ['odd', 'third', 'nobody', 'odd'], noneOf: ['muted'] },
  { interests: ['all'], noneOf: ['muted', 'odd', 'nobody'] },
  { interests: ['odd', 'all'], allOf: ['third'], noneOf: ['muted', 'rare'] },
  { interests: ['rare'], allOf: ['rare'], noneOf: ['even'] },
  { interests: ['all'], allOf: ['nobody'] },
  { interests: ['nobody'], noneOf: ['muted'] },
  { interests: ['all'], allOf: ['odd'], noneOf: ['odd'] },
  { interests: ['all'], noneOf: ['all'] },
  { interests: ['even', 'third'], allOf: [], noneOf: [] },
];

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
      assert.match(id, /^apns-[0-9a-f-]{36}$/);
      same(interests, []);
      matches(await devices.find(instanceId, 'apns', id), { ...given, id, instanceId, registeredAt: now });
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
      assert.equal(again.id, id);
      same([...again.interests].toSorted(), ['a', 'b']);
      matches(await devices.find(instanceId, 'fcm', id), {
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
      assert.equal(await registered(devices, { ...given, bundleIdentifier: 'b' }), id);
      assert.notEqual(await registered(devices, { ...given, platform: 'web' }), id);
      assert.notEqual((await devices.register('other', given, now)).id, id);
      const apple = await registered(devices, { ...given, platform: 'apns' });
      assert.notEqual(await registered(devices, { ...given, platform: 'apns', bundleIdentifier: 'b' }), apple);
    },
  },
  {
    promise: "keeps one device however its token is spelled, with a browser's latest keys",
    async test(devices) {
      const spelled = (subscription: object): string => Buffer.from(JSON.stringify(subscription)).toString('base64');
      const endpoint = `https://push.example/${tokens.next().value}`;
      const [first, second] = [
        { endpoint, expirationTime: null, keys: { p256dh: 'a', auth: 'b' } },
        { keys: { auth: 'd', p256dh: 'c' }, endpoint },
      ].map((subscription) => registration({ platform: 'web', token: spelled(subscription) }));
      const id = await registered(devices, first);
      await devices.setUser(instanceId, 'web', id, 'alice');
      assert.equal(await registered(devices, second, now + 1), id);
      matches(await devices.find(instanceId, 'web', id), { token: second!.token, userId: 'alice' });
      const apple = registration({ platform: 'apns', bundleIdentifier: 'a', token: 'ab12' });
      assert.equal(await registered(devices, { ...apple, token: 'AB12' }), await registered(devices, apple));
    },
  },
  {
    promise: 'creates one device for a token that registers many times concurrently',
    async test(devices) {
      const given = registration();
      const all = await Promise.all(Array.from({ length: 20 }, () => registered(devices, given)));
      assert.equal(new Set(all).size, 1);
    },
  },
  {
    promise: 'finds a device only in its instance and under its platform',
    async test(devices) {
      const id = await registered(devices);
      for (const [instance, platform] of [['other', 'fcm'] as const, [instanceId, 'apns'] as const]) {
        assert.equal((await devices.find(instance, platform, id)) ?? undefined, undefined);
        assert.equal(await devices.setMetadata(instance, platform, id, {}), 'unknown');
        assert.equal(await devices.setToken(instance, platform, id, 'token', now), 'unknown');
        assert.equal(await devices.setUser(instance, platform, id, 'alice'), 'unknown');
        assert.equal(await devices.interests(instance, platform, id, '', 100), 'unknown');
        assert.equal(await devices.setInterests(instance, platform, id, new Set(['a'])), 'unknown');
        assert.equal(await devices.addInterest(instance, platform, id, 'a'), 'unknown');
        assert.equal(await devices.removeInterest(instance, platform, id, 'a'), 'unknown');
        await devices.remove(instance, platform, id);
      }
      matches(await devices.find(instanceId, 'fcm', id), { metadata: {} });
      same(await interestsOf(devices, id), []);
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
      assert.equal((await devices.find(instanceId, 'fcm', id)) ?? undefined, undefined);
      assert.equal(await interestsOf(devices, id), 'unknown');
      same(await idsIn(devices, { interests: ['a'] }), []);
      same(await idsIn(devices, { users: ['alice'] }), []);
      const again = await devices.register(instanceId, given, now);
      assert.notEqual(again.id, id);
      same(again.interests, []);
      assert.notEqual((await devices.find(instanceId, 'fcm', again.id))?.userId, 'alice');
    },
  },
  {
    promise: 'replaces the metadata',
    async test(devices) {
      const id = await registered(devices, { metadata: { sdkVersion: '1', androidVersion: '13' } });
      assert.equal(await devices.setMetadata(instanceId, 'fcm', id, { sdkVersion: '2' }), 'ok');
      const metadata = { sdkVersion: '2', androidVersion: undefined };
      matches(await devices.find(instanceId, 'fcm', id), { metadata });
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
      const replaced = { instanceId, id: otherId, userId: undefined };
      matches(await devices.setToken(instanceId, 'fcm', id, other.token, now + 5), replaced);
      matches(await devices.find(instanceId, 'fcm', id), { token: other.token, registeredAt: now + 5 });
      assert.equal((await devices.find(instanceId, 'fcm', otherId)) ?? undefined, undefined);
      assert.equal(await devices.setToken(instanceId, 'fcm', id, stranger.token, now + 5), 'ok');
      assert.notEqual(await devices.find(instanceId, 'web', strangerId), undefined);
      assert.equal(await registered(devices, { token: stranger.token }), id);
      assert.notEqual(await registered(devices, kept), id);
      assert.equal(await devices.setToken(instanceId, 'fcm', id, stranger.token, now + 6), 'ok');
    },
  },
  {
    promise: 'leaves the devices of other instances their tokens when one gets the same',
    async test(devices) {
      const given = registration();
      const { id: theirs } = await devices.register('other', given, now);
      const id = await registered(devices);
      assert.equal(await devices.setToken(instanceId, 'fcm', id, given.token, now), 'ok');
      matches(await devices.find('other', 'fcm', theirs), { token: given.token });
      matches(await devices.find(instanceId, 'fcm', id), { token: given.token });
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
      assert.equal(left.filter((device) => device?.token === 'contested').length, 1);
      const kept = left.flatMap((device) => device?.id ?? []);
      assert.equal(kept.length, 1);
      const removed = outcomes.flatMap((outcome) => (typeof outcome === 'object' ? outcome.id : []));
      same([...kept, ...removed].toSorted(), ids.toSorted());
    },
  },
  {
    promise: 'accepts the same user again, but no other',
    async test(devices) {
      const id = await registered(devices);
      assert.equal(await devices.setUser(instanceId, 'fcm', id, 'alice'), 'ok');
      assert.equal(await devices.setUser(instanceId, 'fcm', id, 'alice'), 'ok');
      assert.equal(await devices.setUser(instanceId, 'fcm', id, 'Alice'), 'other-user');
      assert.equal((await devices.find(instanceId, 'fcm', id))?.userId, 'alice');
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
      assert.equal(count(outcomes, 'ok'), maxDevicesPerUser);
      assert.equal(count(outcomes, 'full'), 10);
      assert.equal((await idsIn(devices, { users: ['alice'] })).length, maxDevicesPerUser);
      const refused = ids[outcomes.indexOf('full')]!;
      const accepted = ids[outcomes.indexOf('ok')]!;
      assert.equal(await setUser(accepted), 'ok');
      assert.equal(await setUser(refused), 'full');
      assert.equal(await devices.setUser(instanceId, refused.startsWith('web') ? 'web' : 'fcm', refused, 'bob'), 'ok');
      await devices.remove(instanceId, accepted.startsWith('web') ? 'web' : 'fcm', accepted);
      assert.equal(await setUser(await device(0)), 'ok');
    },
  },
  {
    promise: 'replaces the interests, and clears them',
    async test(devices) {
      const id = await registered(devices);
      assert.equal(await devices.setInterests(instanceId, 'fcm', id, new Set(['a', 'b'])), 'ok');
      assert.equal(await devices.setInterests(instanceId, 'fcm', id, new Set(['c', 'b'])), 'ok');
      same(await interestsOf(devices, id), ['b', 'c']);
      same(await idsIn(devices, { interests: ['a'] }), []);
      assert.equal(await devices.setInterests(instanceId, 'fcm', id, new Set()), 'ok');
      same(await interestsOf(devices, id), []);
    },
  },
  {
    promise: 'adds and removes an interest once, even if repeated',
    async test(devices) {
      const id = await registered(devices);
      for (const _ of [1, 2]) assert.equal(await devices.addInterest(instanceId, 'fcm', id, 'a'), 'ok');
      same(await interestsOf(devices, id), ['a']);
      for (const _ of [1, 2]) assert.equal(await devices.removeInterest(instanceId, 'fcm', id, 'a'), 'ok');
      same(await interestsOf(devices, id), []);
    },
  },
  {
    promise: `lets a device have ${maxInterestsPerDevice} interests and changes nothing for more`,
    async test(devices) {
      const id = await registered(devices);
      const names = named(maxInterestsPerDevice);
      assert.equal(await devices.setInterests(instanceId, 'fcm', id, new Set(names)), 'ok');
      assert.equal(await devices.setInterests(instanceId, 'fcm', id, new Set([...names, 'more'])), 'full');
      assert.equal(await devices.addInterest(instanceId, 'fcm', id, 'more'), 'full');
      assert.equal(await devices.addInterest(instanceId, 'fcm', id, names[0]!), 'ok');
      same(await interestsOf(devices, id), names);
      await devices.removeInterest(instanceId, 'fcm', id, names[0]!);
      assert.equal(await devices.addInterest(instanceId, 'fcm', id, 'more'), 'ok');
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
      same([count(outcomes, 'ok'), count(outcomes, 'full')], [3, 9]);
      assert.equal((await interestsOf(devices, id)).length, maxInterestsPerDevice);
    },
  },
  {
    promise: 'keeps one of several sets that are put concurrently',
    async test(devices) {
      const id = await registered(devices);
      const sets = ['a', 'b', 'c', 'd'].map((prefix) => named(50, prefix));
      await Promise.all(sets.map(async (set) => devices.setInterests(instanceId, 'fcm', id, new Set(set))));
      contains(sets, await interestsOf(devices, id));
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
      same(await idsIn(devices, { interests: ['a'] }), ids.toSorted());
      for (const [number, id] of ids.entries())
        matches(await devices.find(instanceId, 'fcm', id), {
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
      same(await idsIn(devices, { interests: named(20) }), []);
    },
  },
  {
    promise: 'pages through interests in the order of their bytes',
    async test(devices) {
      const id = await registered(devices);
      const names = ['a', 'B', 'b', 'A', '_', '-', '1', '10', '2', ';', 'a-b', 'a_b', 'aB', 'ab'];
      await devices.setInterests(instanceId, 'fcm', id, new Set(names));
      const sorted = names.toSorted();
      same(await devices.interests(instanceId, 'fcm', id, '', 5), sorted.slice(0, 5));
      await devices.removeInterest(instanceId, 'fcm', id, sorted[4]!);
      await devices.addInterest(instanceId, 'fcm', id, ',');
      same(await devices.interests(instanceId, 'fcm', id, sorted[4]!, 5), sorted.slice(5, 10));
      same(await devices.interests(instanceId, 'fcm', id, sorted.at(-1)!, 5), []);
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
      assert.equal((await idsIn(devices, { users: ['alice'] })).length, 2);
      await devices.removeUser(instanceId, 'alice');
      await devices.removeUser(instanceId, 'alice');
      same(await idsIn(devices, { users: ['alice', 'bob'] }), [other]);
      assert.equal((await devices.find(instanceId, 'fcm', first)) ?? undefined, undefined);
      same(await idsIn(devices, { interests: ['a'] }), []);
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
        same(await idsIn(devices, { interests: ['odd', 'all', 'every', 'even', 'nobody'] }, limit), expected);
        same(await idsIn(devices, { interests: ['seven', 'nobody', 'seven'] }, limit), [ids[7]]);
      }
      same(await idsIn(devices, { interests: ['odd'] }, 4), ids.filter((_, n) => n % 2).toSorted());
      same(await idsIn(devices, { interests: ['nobody'] }), []);
      same(await idsIn(devices, { interests: ['all'] }, 100, 'other'), []);
    },
  },
  {
    promise: 'pages through those with any of some interests, all of others and none of the rest, each once',
    async test(devices) {
      const ids = (await Promise.all(Array.from({ length: 60 }, () => registered(devices)))).toSorted();
      // The muted are in one run, longer than some pages.
      const isSubscribed: Readonly<Record<string, (place: number) => boolean>> = {
        all: () => true,
        odd: (place) => place % 2 === 1,
        even: (place) => place % 2 === 0,
        third: (place) => place % 3 === 0,
        rare: (place) => [0, 31, 42, 57].includes(place),
        muted: (place) => place >= 4 && place < 48,
        nobody: () => false,
      };
      for (const [place, id] of ids.entries()) {
        const own = Object.keys(isSubscribed).filter((interest) => isSubscribed[interest]!(place));
        await devices.setInterests(instanceId, 'fcm', id, new Set(own));
      }
      const other = registration();
      const { id: elsewhere } = await devices.register('other', other, now);
      await devices.setInterests('other', 'fcm', elsewhere, new Set(['all', 'rare']));

      for (const target of combinations) {
        const { interests, allOf = [], noneOf = [] } = target;
        const expected = ids.filter((_, place) => {
          const has = (interest: string) => isSubscribed[interest]!(place);
          return interests.some(has) && allOf.every(has) && !noneOf.some(has);
        });
        for (const limit of [1, 3, 20, 60, 100])
          same({ target, limit, ids: await idsIn(devices, target, limit) }, { target, limit, ids: expected });
      }
      same(await idsIn(devices, { interests: ['all'], allOf: ['rare'] }, 1, 'other'), [elsewhere]);
      same(await idsIn(devices, { interests: named(49), allOf: named(50), noneOf: ['muted'] }), []);
    },
  },
  {
    promise: 'decides about a device by the interests that it has when the page is read',
    async test(devices) {
      const ids = (await Promise.all(Array.from({ length: 4 }, () => registered(devices)))).toSorted();
      for (const id of ids) await devices.setInterests(instanceId, 'fcm', id, new Set(['news', 'premium']));
      const target = { interests: ['news'], allOf: ['premium'], noneOf: ['muted'] };
      const pageOf = async (after: string) =>
        (await devices.inAudience(instanceId, target, after, 1)).map((device) => device.id);
      same(await pageOf(''), [ids[0]]);
      await devices.addInterest(instanceId, 'fcm', ids[1]!, 'muted');
      await devices.removeInterest(instanceId, 'fcm', ids[2]!, 'premium');
      same(await pageOf(ids[0]!), [ids[3]]);
      await devices.removeInterest(instanceId, 'fcm', ids[1]!, 'muted');
      await devices.remove(instanceId, 'fcm', ids[3]!);
      same(await idsIn(devices, target), [ids[0], ids[1]]);
    },
  },
  {
    promise: 'pages through the devices of users, each once even if a user is listed twice',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 25 }, () => registered(devices)));
      for (const [number, id] of ids.entries()) await devices.setUser(instanceId, 'fcm', id, `user-${number % 3}`);
      for (const limit of [1, 4, 100])
        same(
          await idsIn(devices, { users: ['user-2', 'user-0', 'user-0', 'nobody'] }, limit),
          ids.filter((_, number) => number % 3 !== 1).toSorted(),
        );
      same(await idsIn(devices, { users: ['user-0'] }, 100, 'other'), []);
    },
  },
  {
    promise: 'accepts any user id and the largest audiences',
    async test(devices) {
      const names = ['ünïcödé 💬', "o'hara; DROP TABLE devices", '%_"\\', '?', '$1', ' '];
      const ids = await Promise.all(names.map(() => registered(devices)));
      for (const [number, id] of ids.entries()) await devices.setUser(instanceId, 'fcm', id, names[number]!);
      same(await idsIn(devices, { users: [...named(1000 - names.length, 'user'), ...names] }), ids.toSorted());
      await devices.setInterests(instanceId, 'fcm', ids[0]!, new Set(named(100)));
      same(await idsIn(devices, { interests: named(100) }, 1), [ids[0]]);
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
      matches(await devices.inAudience(instanceId, { interests: ['a'] }, '', 10), [{ ...address, userId: undefined }]);
      await devices.setUser(instanceId, 'apns', id, 'alice');
      matches(await devices.inAudience(instanceId, { users: ['alice'] }, '', 10), [{ ...address, userId: 'alice' }]);
    },
  },
  {
    promise: 'lists the latest registered devices of an instance first, page by page',
    async test(devices) {
      const equals = [await registered(devices, {}, now + 5), await registered(devices, {}, now + 5)].toSorted();
      const old = registration();
      const oldest = (await devices.register(instanceId, old, now)).id;
      const web = await registered(devices, { platform: 'web' }, now + 1);
      await devices.register('other', registration(), now + 9);
      await devices.register(instanceId, old, now + 7);
      const order = [oldest, ...equals.toReversed(), web];
      const first = await devices.latest(instanceId, 2);
      same(
        first.map(({ id }) => id),
        order.slice(0, 2),
      );
      matches(first[0], { platform: 'fcm', token: old.token, registeredAt: now + 7 });
      const rest = await devices.latest(instanceId, 5, first[1]);
      same(
        rest.map(({ id }) => id),
        order.slice(2),
      );
      same(await devices.latest('unknown', 5), []);
    },
  },
  {
    promise: 'marks gone devices with the time of the first report, and keeps them in their audiences',
    async test(devices) {
      const [gone, renewed, elsewhere] = [
        await registered(devices, {}, now),
        await registered(devices, {}, now + 10),
        (await devices.register('other', registration(), now)).id,
      ];
      await devices.addInterest(instanceId, 'fcm', gone, 'a');
      const reported = [gone, renewed, elsewhere, 'fcm-unknown'].map((id) => ({ id, before: now + 5 }));
      await devices.markGone(instanceId, reported, now + 6);
      await devices.markGone(instanceId, reported, now + 7);
      const goneSince = async (id: string) =>
        (await devices.find(instanceId, 'fcm', id))?.goneSince ?? (await devices.find('other', 'fcm', id))?.goneSince;
      assert.equal(await goneSince(gone), now + 6);
      assert.equal((await goneSince(renewed)) ?? undefined, undefined);
      assert.equal((await goneSince(elsewhere)) ?? undefined, undefined);
      const found = await devices.inAudience(instanceId, { interests: ['a'] }, '', 10);
      matches(found[0], { id: gone, goneSince: now + 6 });
      await devices.unmarkGone('other', [gone]);
      assert.equal(await goneSince(gone), now + 6);
      await devices.unmarkGone(instanceId, [gone, 'fcm-unknown']);
      assert.equal((await goneSince(gone)) ?? undefined, undefined);
    },
  },
  {
    promise: 'unmarks a device that registers again or has a new token',
    async test(devices) {
      const given = registration();
      const [registers, renews] = [await registered(devices, given), await registered(devices)];
      await devices.markGone(
        instanceId,
        [registers, renews].map((id) => ({ id, before: now })),
        now,
      );
      await registered(devices, given, now + 1);
      await devices.setToken(instanceId, 'fcm', renews, `${given.token} renewed`, now + 1);
      for (const id of [registers, renews])
        assert.equal((await devices.find(instanceId, 'fcm', id))?.goneSince ?? undefined, undefined);
    },
  },
  {
    promise: 'marks a whole page of gone devices, and the concurrent reports of several pages',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 350 }, () => registered(devices)));
      const gone = ids.map((id) => ({ id, before: now }));
      await Promise.all([
        devices.markGone(instanceId, gone, now),
        devices.markGone(instanceId, gone.toReversed(), now),
        devices.markGone(instanceId, [], now),
      ]);
      const found = await Promise.all(ids.map(async (id) => devices.find(instanceId, 'fcm', id)));
      same(
        found.map((device) => device?.goneSince),
        ids.map(() => now),
      );
      await devices.unmarkGone(instanceId, ids);
      const unmarked = await Promise.all(ids.map(async (id) => devices.find(instanceId, 'fcm', id)));
      assert.equal(unmarked.filter((device) => (device?.goneSince ?? undefined) !== undefined).length, 0);
    },
  },
  {
    promise: "notes Apple's environment of whole pages of devices, until they register again",
    async test(devices) {
      const given = Array.from({ length: 250 }, () => registration({ platform: 'apns', bundleIdentifier: 'app' }));
      const ids = await Promise.all(given.map((each) => registered(devices, each)));
      const elsewhere = (await devices.register('other', given[0]!, now)).id;
      const environmentOf = async (id: string, of = instanceId) =>
        (await devices.find(of, 'apns', id))?.environment ?? undefined;
      const known = ids.map(
        (id, at) => ({ id, before: now, environment: at === 0 ? 'production' : 'sandbox' }) as const,
      );
      const unknown = { id: 'apns-unknown', before: now, environment: 'sandbox' } as const;
      const others = { id: elsewhere, before: now, environment: 'sandbox' } as const;
      await registered(devices, given[1], now + 1);
      await registered(devices, { ...given[2]!, environment: 'production' }, now + 1);
      await devices.setEnvironments(instanceId, [...known.toReversed(), unknown, others]);
      await devices.setEnvironments(instanceId, []);
      same(await Promise.all(ids.map((id) => environmentOf(id))), [
        'production',
        undefined,
        'production',
        ...ids.slice(3).map(() => 'sandbox'),
      ]);
      assert.equal(await environmentOf(elsewhere, 'other'), undefined);
      await devices.addInterest(instanceId, 'apns', ids[3]!, 'environments');
      matches((await devices.inAudience(instanceId, { interests: ['environments'] }, '', 10))[0], {
        id: ids[3],
        environment: 'sandbox',
      });
      await registered(devices, given[3], now + 1);
      assert.equal(await environmentOf(ids[3]!), undefined);
    },
  },
  {
    promise: "keeps the VAPID key of a browser's first registration, and answers it for sending",
    async test(devices) {
      const [given, early] = [registration({ platform: 'web' }), registration({ platform: 'web' })];
      const id = await registered(devices, { ...given, vapidKey: 'first' });
      assert.equal(await registered(devices, { ...given, vapidKey: 'second' }, now + 1), id);
      const before = await registered(devices, early);
      await registered(devices, { ...early, vapidKey: 'second' }, now + 1);
      assert.equal((await devices.find(instanceId, 'web', id))?.vapidKey, 'first');
      assert.equal((await devices.find(instanceId, 'web', before))?.vapidKey ?? undefined, undefined);
      await devices.addInterest(instanceId, 'web', id, 'vapid');
      matches((await devices.inAudience(instanceId, { interests: ['vapid'] }, '', 10))[0], { id, vapidKey: 'first' });
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
      same(removed.map(({ id }) => id).toSorted(), [old, anyAge].toSorted());
      assert.equal((await devices.find(instanceId, 'fcm', old)) ?? undefined, undefined);
      assert.equal((await devices.find(instanceId, 'fcm', anyAge)) ?? undefined, undefined);
      assert.notEqual(await devices.find(instanceId, 'fcm', renewed), undefined);
      assert.notEqual(await devices.find('other', 'fcm', elsewhere), undefined);
      same(await devices.removeUnregistered(instanceId, []), []);
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
      matches(
        deletions.filter((device) => device ?? false),
        [{ instanceId, id: deleted, userId: 'alice' }],
      );
      const ofBob = (await atOnce(() => devices.removeUser(instanceId, 'bob'))).flat();
      matches(
        ofBob.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
        ids
          .slice(1, 3)
          .toSorted()
          .map((id) => ({ instanceId, id, userId: 'bob' })),
      );
      const gone = (await atOnce(() => devices.removeUnregistered(instanceId, [{ id: unregistered! }]))).flat();
      matches(gone, [{ instanceId, id: unregistered, userId: 'carol' }]);
      for (const id of [unseen, nobodys]) await devices.see(instanceId, 'fcm', id!, now);
      const step = { before: now + 1, now: now + 1, after: '', limit: 10 };
      const notSeen = (await atOnce(() => devices.removeUnseen(step))).flatMap(({ removed }) => removed);
      assert.equal(notSeen.length, 2);
      contains(notSeen, { instanceId, id: unseen, userId: 'dave' });
      contains(notSeen, { instanceId, id: nobodys, userId: undefined });
    },
  },
  {
    promise: 'removes a whole page of unregistered devices, each by its own time',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 350 }, (_, n) => registered(devices, {}, now + (n % 2))));
      await devices.addInterest(instanceId, 'fcm', ids[0]!, 'a');
      const gone = ids.map((id, n) => ({ id, before: n < 300 ? now : now + 1 }));
      assert.equal((await devices.removeUnregistered(instanceId, [...gone, gone[0]!])).length, 150 + 50);
      const found = await Promise.all(ids.map(async (id) => Boolean(await devices.find(instanceId, 'fcm', id))));
      same(
        found,
        ids.map((_, n) => n < 300 && n % 2 === 1),
      );
      same(await idsIn(devices, { interests: ['a'] }), []);
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
      assert.equal(await removeUnseen(devices, now, now + seenOnceMs), 0);
      assert.equal(await removeUnseen(devices, now + seenOnceMs, now + seenOnceMs), 15 + 1);
      same(await idsIn(devices, { interests: ['a'] }), []);
      assert.equal((await devices.find('other', 'fcm', elsewhere)) ?? undefined, undefined);
      for (const id of [...seen, renewed]) assert.notEqual(await devices.find(instanceId, 'fcm', id), undefined);
    },
  },
  {
    promise: 'removes and counts each unseen device once in concurrent passes',
    async test(devices) {
      const ids = await Promise.all(Array.from({ length: 30 }, () => registered(devices)));
      await Promise.all(ids.map(async (id) => devices.see(instanceId, 'fcm', id, now)));
      const walks = await Promise.all([1, 2, 3].map(() => removeUnseen(devices, now + 1, now + 1)));
      assert.equal(
        walks.reduce((sum, removed) => sum + removed, 0),
        30,
      );
      same((await Promise.all(ids.map(async (id) => devices.find(instanceId, 'fcm', id)))).filter(Boolean), []);
    },
  },
  {
    promise: 'counts a device that was never seen from the first pass on',
    async test(devices) {
      const id = await registered(devices);
      assert.equal(await removeUnseen(devices, now + 10, now + 50), 0);
      assert.equal(await removeUnseen(devices, now + 50, now + 60), 0);
      assert.equal(await removeUnseen(devices, now + 51, now + 60), 1);
      assert.equal((await devices.find(instanceId, 'fcm', id)) ?? undefined, undefined);
    },
  },
  {
    promise: 'stores once a day that a device was seen, for that device only',
    async test(devices) {
      const [id, other] = [await registered(devices), await registered(devices)];
      for (const one of [id, other]) await devices.see(instanceId, 'fcm', one, now);
      await devices.see(instanceId, 'fcm', id, now + seenOnceMs - 1);
      assert.equal(await removeUnseen(devices, now, now), 0);
      await devices.see(instanceId, 'fcm', other, now + seenOnceMs);
      await devices.see('other', 'fcm', id, now + seenOnceMs);
      await devices.see(instanceId, 'web', id, now + seenOnceMs);
      await devices.see(instanceId, 'fcm', 'fcm-unknown', now);
      assert.equal(await removeUnseen(devices, now + 1, now + seenOnceMs), 1);
      assert.equal((await devices.find(instanceId, 'fcm', id)) ?? undefined, undefined);
      assert.equal((await devices.find(instanceId, 'fcm', other))?.registeredAt, now);
    },
  },
]);
