import { Entity, Index } from 'typeorm';
import { Integer, NullableInteger, NullableText, Text, TextKey } from '../database/columns.js';

/** An event of a host's transaction that is either not sent yet or buried. */
@Entity('rookery_triggers')
@Index('rookery_triggers_by_position', ['position'])
export class TriggerEntity {
  @TextKey() id!: string;
  /**
   * The position among committed events; 0 for a buried one. In PostgreSQL it is below 0 until the commit assigns it:
   * positions taken earlier would not match the order of the commits.
   */
  @Integer() position!: number;
  @Text('app_id') appId!: string;
  @Text() channel!: string;
  @Text() name!: string;
  @Text() data!: string;
  /** The connection to exclude. */
  @NullableText('socket_id') socketId!: string | null;
  /** Epoch milliseconds. */
  @Integer('created_at') createdAt!: number;
  @NullableInteger('buried_at') buriedAt!: number | null;
  /** The reason why it can never be sent. */
  @NullableText() reason!: string | null;
}

/** The relay that sends the events of committed transactions, in a single row. */
@Entity('rookery_trigger_relays', { withoutRowid: true })
export class TriggerRelayEntity {
  @TextKey() name!: string;
  @Text() owner!: string;
  /** Epoch milliseconds. */
  @Integer('leased_until') leasedUntil!: number;
}
