import { randomUUID } from 'node:crypto';
import { type DeviceAddress, isCombined, MemoryDeviceRepository, type Platform } from 'rookery/push-device';
import { TypeOrmDeviceRepository } from 'rookery/typeorm';
import { isObject } from '#common';
import { describeDatabases } from '../support/databases.js';
import { describeDeviceRepository } from '@rookery/testing';
import { describeBrokenDoubles, eachWith } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const inMemory = () => new MemoryDeviceRepository();

describeNode('MemoryDeviceRepository', () => {
  describeDeviceRepository(inMemory);
});

/** A whole row of a database: with columns of its own, and null in place of what is absent. */
function rowOf(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(rowOf);
  if (!isObject(answer)) return answer ?? null;
  if ('removed' in answer) return { ...answer, removed: rowOf(answer['removed']) };
  return { userId: null, ...answer, tenant: 7, createdAt: new Date() };
}

const returningRows = () => {
  const right = inMemory();
  const calling =
    (method: unknown) =>
    (...of: unknown[]) =>
      rowOf(Reflect.apply(method as () => unknown, right, of));
  return new Proxy(right, { get: (_, name) => (name in right ? calling(Reflect.get(right, name)) : undefined) });
};

describeNode('A repository that returns whole rows', () => {
  describeDeviceRepository(returningRows);
});

describeDatabases('TypeOrmDeviceRepository', ({ database }) => {
  describeDeviceRepository(async () => {
    await database().execute('DELETE FROM rookery_devices');
    return new TypeOrmDeviceRepository(database());
  });
});

/** As in an implementation that reads first and writes afterwards: others come in between. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const okIf = (device: unknown) => (device ? 'ok' : 'unknown');

function interestsOf(right: MemoryDeviceRepository, ...device: [instanceId: string, platform: Platform, id: string]) {
  const all = right.interests(...device, '', Infinity);
  return all === 'unknown' ? [] : all;
}

type Asked = Parameters<MemoryDeviceRepository['inAudience']>;

/** As an implementation would that joins devices and interests. */
const perInterest = (right: MemoryDeviceRepository, ...[instance, target, after, limit]: Asked) =>
  (target.interests ?? [])
    .flatMap((each) => right.inAudience(instance, { ...target, users: undefined, interests: [each] }, after, limit))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, limit);

