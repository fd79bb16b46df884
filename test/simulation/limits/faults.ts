import { type ChannelRepository, NodesService } from 'rookery/channels';
import { MemoryRequestRates, RequestRates } from '#common';
import { type Joined, PresenceService } from 'rookery/presence';
import { RemoteChannelRepository } from '../../../apps/server/src/workers/remote-ports.js';
import { RpcLink } from '../../../apps/server/src/workers/rpc-link.js';
import { TriggerLimit } from '../../../libs/channels/src/events/trigger-limit.js';
import type { Prepare } from '../prepare.js';

type Methods = Partial<Record<keyof ChannelRepository, unknown>>;

/** A node whose repository of channels does something else. */
const withChannels =
  (change: (channels: ChannelRepository) => Methods): Prepare =>
  (module) =>
    module.overrideProvider(RemoteChannelRepository).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const channels = new RemoteChannelRepository(link);
        const changed = Object.entries(change(channels)).map(([name, value]) => [name, { value }]);
        return Object.create(channels, Object.fromEntries(changed) as PropertyDescriptorMap) as object;
      },
    });

type Admission = Parameters<ChannelRepository['admit']>;
type Joining = Parameters<PresenceService['join']>;

/** Nodes that do not keep a limit: the simulation proves itself by finding each of them. */
export const faults: Readonly<Record<string, Prepare>> = {
  'connections are limited by each node alone': withChannels(() => {
    const admitted = new Set<string>();
    return {
      admit: async (...[, , connectionId, limit]: Admission) => admitted.size < limit && !!admitted.add(connectionId),
      dismiss: async (...[, , connectionId]: Parameters<ChannelRepository['dismiss']>) =>
        void admitted.delete(connectionId),
    };
  }),

  'a limit is forgotten when a node restarts': withChannels((channels) => {
    const startedAt = performance.now();
    return {
      admit: (...[appId, nodeId, connectionId, limit]: Admission) =>
        channels.admit(appId, nodeId, connectionId, performance.now() < startedAt + 5000 ? Infinity : limit),
    };
  }),

  'connections that have closed are counted': withChannels(() => ({ dismiss: async () => {} })),

  'connections of dead nodes are counted': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override async takeOut(): Promise<void> {}
      },
    ),

  'connections are forgotten with the memory of the store': withChannels((channels) => ({
    announce: (...[nodeId, held]: Parameters<ChannelRepository['announce']>) =>
      channels.announce(nodeId, { ...held, admitted: [] }),
  })),

  'members are not limited': (module) =>
    module.overrideProvider(PresenceService).useClass(
      class extends PresenceService {
        override join(...[room, connectionId, member]: Joining) {
          return super.join(room, connectionId, member);
        }
      },
    ),

  'a full channel refuses further connections of its members': (module) =>
    module.overrideProvider(PresenceService).useClass(
      class extends PresenceService {
        override async join(...[room, connectionId, member, limit = Infinity]: Joining): Promise<Joined> {
          const { members } = await this.roster(room);
          return members.length >= limit ? { outcome: 'full' } : super.join(room, connectionId, member, limit);
        }
      },
    ),

  'triggers are not limited': (module) =>
    module.overrideProvider(TriggerLimit).useClass(
      class extends TriggerLimit {
        override take(): void {}
      },
    ),

  'triggers are limited by each node alone': (module) =>
    module.overrideProvider(RequestRates).useClass(MemoryRequestRates),

  'triggers are counted twice': (module) =>
    module.overrideProvider(TriggerLimit).useClass(
      class extends TriggerLimit {
        override async take(...of: Parameters<TriggerLimit['take']>): Promise<void> {
          await super.take(...of);
          await super.take(...of);
        }
      },
    ),
};
