import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { settingsOf } from '#common';
import type { WebhookDelivery } from '#webhooks';
import {
  ConfiguredInstanceRepository,
  DeviceRemovals,
  DevicesService,
  type Instance,
  InstanceRepository,
  InstancesAdmin,
  MemoryDeviceRepository,
  type Platform,
  PushDeviceSettings,
  SettingsConflict,
  UnseenDevices,
  type Versioned,
} from 'rookery/internal/push-device';
import { testingInstance } from '@rookery/testing';
import { DeviceRemovalNotifier } from '../../libs/publish/src/webhooks/device-removal-notifier.js';
import { MemoryLiveActivityRepository } from '../../libs/publish/src/wings/live-activities/memory-live-activity.repository.js';
import { StartTokens } from '../../libs/publish/src/wings/live-activities/start-tokens.js';
import { type Disturbance, survived } from './disturbed.js';

// A fault between any two calls of ports of those that register, change and remove devices.

const { id: instanceId } = testingInstance;
const [day, now] = [86_400_000, 1_700_000_000_000];
/** Why a lost answer means that a removal is not reported. */
const unknown = 'a device that was removed cannot be told from one that never was';

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  Logger.overrideLogger(false);
});
afterEach(() => void vi.useRealTimers());

function world(disturbance: Disturbance) {
  const [kept, activities, told] = [
    new MemoryDeviceRepository(),
    new MemoryLiveActivityRepository(),
    new Map<string, string>(),
  ];
  const sender = {
    async send(deliveries: readonly WebhookDelivery[]) {
      // One that is queued twice has the same id, and is sent once.
      for (const { id, body } of deliveries) told.set(id, (JSON.parse(body) as { reason: string }).reason);
      return { dropped: 0 };
    },
    lost: () => {},
  };
  const devices = disturbance.port('devices', kept, [
    'register',
    'find',
    'remove',
    'setMetadata',
    'setToken',
    'setUser',
    'interests',
    'setInterests',
    'addInterest',
    'removeInterest',
    'removeUser',
    'inAudience',
    'see',
    'removeUnseen',
  ]);
  const instances = new ConfiguredInstanceRepository({ instances: [testingInstance] });
  const settings = settingsOf(PushDeviceSettings, { expireUnseenAfterDays: 30 });
  const removals = new DeviceRemovals();
  const service = new DevicesService(devices, settings, removals, disturbance.port('instances', instances, ['find']));
  const unseen = new UnseenDevices(settings, devices, removals);
  const tokens = disturbance.port('tokens', activities, ['setStartToken', 'removeStartTokens']);
  void new StartTokens(tokens, devices, service, removals);
  const queue = disturbance.port('queue', sender, ['send']);
  void new DeviceRemovalNotifier(queue, { urls: () => ['listener:1'] }, () => Date.now(), removals);
  const others = new DevicesService(kept, settings, removals, instances);
  return { kept, activities, told, service, unseen, others, ids: [] as string[] };
}

type World = ReturnType<typeof world>;

const registration = (token: string) => ({ platform: 'apns' as const, token, metadata: {} });
const path = (id: string) => ({ instanceId, platform: 'apns' as Platform, id });

/** A world with a device that has a user, an interest and a start token. */
async function withDevice(disturbance: Disturbance): Promise<World> {
  const made = world(disturbance);
  const { service, ids } = made;
  const { id } = await service.register(instanceId, registration('t1'), 'start-1');
  ids.push(id);
  await service.setUser(path(id), 'ann');
  await service.addInterest(path(id), 'news');
  return made;
}

const later = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(600_000));

/** Devices by their tokens: the ids of those that are registered are random. */
function end({ kept, activities, told, ids }: World) {
  const devices = kept.latest(instanceId, 100).toSorted((one, other) => (one.token < other.token ? -1 : 1));
  const all = [...new Set([...ids, ...devices.map(({ id }) => id)])];
  const tokens = [...activities.startTokens(instanceId, all).values()];
  return {
    devices: devices.map(({ token, userId }) => ({ token, userId })),
    interests: devices.map(({ id }) => kept.interests(instanceId, 'apns', id, '', 10)),
    tokens: tokens.sort(),
    told: [...told.values()].sort(),
  };
}

it('a registration with a start token, while the device is removed', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: withDevice,
    work: ({ service }) => service.register(instanceId, registration('t1'), 'start-2'),
    other: ({ others, ids }) => others.remove(path(ids[0]!)),
    later,
    end,
  });
  expect(wrong).toEqual([]);
});

