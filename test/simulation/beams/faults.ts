import {
  type Added,
  ApnsGateway,
  FcmGateway,
  type PartitionChange,
  type PreparedNotification,
  type PushGateway,
  PushGateways,
  PublishOutbox,
  type Saved,
  WebPushGateway,
} from 'rookery/internal/publish';
import { RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import type { Prepare } from '../prepare.js';
import { RemotePublishOutbox } from './ports.js';

type Methods = Partial<Record<keyof PublishOutbox, unknown>>;

const nothing: PartitionChange = { again: [], settled: [] };

/** A node whose outbox does something else. */
export const withOutbox =
  (change: (outbox: PublishOutbox) => Methods): Prepare =>
  (module) =>
    module.overrideProvider(PublishOutbox).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const outbox = new RemotePublishOutbox(link);
        const changed = Object.entries(change(outbox)).map(([name, value]) => [name, { value }]);
        return Object.create(outbox, Object.fromEntries(changed) as PropertyDescriptorMap) as object;
      },
    });

/** A node whose claims end after another time. */
const withLease = (leaseMs: number): Prepare =>
  withOutbox(({ jobs }) => ({
    jobs: Object.create(jobs, {
      claim: { value: (claim: Parameters<typeof jobs.claim>[0]) => jobs.claim({ ...claim, leaseMs }) },
    }) as unknown,
  }));

/** Nodes that leave out a step: the simulation proves itself by finding each of them. */
export const faults: Readonly<Record<string, Prepare>> = {
  'a publish is acknowledged before it is stored': withOutbox((outbox) => ({
    add: async (...of: Parameters<PublishOutbox['add']>): Promise<Added> => {
      setTimeout(() => void outbox.add(...of).catch(() => undefined), 100);
      return { outcome: 'added', publishId: of[0].id };
    },
  })),

  'the key of a publish is not stored': withOutbox((outbox) => ({
    add: (publish: Parameters<PublishOutbox['add']>[0]) => outbox.add(publish),
  })),

  'what a publish excludes is forgotten by the node that takes it over': withOutbox((outbox) => {
    const own = new Set<string>();
    return {
      add: (...of: Parameters<PublishOutbox['add']>) => outbox.add(...(own.add(of[0].id), of)),
      find: async (...of: Parameters<PublishOutbox['find']>) => {
        const found = await outbox.find(...of);
        const { interests, allOf } = found?.publish.target.interests ? found.publish.target : {};
        if (!found || !interests || own.has(of[1])) return found;
        return { ...found, publish: { ...found.publish, target: { interests, ...(allOf && { allOf }) } } };
      },
    };
  }),

  'devices to try again are forgotten': withOutbox((outbox) => ({
    save: (job: never, partition: never, change?: PartitionChange): Promise<Saved> =>
      outbox.save(job, partition, change && { ...change, again: [] }),
  })),

  'a range that is handed over is not stored': withOutbox((outbox) => ({
    save: (job: never, partition: never, { again, settled, outcomes }: PartitionChange = nothing): Promise<Saved> =>
      outbox.save(job, partition, { again, settled, ...(outcomes && { outcomes }) }),
  })),

  'a page is stored only by every third save': withOutbox((outbox) => {
    let saves = 0;
    return {
      save: async (...of: Parameters<PublishOutbox['save']>): Promise<Saved> =>
        (saves += 1) % 3 === 0 || of[1].paged || of[2]?.settled.length ? outbox.save(...of) : 'saved',
    };
  }),

  'the work of a dead node is left': withLease(100_000_000),

  'a claim ends while the node works': withLease(300),

  'a gateway is taken to have accepted what it was sent': (module) =>
    module.overrideProvider(PushGateways).useFactory({
      inject: [ApnsGateway, FcmGateway, WebPushGateway],
      factory: (...gateways: PushGateway[]) => assuming(new PushGateways(gateways)),
    }),
};

/** Faults that only lies show. */
export const rareFaults: Readonly<Record<string, Prepare>> = {
  'a publish that is not found is done': withOutbox((outbox) => {
    const unknown = new Set<string>();
    const { jobs } = outbox;
    return {
      find: async (...of: Parameters<PublishOutbox['find']>) => {
        const found = await outbox.find(...of);
        if (!found) unknown.add(of[1]);
        return found;
      },
      jobs: Object.create(jobs, {
        retry: {
          value: (...of: Parameters<typeof jobs.retry>) =>
            unknown.delete(of[0].key) ? jobs.done(of[0]) : jobs.retry(...of),
        },
      }) as unknown,
    };
  }),
};

/** Takes each send for accepted, without waiting for the answer of the gateway. */
function assuming(gateways: PushGateways): PushGateways {
  const sent = ({ ttlMs, send }: PreparedNotification): PreparedNotification => ({
    ttlMs,
    send: async (device) => {
      send(device).catch(() => undefined);
      return { outcome: 'delivered' };
    },
  });
  const of = (platform: Parameters<typeof gateways.of>[0]): object => {
    const gateway = gateways.of(platform);
    return Object.create(gateway, {
      prepare: {
        value: async (notification: never) => {
          const prepared = await gateway.prepare(notification);
          return 'rejected' in prepared ? prepared : sent(prepared);
        },
      },
    }) as object;
  };
  return Object.create(gateways, { of: { value: of } }) as PushGateways;
}
