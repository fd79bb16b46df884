import { Injectable } from '@nestjs/common';
import { pieceOf } from '../../protocol/stream-piece.js';
import type { JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import type { ChannelStreams } from './channel-streams.js';
import { LiveStreams } from './live-streams.js';

/** Sends the texts of the channel's streams, in place of the pieces that they consist of. */
@Injectable()
export class StreamsPart implements SubscriptionPart {
  constructor(private readonly live: LiveStreams) {}

  enter({ connection, subscription }: Joining): Promise<JoinedPart> | undefined {
    const streams = this.live.on(connection, subscription.channel.name);
    return streams && read(streams);
  }
}

async function read(streams: ChannelStreams): Promise<JoinedPart> {
  await streams.ready();
  let to = '';
  return {
    *texts() {
      const catchUp = streams.catchUp();
      to = catchUp.to;
      yield* catchUp.texts;
    },
    covers: (event) => event !== undefined && isPiece(event.text),
    alreadySent: () => ({ has: ({ event, position }) => position <= to && isPiece(event) }),
  };
}

const isPiece = (text: string): boolean => pieceOf(text) !== undefined;
