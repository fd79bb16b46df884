import { expect, it } from 'vitest';
import {
  type DeviceAddress,
  type DeviceCursor,
  isCombined,
  type KnownEnvironment,
  MemoryDeviceRepository,
  type PublishTarget,
  type Platform,
  type Registration,
  type RemovedDevice,
  type UnseenStep,
} from 'rookery/push-device';
import { TypeOrmDeviceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeDeviceRepository } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryDeviceRepository', () => {
  describeDeviceRepository(() => new MemoryDeviceRepository());
});

/** Returns whole rows of a database: with columns of its own, and null in place of what is absent. */
class ReturnsRows extends MemoryDeviceRepository {
  override register(...of: Parameters<MemoryDeviceRepository['register']>) {
    return rowOf(super.register(...of));
  }
  override find(...of: Parameters<MemoryDeviceRepository['find']>) {
    return rowOf(super.find(...of));
  }
  override remove(...of: Parameters<MemoryDeviceRepository['remove']>) {
    return rowOf(super.remove(...of));
  }
  override setToken(...of: Parameters<MemoryDeviceRepository['setToken']>) {
    const outcome = super.setToken(...of);
    return typeof outcome === 'string' ? outcome : rowOf(outcome);
  }
  override inAudience(...of: Parameters<MemoryDeviceRepository['inAudience']>) {
    return super.inAudience(...of).map(rowOf);
  }
  override latest(...of: Parameters<MemoryDeviceRepository['latest']>) {
    return super.latest(...of).map(rowOf);
  }
  override removeUser(...of: Parameters<MemoryDeviceRepository['removeUser']>) {
    return super.removeUser(...of).map(rowOf);
  }
  override removeUnregistered(...of: Parameters<MemoryDeviceRepository['removeUnregistered']>) {
    return super.removeUnregistered(...of).map(rowOf);
  }
  override removeUnseen(...of: Parameters<MemoryDeviceRepository['removeUnseen']>) {
    const step = super.removeUnseen(...of);
    return { ...step, removed: step.removed.map(rowOf) };
  }
}
const rowOf = <T>(record: T): T =>
  (typeof record === 'object' && record !== null
    ? { userId: null, ...record, tenant: 7, createdAt: new Date() }
    : null) as T;

describeNode('A repository that returns whole rows', () => {
  describeDeviceRepository(() => new ReturnsRows());
});

