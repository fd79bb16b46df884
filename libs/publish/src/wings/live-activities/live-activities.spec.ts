import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../../test/support/fan-out-world.js';
import { environmentOf } from '../../delivery/apns/apns-account.js';
import { ChannelRefused } from '../../delivery/broadcast-channels.js';
import { type Outcome, SendLater } from '../../delivery/push.gateway.js';
import { publishOf } from '../../publish.js';

const bundleIdentifier = 'com.example.app';
const update = { apns: { aps: { event: 'update', 'content-state': {} } } };
const start = { apns: { aps: { event: 'start', timestamp: 1, attributes: {} } } };
const deliver = (): Outcome => ({ outcome: 'delivered' });

let given: FanOutWorld;
const create = vi.fn(async () => 'new');
/** The tokens that Apple got, in order. */
let tokens: string[];
beforeEach(() => {
  given = new FanOutWorld();
  create.mockReset().mockResolvedValue('new');
  Object.assign(given.gateways.apns, { channels: { create, delete: async () => {} } });
  answering(deliver);
});
afterEach(() => given.close());

function answering(answer: (token: string) => Outcome): void {
  tokens = [];
  given.gateways.apns.answer = ({ token }) => {
    tokens.push(token);
    return answer(token);
  };
}

async function channel(interest: string, channelId: string): Promise<void> {
  const name = { instanceId: instance.id, environment: environmentOf(instance), interest, bundleIdentifier };
  await given.activities.reserve(name, { by: 'test', now: given.now, until: given.now + 1000 });
  await given.activities.keep({ ...name, channelId, storesLatest: true }, 'test');
}

/** Registers devices of an app, of which every third has a start token. */
async function register(count: number, app: string | null = bundleIdentifier): Promise<void> {
  for (let n = 0; n < count; n++) {
    const of = app === null ? {} : { bundleIdentifier: app };
    const registration = { platform: 'apns', token: `${app} ${n}`, ...of, metadata: {} } as const;
    const { id } = await given.devices.register(instance.id, registration, given.now);
    await given.devices.addInterest(instance.id, 'apns', id, 'match-1');
    if (n % 3 === 0) await given.activities.setStartToken(instance.id, id, `start ${n}`);
  }
}

async function published(payloads: typeof update | typeof start, interests = ['match-1']) {
  const id = await given.publish(payloads, interests);
  if (given.workers.length === 0) given.startWorker({ pageSize: 10 });
  return (await given.finished(id)).apns;
}

/** The same for a publish of which one send is deferred. */
async function retried(payloads: typeof update | typeof start, interests = ['match-1']) {
  const id = await given.publish(payloads, interests);
  given.startWorker();
  await expect.poll(async () => (await given.status(id)).platforms.apns).toMatchObject({ retrying: 1 });
  given.now += 1000;
  return (await given.finished(id)).apns;
}

describe('an update of Live Activities', () => {
  it('goes to each channel of its interests once, page by page, and to no device', async () => {
    await register(3);
    const names = Array.from({ length: 25 }, (_, n) => `match-${n}`);
    for (const name of names) await channel(name, `channel of ${name}`);
    await channel('other', 'other');
    expect(await published(update, names)).toMatchObject({ audience: 25, sent: 25, failed: {} });
    expect(tokens.toSorted()).toEqual(names.map((name) => `channel of ${name}`).toSorted());
    expect(given.gateways.apns.prepared).toMatchObject([{ isBroadcast: true, payload: update.apns }]);
    expect(create).not.toHaveBeenCalled();
  });

  it('is sent again to the channel that Apple deferred, and to no other', async () => {
    for (const name of ['match-1', 'match-2', 'match-3']) await channel(name, name);
    let tries = 0;
    answering((token) => {
      if (token === 'match-2' && (tries += 1) === 1) throw new SendLater('Busy');
      return deliver();
    });
    expect(await retried(update, ['match-1', 'match-2', 'match-3'])).toMatchObject({ audience: 3, sent: 3 });
    expect(tokens.toSorted()).toEqual(['match-1', 'match-2', 'match-2', 'match-3']);
  });

  it('creates a channel anew that Apple has lost', async () => {
    await channel('match-1', 'lost');
    answering((token) => (token === 'lost' ? { outcome: 'unregistered' } : deliver()));
    expect(await published(update)).toMatchObject({ sent: 1, failed: {} });
    expect(tokens).toEqual(['lost', 'new']);
    expect(create.mock.calls).toEqual([[instance, bundleIdentifier, true]]);
  });

  it.each([
    ['lost at once again', async () => 'new', 'ChannelNotRegistered'],
    ['refused', () => Promise.reject(new ChannelRefused('CannotCreateChannelConfig')), 'CannotCreateChannelConfig'],
  ])('fails if the new channel is %s', async (_, creates, reason) => {
    await channel('match-1', 'lost');
    answering(() => ({ outcome: 'unregistered' }));
    create.mockImplementation(creates);
    expect(await published(update)).toMatchObject({ sent: 0, failed: { [reason]: 1 }, removedDevices: 0 });
    expect(create).toHaveBeenCalledTimes(1);
  });

  it('leaves the new channel to the next app that asks for it while Apple is busy', async () => {
    await channel('match-1', 'lost');
    answering(() => ({ outcome: 'unregistered' }));
    create.mockRejectedValueOnce(new SendLater('Shutdown'));
    expect(await retried(update)).toMatchObject({ sent: 0, failed: {}, retrying: 0 });
    expect(await published(update)).toMatchObject({ audience: 0 });
    expect(tokens).toEqual(['lost']);
  });

  it.each<[string, Parameters<typeof publishOf>[1]]>([
    ['has a push type of its own', { interests: ['match-1'], apns: { ...update.apns, push_type: 'liveactivity' } }],
    ['is for users', { users: ['alice'], ...update }],
  ])('goes to the devices if it %s', async (_, body) => {
    await register(1);
    const [device] = await given.devices.inAudience(instance.id, { interests: ['match-1'] }, '', 1);
    await given.devices.setUser(instance.id, 'apns', device!.id, 'alice');
    await channel('match-1', 'channel');
    const made = publishOf(instance.id, body, given.now);
    await given.outbox.add(made);
    given.startWorker();
    await given.finished(made.id);
    expect(tokens).toEqual([`${bundleIdentifier} 0`]);
  });
});

