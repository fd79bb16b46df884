import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ApnsGateway,
  ChannelRefused,
  LiveActivityChannels,
  LiveActivityRepository,
  MemoryLiveActivityRepository,
  PublishService,
  SendLater,
} from 'rookery/publish';
import { DevicesService } from 'rookery/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { type StandInApns, standInApns } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';

const bundleIdentifier = 'com.example.app';
const management = `/1/apps/${bundleIdentifier}/channels`;
const sending = `/4/broadcasts/apps/${bundleIdentifier}`;
const authorization = `Bearer ${instance.secretKey}`;
const score = { aps: { timestamp: 1_800_000_000, event: 'update', 'content-state': { home: 2, away: 1 } } };
const start = {
  aps: {
    timestamp: 1_800_000_000,
    event: 'start',
    'attributes-type': 'MatchAttributes',
    attributes: { id: 1 },
    'content-state': { home: 0, away: 0 },
    alert: { title: 'Kick-off', body: 'Home against Away' },
  },
};

type App = Awaited<ReturnType<typeof startPublishApp>>;

let apple: StandInApns;
let app: App;
const apps: App[] = [];
beforeEach(async () => {
  apple = await standInApns();
  app = await another();
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((each) => each.close()));
  await apple.close();
});

/** Another process; with `activities`, it shares them with others. */
async function another(activities: LiveActivityRepository = new MemoryLiveActivityRepository()): Promise<App> {
  const started = await startPublishApp({
    instances: [{ ...instance, apns: apple.credentials }],
    devices: { requireCredentials: false },
    publish: {
      liveActivityRepository: activities,
      apnsGateway: new ApnsGateway({ ca: authority, timeoutMs: 5000 }),
      firstRetryMs: 20,
      pageSize: 20,
    },
  });
  apps.push(started);
  return started;
}

const channelPath = (interest: string) => `/customer_api/v1/instances/${instance.id}/interests/${interest}/channel`;
const askFor = (interest: string, body: object = { bundleIdentifier }) =>
  app.call('PUT', channelPath(interest), { headers: { authorization }, body });
const idOf = async (interest: string) => (await askFor(interest)).json.channelId as string;

async function register(token: string, interest: string, more: object = {}): Promise<string> {
  const devices = `/device_api/v1/instances/${instance.id}/devices/apns`;
  const { json } = await app.call('POST', devices, { body: { token, bundleIdentifier, ...more } });
  await app.call('POST', `${devices}/${json.id}/interests/${interest}`);
  return json.id as string;
}

async function published(body: object) {
  const { json } = await app.publish(body);
  await until(async () => (await app.status(json.publishId)).state === 'finished', 'the publish has finished');
  return (await app.status(json.publishId)).platforms;
}
const updated = async (...interests: string[]) => (await published({ interests, apns: score })).apns;
const started = async (interests: readonly string[], apns: object = start) =>
  (await published({ interests, apns })).apns;

