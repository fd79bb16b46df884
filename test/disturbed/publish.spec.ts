import { Logger } from '@nestjs/common';
import { beforeEach, expect, it } from 'vitest';
import { settingsOf } from '#common';
import type { WebhookDelivery } from '#webhooks';
import {
  ConfiguredInstanceRepository,
  DeviceRemovals,
  DevicesService,
  type Instance,
  MemoryDeviceRepository,
  PushDeviceSettings,
} from 'rookery/internal/push-device';
import { testingInstance } from '@rookery/testing';
import type { Deliveries } from '../../libs/publish/src/fan-out/deliveries.js';
import { GoneDevices } from '../../libs/publish/src/fan-out/gone-devices.js';
import { PublishMetrics } from '../../libs/publish/src/metrics.js';
import { BacklogWatch } from '../../libs/publish/src/outbox/backlog-watch.js';
import { DuePublishes } from '../../libs/publish/src/outbox/due-publishes.js';
import { MemoryPublishOutbox } from '../../libs/publish/src/outbox/memory-publish.outbox.js';
import { publishOf } from '../../libs/publish/src/publish.js';
import { PublishSettings } from '../../libs/publish/src/publish.options.js';
import { PublishService } from '../../libs/publish/src/publish.service.js';
import { ReportsService } from '../../libs/publish/src/reports/reports.service.js';
import { Retention } from '../../libs/publish/src/retention.js';
import { PublishWebhooks } from '../../libs/publish/src/webhooks/publish.webhooks.js';
import { LiveActivityChannels } from '../../libs/publish/src/wings/live-activities/live-activity-channels.js';
import { MemoryLiveActivityRepository } from '../../libs/publish/src/wings/live-activities/memory-live-activity.repository.js';
import { PushGateways } from '../../libs/publish/src/delivery/push-gateways.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { type Disturbance, survived } from './disturbed.js';

// A fault between any two calls of ports of those that accept publishes and reports, forget them, and create channels.

const instance: Instance = {
  ...testingInstance,
  apns: { keyId: 'k', teamId: 't', key: 'none' },
  webhooks: [{ url: 'https://hooks.example/', secret: 's', events: ['v1.UserNotificationOpen'] }],
};
const hi = { fcm: { notification: { title: 'hi' } } };
const startedAt = 1_700_000_000_000;

beforeEach(() => Logger.overrideLogger(false));

function world(disturbance: Disturbance) {
  const clock = { now: startedAt };
  const [kept, devices, webhooks] = [new MemoryPublishOutbox(), new MemoryDeviceRepository(), new Set<string>()];
  const outbox = disturbance.port('outbox', kept, [
    'add',
    'cancel',
    'find',
    'knows',
    'waiting',
    'reports',
    'report',
    'isReported',
    'forget',
    'finishedBefore',
    'forgetKeys',
    'forgetOutcomes',
  ]);
  const sender = {
    // A webhook queued twice has the same id, so it is sent once.
    async send(deliveries: readonly WebhookDelivery[]) {
      for (const { id } of deliveries) webhooks.add(id);
      return { dropped: 0 };
    },
  };
  const now = () => clock.now;
  const instances = disturbance.port('instances', new ConfiguredInstanceRepository({ instances: [instance] }), [
    'find',
  ]);
  const settings = settingsOf(PublishSettings, {});
  const metrics = new PublishMetrics();
  const publishes = new PublishService(
    instances,
    outbox,
    new DuePublishes(),
    { check: () => {}, refusalOf: () => undefined } as unknown as Deliveries,
    settings,
    metrics,
    new BacklogWatch(outbox, settings, now, metrics),
    now,
  );
  const removals = new DeviceRemovals();
  const deviceApi = new DevicesService(devices, settingsOf(PushDeviceSettings, {}), removals, instances);
  const queue = disturbance.port('webhooks', sender, ['send']);
  const told = new PublishWebhooks(queue, instances, { urls: () => [] }, now);
  const reports = new ReportsService(outbox, disturbance.port('devices', devices, ['find']), deviceApi, told);
  const judges = disturbance.port('devices', devices, ['unmarkGone', 'markGone', 'removeUnregistered']);
  const gone = new GoneDevices(settings, judges, removals, metrics, now);
  const retention = new Retention(settings, outbox, now);
  return { clock, kept, devices, webhooks, publishes, reports, gone, retention, ids: [] as string[] };
}

type World = ReturnType<typeof world>;

const instanceId = instance.id;
const publishesOf = async ({ kept }: World) => (await kept.latest(instanceId, 10)).map(({ target }) => target);

it('a publish with an Idempotency-Key, which its caller sends twice at once', async () => {
  const publish = ({ publishes }: World) =>
    publishes.publishToInterests(instanceId, { interests: ['news'], ...hi }, { idempotencyKey: 'key' });
  const end = async (of: World) => ({ all: await publishesOf(of), jobs: await of.kept.jobs.size() });
  expect(await survived<World>({ waits: true, world, work: publish, other: publish, end })).toEqual([]);
});

it('the end of a scheduled publish, while its status is asked for', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: async (disturbance) => {
      const made = world(disturbance);
      const publishAt = new Date(startedAt + 60_000);
      const body = { interests: ['news'], ...hi };
      made.ids.push((await made.publishes.publishToInterests(instanceId, body, { publishAt })).publishId);
      return made;
    },
    work: ({ publishes, ids }) => publishes.cancel(instanceId, ids[0]!),
    other: ({ publishes, ids }) => publishes.status(instanceId, ids[0]!),
    end: async ({ kept, ids }) => (await kept.find(instanceId, ids[0]!))?.cancelledAt,
  });
  expect(wrong).toEqual([]);
});