describe('the start of Live Activities', () => {
  it('goes to the start tokens of its audience, however few devices have one', async () => {
    await register(40);
    await given.register(3);
    const id = await given.publish({ ...start, ...hi }, ['match-1', 'news']);
    given.startWorker({ pageSize: 10 });
    expect(await given.finished(id)).toMatchObject({ apns: { audience: 14, sent: 14 }, fcm: { sent: 3 } });
    expect(tokens.toSorted()).toEqual(Array.from({ length: 14 }, (_, n) => `start ${3 * n}`).toSorted());
    expect(given.gateways.apns.prepared[0]?.payload).toEqual({ ...start.apns, push_type: 'liveactivity' });
  });

  it('is sent again to a start token that Apple deferred', async () => {
    await register(1);
    let tries = 0;
    answering(() => {
      if ((tries += 1) === 1) throw new SendLater('Busy');
      return deliver();
    });
    expect(await retried(start)).toMatchObject({ sent: 1 });
    expect(tokens).toEqual(['start 0', 'start 0']);
  });

  it('listens to the channel of the interest, which each app has once', async () => {
    await Promise.all([register(6), register(6, 'com.example.other')]);
    expect(await published(start)).toMatchObject({ sent: 4 });
    expect(create).toHaveBeenCalledTimes(2);
    const [, ...prepared] = given.gateways.apns.prepared.map(({ payload }) => payload['aps']);
    expect(prepared).toEqual([1, 2].map(() => ({ ...start.apns.aps, 'input-push-channel': 'new' })));
  });

  it.each<[string, string[], object]>([
    ['there are several interests', ['match-1', 'match-2'], {}],
    ['the payload names a channel', ['match-1'], { 'input-push-channel': 'own' }],
    ['the payload wants a token', ['match-1'], { 'input-push-token': 1 }],
  ])('listens to no other channel if %s', async (_, interests, more) => {
    await register(1);
    const aps = { ...start.apns.aps, ...more };
    expect(await published({ apns: { aps } }, interests)).toMatchObject({ sent: 1 });
    expect(given.gateways.apns.prepared.map(({ payload }) => payload['aps'])).toEqual([aps]);
    expect(create).not.toHaveBeenCalled();
  });

  it('listens to no channel where the app is unknown', async () => {
    await register(1, null);
    expect(await published(start)).toMatchObject({ sent: 1 });
    expect(create).not.toHaveBeenCalled();
  });

  it('fails if Apple refuses the channel, and asks for it again with the next', async () => {
    await register(1);
    create.mockRejectedValueOnce(new ChannelRefused('FeatureNotEnabled'));
    expect(await published(start)).toMatchObject({ failed: { FeatureNotEnabled: 1 } });
    expect(await published(start)).toMatchObject({ sent: 1, failed: {} });
  });

  it('asks for the channel again with the retry if Apple was busy', async () => {
    await register(1);
    create.mockRejectedValueOnce(new SendLater('Shutdown'));
    expect(await retried(start)).toMatchObject({ sent: 1 });
    expect(create).toHaveBeenCalledTimes(2);
  });

  it('removes a start token that is gone, and keeps the device', async () => {
    await register(1);
    answering(() => ({ outcome: 'unregistered' }));
    expect(await published(start)).toMatchObject({ failed: { StartTokenUnregistered: 1 }, removedDevices: 0 });
    expect(await published(start)).toMatchObject({ audience: 0 });
  });

  it('fails for all if the gateway takes the payload for none', async () => {
    await register(4);
    given.gateways.apns.rejected = 'PayloadTooLarge';
    expect(await published(start)).toMatchObject({ audience: 2, failed: { PayloadTooLarge: 2 } });
    expect(await published(update)).toMatchObject({ audience: 0 });
  });
});
