import { Entity, Index } from 'typeorm';
import { Integer, IntegerKey, NullableText, Text, TextKey } from '../database/columns.js';

/** One row: the order of all kept events. A position is a count that follows the clock, in epoch microseconds. */
@Entity('rookery_event_order')
export class EventOrderEntity {
  @TextKey() name!: string;
  /** The position before the first event: this database knows nothing of earlier ones. */
  @Integer() first!: number;
  /** The position of the latest event. */
  @Integer() latest!: number;
  /** The latest event of the histories that were forgotten entirely. */
  @Integer() forgotten!: number;
}

/** A channel with a history. */
@Entity('rookery_histories', { withoutRowid: true })
@Index('rookery_histories_by_due', ['dueAt'])
export class HistoryEntity {
  /** The app and the channel. */
  @TextKey() name!: string;
  /** Short, because each event has it. The position of the first event. */
  @Integer() id!: number;
  /** The position of the latest event, kept or not. */
  @Integer() latest!: number;
  /** How many events there have been. */
  @Integer() count!: number;
  /** The bytes of all events that there have been. */
  @Integer() bytes!: number;
  /** The bounds: the latest events that are kept. */
  @Integer('most_events') maxEvents!: number;
  @Integer('most_microseconds') maxMicroseconds!: number;
  @Integer('most_bytes') maxBytes!: number;
  /** When the oldest event expires, in epoch microseconds, or earlier. */
  @Integer('due_at') dueAt!: number;
}

/** An event in a channel's history. Some are beyond the bounds of the history already, and deleted soon. */
@Entity('rookery_kept_events', { withoutRowid: true })
export class KeptEventEntity {
  @IntegerKey('history_id') historyId!: number;
  @IntegerKey() position!: number;
  /** The position of the event before it in the channel. */
  @Integer() previous!: number;
  /** How many events the channel had before it. */
  @Integer('events_before') eventsBefore!: number;
  @Integer('bytes_before') bytesBefore!: number;
  /** The connection that is excluded. */
  @NullableText('socket_id') socketId!: string | null;
  @Text() text!: string;
}

/**
 * The text of an event of several channels, which have consecutive positions. The rows of the channels hold a
 * `rookery:gap` instead, for processes of an earlier release.
 */
@Entity('rookery_shared_texts')
@Index('rookery_shared_texts_by_due', ['dueAt'])
export class SharedTextEntity {
  @IntegerKey('first_position') firstPosition!: number;
  @Integer('last_position') lastPosition!: number;
  /** A JSON array: what the names of the app's channels begin with, and the channels. */
  @Text() names!: string;
  /** When it is checked for events, in epoch microseconds. */
  @Integer('due_at') dueAt!: number;
  /** Where the name of the channel was in the text: an index in UTF-16 code units. */
  @Integer('name_at') nameAt!: number;
  /** Without the name of the channel. */
  @Text() text!: string;
}

/** The last event of a cache channel. */
@Entity('rookery_remembered_events')
@Index('rookery_remembered_events_by_end', ['endsAt'])
export class RememberedEventEntity {
  /** The app and the channel. */
  @TextKey() name!: string;
  @Integer() position!: number;
  @Text() text!: string;
  /** When it is forgotten, in epoch milliseconds. */
  @Integer('ends_at') endsAt!: number;
}
