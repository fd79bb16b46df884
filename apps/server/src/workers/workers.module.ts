import { type DynamicModule, Module } from '@nestjs/common';
import { Broker, ChannelRepository, IdempotencyKeys, SessionRepository, TriggerRate } from 'rookery/channels';
import { borrow, lend, RequestRates, ThisNode } from 'rookery/common';
import { PresenceRepository } from 'rookery/presence';
import { Link } from './link.js';
import { RelayedChannelRepository } from './relayed-channel.repository.js';
import { RelayedIdempotencyKeys } from './relayed-idempotency.keys.js';
import { RelayedNode } from './relayed-node.js';
import { RelayedPresenceRepository } from './relayed-presence.repository.js';
import { RelayedRequestRates } from './relayed-request.rates.js';
import { RelayedTriggerRate } from './relayed-trigger.rate.js';
import { RelayedSessionRepository } from './relayed-session.repository.js';
import { RelayedBroker } from './relayed.broker.js';

const lent = [
  lend(PresenceRepository, RelayedPresenceRepository),
  lend(ChannelRepository, RelayedChannelRepository),
  lend(SessionRepository, RelayedSessionRepository),
  lend(Broker, RelayedBroker),
  lend(TriggerRate, RelayedTriggerRate),
  lend(IdempotencyKeys, RelayedIdempotencyKeys),
  lend(RequestRates, RelayedRequestRates),
];

/** What the workers of a machine share without Redis: the other modules use it. */
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
        { provide: RelayedSessionRepository, useValue: new RelayedSessionRepository(link) },
        { provide: RelayedBroker, useValue: new RelayedBroker(link) },
        { provide: RelayedTriggerRate, useValue: new RelayedTriggerRate(link) },
        { provide: RelayedIdempotencyKeys, useValue: new RelayedIdempotencyKeys(link) },
        { provide: RelayedRequestRates, useValue: new RelayedRequestRates(link) },
        RelayedNode,
        ...lent,
      ],
      exports: lent,
    };
  }
}
