import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An event of a host's transaction that is either not sent yet or buried. */
@Entity('rookery_triggers')
@Index('rookery_triggers_by_position', ['position'])
export class TriggerEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id!: string;

  /**
   * The position among committed events; 0 for a buried one. In PostgreSQL it is below 0 until the commit assigns it:
   * positions taken earlier would not match the order of the commits.
   */
  @Column({ type: 'bigint' })
  position!: number;

  @Column({ type: 'text', name: 'app_id', collation: 'C' })
  appId!: string;

  @Column({ type: 'text', collation: 'C' })
  channel!: string;

  @Column({ type: 'text', collation: 'C' })
  name!: string;

  @Column({ type: 'text', collation: 'C' })
  data!: string;

  /** The connection to exclude. */
  @Column({ type: 'text', name: 'socket_id', collation: 'C', nullable: true })
  socketId!: string | null;

  /** Epoch milliseconds. */
  @Column({ type: 'bigint', name: 'created_at' })
  createdAt!: number;

  @Column({ type: 'bigint', name: 'buried_at', nullable: true })
  buriedAt!: number | null;

  /** The reason why it can never be sent. */
  @Column({ type: 'text', collation: 'C', nullable: true })
  reason!: string | null;
}