it('a removal, while the device registers again', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: withDevice,
    work: ({ service, ids }) => service.remove(path(ids[0]!)),
    other: ({ others }) => others.register(instanceId, registration('t1')),
    later,
    end,
  });
  expect(wrong).toEqual([]);
});

it('the removal of a user, while a device of that user sets interests', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: withDevice,
    work: ({ service }) => service.removeUser(instanceId, 'ann'),
    other: ({ others, ids }) => others.setInterests(path(ids[0]!), new Set(['sport'])).catch(() => {}),
    later,
    end,
  });
  expect(wrong).toEqual([]);
});

it('a new token that another device has, while that one takes another', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: async (disturbance) => {
      const made = await withDevice(disturbance);
      made.ids.push((await made.service.register(instanceId, registration('t2'), 'start-2')).id);
      return made;
    },
    work: ({ service, ids }) => service.setToken(path(ids[0]!), 't2'),
    other: ({ others, ids }) => others.setToken(path(ids[1]!), 't3').catch(() => {}),
    later,
    end,
    except: { 'devices.setToken, loses its answer': unknown },
  });
  expect(wrong).toEqual([]);
});

it.each<[string, (world: World) => Promise<unknown>]>([
  ['a user', ({ service, ids }) => service.setUser(path(ids[0]!), 'ann')],
  ['metadata', ({ service, ids }) => service.setMetadata(path(ids[0]!), { deviceOSVersion: '1' })],
  ['interests', ({ service, ids }) => service.setInterests(path(ids[0]!), new Set(['sport']))],
  ['an interest', ({ service, ids }) => service.addInterest(path(ids[0]!), 'sport')],
  ['an interest less', ({ service, ids }) => service.removeInterest(path(ids[0]!), 'news')],
])('%s, while another device registers', async (_, work) => {
  const other = ({ others }: World) => others.register(instanceId, registration('t9'));
  expect(await survived<World>({ waits: true, world: withDevice, work, other, later, end })).toEqual([]);
});

it('the sweep of unseen devices, while one of them is seen', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: async (disturbance) => {
      const made = await withDevice(disturbance);
      made.ids.push((await made.service.register(instanceId, registration('t2'))).id);
      for (const id of made.ids) await made.kept.see(instanceId, 'apns', id, now);
      return made;
    },
    work: ({ unseen }) => unseen.sweep(now + 40 * day),
    other: ({ kept, ids }) => kept.see(instanceId, 'apns', ids[0]!, now + 39 * day),
    later,
    end,
    except: { 'devices.removeUnseen, loses its answer': unknown },
  });
  expect(wrong).toEqual([]);
});

/** Stored instances, each save of which names the version that it replaces. */
class StoredInstances extends InstanceRepository {
  override readonly editing: this;
  private kept: Versioned<Instance> = { settings: testingInstance, version: 1 };

  constructor(disturbance?: Disturbance) {
    super();
    this.editing = disturbance?.port<this>('instances', this, ['read', 'save']) ?? this;
  }
  async all(): Promise<readonly Versioned<Instance>[]> {
    return [this.kept];
  }
  async read(): Promise<Versioned<Instance>> {
    return this.kept;
  }
  async find(): Promise<Instance> {
    return this.kept.settings;
  }
  async save(settings: Instance, version?: number): Promise<void> {
    if (version !== this.kept.version) throw new SettingsConflict('It was changed');
    this.kept = { settings, version: version + 1 };
  }
  async remove(): Promise<void> {}
}

it('another key of an instance, while one more is made: each that was handed out is good', async () => {
  interface Keys {
    readonly instances: StoredInstances;
    readonly handedOut: string[];
  }
  const rotate = async ({ instances, handedOut }: Keys, admin = new InstancesAdmin(instances)): Promise<void> =>
    void handedOut.push((await admin.rotate(instanceId)).secretKey);
  const wrong = await survived<Keys>({
    waits: true,
    world: (disturbance) => ({ instances: new StoredInstances(disturbance), handedOut: [] }),
    work: rotate,
    other: rotate,
    end: async ({ instances, handedOut }) => {
      const { secretKey, furtherSecretKeys = [] } = await instances.find();
      return { unknown: handedOut.filter((key) => ![secretKey, ...furtherSecretKeys].includes(key)) };
    },
  });
  expect(wrong).toEqual([]);
});