describeDatabases('TypeOrmDeviceRepository', ({ database }) => {
  describeDeviceRepository(async () => {
    await database().execute('DELETE FROM rookery_devices');
    return new TypeOrmDeviceRepository(database());
  });
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

class ForgetsInstances extends MemoryDeviceRepository {
  override find(_: string, platform: Platform, id: string) {
    return super.find('instance', platform, id) ?? super.find('other', platform, id);
  }
}
class ForgetsPlatforms extends MemoryDeviceRepository {
  override addInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    return super.addInterest(instanceId, id.startsWith('fcm') ? 'fcm' : platform, id, interest);
  }
}
class MixesTokensOfApps extends MemoryDeviceRepository {
  override register(instanceId: string, registration: Registration, now: number) {
    return super.register(instanceId, { ...registration, bundleIdentifier: 'one' }, now);
  }
}
class RegistersAnew extends MemoryDeviceRepository {
  override register(instanceId: string, registration: Registration, now: number) {
    return super.register(instanceId, { ...registration, token: crypto.randomUUID() }, now);
  }
}
class KeepsTheFirstMetadata extends MemoryDeviceRepository {
  override setMetadata(instanceId: string, platform: Platform, id: string) {
    return super.find(instanceId, platform, id) ? ('ok' as const) : ('unknown' as const);
  }
}
class KeepsTheOldToken extends MemoryDeviceRepository {
  override setToken(instanceId: string, platform: Platform, id: string) {
    return super.find(instanceId, platform, id) ? ('ok' as const) : ('unknown' as const);
  }
}
/** As an implementation would that counts first and writes afterwards. */
class TakesTokensOfOtherInstances extends MemoryDeviceRepository {
  override setToken(...[instanceId, platform, id, token, now]: Parameters<MemoryDeviceRepository['setToken']>) {
    for (const other of ['other', 'another'])
      for (const each of this.latest(other, 100)) if (each.token === token) this.remove(other, platform, each.id);
    return super.setToken(instanceId, platform, id, token, now);
  }
}
class CountsDevicesFirst extends MemoryDeviceRepository {
  // The port allows a promise; the class below it happens to answer at once.
  override setUser(instanceId: string, platform: Platform, id: string, userId: string): never {
    return this.counting(instanceId, platform, id, userId) as never;
  }
  private async counting(instanceId: string, platform: Platform, id: string, userId: string) {
    const count = super.inAudience(instanceId, { users: [userId] }, '', 100).length;
    await turn();
    const outcome = super.setUser(instanceId, platform, id, userId);
    return outcome === 'full' && count < 100 ? 'ok' : outcome;
  }
}
class AcceptsAnyUser extends MemoryDeviceRepository {
  override setUser(instanceId: string, platform: Platform, id: string, userId: string) {
    const outcome = super.setUser(instanceId, platform, id, userId);
    return outcome === 'other-user' ? 'ok' : outcome;
  }
}
class RefusesTheSameUser extends MemoryDeviceRepository {
  override setUser(instanceId: string, platform: Platform, id: string, userId: string) {
    const known = super.find(instanceId, platform, id)?.userId;
    return known === undefined ? super.setUser(instanceId, platform, id, userId) : 'other-user';
  }
}
class AddsInsteadOfReplacing extends MemoryDeviceRepository {
  override setInterests(instanceId: string, platform: Platform, id: string, interests: ReadonlySet<string>) {
    const known = super.interests(instanceId, platform, id, '', Infinity);
    const both = new Set([...interests, ...(known === 'unknown' ? [] : known)]);
    return super.setInterests(instanceId, platform, id, both);
  }
}
/** As an implementation would that inserts until the limit stops it. */
class ChangesDespiteRefusing extends MemoryDeviceRepository {
  override setInterests(instanceId: string, platform: Platform, id: string, interests: ReadonlySet<string>) {
    const outcome = super.setInterests(instanceId, platform, id, interests);
    if (outcome === 'full') super.setInterests(instanceId, platform, id, new Set([...interests].slice(1)));
    return outcome;
  }
}
/** As an implementation would that counts first and writes afterwards. */
class CountsInterestsFirst extends MemoryDeviceRepository {
  override addInterest(instanceId: string, platform: Platform, id: string, interest: string): never {
    return this.counting(instanceId, platform, id, interest) as never;
  }
  private async counting(instanceId: string, platform: Platform, id: string, interest: string) {
    const count = super.interests(instanceId, platform, id, '', Infinity).length;
    await turn();
    const outcome = super.addInterest(instanceId, platform, id, interest);
    return outcome === 'full' && count < 5000 ? 'ok' : outcome;
  }
}
class RefusesExistingInterestsWhenFull extends MemoryDeviceRepository {
  override addInterest(instanceId: string, platform: Platform, id: string, interest: string) {
    const known = super.interests(instanceId, platform, id, '', Infinity);
    return known.length === 5000 ? 'full' : super.addInterest(instanceId, platform, id, interest);
  }
}
class SortsByLocale extends MemoryDeviceRepository {
  override interests(instanceId: string, platform: Platform, id: string, after: string, limit: number) {
    const all = super.interests(instanceId, platform, id, '', Infinity);
    if (all === 'unknown') return all;
    const compare = new Intl.Collator('en').compare;
    return all
      .toSorted(compare)
      .filter((name) => compare(name, after) > 0)
      .slice(0, limit);
  }
}
class CountsFromTheStart extends MemoryDeviceRepository {
  private readonly offsets = new Map<string, number>();
  override interests(instanceId: string, platform: Platform, id: string, after: string, limit: number) {
    const all = super.interests(instanceId, platform, id, '', Infinity);
    if (all === 'unknown') return all;
    const offset = after === '' ? 0 : (this.offsets.get(id) ?? 0);
    this.offsets.set(id, offset + limit);
    return all.slice(offset, offset + limit);
  }
}
class ForgetsInterestsOfTheRemoved extends MemoryDeviceRepository {
  private readonly removed: string[] = [];
  override remove(instanceId: string, platform: Platform, id: string) {
    const removed = super.remove(instanceId, platform, id);
    if (removed) this.removed.push(id);
    return removed;
  }
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    const gone = this.removed
      .filter((id) => id > after)
      .map((id) => ({ id, platform: 'fcm', token: 'gone', registeredAt: 0 }) as const);
    return [...super.inAudience(instanceId, target, after, limit), ...gone].slice(0, limit);
  }
}
class ListsADevicePerInterest extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    const { interests = [] } = target;
    if (interests.length < 2) return super.inAudience(instanceId, target, after, limit);
    return interests
      .flatMap((interest) => super.inAudience(instanceId, { interests: [interest] }, after, limit))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }
}
class IgnoresNoneOf extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super.inAudience(instanceId, isCombined(target) ? { ...target, noneOf: [] } : target, after, limit);
  }
}
class IgnoresAllOf extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super.inAudience(instanceId, isCombined(target) ? { ...target, allOf: [] } : target, after, limit);
  }
}
class TakesOneOfAllOf extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    const allOf = target.interests && target.allOf?.slice(0, 1);
    return super.inAudience(instanceId, allOf ? { ...target, allOf } : target, after, limit);
  }
}
class ListsACombinedDevicePerInterest extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    if (!isCombined(target)) return super.inAudience(instanceId, target, after, limit);
    return target.interests
      .flatMap((interest) => super.inAudience(instanceId, { ...target, interests: [interest] }, after, limit))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  }
}
/** As an implementation would that reads a page of the interests, and then looks which devices are excluded. */
class EndsWithAShortPage extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    const found = super.inAudience(instanceId, target, after, Infinity);
    if (!isCombined(target)) return found.slice(0, limit);
    const ids = new Set(found.map(({ id }) => id));
    const { interests } = target;
    return super.inAudience(instanceId, { interests }, after, limit).filter(({ id }) => ids.has(id));
  }
}
class LosesTheDeviceAfterAPage extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    const isBorder = isCombined(target) && after !== '';
    const found = super.inAudience(instanceId, target, after, limit + 1);
    return isBorder ? found.slice(1) : found.slice(0, limit);
  }
}
/** As an implementation would that keeps the audience from its first page. */
class RemembersTheAudience extends MemoryDeviceRepository {
  private readonly audiences = new Map<string, readonly DeviceAddress[]>();
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    const key = JSON.stringify([instanceId, target]);
    if (after === '') this.audiences.set(key, super.inAudience(instanceId, target, '', Infinity));
    return (this.audiences.get(key) ?? []).filter(({ id }) => id > after).slice(0, limit);
  }
}
class PagesInAnyOrder extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super.inAudience(instanceId, target, after, limit).toReversed();
  }
}
class KeepsTheDevicesOfARemovedUser extends MemoryDeviceRepository {
  override removeUser() {
    return [];
  }
}
class MarksReturnedDevices extends MemoryDeviceRepository {
  override markGone(instanceId: string, gone: readonly { readonly id: string }[], at: number) {
    super.markGone(
      instanceId,
      gone.map(({ id }) => ({ id, before: Infinity })),
      at,
    );
  }
}
class KeepsTheLatestReport extends MemoryDeviceRepository {
  override markGone(instanceId: string, gone: readonly { readonly id: string; readonly before: number }[], at: number) {
    super.unmarkGone(
      instanceId,
      gone.map(({ id }) => id),
    );
    super.markGone(instanceId, gone, at);
  }
}
class HidesMarkedDevices extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super.inAudience(instanceId, target, after, limit).filter(({ goneSince }) => goneSince === undefined);
  }
}
class UnmarksOfAllInstances extends MemoryDeviceRepository {
  override unmarkGone(_: string, ids: readonly string[]) {
    for (const instance of ['instance', 'other']) super.unmarkGone(instance, ids);
  }
}
class KeepsTheMark extends MemoryDeviceRepository {
  override setToken(instanceId: string, platform: Platform, id: string, token: string, at: number) {
    const { goneSince } = super.find(instanceId, platform, id) ?? {};
    const outcome = super.setToken(instanceId, platform, id, token, at);
    if (goneSince !== undefined) super.markGone(instanceId, [{ id, before: Infinity }], goneSince);
    return outcome;
  }
}
class MarksOneBatchOnly extends MemoryDeviceRepository {
  override markGone(instanceId: string, gone: readonly { readonly id: string; readonly before: number }[], at: number) {
    super.markGone(instanceId, gone.slice(0, 100), at);
  }
}
class AssignsReturnedDevices extends MemoryDeviceRepository {
  override setEnvironments(instanceId: string, devices: readonly KnownEnvironment[]) {
    super.setEnvironments(
      instanceId,
      devices.map((device) => ({ ...device, before: Infinity })),
    );
  }
}
class AssignsOneBatchOnly extends MemoryDeviceRepository {
  override setEnvironments(instanceId: string, devices: readonly KnownEnvironment[]) {
    super.setEnvironments(instanceId, devices.slice(0, 100));
  }
}
class AssignsInAllInstances extends MemoryDeviceRepository {
  override setEnvironments(_: string, devices: readonly KnownEnvironment[]) {
    for (const instance of ['instance', 'other']) super.setEnvironments(instance, devices);
  }
}
class KeepsTheEnvironment extends MemoryDeviceRepository {
  override register(instanceId: string, registration: Registration, at: number) {
    const before = this.latest(instanceId, Infinity).find(({ token }) => token === registration.token)?.environment;
    return super.register(instanceId, { environment: before, ...registration }, at);
  }
}
class HidesTheEnvironment extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super.inAudience(instanceId, target, after, limit).map((device) => ({ ...device, environment: undefined }));
  }
}
class TakesTheLatestVapidKey extends MemoryDeviceRepository {
  override register(instanceId: string, registration: Registration, at: number) {
    const { id } = super.register(instanceId, registration, at);
    const device = super.find(instanceId, registration.platform, id)!;
    if (device.vapidKey === registration.vapidKey) return { id, interests: [] };
    super.remove(instanceId, device.platform, id);
    return super.register(instanceId, registration, at);
  }
}
class HidesTheVapidKey extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super.inAudience(instanceId, target, after, limit).map((device) => ({ ...device, vapidKey: undefined }));
  }
}
class RemovesReturnedDevices extends MemoryDeviceRepository {
  override removeUnregistered(instanceId: string, devices: readonly { readonly id: string }[]) {
    return super.removeUnregistered(
      instanceId,
      devices.map(({ id }) => ({ id })),
    );
  }
}
class RemovesOneBatchOnly extends MemoryDeviceRepository {
  override removeUnregistered(instanceId: string, devices: readonly { readonly id: string }[]) {
    return super.removeUnregistered(instanceId, devices.slice(0, 100));
  }
}
class ForgetsTheRemovedUser extends MemoryDeviceRepository {
  override remove(instanceId: string, platform: Platform, id: string) {
    const removed = super.remove(instanceId, platform, id);
    return removed && { instanceId, id };
  }
}
class ReportsUnremovedDevices extends MemoryDeviceRepository {
  override removeUnregistered(instanceId: string, devices: readonly { readonly id: string }[]) {
    super.removeUnregistered(instanceId, devices);
    return devices.map(({ id }) => ({ instanceId, id }));
  }
}
class HidesTheReplaced extends MemoryDeviceRepository {
  override setToken(instanceId: string, platform: Platform, id: string, token: string, at: number) {
    const outcome = super.setToken(instanceId, platform, id, token, at);
    return outcome === 'unknown' ? outcome : 'ok';
  }
}
class HidesTheBundle extends MemoryDeviceRepository {
  override inAudience(instanceId: string, target: PublishTarget, after: string, limit: number) {
    return super
      .inAudience(instanceId, target, after, limit)
      .map((device) => ({ ...device, bundleIdentifier: undefined }));
  }
}
class ListsDevicesOfAllInstances extends MemoryDeviceRepository {
  override latest(instanceId: string, limit: number, before?: DeviceCursor) {
    return [...super.latest('other', limit, before), ...super.latest(instanceId, limit, before)].slice(0, limit);
  }
}
class ListsTheEarliestFirst extends MemoryDeviceRepository {
  override latest(instanceId: string, limit: number, before?: DeviceCursor) {
    return super.latest(instanceId, limit, before).toReversed();
  }
}
class SkipsDevicesOfTheSameTime extends MemoryDeviceRepository {
  override latest(instanceId: string, limit: number, before?: DeviceCursor) {
    return super.latest(instanceId, limit, before && { ...before, id: '' });
  }
}
class RemovesNeverSeenDevices extends MemoryDeviceRepository {
  override removeUnseen(step: UnseenStep) {
    return super.removeUnseen({ ...step, now: 0 });
  }
}
class RemovesOneStepOnly extends MemoryDeviceRepository {
  override removeUnseen(step: UnseenStep) {
    const { removed } = super.removeUnseen(step);
    return { removed: removed.slice(0, step.limit) };
  }
}
/** As an implementation would that counts what it found, though another walk removed it. */
class CountsTheUnseenFirst extends MemoryDeviceRepository {
  private readonly found = new Map<number, Promise<{ removed: readonly RemovedDevice[] }>>();
  override removeUnseen(step: UnseenStep): never {
    const { before } = step;
    if (!this.found.has(before))
      this.found.set(
        before,
        turn().then(() => super.removeUnseen(step)),
      );
    return this.found.get(before) as never;
  }
}
class ForgetsSightings extends MemoryDeviceRepository {
  override see(instanceId: string, platform: Platform, id: string) {
    super.see(instanceId, platform, id, 1_700_000_000_000);
  }
}
class WritesEverySighting extends MemoryDeviceRepository {
  override see(instanceId: string, platform: Platform, id: string, at: number) {
    const device = super.find(instanceId, platform, id);
    if (device) super.register(instanceId, device, at);
  }
}

