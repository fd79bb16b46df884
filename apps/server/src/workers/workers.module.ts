import { type DynamicModule, Module } from '@nestjs/common';
import { Broker, ChannelRepository, IdempotencyKeys, SessionRepository } from 'rookery/channels';
import { borrow, lend, RequestRates, ThisNode } from 'rookery/common';
import { PresenceRepository } from 'rookery/presence';
import { RpcLink } from './rpc-link.js';
import { WorkerNode } from './worker-node.js';
import {
  RemoteBroker,
  RemoteChannelRepository,
  RemoteIdempotencyKeys,
  RemotePresenceRepository,
  RemoteRequestRates,
  RemoteSessionRepository,
} from './remote-ports.js';

const lent = [
  lend(PresenceRepository, RemotePresenceRepository),
  lend(ChannelRepository, RemoteChannelRepository),
  lend(SessionRepository, RemoteSessionRepository),
  lend(Broker, RemoteBroker),
  lend(IdempotencyKeys, RemoteIdempotencyKeys),
  lend(RequestRates, RemoteRequestRates),
];

/** What the workers of a machine share without Redis: the other modules use it. */
@Module({})
export class WorkersModule {
  static forRoot(link: RpcLink): DynamicModule {
    return {
      module: WorkersModule,
      global: true,
      providers: [
        { provide: RpcLink, useValue: link },
        borrow(ThisNode, 'WorkersModule needs PresenceModule beside it'),
        { provide: RemotePresenceRepository, useValue: new RemotePresenceRepository(link) },
        { provide: RemoteChannelRepository, useValue: new RemoteChannelRepository(link) },
        { provide: RemoteSessionRepository, useValue: new RemoteSessionRepository(link) },
        { provide: RemoteBroker, useValue: new RemoteBroker(link) },
        { provide: RemoteIdempotencyKeys, useValue: new RemoteIdempotencyKeys(link) },
        { provide: RemoteRequestRates, useValue: new RemoteRequestRates(link) },
        WorkerNode,
        ...lent,
      ],
      exports: lent,
    };
  }
}
