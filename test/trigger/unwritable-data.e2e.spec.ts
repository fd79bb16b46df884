import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsModule, EventsService, MembersService } from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule, PublishService } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting, testingApp, testingInstance } from '@rookery/testing';

let rookery: RookeryTesting;
beforeAll(async () => {
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testingApp] }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({ apps: [{ app: testingApp.id }] }),
  ]);
});
afterAll(() => rookery.close());

const circle: { self?: unknown } = {};
circle.self = circle;
const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown;
const failing = {
  toJSON() {
    throw new Error('the price is unknown');
  },
};

const push = (value: unknown) => ({ web: { notification: { title: 'Hi' }, data: { value } } });
const ways: readonly (readonly [what: string, name: string, call: (value: unknown) => Promise<unknown>])[] = [
  [
    'a trigger',
    'data',
    (value) => rookery.get(EventsService).trigger(testingApp.id, { name: 'e', channel: 'c', data: { value } }),
  ],
  [
    "an event of a user's notification",
    'data',
    (value) => rookery.get(NotificationsService).notify('ann', { event: { name: 'e', data: { value } } }),
  ],
  [
    'the push of a notification',
    'push',
    (value) => rookery.get(NotificationsService).notify('ann', { event: { name: 'e', data: {} }, push: push(value) }),
  ],
  [
    'a publish',
    'The publish',
    (value) =>
      rookery
        .get(PublishService)
        .publishToInterests(testingInstance.id, { interests: ['a'], ...(push(value) as object) }),
  ],
  [
    "a member's info",
    'user_info',
    (value) => rookery.get(MembersService).update(testingApp.id, 'presence-a', 'ann', { value }),
  ],
];

describe.each(ways)('%s', (_what, name, call) => {
  it.each([
    ['a bigint', 7n, TypeError, 'Do not know how to serialize a BigInt'],
    ['a circle', circle, TypeError, 'Converting circular structure to JSON --> starting at object'],
    ['a toJSON that throws', failing, Error, 'the price is unknown'],
    ['great depth', deep, RangeError, 'it is nested too deeply'],
  ])('is refused because of %s with its cause', async (_value, value, cause, reason) => {
    const refused = await call(value).then(
      () => undefined,
      (error: unknown) => error as Error & { readonly status: number },
    );
    expect(refused?.message).toContain(`${name} cannot be written as JSON: ${reason}`);
    expect(refused?.cause).toBeInstanceOf(cause);
    expect([400, 422]).toContain(refused?.status);
  });
});
