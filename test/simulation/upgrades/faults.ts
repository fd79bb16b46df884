import type { Broker, BrokerReceiver, SessionName, SessionRepository } from 'rookery/channels';
import type { Partition, PublishOutbox, PublishRecord, Saved } from 'rookery/publish';
import type { Found } from '#common';
import { RemoteBroker, RemoteSessionRepository } from '../../../apps/server/src/workers/remote-ports.js';
import { RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import { withOutbox } from '../beams/faults.js';
import type { Prepare } from '../prepare.js';

/** This build understands itself, and the one before knows the field by its old name. */
const renamed =
  (from: string, to: string): Prepare =>
  (module) =>
    module.overrideProvider(RemoteBroker).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const broker = new RemoteBroker(link);
        const publish: Broker['publish'] = (message) => broker.publish(withName(message, from, to));
        const receive = (receiver: BrokerReceiver): void =>
          broker.receive({
            message: (message, position) => receiver.message(withName(message, to, from), position),
            lost: (topics) => receiver.lost(topics),
          });
        return Object.create(broker, { publish: { value: publish }, receive: { value: receive } }) as object;
      },
    });

function withName<Named extends object>(named: Named, from: string, to: string): Named {
  const entries = Object.entries(named).map(([name, value]) => [name === from ? to : name, value] as const);
  // All that it was, but perhaps for the name of one field.
  return Object.fromEntries(entries) as Named;
}

/** Changes of the nodes of this build that those of the one before cannot follow. */
export const faults: Readonly<Record<string, Prepare>> = {
  'the previous build does not know the changes of members': renamed('change', 'memberChange'),
  'the previous build does not know the connection to leave out': renamed('except', 'exceptSocket'),
  'the previous build does not find the sessions of this one': (module) =>
    module.overrideProvider(RemoteSessionRepository).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const sessions = new RemoteSessionRepository(link);
        const moved = (name: SessionName): SessionName => ({ ...name, id: `2:${name.id}` });
        const open: SessionRepository['open'] = (name, ...of) => sessions.open(moved(name), ...of);
        const save: SessionRepository['save'] = (name, ...of) => sessions.save(moved(name), ...of);
        return Object.create(sessions, { open: { value: open }, save: { value: save } }) as object;
      },
    }),
};

type Save = Parameters<PublishOutbox['save']>;

export const beamsFaults: Readonly<Record<string, Prepare>> = {
  'the previous build does not know how far a partition has come': withOutbox((outbox) => {
    const back = (partition: Partition): Partition => withName(partition, 'doneTo', 'cursor');
    return {
      save: (job: Save[0], partition: Partition, change: Save[2]): Promise<Saved> =>
        outbox.save(job, withName(partition, 'cursor', 'doneTo'), change),
      leave: async (job: Save[0]): Promise<readonly Partition[] | undefined> => (await outbox.leave(job))?.map(back),
      find: async (...of: Parameters<PublishOutbox['find']>): Promise<Found<PublishRecord>> => {
        const found = await outbox.find(...of);
        return found && { ...found, partitions: found.partitions.map(back) };
      },
    };
  }),
};
