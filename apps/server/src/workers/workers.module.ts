import { type DynamicModule, Module } from '@nestjs/common';
import { Broker, ChannelRepository } from 'rookery/channels';
import { borrow, lend, ThisNode } from 'rookery/common';
import { PresenceRepository } from 'rookery/presence';
import { Link } from './link.js';
import { RelayedChannelRepository } from './relayed-channel.repository.js';
import { RelayedNode } from './relayed-node.js';
import { RelayedPresenceRepository } from './relayed-presence.repository.js';
import { RelayedBroker } from './relayed.broker.js';

const lent = [
  lend(PresenceRepository, RelayedPresenceRepository),
  lend(ChannelRepository, RelayedChannelRepository),
  lend(Broker, RelayedBroker),
];

/** What the workers of a machine share without Redis: PresenceModule and ChannelsModule use it. */
@Module({})
export class WorkersModule {
  static forRoot(link: Link): DynamicModule {
    return {
      module: WorkersModule,
      global: true,
      providers: [
        { provide: Link, useValue: link },
        borrow(ThisNode, 'WorkersModule needs PresenceModule beside it'),
        { provide: RelayedPresenceRepository, useValue: new RelayedPresenceRepository(link) },
        { provide: RelayedChannelRepository, useValue: new RelayedChannelRepository(link) },
        { provide: RelayedBroker, useValue: new RelayedBroker(link) },
        RelayedNode,
        ...lent,
      ],
      exports: lent,
    };
  }
}