/** A world with a publish, and a device of its user. */
async function published(disturbance: Disturbance): Promise<World> {
  const made = world(disturbance);
  const publish = publishOf(instanceId, { users: ['ann'], ...hi }, startedAt);
  await made.kept.add(publish);
  const { id } = made.devices.register(instanceId, { platform: 'fcm', token: 't', metadata: {} }, startedAt);
  made.devices.setUser(instanceId, 'fcm', id, 'ann');
  made.ids.push(publish.id, id);
  return made;
}

const report = ({ reports, ids: [publishId, deviceId] }: World) =>
  reports.take(instance, {
    publishId: publishId!,
    deviceId: deviceId!,
    event: 'open',
    timestampSecs: 1,
    userId: 'ann',
  });

it('a report that its device sends twice at once', async () => {
  const end = async ({ kept, webhooks, ids }: World) => ({
    reports: await kept.reports(ids[0]!),
    webhooks: webhooks.size,
  });
  expect(await survived<World>({ waits: true, world: published, work: report, other: report, end })).toEqual([]);
});

it('a report, while its publish is forgotten', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: published,
    work: report,
    other: ({ kept, ids }) => kept.forget([ids[0]!]),
    end: async ({ kept, ids }) => ({
      reports: await kept.reports(ids[0]!),
      publish: await kept.knows(instanceId, ids[0]!),
    }),
  });
  expect(wrong).toEqual([]);
});

it('what is forgotten, while another publish comes', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: async (disturbance) => {
      const made = await published(disturbance);
      const [job] = await made.kept.jobs.claim({
        id: 'claim',
        now: startedAt,
        limit: 1,
        perKey: 1,
        busy: new Set<string>(),
        leaseMs: 1000,
      });
      await made.kept.finish(job!, startedAt);
      made.clock.now = startedAt + 400 * 86_400_000;
      return made;
    },
    work: ({ retention }) => retention.sweep(),
    other: ({ kept, clock }) => kept.add(publishOf(instanceId, { interests: ['later'], ...hi }, clock.now)),
    end: publishesOf,
  });
  expect(wrong).toEqual([]);
});

it('devices that a gateway reports gone, while one of them registers again', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: (disturbance) => {
      const made = world(disturbance);
      for (const token of ['gone', 'back', 'there'])
        made.ids.push(made.devices.register(instanceId, { platform: 'fcm', token, metadata: {} }, startedAt - 1000).id);
      return made;
    },
    work: ({ gone, devices, ids }) => {
      const addresses = ids.map((id) => devices.find(instanceId, 'fcm', id)).filter((device) => device !== undefined);
      const isGone = ({ token }: { token: string }): boolean => token !== 'there';
      return gone.judged(
        { instanceId, platform: 'fcm' },
        {
          sent: addresses.filter((device) => !isGone(device)),
          gone: addresses.filter(isGone).map((device) => ({ ...device, before: startedAt })),
        },
      );
    },
    other: ({ devices }) =>
      devices.register(instanceId, { platform: 'fcm', token: 'back', metadata: {} }, startedAt + 1000),
    end: ({ devices }) =>
      devices
        .latest(instanceId, 10)
        .map(({ token }) => token)
        .sort(),
  });
  expect(wrong).toEqual([]);
});

interface Activities {
  readonly channels: LiveActivityChannels;
  readonly repository: MemoryLiveActivityRepository;
  readonly atApple: Set<string>;
}

/** Apple's channels, and what the repository knows of them. */
function activities(disturbance: Disturbance): Activities {
  const [repository, atApple] = [new MemoryLiveActivityRepository(), new Set<string>()];
  let [created, now] = [0, startedAt];
  const management = {
    async create(): Promise<string> {
      const id = `channel-${++created}`;
      atApple.add(id);
      return id;
    },
    async delete(_: unknown, __: string, id: string): Promise<void> {
      atApple.delete(id);
    },
  };
  const apns = Object.assign(new ScriptedGateway('apns'), {
    channels: disturbance.port('Apple', management, ['create', 'delete']),
  });
  const gateways = new PushGateways([apns, new ScriptedGateway('fcm'), new ScriptedGateway('web')]);
  const shared = disturbance.port('repository', repository, [
    'channels',
    'reserve',
    'keep',
    'release',
    'removeChannel',
  ]);
  const instances = new ConfiguredInstanceRepository({ instances: [instance] });
  // A caller that repeats its request does so after a minute, when the reservation of one that died has ended.
  const channels = new LiveActivityChannels(instances, shared, gateways, () => (now += 61_000));
  return { channels, repository, atApple };
}

const ensure = ({ channels }: Activities) =>
  channels.ensure(instanceId, 'match', { bundleIdentifier: 'com.example.app' });

it('a channel of Apple, which two ask for at once, is created once and known', async () => {
  const wrong = await survived<Activities>({
    waits: true,
    world: activities,
    work: ensure,
    other: (made) => ensure(made).catch(() => {}),
    end: async ({ channels, atApple }) => {
      const known = (await channels.of(instance, ['match'])).map(({ channelId }) => channelId);
      return { known: known.length, unknown: [...atApple].filter((id) => !known.includes(id)).length };
    },
    except: { 'Apple.create, loses its answer': 'Apple does not tell which channels it has created' },
  });
  expect(wrong).toEqual([]);
});

it('a channel of Apple that is removed is unknown, and gone', async () => {
  const wrong = await survived<Activities>({
    waits: true,
    world: async (disturbance) => {
      const made = activities(disturbance);
      await ensure(made);
      return made;
    },
    work: ({ channels }) => channels.remove(instanceId, 'match', 'com.example.app'),
    end: async ({ channels, atApple }) => ({
      known: (await channels.of(instance, ['match'])).length,
      atApple: atApple.size,
    }),
  });
  expect(wrong).toEqual([]);
});