describe('an update of a Live Activity', () => {
  it('is one broadcast for all devices of an interest', async () => {
    for (const token of ['aa', 'bb', 'cc']) await register(token, 'match-1');
    const channelId = await idOf('match-1');
    expect(await updated('match-1')).toMatchObject({ audience: 1, sent: 1, failed: {}, retrying: 0 });
    expect(apple.channels.broadcasts).toMatchObject([{ bundleIdentifier, channelId, payload: score }]);
    expect(apple.received).toEqual([]);
  });

  it('reaches the channels of every app and interest, and other platforms by device', async () => {
    const ids = [await idOf('match-1'), await idOf('match-2')];
    ids.push((await askFor('match-1', { bundleIdentifier: 'com.example.other' })).json.channelId);
    await idOf('match-3');
    await app.registered(['match-1']);
    const { apns, fcm } = await published({
      interests: ['match-1', 'match-2'],
      apns: score,
      fcm: { data: { home: '2' } },
    });
    expect([apns, fcm]).toMatchObject([
      { audience: 3, sent: 3 },
      { audience: 1, sent: 1 },
    ]);
    expect(apple.channels.broadcasts.map(({ channelId }) => channelId).sort()).toEqual(ids.sort());
  });

  it('of an interest without a channel has no audience, because no device can listen', async () => {
    await register('aa', 'match-1');
    expect(await updated('match-1')).toMatchObject({ audience: 0, sent: 0, failed: {} });
    expect(apple.channels.created).toBe(0);
  });

  it('is retried if Apple is busy, down or away', async () => {
    await idOf('match-1');
    apple.answer(
      sending,
      { status: 429, reason: 'TooManyRequests' },
      { status: 500, reason: 'InternalServerError' },
      { status: 503, reason: 'Shutdown' },
      { hangUp: true },
      { status: 403, reason: 'ExpiredProviderToken' },
      { status: 200 },
    );
    expect(await updated('match-1')).toMatchObject({ audience: 1, sent: 1, failed: {} });
    expect(apple.channels.broadcasts).toHaveLength(1);
  });

  it('creates a channel that Apple has lost anew, once', async () => {
    const lost = await idOf('match-1');
    apple.channels.lose(bundleIdentifier, lost);
    expect(await updated('match-1')).toMatchObject({ audience: 1, sent: 1, failed: {} });
    const anew = await idOf('match-1');
    expect(anew).not.toBe(lost);
    expect(apple.channels.broadcasts).toMatchObject([{ channelId: anew }]);
    apple.answer(sending, { status: 400, reason: 'ChannelNotRegistered' });
    expect(await updated('match-1')).toMatchObject({ sent: 0, failed: { ChannelNotRegistered: 1 } });
    expect(apple.channels.created).toBe(3);
  });

  it('says that the limit of channels is reached when a lost one cannot be replaced', async () => {
    apple.channels.lose(bundleIdentifier, await idOf('match-1'));
    apple.channels.limit = 0;
    expect(await updated('match-1')).toMatchObject({
      failed: { CannotCreateChannelConfig: 1 },
      explanations: [{ meaning: expect.stringContaining('10,000'), action: expect.stringContaining('Delete') }],
    });
  });

  it('that is too large for a broadcast is refused', async () => {
    await idOf('match-1');
    const apns = { ...score, text: 'x'.repeat(5120) };
    expect((await app.publish({ interests: ['match-1'], apns })).status).toBe(422);
  });

  it('with the push type of its own tokens goes to those, as ever', async () => {
    await idOf('match-1');
    await register('aa', 'match-1');
    const apns = { ...score, push_type: 'liveactivity' };
    expect((await published({ interests: ['match-1'], apns })).apns).toMatchObject({ audience: 1, sent: 1 });
    expect([apple.received.map(({ token }) => token), apple.channels.broadcasts]).toEqual([['aa'], []]);
  });
});