describeBrokenDoubles('DeviceRepository', describeDeviceRepository, inMemory, (right, double) => ({
  'lists the latest registered devices of an instance first, page by page': [
    double('lists devices of all instances', {
      latest: (of, ...page) => [...right.latest('other', ...page), ...right.latest(of, ...page)].slice(0, page[0]),
    }),
    double('lists the earliest first', { latest: (...asked) => right.latest(...asked).toReversed() }),
    double('skips devices of the same time', {
      latest: (of, limit, after) => right.latest(of, limit, after && { ...after, id: '' }),
    }),
  ],
  'finds a device only in its instance and under its platform': [
    double('forgets instances', { find: (_, ...of) => right.find('instance', ...of) ?? right.find('other', ...of) }),
    double('forgets platforms', {
      addInterest: (instance, platform, id, interest) =>
        right.addInterest(instance, id.startsWith('fcm') ? 'fcm' : platform, id, interest),
    }),
  ],
  'distinguishes tokens by platform, instance, and for apns bundle identifier': double('mixes tokens of apps', {
    register: (of, device, at) => right.register(of, { ...device, bundleIdentifier: 'a' }, at),
  }),
  'creates one device for a token that registers many times concurrently': double('registers anew', {
    register: (of, device, at) => right.register(of, { ...device, token: randomUUID() }, at),
  }),
  'replaces the metadata': double('keeps the first metadata', {
    setMetadata: (of, platform, id) => okIf(right.find(of, platform, id)),
  }),
  'leaves a token with one device when several take it concurrently': double('keeps the old token', {
    setToken: (of, platform, id) => okIf(right.find(of, platform, id)),
  }),
  'leaves the devices of other instances their tokens when one gets the same': double('takes tokens of others', {
    setToken(instance, platform, id, token, now) {
      for (const other of ['other', 'another'])
        for (const each of right.latest(other, 100)) if (each.token === token) right.remove(other, platform, each.id);
      return right.setToken(instance, platform, id, token, now);
    },
  }),
  'gives a user at most 100 devices of all platforms, also when they come at once': double('counts devices first', {
    async setUser(instance, platform, id, user) {
      const { length } = right.inAudience(instance, { users: [user] }, '', 100);
      await turn();
      const outcome = right.setUser(instance, platform, id, user);
      return outcome === 'full' && length < 100 ? 'ok' : outcome;
    },
  }),
  'accepts the same user again, but no other': [
    double('accepts any user', {
      setUser(...asked) {
        const outcome = right.setUser(...asked);
        return outcome === 'other-user' ? 'ok' : outcome;
      },
    }),
    double('refuses the same user', {
      setUser: (...[instance, platform, id, user]) =>
        right.find(instance, platform, id)?.userId ? 'other-user' : right.setUser(instance, platform, id, user),
    }),
  ],
  'replaces the interests, and clears them': double('adds instead of replacing', {
    setInterests(instance, platform, id, interests) {
      const both = new Set([...interests, ...interestsOf(right, instance, platform, id)]);
      return right.setInterests(instance, platform, id, both);
    },
  }),
  'lets a device have 5000 interests and changes nothing for more': [
    // As an implementation would that inserts until the limit stops it.
    double('changes despite refusing', {
      setInterests(instance, platform, id, interests) {
        const outcome = right.setInterests(instance, platform, id, interests);
        if (outcome === 'full') right.setInterests(instance, platform, id, new Set([...interests].slice(1)));
        return outcome;
      },
    }),
    double('refuses existing interests when full', {
      addInterest(...asked) {
        const [instance, platform, id] = asked;
        return interestsOf(right, instance, platform, id).length === 5000 ? 'full' : right.addInterest(...asked);
      },
    }),
  ],
  'enforces the limit when interests are added concurrently': double('counts interests first', {
    async addInterest(instance, platform, id, interest) {
      const { length } = interestsOf(right, instance, platform, id);
      await turn();
      const outcome = right.addInterest(instance, platform, id, interest);
      return outcome === 'full' && length < 5000 ? 'ok' : outcome;
    },
  }),
  'pages through interests in the order of their bytes': [
    double('sorts by locale', {
      interests(instance, platform, id, after, limit) {
        const all = right.interests(instance, platform, id, '', Infinity);
        if (all === 'unknown') return all;
        const { compare } = new Intl.Collator('en');
        const sorted = all.toSorted(compare);
        return sorted.filter((name) => compare(name, after) > 0).slice(0, limit);
      },
    }),
    double('counts from the start', (offsets = new Map<string, number>()) => ({
      interests(instance, platform, id, after, limit) {
        const offset = after === '' ? 0 : (offsets.get(id) ?? 0);
        offsets.set(id, offset + limit);
        const all = right.interests(instance, platform, id, '', Infinity);
        return all === 'unknown' ? all : all.slice(offset, offset + limit);
      },
    })),
  ],
  'leaves no interests of a device that is removed while they are added': [
    double('forgets interests of the removed', (removed: DeviceAddress[] = []) => ({
      remove(instance, platform, id) {
        const device = right.remove(instance, platform, id);
        if (device) removed.push({ id, platform: 'fcm', token: 'gone', registeredAt: 0 });
        return device;
      },
      inAudience(instance, target, after, limit) {
        const gone = removed.filter(({ id }) => id > after);
        return [...right.inAudience(instance, target, after, limit), ...gone].slice(0, limit);
      },
    })),
  ],
  'pages through an audience in the order of ids, each device once however many interests match': [
    double('lists a device per interest', {
      inAudience: (...[of, target, after, limit]) =>
        target.interests?.[1]
          ? perInterest(right, of, { interests: target.interests }, after, limit)
          : right.inAudience(of, target, after, limit),
    }),
    double('pages in any order', { inAudience: (...asked) => right.inAudience(...asked).toReversed() }),
  ],
  'pages through those with any of some interests, all of others and none of the rest, each once': [
    double('ignores noneOf', {
      inAudience: (instance, target, ...page) =>
        right.inAudience(instance, isCombined(target) ? { ...target, noneOf: [] } : target, ...page),
    }),
    double('ignores allOf', {
      inAudience: (instance, target, ...page) =>
        right.inAudience(instance, isCombined(target) ? { ...target, allOf: [] } : target, ...page),
    }),
    double('takes one of allOf', {
      inAudience(instance, target, ...page) {
        const allOf = target.interests && target.allOf?.slice(0, 1);
        return right.inAudience(instance, allOf ? { ...target, allOf } : target, ...page);
      },
    }),
    double('lists a combined device per interest', {
      inAudience: (...asked) => (isCombined(asked[1]) ? perInterest(right, ...asked) : right.inAudience(...asked)),
    }),
    // As an implementation would that reads a page of the interests, and then looks which devices are excluded.
    double('ends with a short page', {
      inAudience(instance, target, after, limit) {
        const found = right.inAudience(instance, target, after, Infinity);
        if (!isCombined(target)) return found.slice(0, limit);
        const ids = new Set(found.map(({ id }) => id));
        const { interests } = target;
        return right.inAudience(instance, { interests }, after, limit).filter(({ id }) => ids.has(id));
      },
    }),
    double('loses the device after a page', {
      inAudience(instance, target, after, limit) {
        const found = right.inAudience(instance, target, after, limit + 1);
        return isCombined(target) && after !== '' ? found.slice(1) : found.slice(0, limit);
      },
    }),
  ],
  'decides about a device by the interests that it has when the page is read': [
    // As an implementation would that keeps the audience from its first page.
    double('remembers the audience', (audiences = new Map<string, readonly DeviceAddress[]>()) => ({
      inAudience(instance, target, after, limit) {
        const key = JSON.stringify([instance, target]);
        if (after === '') audiences.set(key, right.inAudience(instance, target, '', Infinity));
        return (audiences.get(key) ?? []).filter(({ id }) => id > after).slice(0, limit);
      },
    })),
  ],
  'removes a user with all devices, and no other user': double('keeps the devices of a removed user', {
    removeUser: () => [],
  }),
  'marks gone devices with the time of the first report, and keeps them in their audiences': [
    double('marks returned devices', {
      markGone: (instance, gone, at) => right.markGone(instance, eachWith(gone, { before: Infinity }), at),
    }),
    double('keeps the latest report', {
      markGone(instance, gone, at) {
        for (const { id } of gone) right.unmarkGone(instance, [id]);
        right.markGone(instance, gone, at);
      },
    }),
    double('hides marked devices', {
      inAudience: (...asked) => right.inAudience(...asked).filter(({ goneSince }) => goneSince === undefined),
    }),
    double('unmarks of all instances', {
      unmarkGone(_, ids) {
        for (const instance of ['instance', 'other']) right.unmarkGone(instance, ids);
      },
    }),
  ],
  'unmarks a device that registers again or has a new token': double('keeps the mark', {
    setToken(instance, platform, id, ...token) {
      const { goneSince } = right.find(instance, platform, id) ?? {};
      const outcome = right.setToken(instance, platform, id, ...token);
      if (goneSince !== undefined) right.markGone(instance, [{ id, before: Infinity }], goneSince);
      return outcome;
    },
  }),
  'marks a whole page of gone devices, and the concurrent reports of several pages': double('marks one batch only', {
    markGone: (instance, gone, at) => right.markGone(instance, gone.slice(0, 100), at),
  }),
  'removes unregistered devices, except those that have registered again since': double('removes returned devices', {
    removeUnregistered: (instance, all) => right.removeUnregistered(instance, eachWith(all, { before: undefined })),
  }),
  'removes a whole page of unregistered devices, each by its own time': [
    'removes returned devices',
    double('removes one batch only', {
      removeUnregistered: (instance, devices) => right.removeUnregistered(instance, devices.slice(0, 100)),
    }),
  ],
  'removes devices of all instances that were neither seen nor registered since, and answers how many': [
    double('forgets sightings', {
      see: (instance, platform, id) => right.see(instance, platform, id, 1_700_000_000_000),
    }),
    double('removes one step only', {
      removeUnseen: (step) => ({ removed: right.removeUnseen(step).removed.slice(0, step.limit) }),
    }),
  ],
  'removes and counts each unseen device once in concurrent passes': [
    // As an implementation would that counts what it found, though another walk removed it.
    double('counts the unseen first', (found = new Map<number, ReturnType<typeof right.removeUnseen>>()) => ({
      async removeUnseen(step) {
        await turn();
        const known = found.get(step.before) ?? right.removeUnseen(step);
        found.set(step.before, known);
        return known;
      },
    })),
  ],
  'counts a device that was never seen from the first pass on': double('removes never seen devices', {
    removeUnseen: (step) => right.removeUnseen({ ...step, now: 0 }),
  }),
  'stores once a day that a device was seen, for that device only': double('writes every sighting', {
    see(instance, platform, id, at) {
      const device = right.find(instance, platform, id);
      if (device) right.register(instance, device, at);
    },
  }),
  'answers the removed devices with their users, each to one of several concurrent callers': [
    double('forgets the removed user', {
      remove: (instanceId, platform, id) => right.remove(instanceId, platform, id) && { instanceId, id },
    }),
    double('reports unremoved devices', {
      removeUnregistered(instanceId, devices) {
        right.removeUnregistered(instanceId, devices);
        return devices.map(({ id }) => ({ instanceId, id }));
      },
    }),
  ],
  'gives a device a new token, and removes another device that has it': double('hides the replaced', {
    setToken: (...asked) => (right.setToken(...asked) === 'unknown' ? 'unknown' : 'ok'),
  }),
  'answers what a fan-out needs to send': double('hides the bundle', {
    inAudience: (...asked) => eachWith(right.inAudience(...asked), { bundleIdentifier: undefined }),
  }),
  "keeps the VAPID key of a browser's first registration, and answers it for sending": [
    double('takes the latest VAPID key', {
      register(instance, registration, at) {
        const { id } = right.register(instance, registration, at);
        const device = right.find(instance, registration.platform, id)!;
        if (device.vapidKey === registration.vapidKey) return { id, interests: [] };
        right.remove(instance, device.platform, id);
        return right.register(instance, registration, at);
      },
    }),
    double('hides the VAPID key', {
      inAudience: (...asked) => eachWith(right.inAudience(...asked), { vapidKey: undefined }),
    }),
  ],
  "notes Apple's environment of whole pages of devices, until they register again": [
    double('assigns returned devices', {
      setEnvironments: (instance, devices) => right.setEnvironments(instance, eachWith(devices, { before: Infinity })),
    }),
    double('assigns one batch only', {
      setEnvironments: (instance, devices) => right.setEnvironments(instance, devices.slice(0, 100)),
    }),
    double('assigns in all instances', {
      setEnvironments(_, devices) {
        for (const instance of ['instance', 'other']) right.setEnvironments(instance, devices);
      },
    }),
    double('keeps the environment', {
      register(instance, registration, at) {
        const { environment } =
          right.latest(instance, Infinity).find(({ token }) => token === registration.token) ?? {};
        return right.register(instance, { environment, ...registration }, at);
      },
    }),
    double('hides the environment', {
      inAudience: (...asked) => eachWith(right.inAudience(...asked), { environment: undefined }),
    }),
  ],
}));