const combined = 'pages through those with any of some interests, all of others and none of the rest, each once';

describeNode('the contract of DeviceRepository rejects an implementation that', () => {
  it.each([
    [ListsDevicesOfAllInstances, 'lists the latest registered devices of an instance first, page by page'],
    [ListsTheEarliestFirst, 'lists the latest registered devices of an instance first, page by page'],
    [SkipsDevicesOfTheSameTime, 'lists the latest registered devices of an instance first, page by page'],
    [ForgetsInstances, 'finds a device only in its instance and under its platform'],
    [ForgetsPlatforms, 'finds a device only in its instance and under its platform'],
    [MixesTokensOfApps, 'distinguishes tokens by platform, instance, and for apns bundle identifier'],
    [RegistersAnew, 'creates one device for a token that registers many times concurrently'],
    [KeepsTheFirstMetadata, 'replaces the metadata'],
    [KeepsTheOldToken, 'leaves a token with one device when several take it concurrently'],
    [TakesTokensOfOtherInstances, 'leaves the devices of other instances their tokens when one gets the same'],
    [CountsDevicesFirst, 'gives a user at most 100 devices of all platforms, also when they come at once'],
    [AcceptsAnyUser, 'accepts the same user again, but no other'],
    [RefusesTheSameUser, 'accepts the same user again, but no other'],
    [AddsInsteadOfReplacing, 'replaces the interests, and clears them'],
    [ChangesDespiteRefusing, 'lets a device have 5000 interests and changes nothing for more'],
    [CountsInterestsFirst, 'enforces the limit when interests are added concurrently'],
    [RefusesExistingInterestsWhenFull, 'lets a device have 5000 interests and changes nothing for more'],
    [SortsByLocale, 'pages through interests in the order of their bytes'],
    [CountsFromTheStart, 'pages through interests in the order of their bytes'],
    [ForgetsInterestsOfTheRemoved, 'leaves no interests of a device that is removed while they are added'],
    [
      ListsADevicePerInterest,
      'pages through an audience in the order of ids, each device once however many interests match',
    ],
    [IgnoresNoneOf, combined],
    [IgnoresAllOf, combined],
    [TakesOneOfAllOf, combined],
    [ListsACombinedDevicePerInterest, combined],
    [EndsWithAShortPage, combined],
    [LosesTheDeviceAfterAPage, combined],
    [RemembersTheAudience, 'decides about a device by the interests that it has when the page is read'],
    [PagesInAnyOrder, 'pages through an audience in the order of ids, each device once however many interests match'],
    [KeepsTheDevicesOfARemovedUser, 'removes a user with all devices, and no other user'],
    [MarksReturnedDevices, 'marks gone devices with the time of the first report, and keeps them in their audiences'],
    [KeepsTheLatestReport, 'marks gone devices with the time of the first report, and keeps them in their audiences'],
    [HidesMarkedDevices, 'marks gone devices with the time of the first report, and keeps them in their audiences'],
    [UnmarksOfAllInstances, 'marks gone devices with the time of the first report, and keeps them in their audiences'],
    [KeepsTheMark, 'unmarks a device that registers again or has a new token'],
    [MarksOneBatchOnly, 'marks a whole page of gone devices, and the concurrent reports of several pages'],
    [RemovesReturnedDevices, 'removes unregistered devices, except those that have registered again since'],
    [RemovesReturnedDevices, 'removes a whole page of unregistered devices, each by its own time'],
    [RemovesOneBatchOnly, 'removes a whole page of unregistered devices, each by its own time'],
    [
      ForgetsSightings,
      'removes devices of all instances that were neither seen nor registered since, and answers how many',
    ],
    [
      RemovesOneStepOnly,
      'removes devices of all instances that were neither seen nor registered since, and answers how many',
    ],
    [CountsTheUnseenFirst, 'removes and counts each unseen device once in concurrent passes'],
    [RemovesNeverSeenDevices, 'counts a device that was never seen from the first pass on'],
    [WritesEverySighting, 'stores once a day that a device was seen, for that device only'],
    [ForgetsTheRemovedUser, 'answers the removed devices with their users, each to one of several concurrent callers'],
    [
      ReportsUnremovedDevices,
      'answers the removed devices with their users, each to one of several concurrent callers',
    ],
    [HidesTheReplaced, 'gives a device a new token, and removes another device that has it'],
    [HidesTheBundle, 'answers what a fan-out needs to send'],
    [TakesTheLatestVapidKey, "keeps the VAPID key of a browser's first registration, and answers it for sending"],
    [HidesTheVapidKey, "keeps the VAPID key of a browser's first registration, and answers it for sending"],
    [AssignsReturnedDevices, "notes Apple's environment of whole pages of devices, until they register again"],
    [AssignsOneBatchOnly, "notes Apple's environment of whole pages of devices, until they register again"],
    [AssignsInAllInstances, "notes Apple's environment of whole pages of devices, until they register again"],
    [KeepsTheEnvironment, "notes Apple's environment of whole pages of devices, until they register again"],
    [HidesTheEnvironment, "notes Apple's environment of whole pages of devices, until they register again"],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeDeviceRepository, () => new Broken())).toContain(promise);
  });
});