describe('the start of a Live Activity', () => {
  it('goes to the start tokens of devices that have one, which then listen to the channel', async () => {
    await register('aa', 'match-1', { startToken: 'a1' });
    await register('bb', 'match-1');
    await register('cc', 'match-2', { startToken: 'c1' });
    expect(await started(['match-1'])).toMatchObject({ audience: 1, sent: 1, failed: {} });
    const channelId = await idOf('match-1');
    expect(apple.channels.created).toBe(1);
    expect(apple.received).toMatchObject([
      {
        token: 'a1',
        headers: { 'apns-topic': `${bundleIdentifier}.push-type.liveactivity`, 'apns-push-type': 'liveactivity' },
        payload: { aps: { ...start.aps, 'input-push-channel': channelId } },
      },
    ]);
  });

  it('finds the few start tokens among many devices', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        register(`d${index}`, 'match-1', index % 20 === 7 ? { startToken: `e${index}` } : {}),
      ),
    );
    await app.registered(['match-1']);
    expect(await started(['match-1'])).toMatchObject({ audience: 3, sent: 3 });
    expect(apple.received.map(({ token }) => token).sort()).toEqual(['e27', 'e47', 'e7']);
  });

  it('takes a new start token with a new registration, and keeps it with one that has none', async () => {
    const id = await register('aa', 'match-1', { startToken: '01d0' });
    expect(await register('aa', 'match-1', { startToken: '4e30' })).toBe(id);
    await register('aa', 'match-1');
    await started(['match-1']);
    expect(apple.received.map(({ token }) => token)).toEqual(['4e30']);
  });

  it('listens to what the payload says, or to nothing if there are several interests', async () => {
    await register('aa', 'match-1', { startToken: 'a1' });
    const aps = { ...start.aps, 'input-push-token': 1 };
    await started(['match-1'], { aps });
    await started(['match-1', 'match-2']);
    expect(apple.received.map(({ payload }) => payload)).toEqual([{ aps }, start]);
    expect(apple.channels.created).toBe(0);
  });

  it('reaches the devices of users', async () => {
    const id = await register('aa', 'match-1', { startToken: 'a1' });
    await app.app.get(DevicesService).setUser({ instanceId: instance.id, platform: 'apns', id }, 'alice');
    const { json } = await app.publish({ users: ['alice', 'bob'], apns: start }, {}, '/users');
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'it has finished');
    expect((await app.status(json.publishId)).platforms.apns).toMatchObject({ audience: 1, sent: 1 });
    expect(apple.received).toMatchObject([{ token: 'a1', payload: start }]);
  });

  it('forgets a start token that is gone, and keeps the device', async () => {
    const id = await register('aa', 'match-1', { startToken: 'a1' });
    apple.answer('a1', { status: 410, reason: 'Unregistered', timestamp: Date.now() + 60_000 });
    expect(await started(['match-1'])).toMatchObject({ failed: { StartTokenUnregistered: 1 }, removedDevices: 0 });
    expect(await started(['match-1'])).toMatchObject({ audience: 0 });
    const device = `/device_api/v1/instances/${instance.id}/devices/apns/${id}`;
    expect((await app.call('GET', device)).status).toBe(200);
  });

  it('forgets the start token of a deleted device', async () => {
    const id = await register('aa', 'match-1', { startToken: 'a1' });
    await app.call('DELETE', `/device_api/v1/instances/${instance.id}/devices/apns/${id}`);
    const activities = app.app.get(LiveActivityRepository);
    expect(await activities.startTokens(instance.id, [id])).toEqual(new Map());
  });

  it('says why there is no channel', async () => {
    await register('aa', 'match-1', { startToken: 'a1' });
    apple.channels.limit = 0;
    expect(await started(['match-1'])).toMatchObject({ failed: { CannotCreateChannelConfig: 1 } });
    apple.channels.disabled.add(bundleIdentifier);
    expect(await started(['match-1'])).toMatchObject({
      failed: { FeatureNotEnabled: 1 },
      explanations: [{ action: expect.stringContaining('Broadcast') }],
    });
  });

  it('waits for the channel if Apple is busy', async () => {
    await register('aa', 'match-1', { startToken: 'a1' });
    apple.answer(management, { status: 503, reason: 'Shutdown' }, { status: 200 });
    expect(await started(['match-1'])).toMatchObject({ sent: 1, failed: {} });
  });
});

