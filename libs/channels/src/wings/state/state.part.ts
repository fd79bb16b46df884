import { Injectable } from '@nestjs/common';
import type { JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import { ChannelStates } from './channel-states.js';
import type { Snapshot } from './state-reads.js';

/**
 * Sends the channel's state, in place of what a returning client missed and of a gap. Its read begins after the channel's
 * messages are held, so each change is in the state, or its event follows: one that arrived before the read is in it,
 * because the host changes its data before it triggers.
 */
@Injectable()
export class StatePart implements SubscriptionPart {
  constructor(private readonly states: ChannelStates) {}

  enter({ connection, subscription }: Joining): Promise<JoinedPart> | undefined {
    return this.states.of(connection, subscription.channel)?.then(joinedWith);
  }
}

const joinedWith = ({ texts, arrived }: Snapshot): JoinedPart => ({
  texts: () => texts,
  covers: () => true,
  alreadySent: () => ({ has: ({ position }) => position <= arrived }),
});
