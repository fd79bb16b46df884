import { type DynamicModule, Module } from '@nestjs/common';
import { Broker, ChannelRepository, IdempotencyKeys, ReceiptRepository, SessionRepository } from 'rookery/channels';
import { alias, RequestRates } from 'rookery/internal/common';
import { PresenceRepository } from 'rookery/presence';
import { RpcLink } from './rpc-link.js';
import { WorkerNode } from './worker-node.js';
import {
  RemoteBroker,
  RemoteChannelRepository,
  RemoteIdempotencyKeys,
  RemotePresenceRepository,
  RemoteReceiptRepository,
  RemoteRequestRates,
  RemoteSessionRepository,
} from './remote-ports.js';

const ports = [
  [PresenceRepository, RemotePresenceRepository],
  [ChannelRepository, RemoteChannelRepository],
  [SessionRepository, RemoteSessionRepository],
  [ReceiptRepository, RemoteReceiptRepository],
  [Broker, RemoteBroker],
  [IdempotencyKeys, RemoteIdempotencyKeys],
  [RequestRates, RemoteRequestRates],
] as const;

const aliases = ports.map(([port, Remote]) => alias(port, Remote));

/** What the workers of a machine share without Redis: the other modules use it. */
@Module({})
export class WorkersModule {
  /** @param processes all workers: they share what the store may keep */
  static forRoot(link: RpcLink, processes = 1): DynamicModule {
    return {
      module: WorkersModule,
      global: true,
      providers: [
        { provide: RpcLink, useValue: link },
        ...ports.map(([, Remote]) => ({ provide: Remote, useValue: new Remote(link) })),
        // In place of the one above. The process that started this one has a TypeOrmBroker.
        {
          provide: RemoteBroker,
          useValue: Object.assign(new RemoteBroker(link), { room: { processes }, sharesTexts: true }),
        },
        ...aliases,
        WorkerNode,
      ],
      exports: aliases,
    };
  }
}