describe('the channel of an interest', () => {
  it('is created once, even if several processes ask for it at the same time', async () => {
    const shared = new MemoryLiveActivityRepository();
    const processes = [await another(shared), await another(shared), await another(shared)];
    apple.answer(management, { status: 200, delayMs: 50 });
    const ids = await Promise.all(
      processes.flatMap(({ app: { get } }, at) =>
        Array.from({ length: 5 }, async () => {
          const channels = get.call(processes[at]!.app, LiveActivityChannels) as LiveActivityChannels;
          return (await channels.ensure(instance.id, 'match-1', { bundleIdentifier })).channelId;
        }),
      ),
    );
    expect(new Set(ids).size).toBe(1);
    expect(apple.channels.created).toBe(1);
  });

  it('is told by the API, and removed by it', async () => {
    const { status, json } = await askFor('match-1', { bundleIdentifier, storesLatest: false });
    expect({ status, json }).toEqual({
      status: 200,
      json: { channelId: expect.any(String), bundleIdentifier, storesLatest: false },
    });
    expect([...apple.channels.of(bundleIdentifier)]).toEqual([[json.channelId, 0]]);
    expect((await askFor('match-1')).json).toEqual(json);
    await updated('match-1');
    expect(apple.channels.broadcasts[0]?.headers['apns-expiration']).toBe('0');
    const remove = () =>
      app.call('DELETE', `${channelPath('match-1')}?bundleIdentifier=${bundleIdentifier}`, {
        headers: { authorization },
      });
    expect([(await remove()).status, (await remove()).status]).toEqual([200, 200]);
    expect(apple.channels.of(bundleIdentifier).size).toBe(0);
    expect(await idOf('match-1')).not.toBe(json.channelId);
  });

  it('is refused without the secret key, an app or an interest', async () => {
    const body = { bundleIdentifier };
    expect((await app.call('PUT', channelPath('match-1'), { body })).status).toBe(400);
    const wrong = { headers: { authorization: 'Bearer wrong' }, body };
    expect((await app.call('PUT', channelPath('match-1'), wrong)).status).toBe(401);
    expect((await askFor('match-1', {})).json).toMatchObject({
      description: '`bundleIdentifier`: bundleIdentifier is required',
    });
    expect((await askFor('no%20interest')).status).toBe(400);
    expect(apple.channels.created).toBe(0);
  });

  it('tells what Apple says', async () => {
    apple.channels.limit = 0;
    expect(await askFor('match-1')).toMatchObject({
      status: 422,
      json: { description: 'Apple refuses the channel: CannotCreateChannelConfig' },
    });
    apple.answer(management, { status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '7' } });
    const busy = await askFor('match-1');
    expect(busy).toMatchObject({ status: 503, json: { description: expect.stringContaining('TooManyRequests') } });
    const channels = app.app.get(LiveActivityChannels);
    const asked = () => channels.ensure(instance.id, 'match-1', { bundleIdentifier });
    await expect(asked()).rejects.toThrow(SendLater);
    apple.answer(management, { status: 200 });
    await expect(asked()).rejects.toThrow(ChannelRefused);
  });
});

it('takes a match from its start to its end in an application', async () => {
  const [instanceId, channels, publishes] = [
    instance.id,
    app.app.get(LiveActivityChannels),
    app.app.get(PublishService),
  ];
  await register('aa', 'match-1', { startToken: 'a1' });
  const { channelId } = await channels.ensure(instanceId, 'match-1', { bundleIdentifier: 'com.example.app' });
  await publishes.publishToInterests(instanceId, {
    interests: ['match-1'],
    apns: {
      aps: {
        event: 'start',
        'attributes-type': 'MatchAttributes',
        attributes: { home: 'Rovers', away: 'United' },
        'content-state': { home: 0, away: 0 },
        alert: { title: 'Kick-off', body: 'Rovers against United' },
      },
      expiration: Math.floor(Date.now() / 1000) + 3600,
    },
  });
  await until(() => apple.received.length === 1, 'the activity has started');
  expect(apple.received).toMatchObject([{ token: 'a1', payload: { aps: { 'input-push-channel': channelId } } }]);
  await publishes.publishToInterests(instanceId, {
    interests: ['match-1'],
    apns: { aps: { event: 'update', 'content-state': { home: 2, away: 1 } } },
  });
  await until(() => apple.channels.broadcasts.length === 1, 'the activity was updated');
  expect(apple.channels.broadcasts).toMatchObject([{ channelId, payload: { aps: { timestamp: expect.any(Number) } } }]);
  await publishes.publishToInterests(instanceId, {
    interests: ['match-1'],
    apns: {
      aps: {
        event: 'end',
        'content-state': { home: 2, away: 1 },
        'dismissal-date': Math.floor(Date.now() / 1000) + 600,
      },
    },
  });
  await until(() => apple.channels.broadcasts.length === 2, 'the activity was ended');
  const ended = { event: 'end', 'dismissal-date': expect.any(Number) };
  expect(apple.channels.broadcasts[1]).toMatchObject({ channelId, payload: { aps: ended } });
  await channels.remove(instanceId, 'match-1', 'com.example.app');
  expect(apple.channels.of('com.example.app').size).toBe(0);
});
