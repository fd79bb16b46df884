import assert from 'node:assert/strict';
import type { Instance, InstanceRepository } from 'rookery/push-device';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

/** The instances that an InstanceRepository under test must hold. */
export const contractInstances: readonly Instance[] = [
  { id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'first' },
  {
    id: 'AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE',
    secretKey: 'second ünïcödé',
    web: { vapidPublicKey: 'public', vapidPrivateKey: 'private', subject: 'mailto:push@example.com' },
    webhooks: [
      { url: 'https://example.com/', secret: 's', events: ['v1.UserNotificationOpen'], customData: { a: [1] } },
    ],
  },
];

/** An instance as the repository answers it: with its id in lower case. */
const answered = (instance: Instance): Instance => ({ ...instance, id: instance.id.toLowerCase() });

/** The contract of every InstanceRepository. */
export const describeInstanceRepository = contract<InstanceRepository>('InstanceRepository', [
  {
    promise: 'finds each instance with all its settings',
    async test(instances) {
      for (const instance of contractInstances) matches(await instances.find(instance.id), answered(instance));
    },
  },
  {
    promise: 'finds an instance whatever the case of its id, and answers the id in lower case',
    async test(instances) {
      for (const instance of contractInstances) {
        matches(await instances.find(instance.id.toLowerCase()), answered(instance));
        matches(await instances.find(instance.id.toUpperCase()), answered(instance));
      }
    },
  },
  {
    promise: 'answers nothing for unknown ids and keys',
    async test(instances) {
      const [{ id }] = contractInstances as readonly [Instance];
      const unknown = [
        '',
        'x',
        `${id} `,
        `${id}\0`,
        id.slice(1),
        id.replaceAll('-', ''),
        crypto.randomUUID(),
        '__proto__',
      ];
      for (const other of unknown) assert.equal((await instances.find(other)) ?? undefined, undefined);
    },
  },
  {
    promise: 'answers the same for the same id every time',
    async test(instances) {
      const [{ id }] = contractInstances as readonly [Instance];
      const all = await Promise.all(Array.from({ length: 20 }, async () => instances.find(id)));
      same(new Set(all.map((found) => found?.secretKey)), new Set(['first']));
    },
  },
]);
