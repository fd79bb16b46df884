import type { Roster } from 'rookery/presence';
import type { Position, RememberedEvent } from '../broker/broker.js';
import type { Subscription } from '../connections/connection.js';
import type { ChannelStreams } from '../wings/streams/channel-streams.js';
import type { VersionedCount } from './local-occupancy.js';
import type { Missed } from '../wings/sessions/sessions.service.js';

/** A subscription that counts, and whose messages are held, with what its client is to be sent. */
export interface Entered {
  readonly subscription: Subscription;
  readonly missed: Missed | undefined;
  readonly count: VersionedCount | undefined;
  readonly roster: Roster | undefined;
  readonly remembered: RememberedEvent | undefined;
  readonly streams: ChannelStreams | undefined;
}

/** A confirmed subscription, with what its client was sent. */
export interface Answered extends Entered {
  /** The end of the replay. */
  readonly replayedTo: Position | undefined;
  /** The end of the texts of streams. */
  readonly streamedTo: Position | undefined;
  /** The event of a cache channel, or that there is none; undefined: the client needed neither. */
  readonly cached: RememberedEvent | 'none' | undefined;
}
